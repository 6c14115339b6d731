// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-strips>: a strip for each thread, with its states of the last minute. A state has a height by its kind
// (working: full, waiting: half, idle: a line), a colour and a letter. The history is kept as a picture with one column
// per sample; a sample draws one column.
import { h, render } from "/dom.js";
import { howButton } from "/how.js";
import { View } from "/view.js";

const EVERY_MS = 100;
const COLUMNS = 600;
// This many first samples fill the width.
const FIRST_COLUMNS = 120;
const MAX_ROWS = 4096;
// Height of a thread's strip in pixels; a state fills some of them.
const DOTS = 4;
const FILLED = { none: 0, work: 4, wait: 2, mutex: 2, overhead: 2, idle: 1, other: 1, outside: 1 };
// No sample: the state 0.
const NONE = { key: "none", text: "no sample", letter: "" };
const MAX_KNOWN = 255;
const LABELS = 74;
const ROW_READ = 16;
const MAX_HEIGHT = 416;
// The legend is brought up to date after this many samples.
const LEGEND_LOOKS = 10;
// Threads that only waited in this many samples make no progress.
const STILL = 30;

class Strips extends View {
  begin() {
    this.rows = new Map(); // row by tid
    this.tids = [];
    this.nums = [];
    this.present = []; // states in the legend
    this.known = [NONE]; // states of the answers so far
    this.states = new Uint8Array(0); // by row and column: an index in known
    this.column = -1; // the last written column
    this.looks = 0;
    this.times = new Float64Array(COLUMNS);
    this.capacity = 0;
    this.fit = false;
    this.paused = false;
    this.cursor = null;
    this.first = 0; // the row at the top
    this.worst = 0;
    this.still = 0;
    this.colours();
    this.watch("view.get", { view: "states" }, EVERY_MS);
  }

  connectedCallback() {
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.onscheme = () => { this.colours(); this.repaint(); this.paint(); };
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

  colours() {
    const style = getComputedStyle(this);
    const of = (name) => style.getPropertyValue(name).trim();
    // Most states have a colour of their own, the others that of their class.
    this.palette = this.known.map(({ key, letter }) => of(`--state-${letter || key}`) || of(`--state-${key}`) || of("--state-other"));
    this.ink = of("--ink");
    this.ground = of("--ground");
    const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    this.rgba = this.palette.map((colour) => {
      probe.fillStyle = colour;
      probe.fillRect(0, 0, 1, 1);
      return new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer)[0];
    });
  }

  // Return the indexes in known of the states of an answer.
  indexesOf(states) {
    const before = this.known.length;
    const indexes = states.map(({ key, text, letter }) => {
      const found = this.known.findIndex((one) => one.text === text);
      if (found > 0) return found;
      if (this.known.length < MAX_KNOWN) this.known.push({ key, text, letter });
      return this.known.length - 1;
    });
    if (this.known.length > before) this.colours();
    return indexes;
  }

  grow(rows) {
    const capacity = Math.min(MAX_ROWS, Math.max(16, 2 ** Math.ceil(Math.log2(rows))));
    if (capacity <= this.capacity) return;
    const states = new Uint8Array(capacity * COLUMNS);
    states.set(this.states);
    this.states = states;
    this.capacity = capacity;
    this.kept = new OffscreenCanvas(COLUMNS, capacity * DOTS);
    this.pen = this.kept.getContext("2d");
    this.line = new ImageData(1, capacity * DOTS);
    this.pixels = new Uint32Array(this.line.data.buffer);
    this.repaint();
  }

  took(look) {
    if (this.paused) return;
    const began = performance.now();
    for (let i = 0; i < look.tids.length; i++) {
      const tid = look.tids[i];
      if (!this.rows.has(tid) && this.tids.length < MAX_ROWS) {
        this.rows.set(tid, this.tids.length);
        this.tids.push(tid);
        this.nums.push(-1);
      }
    }
    this.grow(this.tids.length);
    this.column = (this.column + 1) % COLUMNS;
    this.looks++;
    const indexes = this.indexesOf(look.states);
    this.times[this.column] = Date.now();
    for (let row = 0; row < this.tids.length; row++) this.states[row * COLUMNS + this.column] = 0;
    for (let i = 0; i < look.tids.length; i++) {
      const row = this.rows.get(look.tids[i]);
      if (row === undefined) continue;
      this.nums[row] = look.numbers[i];
      this.states[row * COLUMNS + this.column] = indexes[look.codes[i]];
    }
    this.notice();
    if (this.looks % LEGEND_LOOKS === 1) this.noteStates();
    this.paintColumn(this.column);
    this.paint();
    // For tests: the time of a sample in the drawing thread.
    this.last = performance.now() - began;
    this.worst = Math.max(this.worst, this.last);
  }

