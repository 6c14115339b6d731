// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Missing values and durations of answers without a view: processes and recordings.

// Return a value, or null for an {"rc": …} in its place.
export const known = (value) => (value === null || value === undefined || (typeof value === "object" && "rc" in value) ? null : value);

// As the texts of view.get.
export function duration(us) {
  if (us >= 1e6) return `${(us / 1e6).toFixed(1)} s`;
  return us >= 1e4 ? `${(us / 1e3).toFixed(1)} ms` : `${Math.round(us)} µs`;
}

export const count = (n, thing) => `${n} ${thing}${n === 1 ? "" : thing.endsWith("s") ? "es" : "s"}`;
