// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-verdict>: the verdict of why in one line, above what is opened first: whose program hangs wants to know that at once. A diagnosis
// keeps the daemon's worker for half a second, so it is asked for once, when threads stand still, and by a button; not again and again.
import { api } from "/api.js";
import { h, render } from "/dom.js";
import { howButton } from "/how.js";

export class Verdict extends HTMLElement {
  connectedCallback() {
    this.ask();
    this.draw();
  }

  disconnectedCallback() {
    this.number = null;
  }

  // `info` is set by tree.js before it is on the page: {target, …} of target.info.
  async ask() {
    const { target } = this.info;
    const number = (this.number = {});
    this.isAsking = true;
    this.draw();
    try {
      this.data = await api.call("diagnose.get", { target });
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
    const { data, error } = this;
    const said = data ? data.title : error ? "no verdict" : "asking…: two looks, half a second apart";
    render(this, h("p", { class: `verdict ${data ? data.verdict : ""}`, role: "status" }, h("strong", {}, said), data && this.info.mode !== "core" ? h("span", { class: "quiet" }, ` at ${this.at.toLocaleTimeString()}`) : null),
      h("p", { class: "line" }, h("a", { href: "#", onclick: (event) => { event.preventDefault(); this.dispatchEvent(new CustomEvent("view", { bubbles: true, detail: "why" })); } }, "Why: what it rests on, and who waits for whom"), " ",
        this.info.mode === "core" ? null : h("button", { type: "button", class: "small", disabled: Boolean(this.isAsking), onclick: () => this.ask() }, "Ask again"), " ", howButton({ method: "diagnose.get", params: { target: this.info.target } })),
      error ? h("p", { class: "trouble" }, error.message, error.hint ? ` Hint: ${error.hint}` : null) : null);
  }
}
customElements.define("ompdd-verdict", Verdict);
