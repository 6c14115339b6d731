// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a number is from: the method, its parameters, and a line of curl that asks the same.
import { api } from "/api.js";
import { h, render } from "/dom.js";

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

export function curlLine({ method, params }, token) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return `curl -s ${location.origin}/rpc -H ${quote(`Authorization: Bearer ${token}`)} -H 'Content-Type: application/json' -d ${quote(body)}`;
}

// Takes the place of the text that was the button, so that who looks on from behind does not see the token.
function show(asked, opener) {
  const dialog = document.getElementById("how");
  const close = () => dialog.close();
  dialog.onclose = () => opener && opener.isConnected && opener.focus();
  const draw = (said) => render(dialog,
    h("h2", { id: "how-title" }, "Where this is from"),
    h("p", {}, "The method ", h("code", {}, asked.method), " of the protocol. Ask it yourself:"),
    h("pre", { tabindex: "0", class: "curl" }, curlLine(asked, "…")),
    h("p", {}, h("button", { type: "button", onclick: async () => draw((await copy(curlLine(asked, api.token))) ? "Copied, with the token in the place of the dots." : "The browser does not let this page copy; the token is behind #token= in the address that was printed.") }, "Copy the line"),
      " ", h("button", { type: "button", onclick: close }, "Close")),
    h("p", { role: "status", class: "quiet" }, said || "The token is put in when it is copied."));
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
  return h("button", { type: "button", class: "how", title: `from ${asked.method}: show how to ask for it`, onclick: (event) => show(asked, event.currentTarget) }, asked.method);
}

// A number: a click shows where it is from; with the keyboard the button beside the heading does.
export function num(text, asked) {
  return h("span", { class: "num", title: `from ${asked.method}`, onclick: (event) => show(asked, event.currentTarget) }, text);
}
