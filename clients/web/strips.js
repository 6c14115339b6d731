// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-strips>: a strip for each thread, with its states of the last minute. A state has a height by its kind
// (working: full, waiting: half, idle: a line), a colour and a letter. The history is kept as a picture with one column
// per sample; a sample draws one column.
import { h, render } from "/dom.js";
import { howButton } from "/how.js";
import { LABELS, Timeline } from "/timeline.js";

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
const ROW_READ = 16;
const MAX_HEIGHT = 416;
// The legend is brought up to date after this many samples.
const LEGEND_LOOKS = 10;
// Threads that only waited in this many samples make no progress.
const STILL = 30;

class Strips extends Timeline {
  begin() {
    super.begin();
    this.rows = new Map(); // row by tid
    this.tids = [];
    this.nums = [];
    this.names = [];
    this.present = []; // states in the legend
    this.known = [NONE]; // states of the answers so far
    this.states = new Uint8Array(0); // by row and column: an index in known
    this.column = -1; // the last written column
    this.looks = 0;
    this.times = new Float64Array(COLUMNS);
    this.capacity = 0;
    this.fit = false;
    this.paused = false;
    this.first = 0; // the row at the top
    this.worst = 0;
    this.still = 0;
    this.colours();
    this.watch("view.get", { view: "states" }, EVERY_MS);
  }

  recolour() {
    this.colours();
    this.repaint();
    this.paint();
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
        this.names.push("");
      }
    }
    this.grow(this.tids.length);
    this.column = (this.column + 1) % COLUMNS;
    this.looks++;
    this.grew(1);
    const indexes = this.indexesOf(look.states);
    this.times[this.column] = Date.now();
    for (let row = 0; row < this.tids.length; row++) this.states[row * COLUMNS + this.column] = 0;
    for (let i = 0; i < look.tids.length; i++) {
      const row = this.rows.get(look.tids[i]);
      if (row === undefined) continue;
      this.nums[row] = look.numbers[i];
      this.names[row] = look.names[i];
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
    const step = wide / this.shown();
    // The picture is a ring: the column to the right of the newest is the oldest.
    const newest = this.column + 1;
    const old = columns === COLUMNS ? COLUMNS - newest : 0;
    const x = width - this.fromRight(columns, wide);
    const top = first * DOTS, dots = shown * DOTS;
    if (old) pen.drawImage(this.kept, newest, top, old, dots, x, 0, old * step, shown * row);
    if (newest) pen.drawImage(this.kept, 0, top, newest, dots, x + old * step, 0, newest * step, shown * row);
    // A zoomed picture reaches below the names.
    pen.fillStyle = this.ground;
    pen.fillRect(0, 0, LABELS, height);
    if (row >= 10) {
      // Otherwise neighbours in the same state would look like one.
      for (let i = 0; i < shown; i++) pen.fillRect(LABELS, i * row, wide, 1);
      this.paintWords(pen, { first, shown, row, wide, width });
    }
    this.paintMarks(pen, { ground: this.ground, ink: this.ink, width, height });
  }

  // The thread's name, and a letter where a state starts and has room for one.
  paintWords(pen, { first, shown, row, wide, width }) {
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
        const left = Math.max(LABELS, width - this.fromRight(since + 1, wide)) + 3;
        if (state > 0 && Math.min(width, width - this.fromRight(back + 1, wide)) - left >= 11) {
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

  // Number of columns that fill the width.
  span() {
    return Math.max(FIRST_COLUMNS, this.newest());
  }

  newest() {
    return Math.min(this.looks, COLUMNS);
  }

  rowCount() {
    return this.tids.length;
  }

  thread(row) {
    return { number: this.nums[row], tid: this.tids[row], name: this.names[row] };
  }

  stateNames() {
    return this.known.map(({ text }, i) => (i ? text.toLowerCase() : ""));
  }

  hasState(row, fits) {
    const end = Math.min(this.newest(), Math.ceil(this.back + this.shown()));
    for (let back = Math.floor(this.back); back < end; back++) if (fits[this.states[row * COLUMNS + this.ago(back)]]) return true;
    return false;
  }

  timeAt(back) {
    return this.times[this.ago(Math.floor(back))];
  }

  describe(row, back) {
    const when = new Date(this.timeAt(back));
    return `${when.toLocaleTimeString()}.${String(when.getMilliseconds()).padStart(3, "0")}: ${this.known[this.states[row * COLUMNS + this.ago(back)]].text}`;
  }

  // The column of this many samples ago.
  ago(back) {
    return (this.column - back + COLUMNS) % COLUMNS;
  }

  point(row, back) {
    const { shown } = this.geometry();
    if (row < this.first) this.first = Math.max(row, 0);
    if (!this.fit && row >= this.first + shown - 1) this.first = row - shown + 2;
    super.point(row, back);
  }

  roll(event) {
    if (this.fit || this.tids.length * ROW_READ <= MAX_HEIGHT) return;
    event.preventDefault();
    this.first += Math.sign(event.deltaY) * 3;
    this.paint();
  }

  draw() {
    // A sample only draws into the canvas; the surrounding text changes rarely.
    this.find();
    const words = `${this.result()} ${this.partText()} ${this.tids.length} ${this.present.map((state) => state.text)} ${this.fit} ${this.paused} ${this.said} ${this.error && this.error.message}`;
    if (words !== this.words) {
      this.words = words;
      render(this,
        h("h2", {}, "Threads, the last minute ", howButton(this.asked)),
        h("p", { class: "line" },
          h("button", { type: "button", "aria-pressed": String(this.paused), onclick: () => { this.paused = !this.paused; this.draw(); } }, "Pause"), " ",
          h("button", { type: "button", "aria-pressed": String(this.fit), onclick: () => { this.fit = !this.fit; this.words = ""; this.draw(); } }, "All threads at once")),
        this.tools(),
        this.canvas(`${this.tids.length} threads, a strip for each`, "strip-said"),
        h("p", { role: "status", id: "strip-said" }, this.said || "Point at a strip, or use the arrow keys, to read its state."),
        h("ul", { class: "legend", "aria-label": "legend of the strips" }, this.present.map((state) =>
          h("li", {}, h("span", { class: `swatch ${state.key}`, style: { "--swatch": this.palette[this.known.indexOf(state)] } }), ` ${state.letter} ${state.text}`))),
        this.trouble());
    }
    this.paint();
  }
}
customElements.define("ompdd-strips", Strips);
