// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-icvs>: the control variables of the process, those of tasks, and where these differ.
import { h } from "/dom.js";
import { num } from "/how.js";
import { View, freshness } from "/view.js";

const value = (one, asked) => (one.rc ? h("span", { class: "quiet" }, `not known: ${one.rc}`) : num(one.value, asked));

class Icvs extends View {
  begin() {
    this.watch("snapshot.get", { stacks: "none" }, 2000, "icvs");
  }

  taskRow({ name, values }) {
    const differs = values.length > 1;
    return h("tr", { key: name, class: differs ? "differs" : "" }, h("th", { scope: "row" }, h("code", {}, name)),
      h("td", {}, differs ? h("strong", {}, "differs") : "the same in all"),
      h("td", {}, values.slice(0, 12).map((one) => h("p", {}, value(one, this.asked), differs ? h("span", { class: "quiet" }, ` in ${one.n}: ${one.who.slice(0, 4).join("; ")}${one.n > 4 ? "; …" : ""}`) : h("span", { class: "quiet" }, ` in ${one.n}`)))));
  }

  picture(data) {
    const tasks = [...data.tasks].sort((a, b) => b.values.length - a.values.length);
    const head = (...names) => h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name))));
    return [
      h("h2", {}, "Control variables of tasks, regions and threads ", this.how()),
      h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "control variables of tasks" }, h("table", { class: "list" }, head("variable", "alike", "value"), h("tbody", {}, tasks.map((one) => this.taskRow(one))))),
      h("h2", {}, "Of the process"),
      h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "control variables of the process" }, h("table", { class: "list" }, head("variable", "value"), h("tbody", {}, data.process.map((one) => h("tr", { key: one.name }, h("th", { scope: "row" }, h("code", {}, one.name)), h("td", {}, value(one, this.asked))))))),
      freshness(data),
    ];
  }
}
customElements.define("ompdd-icvs", Icvs);
