#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Only ompdd/openmp/runtimes/ knows the names of runtimes and of their entry points, and compares runtimes.

The readers of their tables of devices, one per runtime, are in ompdd/openmp/devices/.
"""
import re

import source

KNOWS = "ompdd/openmp/runtimes/"
READERS = "ompdd/openmp/devices/"
# Not clients/dap: the stacks of other debuggers have only names.
PARTS = ("ompdd", "clients/cli")
NAMES = re.compile(r"\b(?:GOMP_|gomp_|GOACC_|__kmp|kmpc?_|__tgt_|KMP_|libgomp|libi?omp5?\b|omprt\b)\w*"
                   r"|_omp_(?:cpy)?fn|omp_outlined|omp_task_entry|->descriptor\s*[!=]=|&descriptor_\w+")


def check(root):
    for path in source.files(root, ".c", ".h", parts=PARTS):
        relative = path.relative_to(root).as_posix()
        if not relative.startswith((KNOWS, READERS)):
            for line, name in source.lines_with(NAMES, source.without_comments(path.read_text())):
                yield f"{relative}:{line}: {name}: what is peculiar to a runtime is in {KNOWS}"


if __name__ == "__main__":
    source.report(check)
