// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tab's side of hub.js: calls, questions that are asked again and again, events, and whether the daemon is there.

const ALIVE_MS = 5000;
const KEY = "ompdd-token";

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
    this.lastId = 0;
    this.port = null;
    this.isAnother = false;
    this.token = sessionStorage.getItem(KEY);
  }

  get hasToken() {
    return Boolean(this.token);
  }

  // Another token is that of another daemon: it knows nothing of what this tab looked at.
  use(token) {
    this.isAnother = Boolean(this.token) && this.token !== token;
    this.token = token;
    sessionStorage.setItem(KEY, token);
    if (this.port) this.post({ type: "hello", token });
  }

  forget() {
    this.token = null;
    sessionStorage.removeItem(KEY);
  }

  // Only now: who looks at a recording asks nobody anything.
  connect() {
    if (this.port || !this.token) return;
    if (window.SharedWorker) this.port = new SharedWorker("/hub.js", { type: "module", name: "ompdd" }).port;
    else this.port = new Worker("/hub.js", { type: "module" });
    this.port.onmessage = (event) => this.take(event.data);
    this.post({ type: "hello", token: this.token });
    const show = () => this.post({ type: "shown", shown: !document.hidden });
    document.addEventListener("visibilitychange", show);
    setInterval(show, ALIVE_MS);
    addEventListener("pagehide", () => this.post({ type: "bye" }));
    // Who holds a lock is not kept for a way back: what the page holds of a program would be kept with it.
    if (navigator.locks) navigator.locks.request(`ompdd ${Math.random()}`, () => new Promise(() => {}));
    show();
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
    } else if (m.type === "answer") {
      const fn = this.waiting.get(m.id);
      if (fn) fn(m);
    }
  }

  // own: what comes of it (stops, breakpoints) is this browser's, until its last tab goes.
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

  // fn({result} or {error}) about every `every` ms, until the function that is returned is called. `how`: of reduce.js.
  watch(method, params, every, how, fn) {
    const id = ++this.lastId;
    this.waiting.set(id, fn);
    this.post({ type: "watch", id, method, params, every, how });
    return () => {
      if (this.waiting.delete(id)) this.post({ type: "unwatch", id });
    };
  }
}

export const api = new Api();
