/**
 * Try the extension in a real VS Code: squiggle, hover, quick fix, explanation, settings that change, suppression, fixes on
 * save, and what it says if there is no program.
 *
 * Run by hand after `npm run package`, as `node test/in-vscode.mjs`. It needs
 * - code-server (VS Code for a browser) from npm: set CODE_SERVER to its `out/node/entry.js`;
 * - playwright-core from npm: set PLAYWRIGHT to its folder;
 * - Chromium, as CHROMIUM or /usr/bin/chromium;
 * - `inplace-lint` with the extra `lsp`: on the PATH, or as INPLACE_LINT.
 *
 * Where code-server's own installation fails (it wants Kerberos, and a download): install it with --ignore-scripts, the
 * same again in its folder `lib/vscode`, `npm rebuild` there @vscode/spdlog, native-watchdog and @parcel/watcher, and
 * link ripgrep to `lib/vscode/node_modules/@vscode/ripgrep/bin/rg`; at the top `npm rebuild argon2`.
 *
 * Pictures are written to `out/shots`.
 */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";

const HOME = path.resolve(import.meta.dirname, "..");
const SHOTS = path.join(HOME, "out", "shots");
const WAIT = 30_000;
const { CODE_SERVER, PLAYWRIGHT, CHROMIUM = "/usr/bin/chromium", INPLACE_LINT = "inplace-lint" } = process.env;

const TEXT = `import torch

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
y.mul_(2)
y.sum().backward()
`;

const { chromium } = createRequire(import.meta.url)(PLAYWRIGHT ?? "playwright-core");

/** A folder with a program, and settings of the user. */
function prepared(settings) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "inplace-lint-vscode-"));
  fs.mkdirSync(path.join(root, "work"));
  fs.writeFileSync(path.join(root, "work", "net.py"), TEXT);
  fs.mkdirSync(path.join(root, "data", "User"), { recursive: true });
  const quiet = { "workbench.startupEditor": "none", "editor.minimap.enabled": false };
  fs.writeFileSync(path.join(root, "data", "User", "settings.json"), JSON.stringify({ ...quiet, ...settings }));
  return root;
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Open the program in VS Code, do something with the page, and end both. */
async function inVsCode(settings, act) {
  const root = prepared(settings);
  const folders = ["--user-data-dir", path.join(root, "data"), "--extensions-dir", path.join(root, "extensions")];
  const env = { ...process.env, HOME: root, XDG_CONFIG_HOME: path.join(root, "config") };
  const vsix = path.join(HOME, fs.readdirSync(HOME).find((name) => name.endsWith(".vsix")));
  execFileSync("node", [CODE_SERVER, ...folders, "--install-extension", vsix], { env });
  const port = await freePort();
  const options = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-workspace-trust"];
  const code = spawn("node", [CODE_SERVER, ...folders, ...options, path.join(root, "work")], { env, stdio: "pipe" });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(WAIT);
  try {
    await new Promise((resolve) => code.stdout.on("data", (said) => /listening/.test(said) && resolve()));
    await page.goto(`http://127.0.0.1:${port}/?folder=${path.join(root, "work")}`);
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "net.py" }).dblclick();
    await act(page, settings);
  } finally {
    fs.mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: path.join(SHOTS, `${act.name}.png`) });
    await browser.close();
    code.kill();
    fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function palette(page, command) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").fill(`>${command}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: command }).first().click();
}

async function quickFix(page, title) {
  await palette(page, "Quick Fix...");
  const row = page.locator(".action-widget .monaco-list-row.action", { hasText: title }).first();
  await row.waitFor();
  // By keys: something invisible lies over the menu until the mouse has moved.
  while (!(await row.getAttribute("class")).split(" ").includes("focused")) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}

