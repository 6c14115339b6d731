#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/ompd.md has one row for each routine of OMPD's drafts, and its methods and members exist.

A row's last cell holds `method`: `member`. The member is a path in the method's result: `threads[].tid`. Another name
after `icvs` is that of a row of libompd/icv.def.
"""
import json
import re

import source

DOCUMENT, HEADER = "docs/ompd.md", "libompd/ompd-drafts.h"
ROW = re.compile(r"\| `(\w+)` \|[^|]*\|[^|]*\| (.*) \|")
ROUTINE = re.compile(r"^OMPD_API ompd_rc_t (\w+)\(|\(\*(ompd_2016_\w+)_fn_t\)", re.M)
METHOD = re.compile(r"[a-z]+\.[a-z_]+")


def members(schema, definitions):
    """Yield the properties of a schema and its alternatives: name and schema."""
    if "$ref" in schema:
        yield from members(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    for choice in schema.get("anyOf", []):
        yield from members(choice, definitions)
    if "items" in schema:
        yield from members(schema["items"], definitions)
    yield from schema.get("properties", {}).items()


def has_member(schema, path, definitions):
    """Return whether the schema has the member a[].b."""
    name, _, rest = path.partition(".")
    found = [value for key, value in members(schema, definitions) if key == name.removesuffix("[]")]
    return any(not rest or has_member(value, rest, definitions) for value in found)


def check_cell(root, cell, definitions):
    """Yield what is wrong in the last cell of a row."""
    icvs = re.findall(r'^ICV\(\w+, "([\w-]+)"', (root / "libompd/icv.def").read_text(), re.M)
    result = None
    for name in re.findall(r"`([^`]+)`", cell):
        if METHOD.fullmatch(name):
            path = root / f"protocol/schema/{name}.json"
            if not path.is_file():
                yield f"there is no method {name}"
                return
            schema = json.loads(path.read_text())["properties"]
            result = [schema["result"], schema["params"]]
        elif name.endswith("-var"):
            if name not in icvs:
                yield f"libompd/icv.def has no {name}"
        elif result and not any(has_member(schema, name, definitions) for schema in result):
            yield f"the method has no member {name}"


def check(root):
    lines = (root / DOCUMENT).read_text().splitlines()
    definitions = json.loads((root / "protocol/schema/common/definitions.json").read_text())["definitions"]
    rows = []
    for number, line in enumerate(lines, 1):
        if row := ROW.fullmatch(line):
            rows.append(row.group(1))
            for fault in check_cell(root, row.group(2), definitions):
                yield f"{DOCUMENT}:{number}: {fault}"
    header = (root / HEADER).read_text()
    for match in ROUTINE.finditer(header):
        name = match.group(1) or match.group(2).replace("_2016", "")
        if rows.count(name) != 1:
            yield f"{DOCUMENT}:1: {rows.count(name)} rows for {name} of {HEADER}"


if __name__ == "__main__":
    source.report(check)
