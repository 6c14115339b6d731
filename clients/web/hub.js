// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared worker: all that is asked of the daemon by all tabs of a browser goes through here. However many want to see the same,
// it is asked for once; what comes is made small (reduce.js) away from the thread that draws.
import { reduce } from "/reduce.js";

const RETRY_MS = 1000;
// Where there are no locks (http: of another machine) a tab is gone that says nothing for so long; hidden ones speak once a minute.
const LOST_MS = 20000;
const LOST_HIDDEN_MS = 180000;
const daemons = new Map(); // by token
// What belongs to us (stops, breakpoints) the daemon lets go of when it has not heard of us for so long: a browser may put a worker to
// sleep with all of its tabs, or be unplugged.
const LEASE_S = 20;
// A question comes as often as it shall on the average: one that was late is made up for, but two are no closer than this part of the time between them.
const CLOSEST = 0.75;
const nonce = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
// Held for as long as this worker lives: tabs wait for its end.
const OWN_LOCK = `ompdd hub ${nonce()}`;

class RpcError extends Error {
  constructor(error) {
    super(error.message);
    this.wire = { name: (error.data && error.data.name) || String(error.code), message: error.message, hint: (error.data && error.data.hint) || "" };
  }
}

// What one token reaches.
class Daemon {
  constructor(token) {
    this.token = token;
    this.ports = new Set();
    this.watches = new Map();
    this.status = "asking";
    this.cursor = null;
    this.stream = null;
    this.session = null; // the name of the stream; a browser asks on whichever connection it likes
    this.opened = null;
    this.tier = null; // what it lets us do; null: not known yet
    this.lastId = 0;
  }

  tell(message) {
    for (const port of this.ports) port.post(message);
  }

  say(status) {
    if (this.status === status) return;
    this.status = status;
    this.tell({ type: "status", status });
  }

  headers(more) {
    return { Authorization: `Bearer ${this.token}`, ...more };
  }

  async call(method, params, own = false) {
    let answer;
    // Before the daemon has heard of the name it does not know who asks.
    if (own) await Promise.race([this.opened, new Promise((done) => setTimeout(done, 5 * RETRY_MS))]);
    try {
      answer = await fetch("/rpc", {
        method: "POST",
        headers: this.headers({ "Content-Type": "application/json", ...(own ? { "Ompdd-Session": this.session } : {}) }),
        body: JSON.stringify({ jsonrpc: "2.0", id: ++this.lastId, method, params }),
        cache: "no-store",
      });
    } catch {
      throw this.lost();
    }
    if (answer.status === 401) {
      this.say("unauthorized");
      throw new RpcError({ message: "ompdd does not know this token", data: { name: "unauthorized" } });
    }
    if (!answer.ok) throw new RpcError({ message: `ompdd answers with status ${answer.status}: ${(await answer.text()).trim()}`, data: { name: "refused" } });
    let text;
    try {
      text = await answer.json();
    } catch {
      throw this.lost();
    }
    if (this.status !== "unauthorized") this.say("here");
    if (text.error) throw new RpcError(text.error);
    return text.result;
  }

  lost() {
    if (this.status !== "unauthorized") this.say("gone");
    return new RpcError({ message: "ompdd is not there", data: { name: "daemon_gone" } });
  }

