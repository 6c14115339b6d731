// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-devices>: devices with their map tables, and device images with their kernels.
import { h } from "/dom.js";
import { foot, nest } from "/draw.js";
import { View } from "/view.js";

class Devices extends View {
  begin() {
    this.watch("view.get", { view: "devices" }, 2000);
  }

  list(nodes) {
    return nodes.length ? h("ul", {}, nodes.map((node) => h("li", { class: node.kind }, h("strong", {}, node.label), ` ${node.text}`, this.list(node.kids)))) : null;
  }

  picture(data) {
    return [h("h2", {}, "Devices ", this.how()), this.list(nest(data.nodes)), foot(data)];
  }
}
customElements.define("ompdd-devices", Devices);
