// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside the flame graph: a click zooms into a frame, Escape shows everything, "/" or a click on Search marks names.
const svg = document.querySelector("svg.flame");
const WIDTH = 1200;
const CHARACTER = 6.7;
// The parts of the width in the file have seven digits; the narrowest box is a thousand times as wide.
const ROUNDING = 2e-7;
const boxes = [...svg.querySelectorAll("g[data-x]")].map((g) => ({
  g, rect: g.querySelector("rect"), text: g.querySelector("text"), title: g.querySelector("title").textContent,
  x: Number(g.dataset.x), width: Number(g.dataset.w), depth: Number(g.dataset.d),
}));
const status = svg.querySelector(".status");
const describe = (text) => { status.textContent = text; };

function zoom(into) {
  const { x, width, depth } = into;
  for (const box of boxes) {
    const isBelow = box.x >= x - ROUNDING && box.x + box.width <= x + width + ROUNDING;
    const isOuter = box.depth < depth && box.x <= x + ROUNDING && box.x + box.width >= x + width - ROUNDING;
    const left = isOuter ? 0 : Math.max(0, ((box.x - x) / width) * WIDTH);
    const wide = isOuter ? WIDTH : Math.min((box.width / width) * WIDTH, WIDTH - left);
    const isShown = isOuter || (box.depth >= depth && isBelow && wide > 0.3);
    box.g.style.display = isShown ? "" : "none";
    if (!isShown) continue;
    box.rect.setAttribute("x", left);
    box.rect.setAttribute("width", Math.max(wide - 0.5, 0.3));
    const n = Math.floor((wide - 6) / CHARACTER), name = box.g.dataset.n;
    box.text.setAttribute("x", left + 3);
    box.text.textContent = n < 2 ? "" : name.length <= n ? name : `${name.slice(0, n - 1)}…`;
  }
}

function search() {
  const wanted = window.prompt("Mark the frames whose name or file contains", "");
  if (wanted === null) return;
  let share = 0, end = -1;
  const marked = boxes.filter((box) => wanted && box.title.includes(wanted));
  for (const box of boxes) box.g.classList.toggle("marked", marked.includes(box));
  // A frame inside of another marked one is not counted again.
  for (const box of marked.sort((a, b) => a.x - b.x || b.width - a.width)) {
    if (box.x + ROUNDING < end) continue;
    share += box.width;
    end = box.x + box.width;
  }
  const count = marked.length === 1 ? "1 frame contains" : `${marked.length} frames contain`;
  describe(wanted ? `${count} "${wanted}": ${(100 * share).toFixed(1)} % of the time` : "");
}

for (const box of boxes) {
  box.g.addEventListener("click", () => zoom(box));
  box.g.addEventListener("mouseover", () => describe(box.title));
}
svg.querySelector(".search").addEventListener("click", search);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") zoom({ x: 0, width: 1, depth: 0 });
  else if (event.key === "/") search();
  else return;
  event.preventDefault();
});
