// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements from descriptions: h() describes elements, and render() applies the differences, so that focus, scrolling
// and opened parts stay. Texts only become text nodes: names from a target stay inert.

const SVG = "http://www.w3.org/2000/svg";
// Set as properties; all others are attributes.
const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "open", "tabIndex", "textContent", "selected"]);

export function h(tag, props, ...kids) {
  return { tag, props: props || {}, kids: flat(kids) };
}

function flat(kids) {
  return kids.flat(Infinity).filter((kid) => kid !== null && kid !== undefined && kid !== false && kid !== "")
    .map((kid) => (typeof kid === "object" ? kid : String(kid)));
}

// Make `kids` the children of `element`.
export function render(element, ...kids) {
  patch(element, flat(kids));
}

function patch(element, kids) {
  const keyed = new Map();
  for (const node of element.childNodes) if (node.ompddKey !== undefined) keyed.set(node.ompddKey, node);
  const wanted = new Set(kids.map((kid) => kid.props?.key));
  const isOld = (node) => node && node.ompddKey !== undefined && !wanted.has(node.ompddKey);
  let at = element.firstChild;
  for (const kid of kids) {
    // A moved element loses the focus: remove old elements first, so that the others need not move.
    while (isOld(at)) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
    let node = fitting(at, kid) ? at : kid.props?.key !== undefined ? keyed.get(kid.props.key) : null;
    if (node && !fitting(node, kid)) node = null;
    if (!node) node = create(element, kid);
    // Set them before the element is on the page: a custom element starts there, and needs them then.
    update(node, kid);
    if (node === at) at = at.nextSibling;
    else element.insertBefore(node, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function fitting(node, kid) {
  if (!node) return false;
  if (typeof kid === "string") return node.nodeType === Node.TEXT_NODE;
  return node.nodeType === Node.ELEMENT_NODE && node.localName === kid.tag && node.ompddKey === kid.props.key;
}

function create(parent, kid) {
  if (typeof kid === "string") return document.createTextNode(kid);
  const inSvg = kid.tag === "svg" || (parent.namespaceURI === SVG && parent.localName !== "foreignObject");
  const node = inSvg ? document.createElementNS(SVG, kid.tag) : document.createElement(kid.tag);
  if (kid.props.key !== undefined) node.ompddKey = kid.props.key;
  return node;
}

function update(node, kid) {
  if (typeof kid === "string") {
    if (node.data !== kid) node.data = kid;
    return;
  }
  const before = node.ompddProps || {};
  for (const name in before) if (!(name in kid.props)) set(node, name, null);
  for (const name in kid.props) set(node, name, kid.props[name], before[name]);
  node.ompddProps = kid.props;
  // The contents of a custom element are its own.
  if (!kid.tag.includes("-")) patch(node, kid.kids);
}

function set(node, name, value, before) {
  if (name === "key" || value === before && !PROPERTIES.has(name)) return;
  if (name === "style") {
    for (const property in value || {}) node.style.setProperty(property, value[property]);
  } else if (name.startsWith("on")) {
    node[name] = value;
  } else if (name.startsWith(".")) {
    node[name.slice(1)] = value;
  } else if (PROPERTIES.has(name)) {
    if (value !== before || name === "hidden" || name === "disabled") node[name] = value ?? false;
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? "" : value);
  }
}
