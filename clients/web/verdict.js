// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-verdict>: the verdict of why in one line, above the first view. A diagnosis keeps the daemon's worker busy for
// half a second: it is requested once when threads make no progress, and by a button.
import { api } from "/api.js";
import { h, render } from "/dom.js";
import { howButton } from "/how.js";
import { ShortStop, bestTarget } from "/stopper.js";

const ASKED = { view: "why" };

export class Verdict extends HTMLElement {
  connectedCallback() {
    this.moment = new ShortStop(this.info, ASKED, () => this.draw());
    this.ask();
    this.draw();
  }

  disconnectedCallback() {
    this.number = null;
  }

  // tree.js sets `info` before the element is on the page: {target, …} of target.info.
  async ask() {
    const number = (this.number = {});
    this.isAsking = true;
    this.draw();
    try {
      this.data = await api.call("view.get", { target: await bestTarget(this.info), ...ASKED });
      this.at = new Date();
      this.error = null;
    } catch (error) {
      this.error = error;
    }
    if (number !== this.number) return;
    this.isAsking = false;
    this.draw();
  }

  draw() {
    const { error } = this, data = this.moment.best(this.data);
    const said = data ? data.nodes[0].text : error ? "no verdict" : "examining…: two samples, half a second apart";
    render(this, h("p", { class: `verdict ${data ? data.verdict : ""}`, role: "status" }, h("strong", {}, said), data && this.info.mode !== "core" ? h("span", { class: "quiet" }, ` at ${this.at.toLocaleTimeString()}`) : null),
      h("p", { class: "line" }, h("a", { href: "#", onclick: (event) => { event.preventDefault(); this.dispatchEvent(new CustomEvent("view", { bubbles: true, detail: "why" })); } }, "Evidence and wait graph"), " ",
        this.info.mode === "core" ? null : h("button", { type: "button", class: "small", disabled: Boolean(this.isAsking), onclick: () => this.ask() }, "Ask again"), " ", howButton({ method: "view.get", params: { target: this.info.target, ...ASKED } })),
      this.moment.offer(this.data),
      error ? h("p", { class: "trouble" }, error.message, error.hint ? ` Hint: ${error.hint}` : null) : null);
  }
}
customElements.define("ompdd-verdict", Verdict);
