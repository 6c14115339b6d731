// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all views of a target share: they ask while they are on the page, keep what came last, and say when that was.
import { api } from "/api.js";
import { h, render } from "/dom.js";
import { howButton } from "/how.js";

// Of these, an answer that another browser got a moment ago is as good (max_age_ms).
const SHARED = new Set(["snapshot.get", "thread.list", "task.list", "stack.groups", "diagnose.get", "profile.get"]);
// Of the time between two questions; less than hub.js leaves between them, so that each of its own is a look.
const FRESH = 0.7;
// After these there is nothing to ask for any more.
const FINAL = new Set(["target_exited", "target_exec", "no_such_target", "worker_failed", "worker_killed", "plugin_crashed"]);

export class View extends HTMLElement {
  // Set by target.js before it is on the page: {target, …} of target.info.
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

  // Ask `method` about every `every` ms; the answer is this.data, or this.error.
  watch(method, more, every, how = "") {
    const params = { target: this.target, ...more };
    // A core stays as it is: it is asked once.
    if (this.info.mode === "core") every = 3600e3;
    const age = SHARED.has(method) ? { max_age_ms: Math.min(Math.floor(every * FRESH), 10000) } : {};
    const stop = api.watch(method, { ...params, ...age }, every, how, (m) => {
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

  // What keeps this view from being fresh.
  trouble() {
    if (!this.error) return this.data ? null : h("p", { class: "quiet", role: "status" }, "asking…");
    return h("p", { class: "trouble", role: "status" }, this.error.message, ".", this.error.hint ? [" ", h("span", { class: "hint" }, `Hint: ${this.error.hint}.`)] : null,
      this.at ? ` What is shown is of ${new Date(this.at).toLocaleTimeString()}.` : null);
  }

  // Why there is nothing to press; null when there is, or when that is not known yet.
  forbidden(tier, what) {
    if (!api.tier || api.may(tier)) return null;
    return h("p", { class: "note" }, `${what}: this ompdd lets you ${api.tier} only, and that needs the tier ${tier} (`, h("code", {}, "--allow"), ", or ", h("code", {}, "allow="), " of its listener).");
  }

  how(asked = this.asked) {
    return howButton(asked);
  }
}

// "racy", "stopped for 212 µs", and what was incomplete.
export function freshness(data) {
  const said = { racy: "Read while the program ran, without a stop", stopped: `The program was stopped for ${data.stopped_us} µs`, core: "Of the core" }[data.consistency] || data.consistency;
  return h("p", { class: "quiet" }, said, ".", data.warnings && data.warnings.length ? [" ", data.warnings.map((warning) => warning.message).join(" ")] : null);
}
