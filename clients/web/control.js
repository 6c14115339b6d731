// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-control>: stops, breakpoints and steps, if allowed. It uses a second target of the same process, while the
// rest of the page still observes. Only buttons cause effects.
import { api } from "/api.js";
import { h } from "/dom.js";
import { howButton, num } from "/how.js";
import { findStopper } from "/stopper.js";
import { View } from "/view.js";
import { known } from "/words.js";

const EVENTS = ["parallel_begin", "parallel_end", "task_begin", "task_end", "thread_begin", "thread_end", "teams_begin", "teams_end", "target_begin", "target_end", "barrier_enter", "barrier_exit",
  "barrier_all_entered", "implicit_barrier_enter", "implicit_barrier_exit", "taskwait_enter", "taskwait_exit", "ordered_acquire", "ordered_acquired", "ordered_release", "critical_acquire", "critical_acquired",
  "critical_release", "atomic_acquire", "atomic_acquired", "atomic_release", "lock_acquire", "lock_acquired", "lock_release", "single_enter", "single_begin", "task_create", "target_data", "target_data_end", "target_submit"];
const STEPS = [["into_parallel", "Into the next region"], ["over_parallel", "Over it"], ["out_of_parallel", "Out of this one"], ["instruction", "One instruction"]];
// After these, request the state at once.
const TELLING = new Set(["stopped", "resumed", "breakpoint", "tracer_lost", "exited"]);

// Return the contents of the field as parameters of breakpoint.set: an event, a function, FILE:LINE or 0xADDRESS.
export function placeOf(text) {
  if (EVENTS.includes(text)) return { event: text };
  if (/^0x[0-9a-f]+$/.test(text)) return { address: text };
  const line = /^(.+):([0-9]{1,9})$/.exec(text);
  return line ? { file: line[1], line: Number(line[2]) } : { function: text };
}

// Release this browser's stops and breakpoints in a process that no tab shows any more.
export async function release(pid) {
  const own = { own: true };
  const { targets } = await api.call("target.list");
  for (const { target } of targets.filter((one) => one.mode === "stop" && one.pid === pid && one.state === "attached")) {
    const { breakpoints } = await api.call("breakpoint.list", { target }, own);
    for (const { breakpoint } of breakpoints.filter((one) => one.own)) await api.call("breakpoint.delete", { target, breakpoint }, own);
    const { stop } = await api.call("target.info", { target }, own);
    if (stop && stop.own) await api.call("target.resume", { target }, own);
  }
}

class Control extends View {
  begin() {
    this.stopper = null;
    this.heard = ({ detail: event }) => event.target === this.stopper && TELLING.has(event.type) && this.refresh();
    api.addEventListener("event", this.heard);
    this.stops.push(() => api.removeEventListener("event", this.heard));
    if (this.info.mode !== "core") this.find();
  }

  // Find the target of the same process in mode stop.
  async find() {
    try {
      const one = await findStopper(this.info);
      this.searched = true;
      if (one && this.isConnected) {
        this.stopper = one;
        this.asked = { method: "target.info", params: { target: this.stopper } };
        // The answer depends on this browser, so do not use api.watch(), which all share.
        const timer = setInterval(() => document.hidden || this.refresh(), 1000);
        this.stops.push(() => clearInterval(timer));
        this.refresh();
      }
    } catch (error) {
      this.error = error;
    }
    this.draw();
  }

  async refresh() {
    try {
      const target = this.stopper;
      this.data = await api.call("target.info", { target }, { own: true });
      this.points = (await api.call("breakpoint.list", { target }, { own: true })).breakpoints;
      this.error = null;
    } catch (error) {
      this.error = error;
    }
    this.draw();
  }

  async ask(method, more = {}) {
    this.failure = null;
    try {
      await api.call(method, { target: this.stopper, ...more }, { own: true });
    } catch (error) {
      this.failure = error;
    }
    await this.refresh();
  }

  standing({ state, stop, step }) {
    if (step) return `A step goes on: ${step.kind.replaceAll("_", " ")}, thread ${step.thread}${step.arrived.length ? `; ${step.arrived.length} have come` : ""}.`;
    if (!stop) return { running: "It runs.", exited: "It has ended." }[state] || state;
    const why = { request: "It was stopped", breakpoint: `Breakpoint ${stop.breakpoint}${stop.event ? `, ${stop.event}` : ""}`, launch: "It is at its first instruction", step: `A step has ended (${(stop.step || "").replaceAll("_", " ")})` }[stop.reason] || stop.reason;
    return `${why}${stop.tid ? `: thread ${stop.tid}${stop.function ? ` in ${stop.function}${stop.offset ? `+${stop.offset}` : ""}` : ""}` : ""}.${stop.own ? "" : " Another client holds it; only that client may resume it."}`;
  }