async function findings(page) {
  await page.locator(".squiggly-error").first().waitFor();
  await page.screenshot({ path: path.join(SHOTS, "squiggle.png") });

  await page.locator(".view-line", { hasText: "y.mul_(2)" }).locator("span span").last().click();
  await page.keyboard.press("Home");
  await palette(page, "Show or Focus Hover");
  // The finding is there at once; what is known of the tensor has to be found out.
  const hover = page.locator(".monaco-hover:visible", { hasText: "the result of" }).first();
  await hover.waitFor();
  assert.match(await hover.innerText(), /IPL202/);
  console.log("hover:", (await hover.innerText()).replaceAll("\n", " | "));
  await page.screenshot({ path: path.join(SHOTS, "hover.png") });
  await page.keyboard.press("Escape");

  await quickFix(page, "Explain IPL202");
  const preview = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  await preview.locator("h1", { hasText: "IPL202" }).waitFor();
  console.log("explained:", await preview.locator("h1").innerText());
  await page.screenshot({ path: path.join(SHOTS, "explained.png") });

  await page.locator(".tab", { hasText: "net.py" }).first().click();
  await page.locator(".view-line", { hasText: "y.mul_(2)" }).locator("span span").last().click();
  await quickFix(page, "Use the out-of-place form");
  await page.locator(".view-line", { hasText: "mul(2)" }).waitFor();
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  console.log("fixed:", await page.locator(".view-line", { hasText: "mul(2)" }).innerText());

  await palette(page, "inplace-lint: Restart Server");
  await page.keyboard.press("Control+z");
  await page.locator(".squiggly-error").first().waitFor();
  console.log("restarted, and found again");
}

/** Write the user's settings as a user does; those of the file are not seen to change. */
async function setSettings(page, set) {
  await palette(page, "Preferences: Open User Settings (JSON)");
  await page.locator(".tab.active", { hasText: "settings.json" }).waitFor();
  await page.locator(".monaco-editor:visible .view-line").first().click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify(set));
  await page.keyboard.press("Control+s");
  await page.locator(".tab", { hasText: "net.py" }).first().click();
}

async function changing(page, set) {
  await page.locator(".squiggly-error").first().waitFor();
  await setSettings(page, { ...set, "inplace-lint.settings": { ignore: ["IPL202"] } });
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  await setSettings(page, { ...set, "inplace-lint.inlayHints": true });
  await page.locator(".squiggly-error").first().waitFor();
  const hint = page.locator(".view-line", { hasText: "saved by sigmoid" }).first();
  await hint.waitFor();
  console.log("changed, and shown with hints:", await hint.innerText());
  await palette(page, "Problems: Focus on Problems View");
  const problems = page.locator(".markers-panel .monaco-list-row", { hasText: "IPL202" });
  await problems.first().waitFor();
  assert.equal(await problems.count(), 1);
}

/** On save, what is safe is fixed; a finding that is meant is suppressed, with the cursor where the reason belongs. */
async function saving(page) {
  await page.locator(".squiggly-error").first().waitFor();
  await page.locator(".view-line", { hasText: "y.mul_(2)" }).locator("span span").last().click();
  await quickFix(page, "Suppress IPL202 here");
  const line = page.locator(".view-line", { hasText: "ignore[IPL202]" });
  await line.waitFor();
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  await page.keyboard.type("not trained");
  await page.locator(".view-line", { hasText: "ignore[IPL202] not trained" }).waitFor();
  console.log("suppressed:", await line.innerText());
  for (let presses = 0; (await line.count()) > 0; presses += 1) {
    assert.ok(presses < 50);
    await page.keyboard.press("Control+z");
  }
  await page.locator(".squiggly-error").first().waitFor();
  await page.keyboard.press("Control+s");
  await page.locator(".view-line", { hasText: "y = y.mul(2)" }).waitFor();
  console.log("fixed on save");
}

async function missing(page) {
  const told = page.locator(".notification-toast", { hasText: "names no program" }).first();
  await told.waitFor();
  console.log("missing:", (await told.innerText()).replaceAll("\n", " | "));
  assert.equal(await page.locator(".notification-toast").count(), 1);
}

async function broken(page) {
  const told = page.locator(".notification-toast", { hasText: "did not start" }).first();
  await told.waitFor();
  for (const toast of await page.locator(".notification-toast").all()) {
    console.log("broken:", (await toast.innerText()).replaceAll("\n", " | "));
  }
  assert.equal(await page.locator(".notification-toast").count(), 1);
}

const lint = INPLACE_LINT.includes("/") ? { "inplace-lint.path": INPLACE_LINT } : {};
const asked = process.argv.slice(2);
const all = [
  [findings, lint],
  [changing, lint],
  [saving, { ...lint, "editor.codeActionsOnSave": { "source.fixAll.inplace-lint": "explicit" } }],
  [missing, { "inplace-lint.path": "/nowhere/inplace-lint" }],
  [broken, { "inplace-lint.path": "/bin/false" }],
];
for (const [act, settings] of all) {
  if (asked.length === 0 || asked.includes(act.name)) {
    await inVsCode(settings, act);
    console.log(`${act.name}: ok`);
  }
}
