/** What is made of a server that ends. Run by `npm test`. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Ends, reason } from "../src/ends";

const MINUTE = 60_000;

test("a server that never ran is not started again", () => {
  assert.equal(new Ends().again(0), false);
});

test("a server that ran is started again, but not again and again", () => {
  const ends = new Ends();
  ends.started();
  assert.deepEqual([1, 2, 3, 4, 5].map((time) => ends.again(time)), [true, true, true, true, false]);
  assert.equal(ends.again(10 * MINUTE), true);
});

test("the reason is what the server said last, or why it cannot be run", () => {
  assert.equal(reason("lint", ["Error: no pygls"], undefined), "lint server did not start: no pygls.");
  assert.equal(reason("lint", [], new Error("it ended")), "lint server did not start: it ended at once.");
  assert.match(reason("lint", [], Object.assign(new Error("refused"), { code: -32603 })), /did not start: refused\./);
  for (const code of [-32097, -32099, "EPIPE"]) {
    assert.match(reason("lint", [], Object.assign(new Error("write EPIPE"), { code })), /it ended at once\.$/);
    assert.match(reason("lint", ["no pygls"], Object.assign(new Error("write EPIPE"), { code })), /start: no pygls\.$/);
  }
  assert.match(reason("lint", [], Object.assign(new Error(), { code: "ENOENT" })), /cannot be run: it, or the Python/);
  assert.match(reason("lint", [], Object.assign(new Error(), { code: "EACCES" })), /cannot be run \(EACCES\)/);
});
