// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-why>: the verdict, its evidence, and the wait graph.
import { api } from "/api.js";
import { h } from "/dom.js";
import { foot, nest, table } from "/draw.js";
import { drawGraph } from "/layout.js";
import { ShortStop, bestTarget } from "/stopper.js";
import { View } from "/view.js";

// A diagnosis takes two samples, half a second apart.
const EVERY_MS = 2000;

const ASKED = { view: "why", graph: true };
const HOLDS = new Set(["stopped", "resumed", "breakpoint", "detached"]);

// Explains only what the drawing has.
const legend = ({ nodes, edges }) => ["Round: threads.", nodes.some((node) => node.in_cycle) ? "Bold: a cycle." : null, edges.some((edge) => edge.dashed) ? "Dashed, with ?: a candidate, not proven." : null].filter(Boolean).join(" ");

class Why extends View {
  begin() {
    this.moment = new ShortStop(this.info, ASKED, () => this.draw());
    this.heard = ({ detail: event }) => HOLDS.has(event.type) && this.choose();
    api.addEventListener("event", this.heard);
    this.stops.push(() => api.removeEventListener("event", this.heard));
    this.choose();
  }

  // While another target holds the process, that one answers.
  async choose() {
    let target;
    try {
      target = await bestTarget(this.info);
    } catch {
      target = this.target;
    }
    if (!this.isConnected || target === this.chosen) return;
    this.chosen = target;
    if (this.unwatch) this.unwatch();
    this.watch("view.get", { ...ASKED, target }, EVERY_MS);
    this.unwatch = this.stops.at(-1);
  }

  stopAll() {
    super.stopAll();
    this.chosen = this.unwatch = null;
  }

  finding(node) {
    return h("section", { class: "finding" },
      node.kind === "finding" || node.certainty === "candidate" ? h("h3", {}, node.text, node.certainty === "candidate" ? h("span", { class: "badge" }, "not proven") : null) : null,
      node.waiting ? h("p", {}, `${node.waiting}.`) : null,
      h("ul", {}, node.kids.map((claim) => h("li", {}, claim.text))));
  }

  picture(latest) {
    const data = this.moment.best(latest);
    const nodes = nest(data.nodes);
    const of = (...kinds) => nodes.filter(({ kind }) => kinds.includes(kind));
    const [verdict] = of("verdict"), [samples] = of("samples");
    return [
      h("h2", {}, "Why ", this.how()),
      h("p", { class: `verdict ${data.verdict}` }, h("strong", {}, verdict.text)),
      h("p", { class: "quiet" }, `${data.summary}. ${samples.text}.`),
      this.moment.offer(latest),
      data.graph.edges.length ? [drawGraph(data.graph, "wait graph", `arrow-${this.target}`), h("p", { class: "quiet" }, legend(data.graph))] : null,
      of("verdict", "finding").map((node) => this.finding(node)),
      data.rows.length ? [h("h3", {}, "Places of the blocking threads"), table("places", data, this.asked)] : null,
      of("note").map((node) => h("p", { class: "note" }, node.text)),
      foot(data),
    ];
  }
}
customElements.define("ompdd-why", Why);
