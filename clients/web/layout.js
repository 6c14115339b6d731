// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of an answer of view.get as SVG.
import { h } from "/dom.js";

const WIDTH = 210, HEIGHT = 46, GAP_X = 120, GAP_Y = 18, MARGIN = 12;
// With less room it is drawn smaller, down to this factor; below that it scrolls.
const SMALLEST = 0.75;
const cut = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

const ROUND = new Set(["thread", "implicit", "initial"]);
const placeOf = ({ column, row }) => ({ x: MARGIN + column * (WIDTH + GAP_X), y: MARGIN + row * (HEIGHT + GAP_Y) });

function drawNode(node, { x, y }) {
  const round = ROUND.has(node.kind) ? HEIGHT / 2 : 3;
  return h("g", { key: node.id, class: `node ${node.kind}` }, h("title", {}, `${node.label} ${node.text}`),
    h("rect", { x, y, width: WIDTH, height: HEIGHT, rx: round }),
    h("text", { x: x + WIDTH / 2, y: y + (node.text ? 19 : 28), "text-anchor": "middle" }, cut(node.label, 28)),
    node.text ? h("text", { class: "sub", x: x + WIDTH / 2, y: y + 36, "text-anchor": "middle" }, cut(node.text, 32)) : null);
}

function drawEdge(edge, from, to, marker) {
  const back = to.x <= from.x;
  const x1 = back ? from.x + WIDTH / 2 : from.x + WIDTH, y1 = back ? from.y + HEIGHT : from.y + HEIGHT / 2;
  const x2 = back ? to.x + WIDTH / 2 : to.x, y2 = back ? to.y + HEIGHT : to.y + HEIGHT / 2;
  const down = Math.max(from.y, to.y) + HEIGHT + 34;
  const path = back ? `M${x1},${y1} C${x1},${down} ${x2},${down} ${x2},${y2}` : `M${x1},${y1} C${x1 + GAP_X / 2},${y1} ${x2 - GAP_X / 2},${y2} ${x2},${y2}`;
  return h("g", { key: `${edge.from} ${edge.to} ${edge.label}`, class: `edge ${edge.dashed ? "dashed" : ""}` }, h("title", {}, edge.text),
    h("path", { d: path, "marker-end": `url(#${marker})` }),
    edge.label ? h("text", { x: (x1 + x2) / 2, y: back ? down - 10 : (y1 + y2) / 2 - 5, "text-anchor": "middle" }, edge.label) : null);
}

export function drawGraph({ nodes, edges, columns, rows }, name, marker) {
  const at = new Map(nodes.map((node) => [node.id, placeOf(node)]));
  const back = edges.some((edge) => at.get(edge.from).x >= at.get(edge.to).x);
  const width = columns * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN, height = rows * (HEIGHT + GAP_Y) + MARGIN + (back ? 40 : 0);
  return h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": name },
    h("svg", { class: "graph", role: "img", "aria-label": name, width, height, style: { "min-width": `${Math.round(width * SMALLEST)}px` }, viewBox: `0 0 ${width} ${height}` },
      h("defs", {}, h("marker", { id: marker, viewBox: "0 0 10 10", refX: "10", refY: "5", markerWidth: "8", markerHeight: "8", orient: "auto" }, h("path", { class: "head", d: "M0,0 L10,5 L0,10 z" }))),
      edges.map((edge) => drawEdge(edge, at.get(edge.from), at.get(edge.to), marker)), nodes.map((node) => drawNode(node, at.get(node.id)))));
}
