// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-why>: the verdict, what it rests on, and the graph of who waits for whom.
import { h } from "/dom.js";
import { num } from "/how.js";
import { drawGraph } from "/layout.js";
import { View, freshness } from "/view.js";
import { count, known, place, ranges } from "/words.js";

// A diagnosis is two looks, half a second apart.
const EVERY_MS = 2000;

class Why extends View {
  begin() {
    this.watch("diagnose.get", { graph: true }, EVERY_MS, "graph");
  }

  finding(finding, i) {
    return h("section", { class: "finding", key: i },
      h("h3", {}, finding.title, finding.certainty === "candidate" ? h("span", { class: "badge" }, "not proven") : null),
      finding.n_waiting ? h("p", {}, num(String(finding.n_waiting), this.asked), ` thread${finding.n_waiting === 1 ? " waits" : "s wait"} for it, directly or for one another.`) : null,
      h("ul", {}, finding.claims.map((claim) => h("li", {}, claim.text, " ", h("span", { class: `source ${claim.source}` }, `[${claim.source}]`)))));
  }

  node(node) {
    const many = node.tids.length > 1;
    if (node.kind === "thread") return { id: node.id, kind: "thread", shape: "round", label: many ? `${node.tids.length} threads` : `thread ${node.num ?? ""}${node.num === null ? node.tids[0] : ` (${node.tids[0]})`}`, sub: many ? ranges(node.tids) : node.place || node.doing || "" };
    return { id: node.id, kind: "thing", label: node.name || node.kind, sub: node.name ? node.kind.replace("_", " ") : node.wait_id || "" };
  }

  picture(data) {
    const { counts } = data;
    const edges = data.edges.map((edge) => ({ ...edge, label: `${edge.kind.replace("_", " ")}${edge.certainty === "candidate" ? "?" : ""}`, dashed: edge.certainty === "candidate",
      title: `${edge.kind.replace("_", " ")}: ${edge.evidence || edge.source}${edge.certainty === "candidate" ? " (not proven)" : ""}` }));
    return [
      h("h2", {}, "Why ", this.how()),
      h("p", { class: `verdict ${data.verdict}` }, h("strong", {}, data.title)),
      h("p", { class: "quiet" }, num(String(counts.openmp), this.asked), ` OpenMP threads: `, num(String(counts.waiting), this.asked), " wait, ", num(String(counts.sleeping), this.asked), " sleep, ", num(String(counts.running), this.asked), " run, ", num(String(counts.idle), this.asked), " are idle. ",
        data.looks.n > 1 ? `${data.looks.n} looks within ${Math.round(data.looks.interval_us / 1000)} ms.` : "One look."),
      edges.length ? [drawGraph(data.nodes.map((node) => this.node(node)), edges, `wait graph: ${count(edges.length, "edge")}`, `arrow-${this.target}`),
        h("p", { class: "quiet" }, "Round: threads. Dashed, with ?: could be so, and is not proven.")] : null,
      data.findings.map((finding, i) => this.finding(finding, i)),
      data.findings.flatMap((finding) => finding.threads).some((thread) => thread.place) ? this.places(data) : null,
      data.notes.map((note) => h("p", { class: "note" }, note.text, ` [${note.source}]`)),
      freshness(data),
    ];
  }

  places(data) {
    const rows = data.findings.flatMap((finding) => finding.threads).filter((thread) => thread.place).slice(0, 24);
    return [h("h3", {}, "Where those are that keep the others"), h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "places" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["thread", "function", "line", "calls"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows.map((thread) => h("tr", { key: thread.tid }, h("td", {}, `${known(thread.thread_num) ?? "–"} (${thread.tid})`), h("td", {}, h("code", {}, thread.place.function || "?")), h("td", {}, place(thread.place.location) || "–"), h("td", {}, thread.calls ? `${thread.calls}()` : "–"))))))];
  }
}
customElements.define("ompdd-why", Why);
