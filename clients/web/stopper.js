// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second target of a process, in mode stop: it holds the process, and knows that it does. The first one only
// observes, and would take the hold for another debugger's.
import { api } from "/api.js";
import { h } from "/dom.js";
import { duration } from "/words.js";

// Return the id of the process's target in mode stop, or undefined.
export async function findStopper({ pid }) {
  const { targets } = await api.call("target.list");
  return targets.find((target) => target.mode === "stop" && target.pid === pid && target.state === "attached")?.target;
}

// Return the id of the target that holds the process now, or undefined.
async function findHolder(info) {
  const target = info.mode === "observe" && api.may("inspect") ? await findStopper(info) : undefined;
  return target && (await api.call("target.info", { target })).stop ? target : undefined;
}

// Return the target that knows most about the process without another stop.
export async function bestTarget(info) {
  return (await findHolder(info)) || info.target;
}

// One short stop, which a view offers if it would show more.
export class ShortStop {
  constructor(info, asked, redraw) {
    Object.assign(this, { info, asked, redraw, answer: null });
  }

  async ask() {
    this.isAsking = true;
    this.failure = null;
    this.redraw();
    try {
      const there = await findStopper(this.info);
      const target = there || (await api.call("target.attach", { pid: this.info.pid, mode: "stop" })).target;
      try {
        this.answer = await api.call("view.get", { target, ...this.asked });
      } finally {
        if (!there) await api.call("target.detach", { target });
      }
    } catch (error) {
      this.failure = error;
    }
    this.isAsking = false;
    this.redraw();
  }

  // Return the answer of the stop, unless the program has shown more by itself since.
  best(data) {
    if (data && data.verdict !== "unknown") this.answer = null;
    return this.answer || data;
  }

  // Return the button, or what came of it; null where a stop shows nothing new, or this page may not stop.
  offer(data) {
    if (this.failure) return h("p", { class: "trouble", role: "alert" }, this.failure.message, this.failure.hint ? ` Hint: ${this.failure.hint}` : null);
    if (!data || this.info.mode !== "observe" || data.verdict !== "unknown" || data.consistency === "stopped" || !api.may("inspect")) return null;
    return h("p", { class: "line" }, h("button", { type: "button", class: "small", disabled: Boolean(this.isAsking), onclick: () => this.ask() }, "Stop it for a moment"), " ",
      h("span", { class: "quiet" }, this.answer ? `It was stopped once, for ${duration(this.answer.stopped_us)}.` : "Registers of its threads may show more. It then stands still once, usually for less than 10 ms."));
  }
}
