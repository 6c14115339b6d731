#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A unit test has the name and the place of what it tests: tests/unit/target/proc/proc.c is of ompdd/target/proc/proc.c.

It may also be of a header without a .c file, or of a folder as a whole (tests/unit/libompd/gomp.c of libompd/gomp/). What
several tests use is no test: tests/support.
"""
import source

# Folder of tests/unit: the folder that it mirrors. The others mirror the folder with their name in ompdd/.
MIRRORS = {"libompd": "libompd", "cli": "clients/cli", "client": "clients/lib", "dap": "clients/dap", "runtime": "runtime"}


def check(root):
    unit = root / "tests/unit"
    for path in source.files(root, ".c", ".h", ".py", parts=("tests/unit",)):
        folder, *rest = path.relative_to(unit).parts
        where = path.relative_to(root)
        if path.suffix != ".c" or not rest:
            yield f"{where}:1: no unit test in C: what tests share is in tests/support"
            continue
        meant = root.joinpath(MIRRORS.get(folder, f"ompdd/{folder}"), *rest)
        if not meant.is_file() and not meant.with_suffix(".h").is_file() and not meant.with_suffix("").is_dir():
            yield f"{where}:1: tests nothing of this name: there is no {meant.relative_to(root)}"


if __name__ == "__main__":
    source.report(check)
