// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-stacks>: equal stacks once, smallest groups first: a lone thread is usually the interesting one.
import { h } from "/dom.js";
import { foot, nest, quiet } from "/draw.js";
import { num } from "/how.js";
import { View } from "/view.js";

const MAX_STACKS = 60;
const MAX_FRAMES = 64;

class Stacks extends View {
  begin() {
    this.logical = this.logical ?? true;
    this.watch("view.get", { view: "stacks", logical: this.logical, max_frames: MAX_FRAMES }, 1000);
  }

  frame(node) {
    if (!node.frame) return h("li", { class: node.kind === "boundary" ? "mark" : "missing" }, node.text);
    return h("li", { class: node.kind }, h("code", { title: node.text }, node.name), node.place ? h("span", { class: "at", title: node.text }, ` ${node.place}`) : null);
  }

  stack(node) {
    return h("section", { class: "stack" },
      h("h3", {}, num(String(node.count), this.asked), ` × ${node.label}`, quiet(`(${node.tids})`), quiet(node.text)),
      h("ol", { class: "frames" }, node.kids.map((kid) => this.frame(kid))));
  }

  picture(data) {
    const stacks = nest(data.nodes).sort((a, b) => a.count - b.count);
    return [
      h("h2", {}, "Stacks ", this.how()),
      h("p", { class: "line" }, h("label", {}, h("input", { type: "checkbox", checked: this.logical, onchange: (event) => { this.logical = event.target.checked; this.stopAll(); this.begin(); } }), " logical stacks: without the runtime's frames, continued at the construct that created the region or task")),
      h("p", { class: "quiet" }, "Smallest groups first."),
      stacks.slice(0, MAX_STACKS).map((stack) => this.stack(stack)),
      foot(data),
    ];
  }
}
customElements.define("ompdd-stacks", Stacks);
