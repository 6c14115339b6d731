// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-icvs>: the control variables of the process and of tasks, and their differences.
import { h } from "/dom.js";
import { foot, table } from "/draw.js";
import { View } from "/view.js";

class Icvs extends View {
  begin() {
    this.watch("view.get", { view: "icvs", verbose: true }, 2000);
  }

  picture(data) {
    return [
      h("h2", {}, "Control variables ", this.how()),
      data.tables.map((one) => h("section", { class: one.kind }, h("h3", {}, one.title), table(one.title, one, this.asked),
        h("ul", { class: "groups" }, one.legend.map(({ key, text }) => h("li", {}, h("strong", {}, key), ` ${text}`))))),
      foot(data),
    ];
  }
}
customElements.define("ompdd-icvs", Icvs);
