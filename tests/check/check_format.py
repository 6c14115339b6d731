#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The form of C sources is what clang-format makes of .clang-format: `check_format.py`; with --fix they are rewritten.

Versions differ in what they make of it, so only that of Debian 12 is asked; without it the check is skipped (77).
"""
import pathlib
import re
import shutil
import subprocess
import sys

import source

VERSION = 14
SKIPPED = 77
# Test programs are excluded, because tests name their lines, and so is the header that is a table.
FORMED = re.compile(r"(ompdd|libompd|runtime|clients|tests/(unit|support|fuzz))/.*\.[ch]")
LEFT_OUT = {"runtime/include/omp-tools.h"}
ROOT = pathlib.Path(__file__).resolve().parents[2]


def program():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
            if re.search(rf"version {VERSION}\.", said):
                return path
    return None


def sources():
    names = (str(path.relative_to(ROOT)) for path in source.files(ROOT, ".c", ".h"))
    return sorted(name for name in names if FORMED.fullmatch(name) and name not in LEFT_OUT)


def main():
    clang_format = program()
    if not clang_format:
        print(f"clang-format {VERSION} is not installed: not checked")
        return SKIPPED
    options = ["-i"] if sys.argv[1:] == ["--fix"] else ["--dry-run", "-Werror"]
    done = subprocess.run([clang_format, *options, *sources()], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        wrong = sorted(set(re.findall(r"(?m)^(\S+?):\d+:\d+: error", done.stderr)))
        print("\n".join(wrong) or done.stderr)
        print("run tests/check/check_format.py --fix")
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
