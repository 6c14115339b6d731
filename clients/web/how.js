// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source of a number: the method, its parameters, and a line of curl with the same request.
import { api } from "/api.js";
import { h, render } from "/dom.js";

// Sources are shown only while this switch is on. It belongs to the tab.
const KEY = "ompdd-api";
const isOn = () => document.documentElement.classList.contains("api");

function turn(on) {
  document.documentElement.classList.toggle("api", on);
  sessionStorage.setItem(KEY, on ? "on" : "off");
}

turn(sessionStorage.getItem(KEY) === "on");

export function apiSwitch(redraw) {
  return h("button", { type: "button", class: "small", "aria-pressed": String(isOn()), title: "show which method of the protocol each part is from", onclick: () => { turn(!isOn()); redraw(); } }, "API");
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

export function curlLine({ method, params }, token) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return `curl -s ${location.origin}/rpc -H ${quote(`Authorization: Bearer ${token}`)} -H 'Content-Type: application/json' -d ${quote(body)}`;
}

// Replaces the button's text, so that the token is never visible.
function show(asked, opener) {
  const dialog = document.getElementById("how");
  const close = () => dialog.close();
  dialog.onclose = () => opener && opener.isConnected && opener.focus();
  const draw = (said) => render(dialog,
    h("h2", { id: "how-title" }, "Source"),
    h("p", {}, "The method ", h("code", {}, asked.method), " of the protocol. The same request with curl:"),
    h("pre", { tabindex: "0", class: "curl" }, curlLine(asked, "…")),
    h("p", {}, h("button", { type: "button", onclick: async () => draw((await copy(curlLine(asked, api.token))) ? "Copied, with the token in place of the dots." : "The browser does not allow copying; the token is after #token= in the printed address.") }, "Copy the line"),
      " ", h("button", { type: "button", onclick: close }, "Close")),
    h("p", { role: "status", class: "quiet" }, said || "Copying inserts the token."));
  draw("");
  if (!dialog.open) dialog.showModal();
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// asked: {method, params}, or null.
export function howButton(asked) {
  if (!asked) return null;
  return h("button", { type: "button", class: "how", title: `from ${asked.method}: show the request`, onclick: (event) => show(asked, event.currentTarget) }, asked.method);
}

// A number: a click shows its source. With the keyboard, the button beside the heading does.
export function num(text, asked) {
  return h("span", { class: "num", title: `from ${asked.method}`, onclick: (event) => isOn() && show(asked, event.currentTarget) }, text);
}
