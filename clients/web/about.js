// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-about>: what this is made of, and what it asks.
import { api } from "/api.js";
import { h, render } from "/dom.js";

class About extends HTMLElement {
  connectedCallback() {
    this.draw();
    if (api.hasToken) api.call("daemon.info").then((info) => this.draw(info), () => {});
  }

  draw(info) {
    render(this,
      h("h1", {}, "About this page"),
      info ? h("p", {}, `ompdd ${info.version}, protocol ${info.api}.`) : null,
      h("p", {}, "License: Apache-2.0 WITH LLVM-exception. It is made of what browsers have; no library is part of it, so there is no other license."),
      h("p", {}, "It asks no address but the one it came from. The token is kept for this tab, is sent in a header, and goes when the tab is closed."),
      h("p", {}, "It never stops a program by itself: what it opens is observed. All tabs of a browser ask as one."),
      h("h2", {}, "Keys"),
      h("p", {}, "Tab goes from part to part. In the row of views, and in the strips of threads, the arrow keys move; in a flame graph, too, and Enter shows what is below a frame, Escape all again."));
  }
}
customElements.define("ompdd-about", About);