  // Once each time they stop making progress.
  notice() {
    const { states, column } = this;
    const before = (column - 1 + COLUMNS) % COLUMNS;
    let waits = false, same = this.looks > 1;
    for (let row = 0; row < this.tids.length && same; row++) {
      const state = states[row * COLUMNS + column];
      const { key } = this.known[state];
      same = state === states[row * COLUMNS + before] && key !== "work";
      waits ||= FILLED[key] === FILLED.wait;
    }
    this.still = same && waits ? this.still + 1 : 0;
    if (this.still === STILL) this.dispatchEvent(new CustomEvent("still", { bubbles: true }));
  }

  // The states that the strips show: only these are explained.
  noteStates() {
    const seen = new Uint8Array(MAX_KNOWN + 1);
    for (const state of this.states.subarray(0, this.tids.length * COLUMNS)) seen[state] = 1;
    this.present = this.known.filter((_, i) => i && seen[i]);
  }

  paintColumn(column) {
    const { pixels, rgba, states } = this;
    pixels.fill(0);
    for (let row = 0; row < this.tids.length; row++) {
      const state = states[row * COLUMNS + column];
      const filled = FILLED[this.known[state].key];
      // From the bottom of its row upwards.
      for (let dot = DOTS - filled; dot < DOTS; dot++) pixels[row * DOTS + dot] = rgba[state];
    }
    this.pen.putImageData(this.line, column, 0);
  }

  repaint() {
    if (!this.pen) return;
    for (let column = 0; column < Math.min(this.looks, COLUMNS); column++) this.paintColumn(column);
  }

  geometry() {
    const n = Math.max(this.tids.length, 1);
    const height = this.fit ? Math.min(MAX_HEIGHT, Math.max(n, 64)) : Math.min(MAX_HEIGHT, n * ROW_READ);
    const row = this.fit ? height / n : ROW_READ;
    const shown = Math.min(n, Math.ceil(height / row));
    this.first = Math.max(0, Math.min(this.first, n - Math.floor(height / row)));
    return { height, row, shown, first: this.fit ? 0 : this.first };
  }

  paint() {
    const canvas = this.querySelector("canvas");
    if (!canvas || !this.pen) return;
    const { height, row, shown, first } = this.geometry();
    const scale = devicePixelRatio || 1;
    const width = Math.max(this.clientWidth, 120);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.setProperty("height", `${height}px`);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.fillStyle = this.ground;
    pen.fillRect(0, 0, width, height);
    const wide = width - LABELS;
    const columns = Math.min(this.looks, COLUMNS);
    const step = wide / this.window();
    // The picture is a ring: the column to the right of the newest is the oldest.
    const newest = this.column + 1;
    const old = columns === COLUMNS ? COLUMNS - newest : 0;
    const x = LABELS + (this.window() - columns) * step;
    const top = first * DOTS, dots = shown * DOTS;
    if (old) pen.drawImage(this.kept, newest, top, old, dots, x, 0, old * step, shown * row);
    if (newest) pen.drawImage(this.kept, 0, top, newest, dots, x + old * step, 0, newest * step, shown * row);
    if (row >= 10) {
      // Otherwise neighbours in the same state would look like one.
      pen.fillStyle = this.ground;
      for (let i = 0; i < shown; i++) pen.fillRect(LABELS, i * row, wide, 1);
      this.paintWords(pen, { first, shown, row, step, wide });
    }
    if (this.cursor) this.paintCursor(pen, { first, row, step });
  }

  // The thread's name, and a letter where a state starts and has room for one.
  paintWords(pen, { first, shown, row, step }) {
    pen.font = "11px ui-monospace, monospace";
    pen.textBaseline = "middle";
    pen.fillStyle = this.ink;
    const columns = Math.min(this.looks, COLUMNS);
    for (let i = first; i < Math.min(first + shown, this.tids.length); i++) {
      const y = (i - first + 0.5) * row;
      pen.fillText(`${this.nums[i] >= 0 ? this.nums[i] : "·"} ${this.tids[i]}`, 2, y, LABELS - 4);
      let since = 0, state = -1;
      for (let back = columns - 1; back >= -1; back--) {
        const here = back < 0 ? -1 : this.states[i * COLUMNS + this.ago(back)];
        if (here === state) continue;
        if (state > 0 && (since - back) * step >= 14) {
          const left = LABELS + (this.window() - 1 - since) * step + 3;
          pen.fillStyle = this.ground;
          pen.fillRect(left - 1, y - 6, 9, 12);
          pen.fillStyle = this.ink;
          pen.fillText(this.known[state].letter, left, y);
        }
        state = here;
        since = back;
      }
    }
  }

