#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An external name has one body in the tree: `check_names.py BUILD_DIR`.

Reads the object files of the product. A source that several programs compile counts once; each program has its main().
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

FOLDERS = ("ompdd", "libompd", "runtime", "clients")
OUTPUT = re.compile(r" -o (\S+) ")


def bodies(build):
    """For each external name, the sources that define it. compile_commands.json leaves out objects of old sources."""
    sources = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        output = OUTPUT.search(command["command"] + " ").group(1)
        if output.startswith(FOLDERS) and (build / output).exists():
            sources[output] = command["file"]
    if not sources:
        return {}
    text = subprocess.run(["nm", "--extern-only", "--defined-only", "--format=posix", "--print-file-name", *sources], check=True,
                          capture_output=True, text=True, cwd=build).stdout
    found = collections.defaultdict(set)
    for line in text.splitlines():
        output, _, symbol = line.partition(": ")
        found[symbol.split()[0]].add(sources[output])
    found.pop("main", None)
    return found


def findings(build):
    found = bodies(build)
    if not found:
        return [f"{build}: no object files of the product; build it first"]
    return [f"{name}: {', '.join(sorted(sources))}" for name, sources in sorted(found.items()) if len(sources) > 1]


if __name__ == "__main__":
    lines = findings(pathlib.Path(sys.argv[1]))
    sys.exit("\n".join(["external names with several bodies:", *lines]) if lines else 0)
