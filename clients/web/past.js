// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-past>: the states of the last ten minutes that the service has kept, a strip for each thread with a column for
// each second. A tab that is opened later sees what earlier tabs had sampled.
import { h, render } from "/dom.js";
import { View } from "/view.js";

const EVERY_MS = 5000;
const SECONDS = 600;
// A longer time between two samples is a gap.
const LONGEST_MS = 2500;
const LABELS = 74;
const ROW = 14;
const MAX_HEIGHT = 416;
// Part of a row that a state fills, by its kind, as in strips.js.
const FILLED = { work: 1, wait: 0.5, mutex: 0.5, overhead: 0.5 };
const FIRST_CODE = "0".charCodeAt(0);

class Past extends View {
  begin() {
    this.watch("history.get", {}, EVERY_MS);
  }

  connectedCallback() {
    this.size = new ResizeObserver(() => this.paint());
    this.size.observe(this);
    super.connectedCallback();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.size.disconnect();
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
    const step = (width - LABELS) / this.span();
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = style.getPropertyValue("--ground");
    pen.fillRect(0, 0, width, height);
    pen.font = "11px ui-monospace, monospace";
    pen.textBaseline = "middle";
    threads.forEach(({ tid, number, codes }, i) => {
      const bottom = (i + 1) * row;
      if (row >= 10) {
        pen.fillStyle = style.getPropertyValue("--ink");
        pen.fillText(`${number >= 0 ? number : "·"} ${tid}`, 2, bottom - row / 2, LABELS - 4);
      }
      ages.forEach((age, k) => {
        const code = codes.charCodeAt(k) - FIRST_CODE;
        if (code < 0) return;
        const filled = (FILLED[states[code].key] || 0.25) * (row - (row >= 4 ? 1 : 0));
        pen.fillStyle = colours[code];
        const gap = k + 1 < ages.length ? age - ages[k + 1] : 1000;
        // Up to the next sample, if there was one in time.
        pen.fillRect(width - (age / 1000 + 1) * step, bottom - filled, (gap <= LONGEST_MS ? gap / 1000 : 1) * step + 0.5, filled);
      });
    });
  }

  // By mouse: the state of one thread at that second.
  onpoint(event) {
    const { threads, states, ages_ms: ages } = this.data;
    const box = event.currentTarget.getBoundingClientRect();
    const row = Math.min(threads.length - 1, Math.floor((event.clientY - box.top) / this.rowHeight()));
    const ago = (box.right - event.clientX) / ((box.width - LABELS) / this.span());
    const k = ages.findLastIndex((age) => age / 1000 + 1 >= ago);
    const code = k < 0 ? -1 : threads[row].codes.charCodeAt(k) - FIRST_CODE;
    this.said = `thread ${threads[row].number >= 0 ? threads[row].number : "–"} (${threads[row].tid}) ${Math.round(ago)} s ago: ${code < 0 || ages[k] / 1000 > ago + 1 ? "no sample" : states[code].text}`;
    this.draw();
  }

  draw() {
    const { data } = this;
    // Before, the strips of the last minute show everything.
    if (!data || data.ages_ms.length < 2) return render(this);
    render(this,
      h("h2", {}, "Threads, the last ten minutes ", this.how()),
      h("canvas", { role: "img", "aria-label": `${data.threads.length} threads, a strip for each, with a column for each second of the last ten minutes`, onclick: (event) => this.onpoint(event) }),
      h("p", { role: "status" }, this.said || `The service kept ${data.ages_ms.length} samples since ${new Date(this.at - data.ages_ms[0]).toLocaleTimeString()}. Point at a strip to read its state.`),
      data.n_threads_left_out ? h("p", { class: "quiet" }, "Older threads are left out: there are too many.") : null,
      this.error ? this.trouble() : null);
    this.paint();
  }
}
customElements.define("ompdd-past", Past);