  // Number of visible columns.
  window() {
    return Math.max(FIRST_COLUMNS, Math.min(this.looks, COLUMNS));
  }

  // The column of this many samples ago.
  ago(back) {
    return (this.column - back + COLUMNS) % COLUMNS;
  }

  paintCursor(pen, { first, row, step }) {
    pen.strokeStyle = this.ink;
    pen.lineWidth = 2;
    const x = LABELS + (this.window() - 1 - this.cursor.back) * step;
    pen.strokeRect(x - 1, (this.cursor.row - first) * row, Math.max(step, 3) + 2, Math.max(row, 3));
  }

  // By mouse or keys: the state of one thread at that time.
  point(row, back) {
    row = Math.max(0, Math.min(row, this.tids.length - 1));
    back = Math.max(0, Math.min(back, Math.min(this.looks, COLUMNS) - 1));
    this.cursor = { row, back };
    const { shown } = this.geometry();
    if (row < this.first) this.first = row;
    if (!this.fit && row >= this.first + shown - 1) this.first = row - shown + 2;
    const state = this.known[this.states[row * COLUMNS + this.ago(back)]];
    const when = new Date(this.times[this.ago(back)]);
    this.said = `thread ${this.nums[row] >= 0 ? this.nums[row] : "–"} (${this.tids[row]}) at ${when.toLocaleTimeString()}.${String(when.getMilliseconds()).padStart(3, "0")}: ${state.text}`;
    this.draw();
  }

  onpoint(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const { row, first } = this.geometry();
    const step = (box.width - LABELS) / this.window();
    this.point(first + Math.floor((event.clientY - box.top) / row), this.window() - 1 - Math.floor((event.clientX - box.left - LABELS) / step));
  }

  onkey(event) {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], PageUp: [-20, 0], PageDown: [20, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1], Home: [-MAX_ROWS, 0], End: [MAX_ROWS, 0] }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = this.cursor || { row: this.first, back: 0 };
    this.point(at.row + by[0], at.back + by[1]);
  }

  onroll(event) {
    if (this.fit || this.tids.length * ROW_READ <= MAX_HEIGHT) return;
    event.preventDefault();
    this.first += Math.sign(event.deltaY) * 3;
    this.paint();
  }

  draw() {
    // A sample only draws into the canvas; the surrounding text changes rarely.
    const words = `${this.tids.length} ${this.present.map((state) => state.text)} ${this.fit} ${this.paused} ${this.said} ${this.error && this.error.message}`;
    if (words !== this.words) {
      this.words = words;
      render(this,
        h("h2", {}, "Threads, the last minute ", howButton(this.asked)),
        h("p", { class: "line" },
          h("button", { type: "button", "aria-pressed": String(this.paused), onclick: () => { this.paused = !this.paused; this.draw(); } }, "Pause"), " ",
          h("button", { type: "button", "aria-pressed": String(this.fit), onclick: () => { this.fit = !this.fit; this.words = ""; this.draw(); } }, "All threads at once")),
        h("canvas", { tabindex: "0", role: "img", "aria-describedby": "strip-said", "aria-label": `${this.tids.length} threads, a strip for each; arrow keys move between threads and between samples`,
          onclick: (event) => this.onpoint(event), onkeydown: (event) => this.onkey(event), onwheel: (event) => this.onroll(event) }),
        h("p", { role: "status", id: "strip-said" }, this.said || "Point at a strip, or use the arrow keys, to read its state."),
        h("ul", { class: "legend", "aria-label": "legend of the strips" }, this.present.map((state) =>
          h("li", {}, h("span", { class: `swatch ${state.key}`, style: { "--swatch": this.palette[this.known.indexOf(state)] } }), ` ${state.letter} ${state.text}`))),
        this.trouble());
    }
    this.paint();
  }
}
customElements.define("ompdd-strips", Strips);
