// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-stacks>: equal stacks once, those of few threads first: who is alone somewhere is mostly the one to look at.
import { h } from "/dom.js";
import { num } from "/how.js";
import { View, freshness } from "/view.js";
import { count, known, place, ranges } from "/words.js";

class Stacks extends View {
  begin() {
    this.logical = this.logical ?? true;
    this.watch("stack.groups", { logical: this.logical }, 1000);
  }

  frame(frame, i) {
    if (frame.kind === "parallel") return h("li", { class: "mark", key: i }, `parallel region, level ${known(frame.level) ?? "?"}, team of ${known(frame.team_size) ?? "?"}`);
    if (frame.kind === "task") return h("li", { class: "mark", key: i }, `task ${frame.function ? known(frame.function)?.symbol || "" : ""}`);
    const at = place(frame.location);
    const fn = known(frame.function);
    return h("li", { class: frame.kind, key: i }, h("code", {}, typeof fn === "string" ? fn : fn?.symbol || frame.construct || frame.pc || "?"), frame.kind === "construct" || frame.kind === "runtime" ? h("span", { class: "quiet" }, " the runtime") : null,
      at ? h("span", { class: "at", title: known(frame.location).file }, ` ${at}`) : frame.module ? h("span", { class: "quiet" }, ` ${String(frame.module).split("/").pop()}`) : null);
  }

  group(group, i) {
    const tids = group.threads.map((thread) => thread.tid);
    const nums = group.threads.map((thread) => known(thread.thread_num)).filter((n) => n !== null);
    // Of several teams, numbers say nothing.
    const distinct = new Set(nums).size === tids.length;
    return h("section", { class: "stack", key: `${tids[0]}` },
      h("h3", {}, num(String(tids.length), this.asked), ` thread${tids.length === 1 ? "" : "s"}`, distinct ? ` ${ranges(nums)}` : "", h("span", { class: "quiet" }, ` (${ranges(tids)})`)),
      h("ol", { class: "frames" }, group.frames.slice(0, 64).map((frame, n) => this.frame(frame, n))),
      group.frames.length > 64 ? h("p", { class: "quiet" }, `and ${group.frames.length - 64} more`) : null,
      known(group.complete) === true ? null : h("p", { class: "quiet" }, `It ends here: ${group.complete && group.complete.message ? group.complete.message : "the rest cannot be unwound"}`));
  }

  picture(data) {
    const groups = [...data.groups].sort((a, b) => a.threads.length - b.threads.length || a.threads[0].tid - b.threads[0].tid);
    return [
      h("h2", {}, "Stacks ", this.how()),
      h("p", { class: "line" }, h("label", {}, h("input", { type: "checkbox", checked: this.logical, onchange: (event) => { this.logical = event.target.checked; this.stopAll(); this.begin(); } }), " without the runtime's frames, on into who met the region or generated the task")),
      h("p", { class: "quiet" }, `${count(groups.length, "group")}; of the fewest threads first.`),
      groups.slice(0, 60).map((group, i) => this.group(group, i)),
      freshness(data),
    ];
  }
}
customElements.define("ompdd-stacks", Stacks);
