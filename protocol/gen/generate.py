#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generate code and documents from protocol/errors.json and protocol/schema.

  generate.py DIR       C sources into DIR (the build does this)
  generate.py --docs    METHODS.md, openrpc.json and clients/python/ompdd/{methods,results}.py in the tree
  generate.py --check   compare those with what --docs would write; exit 1 when they differ
"""
import pathlib
import sys

import c_code
import docs
import python_code
from schema import PROTOCOL, Protocol

ROOT = PROTOCOL.parent


def write(path, text):
    """Write only what changed, so that nothing is rebuilt without need."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def generate_c(protocol, out):
    out.mkdir(parents=True, exist_ok=True)
    write(out / "error_codes.h", c_code.error_codes(protocol))
    write(out / "methods.h", c_code.methods_h(protocol))
    write(out / "methods.c", c_code.methods_c(protocol))
    for where, context in (("daemon", "session"), ("worker", "worker")):
        write(out / f"methods_{where}.h", c_code.handlers_h(protocol, where, context))
        write(out / f"methods_{where}.c", c_code.handlers_c(protocol, where))
    write(out / "openrpc.c", c_code.openrpc_c(docs.openrpc(protocol)))


def documents(protocol):
    return {
        PROTOCOL / "METHODS.md": docs.methods_md(protocol),
        PROTOCOL / "openrpc.json": docs.openrpc_text(protocol),
        ROOT / "clients" / "python" / "ompdd" / "methods.py": python_code.methods_py(protocol),
        ROOT / "clients" / "python" / "ompdd" / "results.py": python_code.results_py(protocol),
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    protocol = Protocol()
    if sys.argv[1] == "--docs":
        for path, text in documents(protocol).items():
            write(path, text)
    elif sys.argv[1] == "--check":
        stale = [str(path.relative_to(ROOT)) for path, text in documents(protocol).items()
                 if not path.exists() or path.read_text() != text]
        if stale:
            sys.exit(f"{', '.join(stale)}: not what the schema says; "
                     "run protocol/gen/generate.py --docs and commit")
    elif sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    else:
        generate_c(protocol, pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
