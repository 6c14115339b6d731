// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The request rate of hub.js, with a simulated clock that is the same on every machine.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");

const SOURCE = fs.readFileSync(path.join(__dirname, "..", "hub.js"), "utf8").replace(/^import .*$/m, "");
const SECONDS = 20;

// The worker with fakes: timers that are `late`, and a daemon whose answer number n takes took(n) ms.
class World {
  constructor({ late, took }) {
    Object.assign(this, { late, took, now: 0, timers: new Map(), last: 0, asked: [], posted: [] });
    const globals = {
      self: { onconnect: null, navigator: {} },
      navigator: {},
      performance: { now: () => this.now },
      setTimeout: (fn, wait) => this.at(this.now + Math.max(wait, 0) + this.late, fn),
      clearTimeout: (id) => this.timers.delete(id),
      setInterval: () => 0,
      clearInterval: () => {},
      fetch: (address) => (address === "/events" ? new Promise(() => {}) : this.answer()),
    };
    new Function(...Object.keys(globals), SOURCE)(...Object.values(globals));
    this.port = { start() {}, postMessage: (message) => this.posted.push({ ...message, when: this.now }) };
    globals.self.onconnect({ ports: [this.port] });
    this.say({ type: "hello", token: "secret" });
  }

  at(when, fn) {
    this.timers.set(++this.last, { when, fn });
    return this.last;
  }

  say(data) {
    this.port.onmessage({ data });
  }

  answer() {
    this.asked.push(this.now);
    return new Promise((done) => this.at(this.now + this.took(this.asked.length), () => done({ ok: true, status: 200, json: async () => ({ result: {} }) })));
  }

  async run() {
    for (;;) {
      // Let promises settle.
      await new Promise(setImmediate);
      const [next] = [...this.timers].sort(([, a], [, b]) => a.when - b.when);
      if (!next || next[1].when > SECONDS * 1000) return;
      this.timers.delete(next[0]);
      this.now = Math.max(this.now, next[1].when);
      next[1].fn();
    }
  }

  answers(id) {
    return this.posted.filter((message) => message.type === "answer" && message.id === id);
  }

  gaps() {
    return this.asked.slice(1).map((when, i) => when - this.asked[i]);
  }
}

const look = (id, every) => ({ type: "watch", id, method: "view.get", params: { target: "t1", view: "states" }, every });

test("ten looks a second are ten, also with late timers and a longer answer now and then", async () => {
  const world = new World({ late: 4, took: (n) => (n % 5 ? 30 : 85) });
  world.say(look(1, 100));
  await world.run();
  assert.ok(Math.abs(world.answers(1).length - 10 * SECONDS) <= 1, `${world.answers(1).length} answers in ${SECONDS} s`);
  assert.ok(Math.min(...world.gaps()) >= 75, "none is so close to another that both would be of one look");
});

test("who answers slowly has a third of the time for himself, and nothing is caught up in a rush", async () => {
  const world = new World({ late: 0, took: (n) => (n < 20 ? 200 : 10) });
  world.say(look(1, 100));
  await world.run();
  assert.ok(Math.min(...world.gaps().slice(0, 18)) >= 300);
  assert.ok(Math.min(...world.gaps()) >= 75);
  // The delay of one answer is compensated, and no more.
  assert.ok(world.gaps().slice(20).filter((gap) => gap < 100).length <= 4);
});

test("one question for all that ask the same, each at its own pace", async () => {
  const world = new World({ late: 4, took: () => 30 });
  world.say(look(1, 100));
  world.say(look(2, 500));
  await world.run();
  assert.ok(Math.abs(world.asked.length - 10 * SECONDS) <= 2);
  assert.ok(Math.abs(world.answers(2).length - 2 * SECONDS) <= 2, `${world.answers(2).length} answers`);
  assert.ok(Math.abs(world.answers(1).length - 10 * SECONDS) <= 2);
});

test("nobody who looks, nothing that is asked", async () => {
  const world = new World({ late: 0, took: () => 10 });
  world.say(look(1, 100));
  world.at(1000, () => world.say({ type: "shown", shown: false }));
  world.at(5000, () => world.say({ type: "shown", shown: true }));
  await world.run();
  const asleep = world.asked.filter((when) => when > 1100 && when < 5000);
  assert.deepStrictEqual(asleep, []);
  assert.ok(world.asked.filter((when) => when >= 5000 && when < 6000).length <= 11, "what was not asked meanwhile is not made up for");
  assert.ok(world.asked.some((when) => when > 15000));
});
