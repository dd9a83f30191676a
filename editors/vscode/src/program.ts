/** Where the program `inplace-lint` is. */

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/** Where to look for the program. */
export interface Places {
  /** What the setting `inplace-lint.path` names; empty if it names nothing. */
  readonly configured: string;
  /** The Python whose environment is asked first, if there is one. */
  readonly interpreter: string | undefined;
  /** Folders, as in the environment variable PATH. */
  readonly searchPath: string;
}

/** The program, or in words where it is not. */
export type Found = { readonly command: string } | { readonly missing: string };

const windows = process.platform === "win32";
const NAME = windows ? "inplace-lint.exe" : "inplace-lint";

/** Find the program: where the settings say, else beside the interpreter, else on the search path. */
export function findProgram(places: Places): Found {
  if (places.configured) {
    const command = places.configured.includes(path.sep)
      ? existing(places.configured)
      : onPath(places.configured, places.searchPath);
    return command ? { command } : { missing: `The setting inplace-lint.path names no program: ${places.configured}.` };
  }
  const command = (places.interpreter && besides(places.interpreter)) || onPath(NAME, places.searchPath);
  if (command) {
    return { command };
  }
  return {
    missing: places.interpreter
      ? `inplace-lint is installed neither for ${places.interpreter} nor on the PATH.`
      : `inplace-lint is not on the PATH, and no Python environment is selected.`,
  };
}

/** Replace `~`, `${workspaceFolder}` and `${env:NAME}`. */
export function expand(text: string, folder: string): string {
  return text
    .replace(/^~(?=[/\\]|$)/, () => os.homedir())
    .replaceAll("${workspaceFolder}", () => folder)
    .replace(/\$\{env:(\w+)\}/g, (_, name: string) => process.env[name] ?? "");
}

/** The command that installs the program, as one types it. */
export function installation(interpreter: string | undefined): string {
  const quoted = windows ? `& "${interpreter}"` : `'${interpreter?.replaceAll("'", "'\\''")}'`;
  const python = interpreter && /[^\w./\\:+-]/.test(interpreter) ? quoted : (interpreter ?? "python");
  return `${python} -m pip install "inplace-lint[lsp]"`;
}

/** The program in the environment of a Python. Nothing is run: a link to a Python belongs to the folder it is in. */
function besides(interpreter: string): string | undefined {
  const folder = path.dirname(interpreter);
  // Outside of virtual environments, Python for Windows has its programs in a folder below.
  return existing(path.join(folder, NAME)) ?? (windows ? existing(path.join(folder, "Scripts", NAME)) : undefined);
}

function onPath(name: string, searchPath: string): string | undefined {
  for (const folder of searchPath.split(path.delimiter)) {
    // What stands in the working folder is what is checked, and no program to run.
    const command = path.isAbsolute(folder) ? existing(path.join(folder, name)) : undefined;
    if (command) {
      return command;
    }
  }
  return undefined;
}

function existing(command: string): string | undefined {
  try {
    fs.accessSync(command, fs.constants.X_OK);
    return fs.statSync(command).isFile() ? command : undefined;
  } catch {
    return undefined;
  }
}
