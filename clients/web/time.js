// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-time>: the distribution of time while a profile records: regions, imbalance, locks, tasks, and the flame
// graph.
import "/flame.js";
import { api } from "/api.js";
import { h } from "/dom.js";
import { table } from "/draw.js";
import { howButton } from "/how.js";
import { View } from "/view.js";

// Convert the tables of profile.get to the tree of <ompdd-flame>.
function treeOf({ strings, frames, nodes }) {
  const root = { name: "all", kind: "user", total: 0, kids: [] };
  const made = nodes.frame.map((frame, i) => {
    const line = frames.line[frame];
    const file = strings[frames.file[frame]];
    return { name: strings[frames.function[frame]] || "?", kind: frames.kind[frame], place: file ? `${file.split("/").pop()}${line ? `:${line}` : ""}` : "", total: nodes.self_us[i], kids: [] };
  });
  // Parents come before their children.
  for (let i = made.length - 1; i >= 0; i--) {
    const parent = nodes.parent[i] < 0 ? root : made[nodes.parent[i]];
    parent.total += made[i].total;
    parent.kids.push(made[i]);
  }
  return root;
}

class Time extends View {
  begin() {
    this.watch("profile.get", { stacks: true, tables: true }, 1000);
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

  controls(recording) {
    if (!api.may("inspect")) return this.forbidden("inspect", "You cannot record");
    return h("p", { class: "line" }, h("button", { type: "button", disabled: recording, onclick: () => this.ask("profile.start", { rate_hz: 100, keep: true }) }, "Record"), " ",
      h("button", { type: "button", disabled: !recording, onclick: () => this.ask("profile.stop", {}) }, "End the recording"), " ", h("span", { class: "quiet" }, "Samples all threads a hundred times a second, without stops."),
      this.failure ? h("span", { class: "trouble", role: "alert" }, ` ${this.failure.message}${this.failure.hint ? ` Hint: ${this.failure.hint}` : ""}`) : null);
  }

  picture(data) {
    return [
      h("h2", {}, "Where the time goes ", this.how()),
      this.controls(data.profile.recording),
      h("p", {}, data.text),
      h("h3", {}, "All stacks"),
      this.tree ? h("ompdd-flame", { key: "flame", ".tree": this.tree }) : null,
      data.tables.map((one) => [h("h3", {}, one.title), table(one.title, one, this.asked)]),
    ];
  }

  trouble() {
    if (this.info.mode === "core") return h("p", {}, "A core shows one moment: it has no profile.");
    if (this.error && !this.data) return [h("h2", {}, "Where the time goes ", howButton({ method: "profile.start", params: { target: this.target } })), this.controls(false), h("p", { class: "quiet", role: "status" }, this.error.message)];
    return super.trouble();
  }
}
customElements.define("ompdd-time", Time);
