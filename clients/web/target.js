// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <ompdd-target>: one process or core, its views, and its end.
import { release } from "/control.js";
import "/devices.js";
import "/events.js";
import "/icvs.js";
import "/stacks.js";
import "/tasks.js";
import "/time.js";
import "/tree.js";
import "/why.js";
import { api } from "/api.js";
import { h, render } from "/dom.js";
import { howButton } from "/how.js";
import { known } from "/words.js";

const VIEWS = [["", "Regions and threads", "ompdd-tree"], ["why", "Why", "ompdd-why"], ["time", "Time", "ompdd-time"], ["tasks", "Tasks", "ompdd-tasks"], ["stacks", "Stacks", "ompdd-stacks"],
  ["icvs", "ICVs", "ompdd-icvs"], ["devices", "Devices", "ompdd-devices"], ["events", "Events", "ompdd-events"], ["control", "Stop and step", "ompdd-control"]];
const LAST = new Set(["exited", "exec", "detached", "plugin_failed", "worker_failed"]);
// Properties of each target of this tab, to find it again after a restart of the daemon.
const remembered = (target) => JSON.parse(sessionStorage.getItem(`ompdd-was-${target}`) || "null");

class Target extends HTMLElement {
  connectedCallback() {
    this.ended = null;
    this.onstatus = () => api.status === "here" && this.load();
    this.onevent = ({ detail: event }) => this.heard(event);
    api.addEventListener("status", this.onstatus);
    api.addEventListener("event", this.onevent);
    this.addEventListener("target-gone", (event) => this.gone(event.detail));
    this.addEventListener("view", (event) => this.onmove({ target: this.name, view: event.detail }));
    this.load();
    this.draw();
  }

  disconnectedCallback() {
    api.removeEventListener("status", this.onstatus);
    api.removeEventListener("event", this.onevent);
  }

  set view(view) {
    this.theView = view;
    if (this.isConnected) this.draw();
  }

  async load() {
    if (this.ended) return;
    try {
      const info = await api.call("target.info", { target: this.name });
      if (info.mode === "stop") return this.observe(info);
      const was = remembered(this.name);
      if (was && this.info && (was.pid !== info.pid || was.exe !== info.exe)) throw Object.assign(new Error("another target has this id now"), { name: "no_such_target" });
      this.info = info;
      this.error = null;
      sessionStorage.setItem(`ompdd-was-${this.name}`, JSON.stringify({ pid: info.pid, exe: info.exe, mode: info.mode, core: info.core && info.core.path }));
    } catch (error) {
      if (error.name === "no_such_target" && !this.rejoining) await this.rejoin(error);
      else if (error.name !== "daemon_gone") this.gone(error);
    }
    this.draw();
  }

  // Each view of a target in mode stop would stop it: show another target of the same process, in mode observe.
  async observe({ pid }) {
    const { targets } = await api.call("target.list");
    const there = targets.find((target) => target.pid === pid && target.mode === "observe" && target.state === "attached");
    const { target } = there || (await api.call("target.attach", { pid, mode: "observe" }));
    this.onmove({ target, view: this.theView });
  }

  // The daemon was restarted and has no targets: attach to the same process again in mode observe, or open the same
  // core.
  async rejoin(error) {
    const was = remembered(this.name);
    if (!was || !(this.info || api.isAnother)) return this.gone(error);
    this.rejoining = true;
    try {
      const info = was.core ? await api.call("target.open_core", { core: was.core }) : await api.call("target.attach", { pid: was.pid, mode: "observe" });
      if (info.exe !== was.exe) throw new Error(`process ${was.pid} is another program now`);
      this.info = info;
      this.error = null;
      sessionStorage.setItem(`ompdd-was-${info.target}`, JSON.stringify(was));
      this.onmove({ target: info.target, view: this.theView });
    } catch (failure) {
      this.gone(failure);
    } finally {
      this.rejoining = false;
    }
  }

  heard(event) {
    if (event.target !== this.name) return;
    if (LAST.has(event.type)) {
      const exit = event.exit;
      this.ended = { exited: `the program has ended${exit ? `: ${exit.signal_name || exit.signal ? `by signal ${exit.signal_name || exit.signal}` : `with status ${exit.status}`}` : ""}`, exec: "the process executes another program now", detached: "a client has detached from it" }[event.type]
        || event.message || event.type;
    }
    this.draw();
  }

  gone(error) {
    // A view sends a restarted daemon a request about an earlier target.
    if (error.name === "no_such_target" && this.info && !this.rejoining && !this.ended && remembered(this.name)) {
      this.rejoin(error).then(() => this.draw());
      return;
    }
    if (this.info) this.ended = this.ended || { target_exited: "the program has ended", target_exec: "the process executes another program now", no_such_target: "the target no longer exists" }[error.name] || error.message;
    else this.error = error;
    this.draw();
  }

  async close() {
    try {
      if (this.info.pid) await release(this.info.pid);
      await api.call("target.detach", { target: this.name });
    } catch {
      // It no longer exists.
    }
    location.hash = "#/";
  }

  tab([view, title], i) {
    const mine = (this.theView || "") === view;
    const move = (to) => this.onmove({ target: this.name, view: VIEWS[(to + VIEWS.length) % VIEWS.length][0] });
    const key = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      move(i + by);
      this.querySelector("[role=tab][aria-selected=true]").focus();
    };
    return h("button", { type: "button", role: "tab", key: view, id: `tab-${this.name}-${i}`, "aria-selected": String(mine), "aria-controls": `panel-${this.name}`, tabindex: mine ? "0" : "-1", onclick: () => move(i), onkeydown: key }, title);
  }

  draw() {
    const { info } = this;
    if (!info) {
      render(this, h("h1", {}, this.name || ""), h("p", { class: this.error ? "trouble" : "quiet", role: "status" }, this.error ? `${this.error.message}${this.error.hint ? ` Hint: ${this.error.hint}` : ""}` : "asking…"));
      return;
    }
    const index = Math.max(VIEWS.findIndex(([view]) => view === (this.theView || "")), 0);
    const runtime = info.runtime ? `${info.runtime.kind} ${known(info.runtime.version) || ""}` : "no OpenMP runtime";
    render(this,
      h("h1", {}, info.exe ? info.exe.split("/").pop() : info.target, h("span", { class: "quiet" }, ` pid ${info.pid ?? "–"}, ${runtime}, ${{ observe: "observed: never stopped", stop: "may be stopped", core: "a core" }[info.mode] || info.mode} `),
        howButton({ method: "target.info", params: { target: this.name } }), " ", h("button", { type: "button", class: "small", onclick: () => this.close() }, "Detach")),
      this.ended ? h("p", { class: "ended", role: "status" }, `${this.name}: ${this.ended}. The last view remains.`) : null,
      h("div", { role: "tablist", "aria-label": `views of ${this.name}` }, VIEWS.map((view, i) => this.tab(view, i))),
      h("div", { role: "tabpanel", id: `panel-${this.name}`, "aria-labelledby": `tab-${this.name}-${index}`, tabindex: "0" }, h(VIEWS[index][2], { key: VIEWS[index][0], ".info": info })));
  }
}
customElements.define("ompdd-target", Target);
