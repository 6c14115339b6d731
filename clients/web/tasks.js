// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-tasks>: dependences and creators of tasks, and a table of all tasks.
import { h } from "/dom.js";
import { foot, table } from "/draw.js";
import { drawGraph } from "/layout.js";
import { View } from "/view.js";

const MAX_ROWS = 400;

// Explains only what the drawing has.
const legend = ({ edges }) => [edges.some((edge) => !edge.dashed) ? "Arrows: must be complete before the other starts (depend)." : null, edges.some((edge) => edge.dashed) ? "Dashed: creator, for tasks without dependences." : null].filter(Boolean).join(" ");

class Tasks extends View {
  begin() {
    this.watch("view.get", { view: "tasks", graph: true, numbered: true, max_rows: MAX_ROWS }, 1000);
  }

  picture(data) {
    return [
      h("h2", {}, "Tasks ", this.how()),
      data.graph.edges.length ? [drawGraph(data.graph, "dependences and creators of tasks", `made-${this.target}`),
        h("p", { class: "quiet" }, legend(data.graph))] : null,
      table("tasks", data, this.asked),
      data.left_out ? h("p", { class: "quiet" }, `${data.left_out} more; task.list has all.`) : null,
      foot(data),
    ];
  }
}
customElements.define("ompdd-tasks", Tasks);