  point(one) {
    const what = one.event || (one.file ? `${one.file}:${one.line}` : one.function || one.places[0]?.address);
    const more = [["thread_num", "thread number"], ["level", "level"], ["every", "every"]].filter(([name]) => one[name] !== undefined).map(([name, word]) => `${word} ${one[name]}`).join(", ");
    return h("tr", { key: one.breakpoint }, h("td", { class: "n" }, one.breakpoint), h("td", {}, h("code", {}, what)), h("td", {}, more || "–"), h("td", { class: "n" }, num(String(one.hits), { method: "breakpoint.list", params: { target: this.stopper } })), h("td", { class: "n" }, one.places.length),
      h("td", {}, one.own ? h("button", { type: "button", class: "small", "aria-label": `Delete breakpoint ${one.breakpoint}`, onclick: () => this.ask("breakpoint.delete", { breakpoint: one.breakpoint }) }, "Delete") : "another client's"));
  }

  set(form) {
    const { place, number } = form.elements;
    const more = number.value === "" ? {} : { thread_num: Number(number.value) };
    this.ask("breakpoint.set", { ...placeOf(place.value.trim()), ...more });
  }

  picture(data) {
    const held = Boolean(data.stop);
    const mine = held && data.stop.own;
    const button = (text, able, fn) => [h("button", { type: "button", disabled: !able, onclick: fn }, text), " "];
    const mayStop = api.may("inspect"), mayStep = api.may("control");
    const thread = known(data.stop?.tid) ? { thread: data.stop.tid } : {};
    return [
      h("h2", {}, "Stop and step ", this.how()),
      h("p", { class: "now", role: "status" }, this.standing(data)),
      this.forbidden("inspect", "You cannot stop it") || this.forbidden("control", "You cannot step or set breakpoints"),
      mayStop ? h("p", { class: "line" }, button("Stop it", !held && data.state !== "exited", () => this.ask("target.stop")), button("Resume", mine, () => this.ask("target.resume")), mayStep ? STEPS.map(([kind, text]) => button(text, mine && !data.step, () => this.ask("target.step", { kind, ...thread }))) : null) : null,
      this.failure ? h("p", { class: "trouble", role: "alert" }, this.failure.message, this.failure.hint ? ` Hint: ${this.failure.hint}` : null) : null,
      h("h3", {}, "Breakpoints ", howButton({ method: "breakpoint.list", params: { target: this.stopper } })),
      mayStep ? h("form", { class: "line", onsubmit: (event) => { event.preventDefault(); this.set(event.target); } },
        h("label", { for: `place-${this.target}` }, "Where: "), h("input", { id: `place-${this.target}`, name: "place", required: true, list: `events-${this.target}`, placeholder: "parallel_begin, a function, file.c:12" }), h("datalist", { id: `events-${this.target}` }, EVENTS.map((name) => h("option", { value: name }))), " ",
        h("label", { for: `number-${this.target}` }, "Only thread number: "), h("input", { id: `number-${this.target}`, name: "number", type: "number", min: "0", class: "short" }), " ", h("button", {}, "Set")) : null,
      this.points && this.points.length ? h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "breakpoints" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["number", "where", "only", "hits", "places", "remove"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, this.points.map((one) => this.point(one))))) : null,
      !mayStop ? null : h("p", { class: "quiet" }, "A hit stops all threads until you resume them. When the last tab of this browser is closed, or loses the daemon, breakpoints are removed and the program continues."),
    ];
  }

  trouble() {
    if (this.info.mode === "core") return h("p", {}, "A core has no running threads.");
    if (this.stopper) return super.trouble();
    if (!this.searched) return h("p", { class: "quiet", role: "status" }, this.error ? this.error.message : "asking…");
    if (!api.may("inspect")) return this.forbidden("inspect", "You cannot stop it");
    return h("p", {}, "This page may only observe the program. To stop and step it, start ", h("code", {}, `ompdctl page -m stop -p ${this.info.pid ?? "PID"}`), " and use its page.");
  }
}
customElements.define("ompdd-control", Control);
