/** What to make of a server that has ended by itself. */

const MOST = 4;
const WITHIN = 3 * 60 * 1000;
// The code of requests that a closed connection leaves without an answer.
const DISPOSED = -32097;

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
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  if (code === "ENOENT") {
    return `${command} cannot be run: it, or the Python that it names in its first line, is gone.`;
  }
  if (typeof code === "string") {
    return `${command} cannot be run (${code}).`;
  }
  const last = said.join(" ").replace(/^error: /i, "");
  const refused = typeof code === "number" && code !== DISPOSED && error instanceof Error ? error.message : "";
  return `${command} server did not start: ${refused || last || "it ended at once"}.`;
}
