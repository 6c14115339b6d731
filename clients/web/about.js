// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-about>: the parts of the page, and its requests.
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
      h("p", {}, "License: Apache-2.0 WITH LLVM-exception. The page contains no library of others, so no other license applies."),
      h("p", {}, "The page sends requests only to its own server. The token stays in this tab, is sent in a header, and is deleted with the tab."),
      h("p", {}, "The page never stops a program by itself: it observes its targets. All tabs of a browser share their requests."),
      h("h2", {}, "Keys"),
      h("p", {}, "The Tab key moves between the parts of the page. The arrow keys move in the row of views, in the strips of threads and in a flame graph. In a flame graph, Enter zooms into a frame; in the strips, plus and minus zoom in time. Escape shows everything."));
  }
}
customElements.define("ompdd-about", About);
