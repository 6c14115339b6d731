// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-time>: where the time goes while a profile records: regions, imbalance, locks, tasks, and the flame graph.
import "/flame.js";
import { api } from "/api.js";
import { h } from "/dom.js";
import { howButton, num } from "/how.js";
import { View } from "/view.js";
import { STATES, count, duration, known, place, reason } from "/words.js";

const KIND = { work: "work", serial: "work", reduction: "work", idle: "idle", unknown: "other" };
const kindOf = (state) => KIND[state] || "wait";
// States of profiles have the colours of states of threads.
const colourOf = (state) => STATES.find((one) => one.label === state)?.name || (KIND[state] === "idle" ? "idle" : state === "unknown" ? "unknown" : "overhead");
const where = (at) => `${known(at.function) || "not known"}${place(at.location) ? ` ${place(at.location)}` : ""}`;

// The tables of profile.get as the tree that <ompdd-flame> draws.
function treeOf({ strings, frames, nodes }) {
  const root = { name: "all", kind: "user", total: 0, kids: [] };
  const made = nodes.frame.map((frame, i) => {
    const line = frames.line[frame];
    const file = strings[frames.file[frame]];
    return { name: strings[frames.function[frame]] || "?", kind: frames.kind[frame], place: file ? `${file.split("/").pop()}${line ? `:${line}` : ""}` : "", total: nodes.self_us[i], kids: [] };
  });
  // Parents stand before their children.
  for (let i = made.length - 1; i >= 0; i--) {
    const parent = nodes.parent[i] < 0 ? root : made[nodes.parent[i]];
    parent.total += made[i].total;
    parent.kids.push(made[i]);
  }
  return root;
}

class Time extends View {
  begin() {
    this.watch("profile.get", { stacks: true }, 1000);
  }

  took(data) {
    this.tree = data.stacks ? treeOf(data.stacks) : null;
  }

  async ask(method, more) {
    try {
      await api.call(method, { target: this.target, ...more });
      this.failure = null;
    } catch (error) {
      this.failure = error;
    }
    this.stopAll();
    this.begin();
    this.draw();
  }

  // How a row's time divides, as a bar and in words.
  bar(times, longest) {
    const all = Object.entries(times).sort((a, b) => b[1] - a[1]);
    const total = all.reduce((sum, [, us]) => sum + us, 0);
    const said = all.map(([state, us]) => `${state} ${Math.round((100 * us) / total)} %`).join(", ");
    return [h("svg", { class: "bar", width: 160, height: 14, viewBox: "0 0 160 14", "aria-hidden": "true" }, all.reduce(([x, drawn], [state, us]) => {
      const wide = (160 * us) / Math.max(longest, 1);
      const tall = { work: 14, wait: 8, idle: 3, other: 3 }[kindOf(state)];
      drawn.push(h("rect", { x, y: 14 - tall, width: wide, height: tall, style: { fill: `var(--state-${colourOf(state)})` } }));
      return [x + wide, drawn];
    }, [0, []])[1]), h("span", { class: "said" }, said)];
  }

  regions(data) {
    const total = (row) => Object.values(row.times).reduce((a, b) => a + b, 0);
    const longest = Math.max(...data.regions.map(total), 1);
    return this.table("Regions by time", ["region", "time of its threads", "team", "imbalance", "how it divides"], data.regions.slice(0, 40).map((row) => h("tr", { key: row.index },
      h("td", {}, row.outside ? "outside of all regions" : h("code", {}, where(row.place)), row.outside ? null : h("span", { class: "quiet" }, ` level ${known(row.level) ?? "?"}`)), h("td", { class: "n" }, num(duration(total(row)), this.asked)), h("td", { class: "n" }, known(row.team_size) ?? "–"),
      h("td", { class: "n" }, known(row.imbalance) === null ? h("span", { class: "quiet", title: reason(row.imbalance) }, "–") : [num(row.imbalance.toFixed(2), this.asked), row.imbalance >= 1.2 ? " uneven" : ""]), h("td", {}, this.bar(row.times, longest)))));
  }

  // Where those were that had it.
  held({ holders }) {
    if (!Array.isArray(holders)) return h("td", {}, h("span", { class: "quiet", title: reason(holders) }, "–"));
    const sorted = [...holders].sort((a, b) => b.us - a.us);
    return h("td", {}, sorted.slice(0, 3).map((one) => `${one.source ? "about " : ""}${where(one.place)}`).join("; ") || "not known");
  }

  table(title, names, rows) {
    if (!rows.length) return null;
    return [h("h3", {}, title), h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": title }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows)))];
  }

  controls(recording) {
    if (!api.may("inspect")) return this.forbidden("inspect", "You cannot record");
    return h("p", { class: "line" }, h("button", { type: "button", disabled: recording, onclick: () => this.ask("profile.start", { rate_hz: 100, keep: true }) }, "Record"), " ",
      h("button", { type: "button", disabled: !recording, onclick: () => this.ask("profile.stop", {}) }, "End the recording"), " ", h("span", { class: "quiet" }, "Looks at all threads a hundred times a second; stops nothing."),
      this.failure ? h("span", { class: "trouble", role: "alert" }, ` ${this.failure.message}${this.failure.hint ? ` Hint: ${this.failure.hint}` : ""}`) : null);
  }

  picture(data) {
    const { profile } = data;
    return [
      h("h2", {}, "Where the time goes ", this.how()),
      this.controls(profile.recording),
      h("p", {}, profile.recording ? "Recording for " : "Recorded ", num(duration(profile.elapsed_us), this.asked), ": ", num(String(profile.samplings), this.asked), ` looks, ${profile.reached_hz.toFixed(0)} a second, of `, num(String(data.total.threads), this.asked), ` threads.${profile.ended ? ` It has ended: ${profile.ended}.` : ""}`,
        profile.torn ? ` ${count(profile.torn, "look")} at a thread contradicted themselves and do not count.` : "", profile.missed ? ` ${profile.missed} came too late.` : "", profile.no_stack ? ` ${profile.no_stack} have no stack.` : ""),
      h("h3", {}, "All stacks"),
      this.tree ? h("ompdd-flame", { key: "flame", ".tree": this.tree }) : null,
      this.regions(data),
      this.table("Locks by waiting", ["lock", "waited for", "at most", "waited for at", "held at"], data.locks.slice(0, 20).map((lock) => h("tr", { key: `${lock.state} ${lock.address}` }, h("td", {}, `${lock.state} `, h("code", {}, lock.name || lock.address)), h("td", { class: "n" }, num(duration(lock.wait_us), this.asked)),
        h("td", {}, count(lock.max_waiters, "thread")), h("td", {}, lock.places.slice(0, 3).map((one) => where(one.place)).join("; ")), this.held(lock)))),
      this.table("Tasks by time", ["task", "executing", "waiting", "at most"], data.tasks.slice(0, 20).map((task) => h("tr", { key: where(task.place) }, h("td", {}, h("code", {}, where(task.place))), h("td", { class: "n" }, num(duration(task.run_us), this.asked)), h("td", { class: "n" }, num(duration(task.wait_us), this.asked)), h("td", {}, `${task.max_running} begun`)))),
    ];
  }

  trouble() {
    if (this.info.mode === "core") return h("p", {}, "A core is of one moment: there is no time in it.");
    if (this.error && !this.data) return [h("h2", {}, "Where the time goes ", howButton({ method: "profile.start", params: { target: this.target } })), this.controls(false), h("p", { class: "quiet", role: "status" }, this.error.message)];
    return super.trouble();
  }
}
customElements.define("ompdd-time", Time);
