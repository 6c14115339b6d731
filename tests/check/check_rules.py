#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SECURITY.md's table: rules are numbered without a gap, and what each names as its code and its tests is there.

Paths are below ompdd/ and tests/, or begin with clients/. What stands behind a test file names tests in it: `test_x`.
"""
import re

import source

ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \| (.+) \|$", re.M)
QUOTED = re.compile(r"`([^`]+)`")


def place(root, folder, name):
    return root / name if name.startswith("clients/") else root / folder / name


def missing(root, code, tests):
    """Return the missing parts of a row."""
    paths = QUOTED.findall(code)
    if not paths:
        yield "names no code"
    for path in paths:
        if not place(root, "ompdd", path).exists():
            yield f"there is no ompdd/{path}"
    file = None
    for name in QUOTED.findall(tests):
        if "/" in name:
            file = place(root, "tests", name)
            if not file.exists():
                yield f"there is no tests/{name}"
                file = None
        elif file and file.is_file() and not re.search(rf"\b(?:def |START_TEST\(){name}\b", file.read_text()):
            # `refuse` and the like are functions of a test file, too.
            yield f"{file.relative_to(root)} has no {name}"
    if not re.search(r"`[^`]+/", tests):
        yield "names no test"


def check(root):
    path = root / "SECURITY.md"
    text = path.read_text() if path.exists() else ""
    last = 0
    for row in ROW.finditer(text):
        where = f"SECURITY.md:{text.count(chr(10), 0, row.start()) + 1}"
        number, _, code, tests = row.groups()
        if int(number) != last + 1:
            yield f"{where}: rule {number} stands behind {last}"
        last = int(number)
        for what in missing(root, code, tests):
            yield f"{where}: rule {number}: {what}"
    if text and not last:
        yield "SECURITY.md:1: no table of rules"


if __name__ == "__main__":
    source.report(check)
