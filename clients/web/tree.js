// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-tree>: nested regions as boxes in the boxes of their encountering threads, with the strips of threads below.
import "/past.js";
import "/strips.js";
import "/verdict.js";
import { h, render } from "/dom.js";
import { chip, foot, nest, quiet } from "/draw.js";
import { num } from "/how.js";
import { View } from "/view.js";

// Members of a larger team that do the same share a box.
const FOLD_ABOVE = 12;

class Tree extends View {
  connectedCallback() {
    // They waited, and nothing has changed: another sample of a running program would show the same.
    this.addEventListener("still", () => this.querySelector("ompdd-verdict")?.ask());
    super.connectedCallback();
  }

  begin() {
    const what = { view: "tree", fold_above: FOLD_ABOVE };
    this.asked = { method: "view.get", params: { target: this.target, ...what } };
    // After the first request of the strips, which takes a fraction of the time.
    queueMicrotask(() => this.isConnected && this.watch("view.get", what, 500));
  }

  item(node) {
    return h("li", { class: node.kids.some(({ kind }) => kind === "region") ? "thread outer" : "thread" },
      h("p", {}, h("span", { class: "who" }, node.label), quiet(node.tids && `(${node.tids})`), " ", node.state ? chip(node.state) : null, node.text ? h("span", { class: "waits" }, ` ${node.text}`) : null, quiet(node.kind === "task" ? node.place : "")),
      this.nodes(node.kids));
  }

  region(node) {
    return h("div", { class: "region", role: "group", "aria-label": `${node.label} ${node.text}` },
      h("p", { class: "title" }, h("strong", {}, node.label), ` ${node.text}`, quiet(node.place)), this.nodes(node.kids));
  }

  nodes(nodes) {
    const isBox = ({ kind }) => kind === "region" || kind === "runtime";
    const items = nodes.filter((node) => !isBox(node));
    return [items.length ? h("ul", {}, items.map((node) => this.item(node))) : null, nodes.filter(isBox).map((node) => this.region(node))];
  }

  picture(data) {
    return [
      h("h2", {}, "Regions ", this.how()),
      h("p", { class: "counts" }, "Threads: ", data.states.map((state) => [h("span", { class: "count" }, chip(state), " ", num(String(state.count), this.asked)), " "])),
      h("div", { class: "regions" }, this.nodes(nest(data.nodes))),
      foot(data),
    ];
  }

  draw() {
    // Each at a fixed place: the strips keep their history while they are on the page.
    render(this, this.data ? h("ompdd-verdict", { key: `verdict ${this.target}`, ".info": this.info }) : null, h("div", { key: "picture" }, this.data ? this.picture(this.data) : null, this.trouble()), this.info.mode === "core" ? null : h("ompdd-strips", { key: "strips", ".info": this.info }), this.info.mode === "core" ? null : h("ompdd-past", { key: "past", ".info": this.info }));
  }
}
customElements.define("ompdd-tree", Tree);
