// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-processes>: the OpenMP processes of this machine, attached targets, and forms to open a core.
import { api } from "/api.js";
import { h, render } from "/dom.js";
import { howButton } from "/how.js";
import { go } from "/route.js";
import { count, known } from "/words.js";

const LIST = { method: "process.list", params: {} };

class Processes extends HTMLElement {
  connectedCallback() {
    this.stops = [
      api.watch("process.list", {}, 2000, (m) => this.take("list", m)),
      api.watch("target.list", {}, 2000, (m) => this.take("targets", m)),
    ];
    this.chosen = new Set();
    this.draw();
  }

  disconnectedCallback() {
    for (const stop of this.stops) stop();
  }

  take(what, m) {
    this.error = m.error || null;
    if (m.result) this[what] = m.result;
    this.draw();
  }

  async open(method, params) {
    try {
      const { target } = await api.call(method, params);
      go([{ target, view: "" }]);
    } catch (error) {
      this.failure = error;
      this.draw();
    }
  }

  // Already observed: use that target.
  attach(pid) {
    const there = this.targets?.targets.find((target) => target.pid === pid && target.mode === "observe" && target.state === "attached");
    if (there) go([{ target: there.target, view: "" }]);
    else this.open("target.attach", { pid, mode: "observe" });
  }

  row(process) {
    const region = known(process.in_region);
    const kinds = process.runtimes.map((runtime) => runtime.kind).join(", ");
    const rank = process.rank ? `${process.rank.number}${process.rank.size ? ` of ${process.rank.size}` : ""}` : "–";
    return h("tr", { key: process.pid },
      h("td", {}, h("button", { type: "button", class: "open", onclick: () => this.attach(process.pid) }, process.name), " ", h("span", { class: "quiet path" }, process.program)),
      h("td", { class: "n" }, process.pid), h("td", {}, kinds), h("td", { class: "n" }, process.n_threads),
      h("td", {}, region === null ? "not known" : region ? "in a region" : "outside"),
      h("td", {}, process.user || process.uid), h("td", {}, rank));
  }

  targetRow({ target, pid, core, mode, state }) {
    const program = this.list?.processes.find((process) => process.pid === pid);
    return h("tr", { key: target },
      h("td", {}, h("input", { type: "checkbox", id: `with-${target}`, "aria-label": `${target}, side by side with others`, checked: this.chosen.has(target),
        onchange: (event) => { event.target.checked ? this.chosen.add(target) : this.chosen.delete(target); this.draw(); } })),
      h("td", {}, h("a", { href: `#/${target}` }, target)), h("td", { class: "path" }, core || program?.name || "–"), h("td", { class: "n" }, pid ?? "–"), h("td", {}, mode), h("td", {}, state));
  }

  draw() {
    const { list, targets } = this;
    const head = (...names) => h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name))));
    render(this,
      h("h1", {}, "OpenMP processes of this machine ", howButton(LIST)),
      this.failure ? h("p", { class: "trouble", role: "alert" }, this.failure.message, this.failure.hint ? ` Hint: ${this.failure.hint}` : null) : null,
      !list ? h("p", { class: "quiet", role: "status" }, this.error ? this.error.message : "asking…")
        : !list.processes.length ? h("p", {}, "You may examine no OpenMP process here. A new process appears in this list.")
        : h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "processes" }, h("table", { class: "list" }, head("program", "pid", "runtime", "threads", "parallel region", "user", "rank"),
          h("tbody", {}, list.processes.map((process) => this.row(process))))),
      list && list.n_hidden ? h("p", { class: "quiet" }, `The kernel hides the contents of ${count(list.n_hidden, "other process")} from ompdd.`) : null,
      h("p", { class: "quiet" }, "Opening a process does not stop it: its memory is read while it runs."),
      targets && targets.targets.length ? [h("h2", {}, "Open here ", howButton({ method: "target.list", params: {} })),
        h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "targets" }, h("table", { class: "list" }, head("with", "target", "program or core", "pid", "mode", "state"), h("tbody", {}, targets.targets.map((target) => this.targetRow(target))))),
        h("p", {}, h("button", { type: "button", disabled: this.chosen.size < 2, onclick: () => go([...this.chosen].map((target) => ({ target, view: "" }))) }, "Show the selected ones side by side"))] : null,
      h("h2", {}, "A core file"),
      h("form", { class: "line", onsubmit: (event) => { event.preventDefault(); this.open("target.open_core", { core: event.target.elements.core.value }); } },
        h("label", { for: "core" }, "Path on this machine: "), h("input", { id: "core", name: "core", required: true, pattern: "/.*", placeholder: "/var/tmp/core.4711", title: "an absolute path" }), " ", h("button", {}, "Open")));
  }
}
customElements.define("ompdd-processes", Processes);
