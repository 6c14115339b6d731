#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An external name has one body in the tree: `check_names.py BUILD_DIR`.

Reads the object files of the product. A source that several programs compile counts once; each program has its main().
"""
import collections
import pathlib
import re
import subprocess
import sys

FOLDERS = ("ompdd", "libompd", "runtime", "clients")
# build/ompdd/target/CMakeFiles/ompdd_target.dir/tls.c.o -> ompdd/target/tls.c
OBJECT = re.compile(r"(?P<folder>.*)/CMakeFiles/[^/]+\.dir/(?P<source>.*\.c)\.o$")


def external_names(path):
    text = subprocess.run(["nm", "--extern-only", "--defined-only", "--format=posix", str(path)], check=True,
                          capture_output=True, text=True).stdout
    return {line.split()[0] for line in text.splitlines()} - {"main"}


def bodies(build):
    """For each external name, the sources that define it."""
    found = collections.defaultdict(set)
    for folder in FOLDERS:
        for path in sorted((build / folder).rglob("*.c.o")):
            parts = OBJECT.match(str(path.relative_to(build)))
            for name in external_names(path):
                found[name].add(f"{parts['folder']}/{parts['source']}")
    return found


def findings(build):
    found = bodies(build)
    if not found:
        return [f"{build}: no object files of the product; build it first"]
    return [f"{name}: {', '.join(sorted(sources))}" for name, sources in sorted(found.items()) if len(sources) > 1]


if __name__ == "__main__":
    lines = findings(pathlib.Path(sys.argv[1]))
    sys.exit("\n".join(["external names with several bodies:", *lines]) if lines else 0)