  // GET /events for as long as somebody looks; when it ends, again, from where it was.
  async listen() {
    if (this.stream) return;
    this.stream = new AbortController();
    const { signal } = this.stream;
    const renew = setInterval(() => this.renew(), (LEASE_S * 1000) / 4);
    while (!signal.aborted && this.status !== "unauthorized") {
      let isOpen;
      this.session = nonce();
      this.opened = new Promise((done) => (isOpen = done));
      this.introduce();
      try {
        const more = { "Ompdd-Session": this.session, "Ompdd-Lease": String(LEASE_S), ...(this.cursor === null ? {} : { "Last-Event-ID": String(this.cursor) }) };
        const answer = await fetch("/events", { headers: this.headers(more), signal, cache: "no-store" });
        if (answer.status === 401) {
          this.say("unauthorized");
          break;
        }
        if (!answer.ok) throw new Error(String(answer.status));
        this.say("here");
        isOpen();
        this.renew();
        await this.read(answer.body.getReader());
      } catch {
        // below
      }
      if (signal.aborted) break;
      if (this.status !== "unauthorized") this.say("gone");
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
    clearInterval(renew);
  }

  // What is ours stays ours; and what may we?
  async renew() {
    try {
      this.tier = (await this.call("daemon.info", {}, true)).tier;
      this.tell({ type: "tier", tier: this.tier });
    } catch {
      // The stream says so, too.
    }
  }

  // The last tab ends the session itself when it is left: by then this worker may sleep.
  introduce() {
    this.tell({ type: "session", session: this.session, isLast: this.ports.size === 1 });
  }

  async read(reader) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) this.event(block);
    }
  }

  event(block) {
    let data = "";
    for (const line of block.split("\n")) {
      if (line.startsWith("data: ")) data += line.slice(6);
      if (line.startsWith("id: ")) this.cursor = Number(line.slice(4));
    }
    if (data) this.tell({ type: "event", event: JSON.parse(data) });
  }

  // Somebody came or went. The stream stays also when no tab is shown: breakpoints and stops last as long as it does.
  settle() {
    if (this.ports.size) {
      this.listen();
      this.introduce();
      for (const watch of this.watches.values()) watch.arm(0);
    } else if (this.stream) {
      this.stream.abort();
      this.stream = null;
    }
  }

  watch(method, params) {
    const key = JSON.stringify([method, params]);
    let watch = this.watches.get(key);
    if (!watch) this.watches.set(key, (watch = new Watch(this, key, method, params)));
    return watch;
  }
}

// One question that is asked again and again, for all who want its answer.
class Watch {
  constructor(daemon, key, method, params) {
    Object.assign(this, { daemon, key, method, params, wanted: new Map(), timer: 0, busy: false, asked: 0, due: 0 });
  }

  add(port, id, every, how) {
    this.wanted.set(`${port.number} ${id}`, { port, id, every, how, sent: 0 });
    if (!this.busy) this.arm(0);
  }

  remove(port, id) {
    this.wanted.delete(`${port.number} ${id}`);
    if (this.wanted.size) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.daemon.watches.delete(this.key);
  }

  awake() {
    return [...this.wanted.values()].filter((one) => one.port.shown);
  }

  arm(wait) {
    if (this.busy || (this.timer && wait)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), wait);
  }

  async ask() {
    this.timer = 0;
    const awake = this.awake();
    if (!awake.length || this.daemon.status === "unauthorized") return void (this.due = 0);
    this.busy = true;
    this.asked = performance.now();
    if (!this.due || this.due > this.asked) this.due = this.asked;
    let answer;
    try {
      answer = { result: await this.daemon.call(this.method, this.params) };
    } catch (error) {
      answer = { error: error.wire || { name: "internal_error", message: String(error), hint: "" } };
    }
    this.busy = false;
    this.deliver(answer, awake);
    const still = this.awake();
    if (!still.length) return void (this.due = 0);
    const every = Math.min(...still.map((one) => one.every));
    if (answer.error) {
      this.due = 0;
      return this.arm(Math.max(every, RETRY_MS));
    }
    const now = performance.now();
    this.due = Math.max(this.due + every, now);
    // Who answers slowly is not asked more than two thirds of the time.
    this.arm(Math.max(this.due - now, this.asked + every * CLOSEST - now, (now - this.asked) / 2));
  }

  deliver(answer, awake) {
    const now = performance.now();
    const fastest = Math.min(...awake.map((one) => one.every));
    const reduced = new Map();
    for (const one of awake) {
      // Not yet, for one who wants it more seldom than another.
      if (!this.wanted.has(`${one.port.number} ${one.id}`) || (one.sent && now - one.sent < one.every - fastest / 2)) continue;
      one.sent = now;
      if (answer.error) {
        one.port.post({ type: "answer", id: one.id, error: answer.error });
        continue;
      }
      try {
        if (!reduced.has(one.how)) reduced.set(one.how, reduce(one.how, answer.result));
        one.port.post({ type: "answer", id: one.id, result: reduced.get(one.how), at: Date.now() });
      } catch (error) {
        one.port.post({ type: "answer", id: one.id, error: { name: "internal_error", message: String(error), hint: "" } });
      }
    }
  }
}

