/** Runs `inplace-lint server`, and shows what it finds. */

import * as vscode from "vscode";

import { Linter } from "./linter";
import { whenSelected } from "./python";
import { SECTION } from "./settings";

let linter: Linter | undefined;

/** Start the linter: a Python document is open. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = new Linter();
  linter = started;
  context.subscriptions.push(
    started,
    vscode.commands.registerCommand(`${SECTION}.restart`, () => started.restart()),
    vscode.commands.registerCommand(`${SECTION}.showOutput`, () => started.output.show()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      // The server asks for the others by itself.
      if (["path", "interpreter", "args"].some((name) => change.affectsConfiguration(`${SECTION}.${name}`))) {
        void started.restart();
      }
    }),
  );
  await started.restart();
  context.subscriptions.push(await whenSelected(() => void started.followSelection()));
}

/** End the server with the window. */
export function deactivate(): Promise<void> | undefined {
  return linter?.end();
}
