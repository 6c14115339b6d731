#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each header compiles alone: `check_headers.py ROOT COMPILER FLAGS...` (include folders and definitions from CMake)."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import source

INCLUDE_DIRS = {
    "ompdd": ("ompdd", "libompd", "runtime/include"),
    "libompd": ("libompd", "runtime/include", "runtime"),
    "runtime": ("runtime/include", "runtime"),
    "clients": ("clients/cli", "clients/lib", "ompdd"),
}


def compile_alone(root, path, command):
    relative = path.relative_to(root)
    flags = [f"-I{root / folder}" for folder in INCLUDE_DIRS[relative.parts[0]]]
    done = subprocess.run([*command, *flags, "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                           "-x", "c", "-include", str(path), os.devnull], capture_output=True, text=True)
    if done.returncode:
        yield f"{relative}:1: does not compile alone\n{done.stderr.strip()}"


def check(root, command):
    headers = list(source.files(root, ".h", parts=tuple(INCLUDE_DIRS)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for findings in pool.map(lambda path: list(compile_alone(root, path, command)), headers):
            yield from findings


if __name__ == "__main__":
    found = list(check(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
