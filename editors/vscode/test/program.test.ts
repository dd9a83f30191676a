/** Where the program is found. Run by `npm test`. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { expand, findProgram, installation } from "../src/program";

const posix = { skip: process.platform === "win32" };

function folderWith(name: string, mode = 0o755): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inplace-lint-"));
  fs.writeFileSync(path.join(folder, name), "", { mode });
  return folder;
}

test("the environment goes before the PATH, and the setting before both", posix, () => {
  const [environment, search] = [folderWith("inplace-lint"), folderWith("inplace-lint")];
  const places = { configured: "", interpreter: path.join(environment, "python"), searchPath: search };
  assert.deepEqual(findProgram(places), { command: path.join(environment, "inplace-lint") });
  assert.deepEqual(findProgram({ ...places, interpreter: undefined }), { command: path.join(search, "inplace-lint") });
  const configured = path.join(folderWith("another"), "another");
  assert.deepEqual(findProgram({ ...places, configured }), { command: configured });
});

test("an environment that lacks the program leaves it to the PATH", posix, () => {
  const search = folderWith("inplace-lint");
  const places = { configured: "", interpreter: path.join(folderWith("python"), "python"), searchPath: search };
  assert.deepEqual(findProgram(places), { command: path.join(search, "inplace-lint") });
});

test("a setting may name a program on the PATH", posix, () => {
  const searchPath = ["/nowhere", folderWith("lint")].join(path.delimiter);
  const found = findProgram({ configured: "lint", interpreter: undefined, searchPath });
  assert.deepEqual(found, { command: path.join(searchPath.split(path.delimiter)[1]!, "lint") });
});

test("what cannot be run, is a folder, or is in the working folder is no program", posix, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inplace-lint-"));
  fs.mkdirSync(path.join(folder, "inplace-lint"));
  const searchPath = [folder, folderWith("inplace-lint", 0o644), ".", ""].join(path.delimiter);
  const found = findProgram({ configured: "", interpreter: undefined, searchPath });
  assert.match("missing" in found ? found.missing : "", /not on the PATH, and no Python environment is selected/);
});

test("a wrong setting is told, and nothing else is run in its place", posix, () => {
  const searchPath = folderWith("inplace-lint");
  const found = findProgram({ configured: "/nowhere/inplace-lint", interpreter: undefined, searchPath });
  assert.match("missing" in found ? found.missing : "", /names no program: \/nowhere\/inplace-lint/);
});

test("variables are replaced", posix, () => {
  process.env["INPLACE_LINT_TEST"] = "x";
  assert.equal(expand("${workspaceFolder}/${env:INPLACE_LINT_TEST}/$&", "/a$&b"), "/a$&b/x/$&");
  assert.equal(expand("~/bin", ""), `${os.homedir()}/bin`);
  assert.equal(expand("a~b", ""), "a~b");
});

test("the command that installs is fit for a shell", posix, () => {
  assert.equal(installation("/v/bin/python"), '/v/bin/python -m pip install "inplace-lint[lsp]"');
  assert.equal(installation("/it's/python"), `'/it'\\''s/python' -m pip install "inplace-lint[lsp]"`);
  assert.equal(installation(undefined), 'python -m pip install "inplace-lint[lsp]"');
});
