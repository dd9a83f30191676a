/** The settings of this extension. */

import * as vscode from "vscode";

import { expand } from "./program";

export const SECTION = "inplace-lint";

/** What the user has set, with variables replaced. */
export interface Settings {
  readonly path: string;
  readonly interpreter: string;
  readonly args: readonly string[];
  readonly inlayHints: boolean;
  /** What the server is to know. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Read the settings, those of the first folder that is open. */
export function settings(): Settings {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const read = vscode.workspace.getConfiguration(SECTION, folder);
  const expanded = (text: string) => expand(text, folder?.fsPath ?? "");
  const interpreter = expanded(read.get("interpreter", ""));
  const inlayHints = read.get("inlayHints", false);
  return {
    path: expanded(read.get("path", "")),
    interpreter,
    args: read.get<string[]>("args", []).map(expanded),
    inlayHints,
    options: {
      settings: read.get("settings", {}),
      workspace: read.get("workspace", false),
      inlayHints,
      ...(interpreter ? { interpreter } : {}),
    },
  };
}
