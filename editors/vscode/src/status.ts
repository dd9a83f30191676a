/** What the `{}` in the status bar says of the linter. */

import * as vscode from "vscode";

import { SECTION } from "./settings";

/** Tells whether the server runs. */
export class Status implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;

  constructor(documents: vscode.DocumentSelector) {
    this.item = vscode.languages.createLanguageStatusItem("inplace-lint", documents);
    this.item.name = "inplace-lint";
    this.item.command = { title: "Restart", command: `${SECTION}.restart` };
  }

  starting(): void {
    this.show("inplace-lint", "starting", vscode.LanguageStatusSeverity.Information, true);
  }

  running(version: string, command: string): void {
    this.show(`inplace-lint ${version}`, command, vscode.LanguageStatusSeverity.Information);
  }

  failed(why: string): void {
    this.show("inplace-lint", why, vscode.LanguageStatusSeverity.Error);
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(text: string, detail: string, severity: vscode.LanguageStatusSeverity, busy = false): void {
    Object.assign(this.item, { text, detail, severity, busy });
  }
}
