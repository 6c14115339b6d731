// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared worker: all requests of all tabs of a browser to the daemon pass through it. Equal requests are sent once.

const RETRY_MS = 1000;
// Without locks (http: of another machine) a tab counts as closed after this silence; hidden tabs send a message once a
// minute.
const LOST_MS = 20000;
const LOST_HIDDEN_MS = 180000;
const daemons = new Map(); // by token
// The daemon releases our stops and breakpoints after this silence: a browser may suspend a worker with all of its
// tabs, or be unplugged.
const LEASE_S = 20;
// The average interval of a request is kept: a late one is compensated, but two are at least this part of the interval
// apart.
const CLOSEST = 0.75;
const nonce = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
// Held while this worker lives: tabs wait for its end.
const OWN_LOCK = `ompdd hub ${nonce()}`;

class RpcError extends Error {
  constructor(error) {
    super(error.message);
    this.wire = { name: (error.data && error.data.name) || String(error.code), message: error.message, hint: (error.data && error.data.hint) || "" };
  }
}

// The connection of one token.
class Daemon {
  constructor(token) {
    this.token = token;
    this.ports = new Set();
    this.watches = new Map();
    this.status = "asking";
    this.cursor = null;
    this.stream = null;
    this.session = null; // The name of the stream; a browser may send each request on any connection.
    this.opened = null;
    this.tier = null; // Its tier; null: not known yet.
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
    // Before the daemon knows the name, it cannot assign requests.
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
      throw new RpcError({ message: "ompdd refuses this token", data: { name: "unauthorized" } });
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
    return new RpcError({ message: "ompdd is not reachable", data: { name: "daemon_gone" } });
  }

  // GET /events while a tab is open; after an interruption, continue from the last event.
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

  // Keep our stops and breakpoints, and request our tier.
  async renew() {
    try {
      this.tier = (await this.call("daemon.info", {}, true)).tier;
      this.tell({ type: "tier", tier: this.tier });
    } catch {
      // The stream reports it, too.
    }
  }

  // The last tab ends the session itself: by then this worker may be suspended.
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

  // A tab was opened or closed. The stream stays also when no tab is visible: breakpoints and stops last as long as it.
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

// A request that is repeated for all tabs that use its answer.
class Watch {
  constructor(daemon, key, method, params) {
    Object.assign(this, { daemon, key, method, params, wanted: new Map(), timer: 0, busy: false, asked: 0, due: 0 });
  }

  add(port, id, every) {
    this.wanted.set(`${port.number} ${id}`, { port, id, every, sent: 0 });
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
    // A slow daemon is busy with this request for at most two thirds of the time.
    this.arm(Math.max(this.due - now, this.asked + every * CLOSEST - now, (now - this.asked) / 2));
  }

  deliver(answer, awake) {
    const now = performance.now();
    const fastest = Math.min(...awake.map((one) => one.every));
    for (const one of awake) {
      // Too early for a tab with a longer interval.
      if (!this.wanted.has(`${one.port.number} ${one.id}`) || (one.sent && now - one.sent < one.every - fastest / 2)) continue;
      one.sent = now;
      one.port.post({ type: "answer", id: one.id, ...answer, at: Date.now() });
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

  // The tab holds this lock: when we get it, the tab has ended for any reason.
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
    watch.add(this, m.id, m.every);
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
