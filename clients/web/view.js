// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of all views of a target: they send requests while they are on the page, keep the last answer, and
// show its time.
import { api } from "/api.js";
import { h, render } from "/dom.js";
import { howButton } from "/how.js";

// For these methods, another browser's answer of a moment ago is good enough (max_age_ms).
const SHARED = new Set(["view.get", "profile.get", "history.get"]);
// Part of the interval between two requests, less than in hub.js, so that each request gets a new view.
const FRESH = 0.7;
// No further requests after these errors.
const FINAL = new Set(["target_exited", "target_exec", "no_such_target", "worker_failed", "worker_killed", "plugin_crashed"]);

export class View extends HTMLElement {
  // target.js sets it before the element is on the page: {target, …} of target.info.
  set info(info) {
    const other = this.theInfo && this.theInfo.target !== info.target;
    this.theInfo = info;
    if (other && this.isConnected) {
      this.stopAll();
      this.begin();
    }
  }

  get info() {
    return this.theInfo;
  }

  get target() {
    return this.theInfo.target;
  }

  connectedCallback() {
    this.stops = [];
    this.ontier = () => this.draw();
    api.addEventListener("tier", this.ontier);
    this.begin();
    this.draw();
  }

  disconnectedCallback() {
    api.removeEventListener("tier", this.ontier);
    this.stopAll();
  }

  stopAll() {
    for (const stop of this.stops || []) stop();
    this.stops = [];
  }

  begin() {}

  // Request `method` about every `every` ms; this.data or this.error has the answer.
  watch(method, more, every) {
    const params = { target: this.target, ...more };
    // A core does not change: one request is enough.
    if (this.info.mode === "core") every = 3600e3;
    const age = SHARED.has(method) ? { max_age_ms: Math.min(Math.floor(every * FRESH), 10000) } : {};
    const stop = api.watch(method, { ...params, ...age }, every, (m) => {
      if (m.error) {
        this.error = m.error;
        if (FINAL.has(m.error.name)) {
          stop();
          this.dispatchEvent(new CustomEvent("target-gone", { bubbles: true, detail: m.error }));
        }
      } else {
        this.error = null;
        this.data = m.result;
        this.at = m.at;
        this.took(m.result);
      }
      this.draw();
    });
    this.stops.push(stop);
    this.asked = { method, params };
  }

  took() {}

  draw() {
    render(this, this.data ? this.picture(this.data) : null, this.trouble());
  }

  // The reason why this view is not current.
  trouble() {
    if (!this.error) return this.data ? null : h("p", { class: "quiet", role: "status" }, "asking…");
    return h("p", { class: "trouble", role: "status" }, this.error.message, ".", this.error.hint ? [" ", h("span", { class: "hint" }, `Hint: ${this.error.hint}.`)] : null,
      this.at ? ` The view is from ${new Date(this.at).toLocaleTimeString()}.` : null);
  }

  // The reason why the buttons are missing; null if they are present, or if that is not known yet.
  forbidden(tier, what) {
    if (!api.tier || api.may(tier)) return null;
    return h("p", { class: "note" }, `${what}: this connection has the tier ${api.tier}, and this needs the tier ${tier} (`, h("code", {}, "--allow"), ", or ", h("code", {}, "allow="), " of its listener).");
  }

  how(asked = this.asked) {
    return howButton(asked);
  }
}
