// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-recording>: a finished recording from a file. It works without a daemon.
import "/flame.js";
import { h, render } from "/dom.js";
import { parse } from "/speedscope.js";
import { count, duration } from "/words.js";

const MAX_BYTES = 256 * 1024 * 1024;

class Recording extends HTMLElement {
  connectedCallback() {
    this.chosen = 0;
    this.ondragover = (event) => event.preventDefault();
    this.ondrop = (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) this.read(event.dataTransfer.files[0]);
    };
    this.draw();
  }

  async read(file) {
    this.error = null;
    try {
      if (file.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES >> 20} MB`);
      this.profiles = parse(await file.text());
      if (!this.profiles.length) throw new Error("it contains no profile");
      this.name = file.name;
      this.chosen = 0;
    } catch (error) {
      this.profiles = null;
      this.error = `${file.name} cannot be shown: ${error.message}`;
    }
    this.draw();
  }

  draw() {
    const profile = this.profiles && this.profiles[this.chosen];
    render(this,
      h("h1", {}, "A recording from a file"),
      h("p", {}, "Create one with ", h("code", {}, "ompdctl -p PID record -o out.json"), ". The file stays in this browser: nothing is sent."),
      h("p", { class: "line" }, h("label", { for: "file" }, "File (or drop it here): "), h("input", { type: "file", id: "file", accept: ".json,application/json", onchange: (event) => event.target.files[0] && this.read(event.target.files[0]) })),
      this.error ? h("p", { class: "trouble", role: "alert" }, this.error) : null,
      profile ? [
        h("h2", {}, this.name),
        h("p", { class: "line" }, h("label", { for: "which" }, "Profile: "), h("select", { id: "which", onchange: (event) => { this.chosen = Number(event.target.value); this.draw(); } },
          this.profiles.map((one, i) => h("option", { key: i, value: String(i), selected: i === this.chosen }, one.name))), ` ${count(this.profiles.length, "profile")}`),
        h("p", {}, `${profile.isTime ? duration(profile.tree.total) : profile.tree.total} in all`),
        h("ompdd-flame", { key: `flame ${this.name} ${this.chosen}`, ".tree": profile.tree, ".unit": profile.isTime ? null : (total) => String(total) }),
      ] : null);
  }
}
customElements.define("ompdd-recording", Recording);
