// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of <ompdd-strips> and <ompdd-past>: a strip for each thread, a zoom in time, a cursor, and a search of
// threads. The time is a number of steps (samples or seconds) back from the newest one.
import { h } from "/dom.js";
import { View } from "/view.js";

// Width of the threads' names in pixels.
export const LABELS = 74;
// The largest zoom shows this many steps.
const FEWEST = 5;
const FACTOR = 2;
// Part of the shown time that a button moves by.
const MOVE = 0.25;
// How much a search covers the strips and the names of other threads. The names stay readable.
const VEIL = 0.75;
const NAME_VEIL = 0.4;
const PAGE = 20;

const clamp = (value, least, most) => Math.max(least, Math.min(value, most));

// A derived class has: span(), the steps of the whole width; newest(), the number of steps with samples; rowCount();
// thread(row), its {number, tid, name}; stateNames(); hasState(row, fits); describe(row, back); timeAt(back); geometry(), with
// the row at the top, `first`, and the height of a row in pixels, `row`; roll(event), if its rows scroll.
export class Timeline extends View {
  begin() {
    this.steps = 0; // the shown steps; 0: all
    this.back = 0; // the step at the right end
    this.cursor = null;
    this.said = "";
    this.wanted ??= ""; // the field keeps its text
    this.found = null; // by row: whether the search finds it
  }

  connectedCallback() {
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.onscheme = () => this.recolour();
    this.dark.addEventListener("change", this.onscheme);
    this.size = new ResizeObserver(() => this.paint());
    this.size.observe(this);
    super.connectedCallback();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.dark.removeEventListener("change", this.onscheme);
    this.size.disconnect();
  }

  recolour() {
    this.paint();
  }

  // The steps that fill the width.
  shown() {
    return Math.min(this.steps || Infinity, this.span());
  }

  // Pixels from the right end to the newer end of a step.
  fromRight(back, wide) {
    return (back - this.back) * wide / this.shown();
  }

  // Less than half a step from the right end is the end.
  moveTo(back) {
    this.back = back < 0.5 ? 0 : Math.min(back, this.span() - this.shown());
  }

  // Zoom; the step `at` stays where it is.
  zoom(by, at = this.centre()) {
    const before = this.shown();
    const steps = Math.max(before / by, FEWEST);
    this.steps = steps < this.span() ? steps : 0;
    this.moveTo(at - (at - this.back) * this.shown() / before);
    this.draw();
  }

  // The cursor if it is visible, otherwise the newest samples if they are, otherwise the middle.
  centre() {
    const at = this.cursor ? this.cursor.back + 0.5 : -1;
    return at >= this.back && at <= this.back + this.shown() ? at : this.back && this.back + this.shown() / 2;
  }

  // New steps have come. The cursor, and a part that is not at the end, keep their samples.
  grew(steps) {
    if (this.back > 0) this.moveTo(this.back + steps);
    if (this.cursor) this.cursor.back = Math.min(this.cursor.back + steps, this.newest() - 1);
  }

  // By mouse or keys: the state of one thread at that time. The shown part follows.
  point(row, back) {
    row = clamp(row, 0, this.rowCount() - 1);
    back = clamp(back, 0, Math.max(0, this.newest() - 1));
    this.cursor = { row, back };
    this.moveTo(clamp(this.back, back + 1 - this.shown(), back));
    const { number, tid, name } = this.thread(row);
    this.said = `thread ${number >= 0 ? number : "–"} (${tid})${name && ` ${name}`} at ${this.describe(row, back)}`;
    this.draw();
  }

  // The step below the mouse, with its fraction.
  stepAt(event) {
    const box = event.currentTarget.getBoundingClientRect();
    return this.back + (box.right - event.clientX) * this.shown() / (box.width - LABELS);
  }

  onpoint(event) {
    const { first, row } = this.geometry();
    this.point(first + Math.floor((event.clientY - event.currentTarget.getBoundingClientRect().top) / row), Math.floor(this.stepAt(event)));
  }

