/** What to tell when the linter cannot run. */

import * as vscode from "vscode";

import { installation } from "./program";
import { SECTION } from "./settings";

const INSTALL = "Install in Terminal";
const SETTINGS = "Open Settings";
const OUTPUT = "Show Output";

/**
 * Say why there are no findings, and offer what helps.
 *
 * @param message why.
 * @param interpreter the Python to install inplace-lint for; undefined for whichever comes first in a terminal.
 * @param output what the server has printed.
 */
export async function tellMissing(
  message: string,
  interpreter: string | undefined,
  output: vscode.OutputChannel,
): Promise<void> {
  const text = `${message} To install it: ${installation(interpreter)}`;
  const chosen = await vscode.window.showErrorMessage(text, INSTALL, SETTINGS, OUTPUT);
  if (chosen === INSTALL) {
    const terminal = vscode.window.createTerminal("inplace-lint");
    terminal.show();
    terminal.sendText(installation(interpreter), false); // to be read, and run by the user
  } else if (chosen === SETTINGS) {
    await vscode.commands.executeCommand("workbench.action.openSettings", SECTION);
  } else if (chosen === OUTPUT) {
    output.show();
  }
}
