#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""runtime/ORDER.md lists each file of the runtime in which threads synchronise without a lock, with the litmus test of
its assumptions (a `.c` file with its header, or the header with it). Everything that it names exists.
"""
import re

import source

ATOMIC = re.compile(r"\b__atomic_(?!signal_fence)\w+\(")
NAMED = re.compile(r"`([a-z_0-9]+)\.[ch]`")


def check(root):
    page = root / "runtime/ORDER.md"
    named = {name: line for line, text in enumerate(page.read_text().splitlines(), 1) for name in NAMED.findall(text)} if page.exists() else {}
    seen = set()
    for path in source.files(root, ".c", ".h", parts=("runtime",)):
        if not ATOMIC.search(source.code_of(path.read_text())):
            continue
        seen.add(path.stem)
        if path.stem not in named:
            yield f"{path.relative_to(root)}:1: has atomics and is not in runtime/ORDER.md: which of its protocols is it, or what is the litmus test?"
    for name in sorted(set(named) - seen):
        yield f"runtime/ORDER.md:{named[name]}: {name}: has no atomics"


if __name__ == "__main__":
    source.report(check)
