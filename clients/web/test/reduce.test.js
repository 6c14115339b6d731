// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of reduce.js: answers reduced for the views.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");

function load() {
  const source = ["words.js", "reduce.js"].map((name) => fs.readFileSync(path.join(__dirname, "..", name), "utf8").replace(/^import .*$/gm, "").replace(/^export /gm, ""));
  return new Function(`${source.join("\n")}\nreturn reduce;`)();
}

test("threads that wait for two locks of one array have two names", () => {
  const wait = (value, name) => ({ value, what: "lock", symbol: "accounts", offset: 0, ...(name ? { name } : {}), source: "inferred" });
  const thread = (tid, thread_num, wait_id) => ({ tid, thread_num, state: { name: "ompt_state_wait_lock", source: "inferred" }, wait_id });
  const snapshot = {
    target: "t1", pid: 1, tasks: [],
    threads: [thread(1, 0, wait("0x4060", "accounts+0x4")), thread(2, 1, wait("0x405c", "accounts")), thread(3, 2, wait("0x7f00"))],
    parallels: [{ handle: "p1", level: 1, team_size: 3, threads: [1, 2, 3], function: { symbol: "main._omp_fn.0" }, enclosing: null }],
  };
  const text = JSON.stringify(load()("tree", snapshot));
  assert.deepStrictEqual([...text.matchAll(/"waits":"([^"]*)"/g)].map((found) => found[1]), ["lock accounts+0x4", "lock accounts", "lock 0x7f00"]);
});
