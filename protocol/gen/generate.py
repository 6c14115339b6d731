#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generate code and documents from protocol/errors.json and protocol/schema.

  generate.py DIR       C sources, openrpc.json and methods.pyi into DIR (the build does this)
  generate.py --docs    METHODS.md in the tree
  generate.py --check   compare METHODS.md with what --docs would write; exit 1 when it differs
"""
import pathlib
import sys

import c_code
import docs
import python_code
from schema import PROTOCOL, Protocol


def write(path, text):
    """Write only changed files, so that nothing is rebuilt without need."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def generate_build_files(protocol, out):
    out.mkdir(parents=True, exist_ok=True)
    write(out / "error_codes.h", c_code.error_codes(protocol))
    write(out / "methods.h", c_code.methods_h(protocol))
    write(out / "methods.c", c_code.methods_c(protocol))
    for where, context in (("daemon", "session"), ("worker", "worker")):
        write(out / f"methods_{where}.h", c_code.handlers_h(protocol, where, context))
        write(out / f"methods_{where}.c", c_code.handlers_c(protocol, where))
    write(out / "openrpc.c", c_code.openrpc_c(docs.openrpc(protocol)))
    write(out / "openrpc.json", docs.openrpc_text(protocol))
    write(out / "methods.pyi", python_code.methods_pyi(protocol))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    protocol = Protocol()
    methods_md = PROTOCOL / "METHODS.md"
    if sys.argv[1] == "--docs":
        write(methods_md, docs.methods_md(protocol))
    elif sys.argv[1] == "--check":
        if methods_md.read_text() != docs.methods_md(protocol):
            sys.exit("METHODS.md differs from the schemas; run protocol/gen/generate.py --docs and commit it")
    elif sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    else:
        generate_build_files(protocol, pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
