// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of an answer of view.get as SVG, placed by dagre.
import { Graph, layout } from "/vendor/dagre.js";
import { h } from "/dom.js";

const MARGIN = 12, LETTER = 7.2, SMALL_LETTER = 6.4, PADDING = 28, LEAST_WIDTH = 110, LINE = 17, HEIGHT = 46;
// With less room it is drawn smaller, down to this factor; below that it scrolls.
const SMALLEST = 0.75;
// A window narrower than this shows the graph from top to bottom.
const NARROW = 700;
// Longer texts are cut; the whole text is the title.
const LONGEST = 34;
const ROUND = new Set(["thread", "implicit", "initial"]);
const cut = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

// The last layout of each drawing: most answers differ in their texts only.
const kept = new Map();

function place(graph, name) {
  const nodes = graph.nodes.map(({ id, label, text }) => ({ id, height: HEIGHT, width: Math.max(cut(label).length * LETTER, cut(text).length * SMALL_LETTER, LEAST_WIDTH - PADDING) + PADDING }));
  const edges = graph.edges.map(({ from, to, label }) => ({ from, to, width: label.length * SMALL_LETTER + LINE, height: label ? LINE : 0 }));
  const rankdir = innerWidth < NARROW ? "TB" : "LR";
  const key = JSON.stringify([nodes, edges, rankdir]);
  if (kept.get(name)?.key === key) return kept.get(name).placed;
  const placed = new Graph({ multigraph: true });
  placed.setGraph({ rankdir, marginx: MARGIN, marginy: MARGIN, nodesep: 22, edgesep: 14, ranksep: 44 });
  for (const node of nodes) placed.setNode(node.id, node);
  edges.forEach((edge, i) => placed.setEdge(edge.from, edge.to, { ...edge, labelpos: "c" }, String(i)));
  layout(placed);
  kept.set(name, { key, placed });
  return placed;
}

// A curve near the points, through the first and the last one.
function curve(points) {
  const [first, ...more] = points;
  const last = more.pop();
  return `M${first.x},${first.y} ${more.map(({ x, y }, i) => {
    const next = more[i + 1] || last;
    return `Q${x},${y} ${i === more.length - 1 ? last.x : (x + next.x) / 2},${i === more.length - 1 ? last.y : (y + next.y) / 2}`;
  }).join(" ")}${more.length ? "" : `L${last.x},${last.y}`}`;
}

function drawNode(node, { x, y, width, height }) {
  const label = h("text", { x, y: y + (node.text ? -4 : 5), "text-anchor": "middle" }, cut(node.label));
  return h("g", { key: node.id, class: `node ${node.kind} ${node.in_cycle ? "cycle" : ""}` }, h("title", {}, `${node.label} ${node.text}`),
    h("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: ROUND.has(node.kind) ? height / 2 : 3 }), label,
    node.text ? h("text", { class: "sub", x, y: y + 13, "text-anchor": "middle" }, cut(node.text)) : null);
}

function drawEdge(edge, { points, x, y }, marker, inCycle) {
  return h("g", { key: `${edge.from} ${edge.to} ${edge.label}`, class: `edge ${edge.dashed ? "dashed" : ""} ${inCycle ? "cycle" : ""}` }, h("title", {}, edge.text),
    h("path", { d: curve(points), "marker-end": `url(#${marker})` }),
    edge.label ? h("text", { x, y: y + 4, "text-anchor": "middle" }, edge.label) : null);
}

export function drawGraph(graph, name, marker) {
  const placed = place(graph, name);
  const { width, height } = placed.graph();
  const cycle = new Set(graph.nodes.filter((node) => node.in_cycle).map((node) => node.id));
  return [h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": name },
    h("svg", { class: "graph", role: "img", "aria-label": name, width, height, style: { "min-width": `${Math.round(width * SMALLEST)}px` }, viewBox: `0 0 ${width} ${height}` },
      h("defs", {}, h("marker", { id: marker, viewBox: "0 0 10 10", refX: "10", refY: "5", markerWidth: "12", markerHeight: "12", markerUnits: "userSpaceOnUse", orient: "auto" }, h("path", { class: "head", d: "M0,0 L10,5 L0,10 z" }))),
      graph.edges.map((edge, i) => drawEdge(edge, placed.edge(edge.from, edge.to, String(i)), marker, cycle.has(edge.from) && cycle.has(edge.to))), graph.nodes.map((node) => drawNode(node, placed.node(node.id))))),
  graph.left_out ? h("p", { class: "quiet" }, `${graph.left_out} more are not drawn.`) : null];
}
