// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-why>: the verdict, its evidence, and the wait graph.
import { h } from "/dom.js";
import { foot, nest, table } from "/draw.js";
import { drawGraph } from "/layout.js";
import { View } from "/view.js";

// A diagnosis takes two samples, half a second apart.
const EVERY_MS = 2000;

class Why extends View {
  begin() {
    this.watch("view.get", { view: "why", graph: true }, EVERY_MS);
  }

  finding(node) {
    return h("section", { class: "finding" },
      node.kind === "finding" || node.certainty === "candidate" ? h("h3", {}, node.text, node.certainty === "candidate" ? h("span", { class: "badge" }, "not proven") : null) : null,
      node.waiting ? h("p", {}, `${node.waiting}.`) : null,
      h("ul", {}, node.kids.map((claim) => h("li", {}, claim.text))));
  }

  picture(data) {
    const nodes = nest(data.nodes);
    const of = (...kinds) => nodes.filter(({ kind }) => kinds.includes(kind));
    const [verdict] = of("verdict"), [samples] = of("samples");
    return [
      h("h2", {}, "Why ", this.how()),
      h("p", { class: `verdict ${data.verdict}` }, h("strong", {}, verdict.text)),
      h("p", { class: "quiet" }, `${data.summary}. ${samples.text}.`),
      data.graph.edges.length ? [drawGraph(data.graph, "wait graph", `arrow-${this.target}`), h("p", { class: "quiet" }, "Round: threads. Dashed, with ?: a candidate, not proven.")] : null,
      of("verdict", "finding").map((node) => this.finding(node)),
      data.rows.length ? [h("h3", {}, "Places of the blocking threads"), table("places", data, this.asked)] : null,
      of("note").map((node) => h("p", { class: "note" }, node.text)),
      foot(data),
    ];
  }
}
customElements.define("ompdd-why", Why);
