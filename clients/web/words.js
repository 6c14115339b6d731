// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What things are called: states of threads, values that cannot be had, functions, times. Pure; the worker uses it, too.

// In the order in which the picture of strips has them; `kind` decides how tall a bar is: nothing is said by colour alone.
export const STATES = [
  { name: "", label: "no look", kind: "none", letter: "" },
  { name: "work_serial", label: "serial", kind: "work", letter: "S" },
  { name: "work_parallel", label: "work", kind: "work", letter: "W" },
  { name: "work_reduction", label: "reduction", kind: "work", letter: "R" },
  { name: "wait_barrier", label: "barrier", kind: "wait", letter: "B" },
  { name: "wait_taskwait", label: "taskwait", kind: "wait", letter: "T" },
  { name: "wait_taskgroup", label: "taskgroup", kind: "wait", letter: "G" },
  { name: "wait_mutex", label: "mutex", kind: "wait", letter: "M" },
  { name: "wait_lock", label: "lock", kind: "wait", letter: "L" },
  { name: "wait_critical", label: "critical", kind: "wait", letter: "C" },
  { name: "wait_atomic", label: "atomic", kind: "wait", letter: "A" },
  { name: "wait_ordered", label: "ordered", kind: "wait", letter: "O" },
  { name: "wait_target", label: "target", kind: "wait", letter: "D" },
  { name: "overhead", label: "overhead", kind: "wait", letter: "V" },
  { name: "idle", label: "idle", kind: "idle", letter: "I" },
  { name: "unknown", label: "unknown", kind: "other", letter: "?" },
  { name: "other", label: "not OpenMP", kind: "other", letter: "·" },
];
const UNKNOWN = STATES.length - 2;
const OTHER = STATES.length - 1;
const BY_NAME = new Map(STATES.map((state, i) => [state.name, i]));

// The number of what a thread of thread.list or snapshot.get does.
export function stateOf(thread) {
  if (thread.openmp === false) return OTHER;
  const name = thread.state && thread.state.name;
  if (!name) return UNKNOWN;
  const short = name.replace(/^ompt_state_/, "");
  return BY_NAME.get(short) ?? BY_NAME.get(short.replace(/^(wait_barrier|work|wait_taskwait)_.*$/, "$1")) ?? UNKNOWN;
}

export const isInferred = (value) => Boolean(value && value.source === "inferred");

// A value, or null where there is an {"rc": …} in its place.
export const known = (value) => (value === null || value === undefined || (typeof value === "object" && "rc" in value) ? null : value);

// Why there is none.
export const reason = (value) => (value && value.rc ? value.message || value.rc.replace(/^ompd_rc_/, "") : "not said");

export function functionOf(value) {
  const fn = known(value);
  return fn ? fn.symbol || fn.address || "?" : null;
}

export function place(location) {
  const at = known(location);
  if (!at || !at.file) return null;
  const file = at.file.split("/").pop();
  return at.line ? `${file}:${at.line}` : file;
}

// "0-3,7" of numbers; sorted here.
export function ranges(numbers) {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (end + 1 < sorted.length && sorted[end + 1] === sorted[end] + 1) end++;
    parts.push(end > i + 1 ? `${sorted[i]}-${sorted[end]}` : end > i ? `${sorted[i]},${sorted[end]}` : `${sorted[i]}`);
    i = end + 1;
  }
  return parts.length > 12 ? `${parts.slice(0, 12).join(",")},…` : parts.join(",");
}

export function duration(us) {
  if (us >= 6e7) return `${Math.floor(us / 6e7)} min ${Math.round((us % 6e7) / 1e6)} s`;
  if (us >= 1e6) return `${(us / 1e6).toFixed(us < 1e7 ? 2 : 1)} s`;
  if (us >= 1e3) return `${(us / 1e3).toFixed(us < 1e4 ? 1 : 0)} ms`;
  return `${Math.round(us)} µs`;
}

export const count = (n, thing) => `${n} ${thing}${n === 1 ? "" : thing.endsWith("s") ? "es" : "s"}`;