// A tab.
let lastPort = 0;
class Port {
  constructor(port) {
    this.port = port;
    this.number = ++lastPort;
    this.daemon = null;
    this.shown = true;
    this.seen = Date.now();
    this.watches = new Map();
    this.over = null;
    port.onmessage = (event) => this.take(event.data);
    if (port.start) port.start();
  }

  post(message) {
    this.port.postMessage(message);
  }

  take(m) {
    this.seen = Date.now();
    if (m.type === "hello") this.hello(m.token);
    else if (!this.daemon) m.type === "bye" || this.post({ type: "lost" });
    else if (m.type === "lock") this.outlive(m.lock);
    else if (m.type === "call") this.call(m);
    else if (m.type === "watch") this.watch(m);
    else if (m.type === "unwatch") this.unwatch(m.id);
    else if (m.type === "shown") this.show(m.shown);
    else if (m.type === "bye") this.leave();
  }

  hello(token) {
    this.leave();
    this.shown = true;
    let daemon = daemons.get(token);
    if (!daemon || daemon.status === "unauthorized") daemons.set(token, (daemon = new Daemon(token)));
    this.daemon = daemon;
    daemon.ports.add(this);
    this.post({ type: "status", status: daemon.status });
    if (daemon.tier) this.post({ type: "tier", tier: daemon.tier });
    if (isLocked) this.post({ type: "hub", lock: OWN_LOCK });
    daemon.settle();
  }

  // The tab holds this lock; that we get it is its end, whatever ended it.
  outlive(lock) {
    if (this.over) this.over.abort();
    this.over = new AbortController();
    navigator.locks.request(lock, { signal: this.over.signal }, () => {
      this.over = null;
      this.leave();
    }).catch(() => {});
  }

  async call(m) {
    try {
      this.post({ type: "answer", id: m.id, result: await this.daemon.call(m.method, m.params, m.own) });
    } catch (error) {
      this.post({ type: "answer", id: m.id, error: error.wire || { name: "internal_error", message: String(error), hint: "" } });
    }
  }

  watch(m) {
    const watch = this.daemon.watch(m.method, m.params);
    this.watches.set(m.id, watch);
    watch.add(this, m.id, m.every, m.how || "");
  }

  unwatch(id) {
    const watch = this.watches.get(id);
    this.watches.delete(id);
    if (watch) watch.remove(this, id);
  }

  show(shown) {
    if (this.shown === shown) return;
    this.shown = shown;
    if (this.daemon) this.daemon.settle();
  }

  leave() {
    const { daemon } = this;
    if (!daemon) return;
    if (this.over) this.over.abort();
    this.over = null;
    for (const id of [...this.watches.keys()]) this.unwatch(id);
    daemon.ports.delete(this);
    this.daemon = null;
    daemon.settle();
    if (!daemon.ports.size) daemons.delete(daemon.token);
  }
}

setInterval(() => {
  for (const daemon of daemons.values())
    for (const port of [...daemon.ports]) if (!port.over && Date.now() - port.seen > (port.shown ? LOST_MS : LOST_HIDDEN_MS)) port.leave();
}, LOST_MS / 4);

let isLocked = false;
if (self.navigator.locks) navigator.locks.request(OWN_LOCK, () => {
  isLocked = true;
  for (const daemon of daemons.values()) daemon.tell({ type: "hub", lock: OWN_LOCK });
  return new Promise(() => {});
});
if ("onconnect" in self) self.onconnect = (event) => new Port(event.ports[0]);
else new Port(self);
