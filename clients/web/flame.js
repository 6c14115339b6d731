// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-flame>: a tree of stacks as boxes with widths by time, callers above. `tree` is {name, kind, total, kids}.
import { h, render } from "/dom.js";
import { duration } from "/words.js";

const ROW = 20;
const MAX_ROWS = 60;
const NARROWEST = 3;
const CHAR = 6.7;
// Two callers may have one name.
const keyOf = (node) => `${node.kind} ${node.name} ${node.place}`;
const KINDS = { parallel: "region ", task: "task ", state: "", construct: "", runtime: "", user: "", start: "" };

class Flame extends HTMLElement {
  set tree(tree) {
    this.root = tree;
    // In a growing recording, find the shown node again by the names on its path.
    this.path = this.path || [];
    if (this.isConnected) this.draw();
  }

  connectedCallback() {
    this.size = new ResizeObserver(() => this.draw());
    this.size.observe(this);
    this.draw();
  }

  disconnectedCallback() {
    this.size.disconnect();
  }

  // The node that fills the width, and its ancestors.
  way() {
    const way = [this.root];
    for (const name of this.path) {
      const next = way[way.length - 1].kids.find((kid) => keyOf(kid) === name);
      if (!next) break;
      way.push(next);
    }
    return way;
  }

  boxes(width) {
    const way = this.way();
    const boxes = [];
    way.forEach((node, row) => boxes.push({ node, row, x: 0, width, path: this.path.slice(0, row), parent: row - 1 }));
    const walk = (node, row, x, scale, path, parent) => {
      for (const kid of [...node.kids].sort((a, b) => b.total - a.total)) {
        const wide = kid.total * scale;
        if (wide < NARROWEST || row >= MAX_ROWS || boxes.length > 3000) continue;
        const below = [...path, keyOf(kid)];
        boxes.push({ node: kid, row, x, width: wide, path: below, parent });
        walk(kid, row + 1, x, scale, below, boxes.length - 1);
        x += wide;
      }
    };
    const top = way[way.length - 1];
    if (top.total) walk(top, way.length, 0, width / top.total, this.path.slice(0, way.length - 1), way.length - 1);
    return boxes;
  }

  zoom(path) {
    this.path = path;
    this.at = path.length;
    this.draw();
  }

  key(event, boxes) {
    const box = boxes[this.at];
    const near = (found) => (found < 0 ? this.at : found);
    const to = {
      ArrowUp: () => near(box.parent), ArrowDown: () => near(boxes.findIndex((one) => one.parent === this.at)),
      ArrowRight: () => near(boxes.findIndex((one, i) => i > this.at && one.parent === box.parent)),
      ArrowLeft: () => near(boxes.findLastIndex((one, i) => i < this.at && one.parent === box.parent)),
    }[event.key];
    if (to) this.at = to();
    else if (event.key === "Enter") return this.zoom(box.path);
    else if (event.key === "Escape") return this.zoom([]);
    else return;
    event.preventDefault();
    this.draw();
  }

  // Whether the searched text is in the frame's name or place.
  isFound(node) {
    return this.wanted && `${KINDS[node.kind] || ""}${node.name} ${node.place || ""}`.toLowerCase().includes(this.wanted);
  }

  // The time of the found frames. A frame within a found one has its time already.
  foundTime(node) {
    return this.isFound(node) ? node.total : node.kids.reduce((sum, kid) => sum + this.foundTime(kid), 0);
  }

  search(text) {
    this.wanted = text.trim().toLowerCase();
    this.draw();
  }

  said() {
    if (!this.wanted) return "";
    const total = this.foundTime(this.root);
    return total ? `${((100 * total) / this.root.total).toFixed(1)} % of the time is in frames with this text.` : "No frame has this text.";
  }

  describe({ node }) {
    const share = this.root.total ? ` (${((100 * node.total) / this.root.total).toFixed(1)} %)` : "";
    return `${KINDS[node.kind] || ""}${node.name}${node.place ? `, ${node.place}` : ""}: ${this.unit ? this.unit(node.total) : duration(node.total)}${share}`;
  }

  draw() {
    const width = this.clientWidth;
    if (!this.root || width < 10) return;
    if (!this.root.total) {
      render(this, h("p", { class: "quiet" }, "No stack was sampled yet."));
      return;
    }
    const boxes = this.boxes(width);
    this.at = Math.min(this.at || 0, boxes.length - 1);
    const rows = Math.max(...boxes.map((box) => box.row)) + 1;
    render(this,
      h("p", { class: "line" }, h("label", {}, "Search: ", h("input", { type: "search", name: "frame", placeholder: "function, file or region", oninput: (event) => this.search(event.target.value) })), " ", h("output", { class: "quiet" }, this.said())),
      h("svg", { class: `flame ${this.wanted ? "searched" : ""}`, role: "img", tabindex: "0", "aria-label": "flame graph: arrow keys move, Enter zooms into a frame, Escape shows everything", width, height: rows * ROW, viewBox: `0 0 ${width} ${rows * ROW}`, onkeydown: (event) => this.key(event, boxes) },
        boxes.map((box, i) => h("g", { class: `${box.node.kind || "user"}${i === this.at ? " here" : ""}${this.isFound(box.node) ? " found" : ""}`, onclick: () => { this.zoom(box.path); } },
          h("title", {}, this.describe(box)), h("rect", { x: box.x, y: box.row * ROW, width: Math.max(box.width - 1, 1), height: ROW - 1 }),
          box.width > 24 ? h("text", { x: box.x + 3, y: box.row * ROW + 14 }, fit(`${KINDS[box.node.kind] || ""}${box.node.name}`, box.width)) : null))),
      h("p", { role: "status" }, this.describe(boxes[this.at])));
  }
}

function fit(text, width) {
  const n = Math.floor((width - 6) / CHAR);
  return text.length <= n ? text : n > 1 ? `${text.slice(0, n - 1)}…` : "";
}
customElements.define("ompdd-flame", Flame);
