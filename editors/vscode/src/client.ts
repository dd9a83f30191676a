/** The connection to the server. */

import { LanguageClient } from "vscode-languageclient/node";

/** A client that shows no message of its own while it starts: who starts it tells what went wrong, in words. */
export class Client extends LanguageClient {
  starting = true;

  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    super.error(message, data, this.starting ? false : showNotification);
  }
}
