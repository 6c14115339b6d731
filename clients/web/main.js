// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page: removes the token from the address, shows the view of the address, and reports a missing daemon.
import "/about.js";
import "/processes.js";
import "/recording.js";
import "/target.js";
import { api } from "/api.js";
import { h, render } from "/dom.js";
import { apiSwitch } from "/how.js";
import { format, parse } from "/route.js";

const top = document.getElementById("top");
const main = document.getElementById("main");

// The token must not stay where others can read it: in the address, the history, a bookmark.
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("token")) return;
  api.use(given.get("token").trim());
  // A plus sign stands for a blank there.
  const show = (given.get("show") || "").replaceAll(" ", "+");
  history.replaceState(null, "", `${location.pathname}#/${show}`);
}

function head(route) {
  const link = (page, href, text) => h("a", { href, "aria-current": route.page === page ? "page" : null }, text);
  const said = { asking: "asking…", here: "connected", gone: "no connection to ompdd; this page retries every second", unauthorized: "wrong token" }[api.status];
  render(top,
    h("span", { class: "name" }, "ompdd"),
    h("nav", { "aria-label": "pages" }, link("processes", "#/", "Processes"), route.page === "targets" ? h("a", { href: location.hash, "aria-current": "page" }, route.panels.map((panel) => panel.target).join(", ")) : null,
      link("file", "#/file", "Recording from a file"), link("about", "#/about", "About")),
    route.page === "file" || !api.hasToken ? null : apiSwitch(draw),
    h("p", { id: "status", role: "status", class: `status ${api.status}` }, route.page === "file" || !api.hasToken ? "" : said));
}

function askForToken() {
  const wrong = api.status === "unauthorized";
  render(main, h("h1", {}, wrong ? "ompdd refuses this token" : "This page needs the daemon's token"),
    h("p", {}, "Either run ", h("code", {}, "ompdctl page -p PID"), " and open the printed address, or type the token of this daemon. The token is in the file of its option ", h("code", {}, "--token-file"), " names."),
    h("form", { class: "line", onsubmit: (event) => { event.preventDefault(); api.status = "asking"; api.use(event.target.elements.token.value.trim()); draw(); } },
      h("label", { for: "token" }, "Token: "), h("input", { id: "token", name: "token", type: "password", autocomplete: "off", required: true }), " ", h("button", {}, "Use it")),
    h("p", { class: "quiet" }, "It stays in this tab and is sent only to this daemon. ", h("a", { href: "#/file" }, "A recording from a file"), " needs none."));
}

function draw() {
  const route = parse(location.hash);
  document.title = route.page === "targets" ? `${route.panels.map((panel) => panel.target).join(", ")} · ompdd` : "ompdd";
  head(route);
  if (route.page === "file") render(main, h("ompdd-recording", { key: "file" }));
  else if (route.page === "about") render(main, h("ompdd-about", { key: "about" }));
  else if (!api.hasToken || api.status === "unauthorized") askForToken();
  else if (route.page === "processes") render(main, h("ompdd-processes", { key: "processes" }));
  else {
    render(main, h("div", { class: `panels n${route.panels.length}`, key: "panels" }, route.panels.map((panel, i) => h("ompdd-target", {
      key: `${i} ${panel.target}`, ".name": panel.target, ".view": panel.view,
      ".onmove": (changed) => { const panels = parse(location.hash).panels; if (!panels) return; panels[i] = changed; history.replaceState(null, "", format(panels)); draw(); },
    }))));
  }
}

takeToken();
addEventListener("hashchange", () => {
  takeToken();
  if (location.hash === "#main") return main.focus();
  draw();
});
document.getElementById("skip").onclick = (event) => {
  event.preventDefault();
  main.focus();
};
api.addEventListener("status", draw);
draw();
