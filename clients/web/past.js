// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-past>: the states of the last ten minutes that the service has kept, a strip for each thread with a column for
// each second. A tab that is opened later sees what earlier tabs had sampled.
import { h, render } from "/dom.js";
import { LABELS, Timeline } from "/timeline.js";

const EVERY_MS = 5000;
const SECONDS = 600;
// A longer time between two samples is a gap.
const LONGEST_MS = 2500;
const ROW = 14;
const MAX_HEIGHT = 416;
// Part of a row that a state fills, by its kind, as in strips.js.
const FILLED = { work: 1, wait: 0.5, mutex: 0.5, overhead: 0.5 };
const FIRST_CODE = "0".charCodeAt(0);

class Past extends Timeline {
  begin() {
    super.begin();
    this.before = 0;
    this.watch("history.get", {}, EVERY_MS);
  }

  took() {
    this.grew(this.before ? (this.at - this.before) / 1000 : 0);
    this.before = this.at;
  }

  colour(style, { key, letter }) {
    const of = (name) => style.getPropertyValue(name).trim();
    return of(`--state-${letter || key}`) || of(`--state-${key}`) || of("--state-other");
  }

  rowHeight() {
    return Math.min(ROW, MAX_HEIGHT / Math.max(this.data.threads.length, 1));
  }

  // The seconds that fill the width: what there is, but at least a minute.
  span() {
    return Math.max(60, Math.min(SECONDS, Math.ceil((this.data.ages_ms[0] || 0) / 1000) + 1));
  }

  newest() {
    return this.span();
  }

  rowCount() {
    return this.data.threads.length;
  }

  thread(row) {
    return this.data.threads[row];
  }

  stateNames() {
    return this.data.states.map(({ text }) => text.toLowerCase());
  }

  hasState(row, fits) {
    const { threads, ages_ms: ages } = this.data;
    return ages.some((age, k) => fits[threads[row].codes.charCodeAt(k) - FIRST_CODE] && age / 1000 + 1 > this.back && age / 1000 < this.back + this.shown());
  }

  geometry() {
    return { first: 0, row: this.rowHeight() };
  }

  timeAt(back) {
    return this.at - back * 1000;
  }

  paint() {
    const canvas = this.querySelector("canvas");
    if (!canvas || !this.data) return;
    const { threads, states, ages_ms: ages } = this.data;
    const scale = devicePixelRatio || 1, width = Math.max(this.clientWidth, 120), row = this.rowHeight(), height = threads.length * row;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.setProperty("height", `${height}px`);
    const pen = canvas.getContext("2d"), style = getComputedStyle(this);
    const colours = states.map((state) => this.colour(style, state));
    const wide = width - LABELS;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = style.getPropertyValue("--ground");
    pen.fillRect(0, 0, width, height);
    pen.font = "11px ui-monospace, monospace";
    pen.textBaseline = "middle";
    threads.forEach(({ codes }, i) => {
      const bottom = (i + 1) * row;
      ages.forEach((age, k) => {
        const code = codes.charCodeAt(k) - FIRST_CODE;
        if (code < 0) return;
        const filled = (FILLED[states[code].key] || 0.25) * (row - (row >= 4 ? 1 : 0));
        pen.fillStyle = colours[code];
        const gap = k + 1 < ages.length ? age - ages[k + 1] : 1000;
        // Up to the next sample, if there was one in time. Whole pixels: neighbours have no seam.
        const left = Math.round(width - this.fromRight(age / 1000 + 1, wide)), right = Math.round(width - this.fromRight((age - (gap <= LONGEST_MS ? gap : 1000)) / 1000 + 1, wide));
        pen.fillRect(left, bottom - filled, Math.max(right - left, 1), filled);
      });
    });
    // A zoomed picture reaches below the names.
    const ground = style.getPropertyValue("--ground"), ink = style.getPropertyValue("--ink");
    pen.fillStyle = ground;
    pen.fillRect(0, 0, LABELS, height);
    pen.fillStyle = ink;
    if (row >= 10) threads.forEach(({ tid, number }, i) => pen.fillText(`${number >= 0 ? number : "·"} ${tid}`, 2, (i + 0.5) * row, LABELS - 4));
    this.paintMarks(pen, { ground, ink, width, height });
  }

  describe(row, back) {
    const { threads, states, ages_ms: ages } = this.data, ago = back + 0.5;
    const k = ages.findLastIndex((age) => age / 1000 + 1 >= ago);
    const code = k < 0 ? -1 : threads[row].codes.charCodeAt(k) - FIRST_CODE;
    return `${new Date(this.timeAt(back)).toLocaleTimeString()}: ${code < 0 || ages[k] / 1000 > ago + 1 ? "no sample" : states[code].text}`;
  }

  draw() {
    const { data } = this;
    // Before, the strips of the last minute show everything.
    if (!data || data.ages_ms.length < 2) return render(this);
    this.find();
    render(this,
      h("h2", {}, "Threads, the last ten minutes ", this.how()),
      this.tools(),
      this.canvas(`${data.threads.length} threads, a strip for each, with a column for each second of the last ten minutes`, "past-said"),
      h("p", { role: "status", id: "past-said" }, this.said || `The service kept ${data.ages_ms.length} samples since ${new Date(this.at - data.ages_ms[0]).toLocaleTimeString()}. Point at a strip, or use the arrow keys, to read its state.`),
      data.n_threads_left_out ? h("p", { class: "quiet" }, "Older threads are left out: there are too many.") : null,
      this.error ? this.trouble() : null);
    this.paint();
  }
}
customElements.define("ompdd-past", Past);
