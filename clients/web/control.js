// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-control>: stops, breakpoints and steps, where that was allowed.
import { h } from "/dom.js";
import { View } from "/view.js";

class Control extends View {
  draw() {
    super.draw();
  }

  trouble() {
    return h("p", {}, "This target is observed and cannot be stopped: ", h("code", {}, `ompdctl page -m stop -p ${this.info.pid ?? "PID"}`), " opens a page on which it can.");
  }
}
customElements.define("ompdd-control", Control);
