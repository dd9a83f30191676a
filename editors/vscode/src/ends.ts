/** What to make of a server that has ended by itself. */

const MOST = 4;
const WITHIN = 3 * 60 * 1000;
// The codes of what fails because the connection does: reading, writing, and requests left without an answer.
const CONNECTION: readonly unknown[] = [-32099, -32098, -32097, -32096, "EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"];

/** Whether to start a server again: not one that has never run, nor one that ends again and again. */
export class Ends {
  private running = false;
  private readonly times: number[] = [];

  /** The server has answered. */
  started(): void {
    this.running = true;
  }

  /** The server has ended, at a time in milliseconds; whether to start it again. */
  again(now: number): boolean {
    this.times.push(now);
    const recent = this.times.filter((time) => now - time <= WITHIN);
    return this.running && recent.length <= MOST;
  }

  /** Whether it did run: then the end is news, and else start-up tells of it. */
  get hasRun(): boolean {
    return this.running;
  }
}

/** Why a server did not start, in a sentence. */
export function reason(command: string, said: readonly string[], error: unknown): string {
  const given = (error as { readonly code?: unknown } | undefined)?.code;
  const code = CONNECTION.includes(given) ? undefined : given;
  if (code === "ENOENT") {
    return `${command} cannot be run: it, or the Python that it names in its first line, is gone.`;
  }
  if (typeof code === "string") {
    return `${command} cannot be run (${code}).`;
  }
  const last = said.join(" ").replace(/^error: /i, "");
  const refused = typeof code === "number" && error instanceof Error ? error.message : "";
  return `${command} server did not start: ${refused || last || "it ended at once"}.`;
}
