// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws the parts of view.get's answers: states, tables, and nodes with their children.
import { h } from "/dom.js";
import { num } from "/how.js";

// Deeper nodes are drawn beside each other.
const MAX_DEPTH = 40;

export const quiet = (text) => (text ? h("span", { class: "quiet" }, ` ${text}`) : null);

export const chip = (state) => h("span", { class: `chip ${state.key}`, title: state.reason ?? null }, state.letter ? h("b", { "aria-hidden": "true" }, state.letter) : null, ` ${state.reason ?? state.text}`);

// Return the nodes in reading order as a tree: {…, kids}.
export function nest(nodes) {
  const path = [{ kids: [] }];
  for (const node of nodes) {
    const item = { ...node, kids: [] };
    path.length = Math.min(node.depth, MAX_DEPTH, path.length - 1) + 1;
    path[path.length - 1].kids.push(item);
    path.push(item);
  }
  return path[0].kids;
}

// Height of a part's bar by the class of its state.
const HEIGHTS = { work: 14, idle: 3, other: 3 };
const WAIT_HEIGHT = 8;
const sum = (parts) => parts.reduce((total, { us }) => total + us, 0);

// The parts of a time as a bar. The longest bar of a column has the full width.
function bar(parts, longest) {
  let x = 0;
  return h("svg", { class: "bar", width: 160, height: 14, viewBox: "0 0 160 14", "aria-hidden": "true" }, parts.map(({ key, letter, us }) => {
    const width = (160 * us) / longest, height = HEIGHTS[key] ?? WAIT_HEIGHT;
    const colour = /[A-Za-z]/.test(letter) ? letter : key;
    x += width;
    return h("rect", { x: x - width, y: 14 - height, width, height, style: { fill: `var(--state-${colour}, var(--state-${key}))` } });
  }));
}

function contentOf(cell, column, rows, asked) {
  if (cell.state) return chip(cell.state);
  if (cell.parts) return [bar(cell.parts, Math.max(...rows.map((row) => sum(row.cells[column.key].parts)), 1)), h("span", { class: "said" }, cell.text)];
  return column.align === "right" ? num(cell.text, asked) : cell.text;
}

export function table(name, { columns, rows }, asked) {
  const shown = columns.filter(({ key, optional }) => !optional || rows.some((row) => row.cells[key].text && (optional === "empty" || row.cells[key].text !== "-")));
  const cellOf = (cell, column) => h("td", { class: column.align === "right" ? "n" : null, title: cell.reason ?? null }, contentOf(cell, column, rows, asked));
  return h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": name }, h("table", { class: "list view" },
    h("thead", {}, h("tr", {}, shown.map(({ title, align }) => h("th", { scope: "col", class: align === "right" ? "n" : null }, title)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, shown.map((column) => cellOf(row.cells[column.key], column)))))));
}

// The process, how and when its memory was read, and what a reader must know about the view.
export function foot({ program, heading, notes, warnings }) {
  return [h("p", { class: "quiet" }, `${program} ${heading}`), [...notes, ...(warnings || []).map(({ message }) => message)].map((note) => h("p", { class: "quiet" }, note))];
}
