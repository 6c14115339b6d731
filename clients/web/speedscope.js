// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recording in speedscope's format (`ompdctl record -o out.json`) as trees of stacks. Pure. The file is not trusted:
// every index is checked, and every size is bounded.

const MAX_FRAMES = 1e6;
const MAX_STACK = 4096;
const KINDS = [[/^(parallel|region) /, "parallel"], [/^task /, "task"], [/^\[/, "state"]];
const UNITS = { seconds: 1e6, milliseconds: 1e3, microseconds: 1, nanoseconds: 1e-3 };

const number = (value) => {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) throw new Error("a weight or time is not a number");
  return value;
};

function list(value, what) {
  if (!Array.isArray(value)) throw new Error(`${what} is not a list`);
  return value;
}

class Tree {
  constructor(frames) {
    this.frames = frames;
    this.root = { name: "all", kind: "user", total: 0, kids: [], byFrame: new Map() };
  }

  frame(index) {
    if (!Number.isInteger(index) || index < 0 || index >= this.frames.length) throw new Error(`frame ${index} is missing`);
    return index;
  }

  add(stack, weight) {
    if (stack.length > MAX_STACK) throw new Error(`a stack is deeper than ${MAX_STACK}`);
    let node = this.root;
    node.total += weight;
    for (const index of stack) {
      let kid = node.byFrame.get(this.frame(index));
      if (!kid) {
        const frame = this.frames[index];
        const name = String(frame.name ?? "?");
        kid = { name, kind: KINDS.find(([pattern]) => pattern.test(name))?.[1] || "user", place: frame.file ? `${String(frame.file).split("/").pop()}${frame.line ? `:${frame.line}` : ""}` : "", total: 0, kids: [], byFrame: new Map() };
        node.byFrame.set(index, kid);
        node.kids.push(kid);
      }
      kid.total += weight;
      node = kid;
    }
  }
}

function sampled(profile, tree, unit) {
  const samples = list(profile.samples, "samples"), weights = list(profile.weights, "weights");
  samples.forEach((stack, i) => tree.add(list(stack, "a sample"), number(weights[i]) * unit));
}

function evented(profile, tree, unit) {
  const open = [];
  let last = number(profile.startValue);
  for (const event of list(profile.events, "events")) {
    const at = number(event.at);
    if (at < last) throw new Error("its events are not in order");
    if (open.length && at > last) tree.add(open, (at - last) * unit);
    last = at;
    if (event.type === "O") open.push(event.frame);
    else if (open.pop() !== event.frame) throw new Error("an event closes a frame that is not the innermost");
    if (open.length > MAX_STACK) throw new Error(`a stack is deeper than ${MAX_STACK}`);
  }
}

// Return [{name, tree, unit: "us" or ""}] for the text of a file. Throws an Error that describes the fault.
export function parse(text) {
  let file;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${error.message}`);
  }
  if (!file || typeof file !== "object" || !file.shared || !Array.isArray(file.profiles)) throw new Error("it is not in speedscope's format, which ompdctl record -o FILE.json writes");
  const frames = list(file.shared.frames, "shared.frames");
  if (frames.length > MAX_FRAMES) throw new Error(`it has more than ${MAX_FRAMES} frames`);
  return file.profiles.map((profile, i) => {
    const tree = new Tree(frames);
    const unit = UNITS[profile.unit] ?? 1;
    if (profile.type === "sampled") sampled(profile, tree, unit);
    else if (profile.type === "evented") evented(profile, tree, unit);
    else throw new Error(`it has a profile of an unknown type: ${profile.type}`);
    return { name: String(profile.name ?? `profile ${i + 1}`), tree: tree.root, isTime: profile.unit in UNITS };
  });
}