  onkey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const zoom = { "+": FACTOR, "=": FACTOR, "-": 1 / FACTOR, Escape: 0 }[event.key];
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], PageUp: [-PAGE, 0], PageDown: [PAGE, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1], Home: [-Infinity, 0], End: [Infinity, 0] }[event.key];
    if (zoom === undefined && !by) return;
    event.preventDefault();
    if (!by) return this.zoom(zoom);
    const at = this.cursor || { row: this.geometry().first, back: Math.floor(this.back) };
    this.point(at.row + by[0], at.back + by[1]);
  }

  onroll(event) {
    if (!event.ctrlKey) return this.roll?.(event);
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? FACTOR : 1 / FACTOR, this.stepAt(event));
  }

  // Find the threads with this number or id, with this text in their name, or with a state of this name in the shown
  // time. A name that fits every thread, mostly the program's, distinguishes none: a state of this name goes first.
  find() {
    const { wanted } = this;
    this.found = null;
    if (!wanted) return;
    const threads = Array.from({ length: this.rowCount() }, (_, row) => this.thread(row));
    const states = this.stateNames().map((name) => name.includes(wanted));
    const isNumber = /^\d+$/.test(wanted), isState = states.includes(true);
    const named = threads.map(({ name }) => (isNumber ? name === wanted : name.toLowerCase().includes(wanted)));
    const isName = !isState || named.includes(false);
    this.found = threads.map(({ number, tid }, row) => wanted === String(tid) || (number >= 0 && wanted === String(number)) || (isName && named[row]) || (isState && this.hasState(row, states)));
  }

  search(text) {
    this.wanted = text.trim().toLowerCase();
    this.draw();
  }

  // Point at the next thread that the search finds.
  next(event) {
    if (event.key !== "Enter" || !this.found) return;
    const { row, back } = this.cursor || { row: -1, back: Math.floor(this.back) };
    const next = this.found.indexOf(true, row + 1);
    const to = next < 0 ? this.found.indexOf(true) : next;
    if (to >= 0) this.point(to, back);
  }

  // The result of the search.
  result() {
    if (!this.found) return "";
    const n = this.found.filter(Boolean).length;
    return n ? `${n} of ${this.found.length} threads` : "No thread has this number, id, name or state in the shown time.";
  }

  // The shown part of the time.
  partText() {
    if (!this.steps) return "the whole time";
    const text = (back) => new Date(this.timeAt(clamp(back, 0, this.newest() - 1))).toLocaleTimeString();
    return `${text(this.back + this.shown())} to ${text(this.back)}`;
  }

  // Buttons and a field, which do what the keys do.
  tools() {
    const button = (text, label, onclick) => h("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    const move = (by) => () => { this.moveTo(this.back + by * this.shown()); this.draw(); };
    return h("p", { class: "line tools" },
      h("span", { role: "group", "aria-label": "zoom in time" },
        button("+", "Zoom in", () => this.zoom(FACTOR)), button("−", "Zoom out", () => this.zoom(1 / FACTOR)),
        button("‹", "Earlier", move(MOVE)), button("›", "Later", move(-MOVE)), button("All", "All of the time", () => this.zoom(0))),
      h("span", { class: "quiet" }, this.partText()),
      h("label", {}, "Search: ", h("input", { type: "search", name: "thread", placeholder: "number, tid, name or state", oninput: (event) => this.search(event.target.value), onkeydown: (event) => this.next(event) })),
      h("output", { class: "quiet" }, this.result()));
  }

  // The canvas that the strips are drawn in.
  canvas(label, described) {
    return h("canvas", { tabindex: "0", role: "img", "aria-describedby": described, "aria-label": `${label}; arrow keys move, plus and minus zoom, Escape shows everything`,
      onclick: (event) => this.onpoint(event), onkeydown: (event) => this.onkey(event), onwheel: (event) => this.onroll(event) });
  }

  // Cover the threads that the search does not find, and frame the cursor.
  paintMarks(pen, { ground, ink, width, height }) {
    const { first, row } = this.geometry();
    const wide = width - LABELS;
    pen.fillStyle = ground;
    for (let i = first; this.found && i < this.found.length && (i - first) * row < height; i++) {
      if (this.found[i]) continue;
      pen.globalAlpha = NAME_VEIL;
      pen.fillRect(0, (i - first) * row, LABELS, row);
      pen.globalAlpha = VEIL;
      pen.fillRect(LABELS, (i - first) * row, wide, row);
    }
    pen.globalAlpha = 1;
    if (!this.cursor) return;
    const step = wide / this.shown(), x = width - this.fromRight(this.cursor.back + 1, wide);
    if (x < LABELS - 1 || x > width) return;
    pen.strokeStyle = ink;
    pen.lineWidth = 2;
    pen.strokeRect(x - 1, (this.cursor.row - first) * row, Math.max(step, 3) + 2, Math.max(row, 3));
  }
}
