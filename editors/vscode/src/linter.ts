/** The server's life: found, started, watched, restarted. */

import { spawn } from "node:child_process";
import * as readline from "node:readline";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClientOptions, ServerOptions, State } from "vscode-languageclient/node";

import { Client } from "./client";
import { Ends, reason } from "./ends";
import { tellMissing } from "./missing";
import { showDocument } from "./pages";
import { findProgram } from "./program";
import { selectedPython } from "./python";
import { SECTION, Settings, settings } from "./settings";
import { Status } from "./status";

// Cells of notebooks are documents of their own, and the server puts them together.
const DOCUMENTS = ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ scheme, language: "python" }));

/** One server for all folders of a window. */
export class Linter implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel("inplace-lint", { log: true });
  private readonly status = new Status(DOCUMENTS);
  private client: Client | undefined;
  private running = "";
  private last: Promise<void> = Promise.resolve();

  /** Start the server anew, after whatever is under way. */
  restart(): Promise<void> {
    return this.queue(async () => {
      await this.stop();
      await this.start();
    });
  }

  /** Start the server anew if another program is to be run. */
  followSelection(): Promise<void> {
    return this.queue(async () => {
      const found = findProgram(await this.places(settings()));
      if (!("command" in found) || found.command !== this.running) {
        await this.stop();
        await this.start();
      }
    });
  }

  /** End the server. */
  end(): Promise<void> {
    return this.queue(() => this.stop());
  }

  dispose(): void {
    this.status.dispose();
    this.output.dispose();
  }

  private queue(act: () => Promise<void>): Promise<void> {
    this.last = this.last.then(act, act);
    return this.last;
  }

  private async places(set: Settings) {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const interpreter = set.interpreter || (await selectedPython(folder));
    return { configured: set.path, interpreter, searchPath: process.env["PATH"] ?? "" };
  }

  private async start(): Promise<void> {
    const set = settings();
    const places = await this.places(set);
    const found = findProgram(places);
    if ("missing" in found) {
      this.output.error(found.missing);
      this.status.failed("not installed");
      void tellMissing(found.missing, places.interpreter, this.output);
      return;
    }
    this.output.info(`Starting ${found.command}`);
    this.status.starting();
    const said: string[] = [];
    // A program that ends at once never answers, and the client would wait for it.
    let ended: (reason: Error) => void = () => undefined;
    const end = new Promise<never>((_, reject) => (ended = reject));
    end.catch(() => undefined);
    const server: ServerOptions = () => {
      const child = spawn(found.command, ["server", ...set.args]);
      child.once("error", ended);
      // Later, for what it has said to come in.
      child.once("exit", () => setTimeout(() => ended(new Error("it ended at once")), 300));
      return Promise.resolve(child);
    };
    const ends = new Ends();
    const ending = (message: string) => void tellMissing(message, places.interpreter, this.output);
    const options = { ...this.options(set, said), ...this.failures(ends, found.command, ending) };
    const client = new Client(SECTION, "inplace-lint", server, options);
    this.client = client;
    this.running = found.command;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        ends.started();
        this.status.running(client.initializeResult?.serverInfo?.version ?? "", found.command);
      } else if (newState === State.Stopped) {
        this.status.failed("stopped");
      }
    });
    try {
      await Promise.race([client.start(), end]);
      client.starting = false;
    } catch (error) {
      // The connection closes before the last words of the server have come in.
      await Promise.race([end.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 500))]);
      this.status.failed("did not start");
      this.client = undefined;
      ending(reason(found.command, said, error));
    }
  }

  /** What happens when the server fails: one message of ours, and none of the client's. */
  private failures(ends: Ends, command: string, told: (message: string) => void): Partial<LanguageClientOptions> {
    return {
      initializationFailedHandler: () => false, // `start` tells
      errorHandler: {
        error: (_error, _message, count) => ({
          action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
          handled: true,
        }),
        closed: () => {
          if (ends.again(Date.now())) {
            return { action: CloseAction.Restart, handled: true };
          }
          if (ends.hasRun) {
            told(`${command} server has ended several times within minutes, and is not started again.`);
          }
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
  }

  private options(set: Settings, said: string[]): LanguageClientOptions {
    return {
      documentSelector: DOCUMENTS,
      outputChannel: this.output,
      initializationOptions: set.options,
      middleware: {
        // With variables replaced, and only what the server is to know.
        workspace: { configuration: ({ items }) => items.map(() => settings().options) },
        window: { showDocument: showDocument(() => this.client) },
        provideInlayHints: (document, range, token, next) => (settings().inlayHints ? next(document, range, token) : []),
      },
      stdioOptions: {
        stdout: () => undefined,
        stderr: (input, output) => {
          readline.createInterface({ input }).on("line", (line) => {
            said.push(line);
            said.splice(0, said.length - 3);
            output.error(line);
          });
        },
      },
    };
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.running = "";
    await client?.dispose();
  }
}
