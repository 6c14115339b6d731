// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-events>: the target's events as they happen.
import { api } from "/api.js";
import { h } from "/dom.js";
import { howButton } from "/how.js";
import { View } from "/view.js";

const KEPT = 500;
const POLL = { method: "event.poll", params: { since: 0 } };

class Events extends View {
  begin() {
    this.list = [];
    this.heard = ({ detail: event }) => {
      if (event.target && event.target !== this.target) return;
      this.list.unshift({ ...event, at: new Date() });
      this.list.length = Math.min(this.list.length, KEPT);
      this.draw();
    };
    api.addEventListener("event", this.heard);
    this.stops.push(() => api.removeEventListener("event", this.heard));
    // Events before the view was opened.
    api.call("event.poll", POLL.params).then(({ events }) => {
      const newest = Math.min(...this.list.map((event) => event.cursor), Infinity);
      this.list.push(...events.filter((event) => event.target === this.target && event.cursor < newest).reverse());
      this.data = true;
      this.draw();
    }, (error) => {
      this.error = error;
      this.draw();
    });
  }

  row(event) {
    const { cursor, target, seq, type, at, exit, ...more } = event;
    const said = Object.entries(more).filter(([, value]) => typeof value !== "object").map(([name, value]) => `${name} ${value}`);
    if (exit) said.push(Object.entries(exit).map(([name, value]) => `${name} ${value}`).join(" "));
    return h("tr", { key: cursor }, h("td", { class: "n" }, seq ?? "–"), h("td", {}, at ? at.toLocaleTimeString() : "before"), h("td", {}, h("strong", {}, type)), h("td", {}, said.join(", ")));
  }

  picture() {
    return [
      h("h2", {}, "Events ", howButton(POLL)),
      this.info.mode === "stop" ? null : h("p", { class: "quiet" }, "A target in mode observe has few events: its end, exec, and detach."),
      this.list.length ? h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "events" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["number", "when", "what", "more"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, this.list.map((event) => this.row(event))))) : h("p", {}, "No events yet."),
    ];
  }
}
customElements.define("ompdd-events", Events);
