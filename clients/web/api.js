// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tab's side of hub.js: calls, repeated requests, events, and the state of the connection to the daemon.

const ALIVE_MS = 5000;
const KEY = "ompdd-token";
// Each tier includes the ones before it.
const TIERS = ["observe", "inspect", "control", "admin"];

export class RpcError extends Error {
  constructor(error) {
    super(error.message);
    this.name = error.name;
    this.hint = error.hint;
  }
}

class Api extends EventTarget {
  constructor() {
    super();
    this.status = "asking";
    this.waiting = new Map();
    this.watches = new Map(); // posted messages by id
    this.session = null;
    this.tier = null;
    this.lastId = 0;
    this.port = null;
    this.isAnother = false;
    this.token = sessionStorage.getItem(KEY);
  }

  // Return whether the daemon allows this token methods of that tier; false until the daemon has answered.
  may(tier) {
    return TIERS.indexOf(this.tier) >= TIERS.indexOf(tier);
  }

  get hasToken() {
    return Boolean(this.token);
  }

  // Another token belongs to another daemon, which does not know this tab's targets.
  use(token) {
    this.isAnother = Boolean(this.token) && this.token !== token;
    this.token = token;
    sessionStorage.setItem(KEY, token);
    if (this.port) this.rejoin();
  }

  // Connect only now: the view of a recording needs no daemon.
  connect() {
    if (this.port || !this.token) return;
    this.open();
    document.addEventListener("visibilitychange", () => this.show());
    setInterval(() => this.show(), ALIVE_MS);
    addEventListener("pagehide", () => this.bye());
    // The browser keeps the page unchanged for the back button.
    addEventListener("pageshow", (event) => event.persisted && this.reopen());
    if (!navigator.locks) return;
    const lock = `ompdd tab ${crypto.randomUUID()}`;
    navigator.locks.request(lock, () => {
      this.lock = lock;
      this.port.postMessage({ type: "lock", lock });
      return new Promise(() => {});
    });
  }

  open() {
    this.port = window.SharedWorker ? new SharedWorker("/hub.js", { type: "module", name: "ompdd" }).port : new Worker("/hub.js", { type: "module" });
    this.port.onmessage = (event) => this.take(event.data);
    this.hello();
  }

  hello() {
    this.port.postMessage({ type: "hello", token: this.token });
    if (this.lock) this.port.postMessage({ type: "lock", lock: this.lock });
    this.show();
  }

  // The worker was replaced, or no longer knows this tab.
  reopen() {
    this.port.onmessage = null;
    if (this.port.terminate) this.port.terminate();
    else this.port.close();
    this.open();
    this.resume();
  }

  rejoin() {
    this.hello();
    this.resume();
  }

  resume() {
    for (const id of [...this.waiting.keys()]) {
      if (this.watches.has(id)) this.port.postMessage(this.watches.get(id));
      else this.take({ type: "answer", id, error: { name: "daemon_gone", message: "the browser suspended this page before the answer arrived", hint: "" } });
    }
  }

  show() {
    this.port.postMessage({ type: "shown", shown: !document.hidden });
  }

  // The browser may suspend the worker, with its holds, before it reads this message.
  bye() {
    this.port.postMessage({ type: "bye" });
    if (this.session) fetch("/events", { method: "DELETE", keepalive: true, headers: { Authorization: `Bearer ${this.token}`, "Ompdd-Session": this.session } }).catch(() => {});
  }

  // The worker ends before its tabs if the browser process that it shares with one of them ends.
  outlive(lock) {
    if (this.hub) this.hub.abort();
    const hub = this.hub = new AbortController();
    navigator.locks.request(lock, { signal: hub.signal }, () => hub === this.hub && this.reopen()).catch(() => {});
  }

  post(message) {
    this.connect();
    if (this.port) this.port.postMessage(message);
  }

  take(m) {
    if (m.type === "status") {
      this.status = m.status;
      this.dispatchEvent(new CustomEvent("status", { detail: m.status }));
    } else if (m.type === "event") {
      this.dispatchEvent(new CustomEvent("event", { detail: m.event }));
    } else if (m.type === "session") {
      this.session = m.isLast ? m.session : null;
    } else if (m.type === "tier") {
      if (this.tier === m.tier) return;
      this.tier = m.tier;
      this.dispatchEvent(new CustomEvent("tier"));
    } else if (m.type === "hub") {
      this.outlive(m.lock);
    } else if (m.type === "lost") {
      this.rejoin();
    } else if (m.type === "answer") {
      const fn = this.waiting.get(m.id);
      if (fn) fn(m);
    }
  }

  // own: its effects (stops, breakpoints) belong to this browser until its last tab is closed.
  call(method, params = {}, { own = false } = {}) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, (m) => {
        this.waiting.delete(id);
        if (m.error) reject(new RpcError(m.error));
        else resolve(m.result);
      });
      this.post({ type: "call", id, method, params, own });
    });
  }

  // Call fn({result} or {error}) about every `every` ms, until the returned function is called.
  watch(method, params, every, fn) {
    const id = ++this.lastId;
    this.waiting.set(id, fn);
    this.watches.set(id, { type: "watch", id, method, params, every });
    this.post(this.watches.get(id));
    return () => {
      this.watches.delete(id);
      if (this.waiting.delete(id)) this.post({ type: "unwatch", id });
    };
  }
}

export const api = new Api();
