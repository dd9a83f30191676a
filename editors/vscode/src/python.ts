/** The Python that the user has selected in the Python extension. */

import * as vscode from "vscode";

/** What we need of that extension's API. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  return vscode.extensions.getExtension<PythonApi>("ms-python.python")?.activate();
}

/** The interpreter of the selected environment; undefined without that extension, or while nothing is selected. */
export async function selectedPython(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = (await pythonApi())?.environments;
  const selected = environments?.getActiveEnvironmentPath(resource);
  const resolved = selected && (await environments?.resolveEnvironment(selected));
  return resolved?.executable.uri?.fsPath;
}

/** Do something whenever another environment is selected. */
export async function whenSelected(act: () => void): Promise<vscode.Disposable> {
  const listening = (await pythonApi())?.environments.onDidChangeActiveEnvironmentPath(act);
  return listening ?? new vscode.Disposable(() => undefined);
}
