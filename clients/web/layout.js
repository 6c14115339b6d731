// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small graph in layers, from left to right, as SVG. nodes: {id, label, sub, shape}; edges: {from, to, label, dashed}.
import { h } from "/dom.js";

const WIDTH = 210, HEIGHT = 46, GAP_X = 120, GAP_Y = 18, MARGIN = 12;
// Where there is less room it is drawn smaller, down to this; below that it scrolls.
const SMALLEST = 0.75;
const cut = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

// The layer of each node: behind all that point to it, but for edges that close a circle.
function layers(nodes, edges) {
  const out = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) if (out.has(edge.from) && out.has(edge.to)) out.get(edge.from).push(edge.to);
  const layer = new Map();
  const mark = new Map();
  const order = [];
  for (const { id } of nodes) {
    const stack = [[id, 0]];
    while (stack.length) {
      const top = stack[stack.length - 1];
      const [at, i] = top;
      if (i === 0) {
        if (mark.get(at)) {
          stack.pop();
          continue;
        }
        mark.set(at, "open");
      }
      const next = out.get(at)[i];
      if (next === undefined) {
        mark.set(at, "done");
        order.unshift(at);
        stack.pop();
      } else {
        top[1]++;
        if (!mark.get(next)) stack.push([next, 0]);
      }
    }
  }
  const position = new Map(order.map((id, i) => [id, i]));
  for (const id of order) {
    if (!layer.has(id)) layer.set(id, 0);
    for (const next of out.get(id)) if (position.get(next) > position.get(id)) layer.set(next, Math.max(layer.get(next) ?? 0, layer.get(id) + 1));
  }
  return layer;
}

// Within a layer: each node near those of the layer before that it is tied to.
function place(nodes, edges) {
  const layer = layers(nodes, edges);
  const columns = [];
  for (const node of nodes) (columns[layer.get(node.id)] ||= []).push(node);
  const at = new Map();
  for (const [x, column] of columns.entries()) {
    const wish = (node) => {
      const tied = edges.filter((edge) => edge.to === node.id && at.has(edge.from)).map((edge) => at.get(edge.from).y);
      return tied.length ? tied.reduce((a, b) => a + b, 0) / tied.length : Infinity;
    };
    if (x) {
      const wishes = new Map(column.map((node) => [node, wish(node)]));
      column.sort((a, b) => wishes.get(a) - wishes.get(b) || 0);
    }
    column.forEach((node, i) => at.set(node.id, { x: MARGIN + x * (WIDTH + GAP_X), y: MARGIN + i * (HEIGHT + GAP_Y) }));
  }
  return { at, columns };
}

function drawNode(node, { x, y }) {
  const round = node.shape === "round" ? HEIGHT / 2 : 3;
  return h("g", { key: node.id, class: `node ${node.kind || ""}` }, h("title", {}, `${node.label}${node.sub ? ` ${node.sub}` : ""}`),
    h("rect", { x, y, width: WIDTH, height: HEIGHT, rx: round }),
    h("text", { x: x + WIDTH / 2, y: y + (node.sub ? 19 : 28), "text-anchor": "middle" }, cut(node.label, 28)),
    node.sub ? h("text", { class: "sub", x: x + WIDTH / 2, y: y + 36, "text-anchor": "middle" }, cut(node.sub, 32)) : null);
}

function drawEdge(edge, from, to, marker) {
  const back = to.x <= from.x;
  const x1 = back ? from.x + WIDTH / 2 : from.x + WIDTH, y1 = back ? from.y + HEIGHT : from.y + HEIGHT / 2;
  const x2 = back ? to.x + WIDTH / 2 : to.x, y2 = back ? to.y + HEIGHT : to.y + HEIGHT / 2;
  const down = Math.max(from.y, to.y) + HEIGHT + 34;
  const path = back ? `M${x1},${y1} C${x1},${down} ${x2},${down} ${x2},${y2}` : `M${x1},${y1} C${x1 + GAP_X / 2},${y1} ${x2 - GAP_X / 2},${y2} ${x2},${y2}`;
  return h("g", { key: `${edge.from} ${edge.to} ${edge.kind}`, class: `edge ${edge.dashed ? "dashed" : ""}` }, h("title", {}, edge.title || edge.label),
    h("path", { d: path, "marker-end": `url(#${marker})` }),
    edge.label ? h("text", { x: (x1 + x2) / 2, y: back ? down - 10 : (y1 + y2) / 2 - 5, "text-anchor": "middle" }, edge.label) : null);
}

export function drawGraph(nodes, edges, name, marker) {
  const { at, columns } = place(nodes, edges);
  const rows = Math.max(1, ...columns.map((column) => column.length));
  const back = edges.some((edge) => at.get(edge.from).x >= at.get(edge.to).x);
  const width = columns.length * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN, height = rows * (HEIGHT + GAP_Y) + MARGIN + (back ? 40 : 0);
  return h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": name },
    h("svg", { class: "graph", role: "img", "aria-label": name, width, height, style: { "min-width": `${Math.round(width * SMALLEST)}px` }, viewBox: `0 0 ${width} ${height}` },
      h("defs", {}, h("marker", { id: marker, viewBox: "0 0 10 10", refX: "10", refY: "5", markerWidth: "8", markerHeight: "8", orient: "auto" }, h("path", { class: "head", d: "M0,0 L10,5 L0,10 z" }))),
      edges.map((edge) => drawEdge(edge, at.get(edge.from), at.get(edge.to), marker)), nodes.map((node) => drawNode(node, at.get(node.id)))));
}
