// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-tree>: regions within regions, drawn as boxes within the boxes of the threads that met them; the strips of threads below.
import "/strips.js";
import "/verdict.js";
import { h, render } from "/dom.js";
import { num } from "/how.js";
import { View, freshness } from "/view.js";
import { STATES, count, ranges } from "/words.js";

export const chip = (state, inferred) => h("span", { class: `chip ${STATES[state].kind}` }, h("b", { "aria-hidden": "true" }, STATES[state].letter), ` ${STATES[state].label}${inferred ? "~" : ""}`);

class Tree extends View {
  connectedCallback() {
    // They waited, and nothing has changed: what one look more would be of a program that runs, is worth its price now.
    this.addEventListener("still", () => this.querySelector("ompdd-verdict")?.ask());
    super.connectedCallback();
  }

  begin() {
    const what = { stacks: "regions", icvs: false };
    this.asked = { method: "snapshot.get", params: { target: this.target, ...what } };
    // Behind the strips' first question, which takes a fraction of the time.
    queueMicrotask(() => this.isConnected && this.watch("snapshot.get", what, 500, "tree"));
  }

  thread(box) {
    const many = box.tids.length > 1;
    const nums = box.nums.filter((n) => n !== null);
    return h("li", { class: box.regions.length ? "thread outer" : "thread", key: `${box.tids[0]}` },
      h("p", {}, many ? [num(String(box.tids.length), this.asked), " threads: "] : null, h("span", { class: "who" }, `${many ? "" : "thread "}${ranges(nums)}`), many ? null : h("span", { class: "quiet" }, ` (${box.tids[0]})`), " ",
        box.regions.length ? h("span", { class: "quiet" }, "met") : chip(box.state, box.inferred), box.waits ? h("span", { class: "waits" }, ` waits for ${box.waits}`) : null),
      box.tasks.map((task) => h("p", { class: "task" }, "task ", h("code", {}, task))),
      box.regions.map((region) => this.region(region)));
  }

  region(box) {
    const name = box.level === 0 ? "initial region" : box.fn || "parallel region";
    return h("div", { class: "region", role: "group", key: box.key, "aria-label": `${name}, level ${box.level ?? "not known"}` },
      h("p", { class: "title" }, h("strong", {}, name), box.inferred ? "~" : "", box.place ? h("span", { class: "quiet" }, ` ${box.place}`) : null,
        h("span", { class: "quiet" }, ` level ${box.level ?? "?"}, team of `), num(String(box.size ?? box.members), this.asked), box.queued ? h("span", { class: "queued" }, ` ${count(box.queued, "task")} not begun`) : null),
      h("ul", {}, box.threads.map((thread) => this.thread(thread))));
  }

  picture(data) {
    return [
      h("h2", {}, "Regions ", this.how()),
      h("p", { class: "counts" }, num(String(data.n_threads), this.asked), ` thread${data.n_threads === 1 ? "" : "s"}: `, data.states.map((n, state) => (n ? [h("span", { class: "count" }, chip(state), " ", num(String(n), this.asked)), " "] : null))),
      h("div", { class: "regions" }, data.boxes.map((box) => this.region(box)), data.boxes.length ? null : h("p", {}, "No thread is in a region.")),
      data.others.length ? h("p", { class: "quiet" }, `In no team: ${data.others.slice(0, 40).map((one) => `${one.tid}${one.openmp ? ` (${STATES[one.state].label})` : ""}`).join(", ")}${data.others.length > 40 ? `, and ${data.others.length - 40} more` : ""}`) : null,
      h("p", { class: "quiet" }, "~ inferred from what the thread does in the kernel or where it runs."),
      freshness(data),
    ];
  }

  draw() {
    // Each in a place of its own: the strips keep what they have seen for as long as they are on the page.
    render(this, this.data ? h("ompdd-verdict", { key: `verdict ${this.target}`, ".info": this.info }) : null, h("div", { key: "picture" }, this.data ? this.picture(this.data) : null, this.trouble()), this.info.mode === "core" ? null : h("ompdd-strips", { key: "strips", ".info": this.info }));
  }
}
customElements.define("ompdd-tree", Tree);
