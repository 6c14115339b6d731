// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view of an address: #/ processes, #/t1/why a view of a target, #/t1/why+t2 several side by side, #/file, #/about.

export function parse(hash) {
  const text = hash.replace(/^#\/?/, "");
  if (text === "" || text === "main") return { page: "processes" };
  if (text === "file" || text === "about") return { page: text };
  const panels = text.split("+").map((part) => {
    const [target, view] = part.split("/").map(decodeURIComponent);
    return { target, view: view || "" };
  });
  return panels.every(({ target }) => /^t[0-9]{1,18}$/.test(target)) ? { page: "targets", panels: panels.slice(0, 6) } : { page: "processes" };
}

export const format = (panels) => `#/${panels.map(({ target, view }) => target + (view ? `/${view}` : "")).join("+")}`;

export function go(panels) {
  location.hash = format(panels);
}
