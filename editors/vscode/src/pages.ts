/** Pages that the server makes: rules, answers, what a command printed. */

import * as vscode from "vscode";
import { LanguageClient, ShowDocumentRequest, TextDocumentContentRequest } from "vscode-languageclient/node";

const SCHEME = "inplace-lint";

/** Show pages of the server as a preview of their Markdown, and all other documents as always. */
export function showDocument(client: () => LanguageClient | undefined): ShowDocumentRequest.MiddlewareSignature {
  return async (params, token, next) => {
    const uri = vscode.Uri.parse(params.uri);
    if (uri.scheme !== SCHEME) {
      return next(params, token);
    }
    // A page may have another text than when it was shown the last time.
    for (const provider of client()?.getFeature(TextDocumentContentRequest.method)?.getProviders() ?? []) {
      provider.onDidChangeEmitter.fire(uri);
    }
    try {
      await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
      return { success: true };
    } catch {
      return next(params, token); // the extension for Markdown is switched off
    }
  };
}
