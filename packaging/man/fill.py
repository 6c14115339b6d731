#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fill a man page's @…@: `fill.py TEMPLATE OUT NAME=VALUE... [PROGRAM]`.

@COMMANDS@ and @OPTIONS@ come from PROGRAM's own --help and @METHODS@ from the openrpc.json that METHODS= names, so a page cannot lag behind;
every other @NAME@ is given as NAME=VALUE.
"""
import json
import pathlib
import re
import subprocess
import sys


def roff(text):
    """Text as roff shows it: backslashes, hyphens of options, and no line that roff takes for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def section(help_text, title):
    """The rows of a section of --help as (what, text): continued lines are indented further."""
    rows = []
    for line in help_text.splitlines() if title is None else help_text.split(f"\n{title}:\n")[1].split("\n\n")[0].splitlines():
        found = re.match(r" {2,6}(?=\S)(\S.*?)(?: {2,}|(?<=[A-Z.])\s(?=[a-z]))(\S.*)$", line)
        if re.match(r" {8,}\S", line) and rows:
            rows[-1][1] += " " + line.strip()
        elif found:
            rows.append([found.group(1).strip(), found.group(2).strip()])
        elif re.match(r" {2,6}-", line):
            rows.append([line.strip(), ""])
    return rows


# Of ompdd's options: the rest are settings of ompdd.conf.
NO_SETTINGS = ("--config", "--check-config", "--version", "--help")


def setting(option):
    name, _, value = option.removeprefix("--").partition(" ")
    return f"{name} = {value or 'yes'}"


def items(rows):
    return "".join(f".TP\n.B {roff(what)}\n{roff(text)}\n" for what, text in rows)


def main():
    template, out, *rest = sys.argv[1:]
    values = dict(word.split("=", 1) for word in rest if "=" in word)
    for program in (word for word in rest if "=" not in word):
        text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
        if "\nCommands:\n" in text:
            values["COMMANDS"] = items(section(text, "Commands"))
            values["OPTIONS"] = items(section(text, "Options"))
        else:
            rows = section(text, None)
            values["OPTIONS"] = items(rows)
            values["SETTINGS"] = items((setting(what), text) for what, text in rows if what.split()[0] not in NO_SETTINGS)
    if "METHODS" in values:
        methods = json.loads(pathlib.Path(values["METHODS"]).read_text())["methods"]
        values["METHODS"] = items((one["name"], one.get("summary", "")) for one in methods)
    text = pathlib.Path(template).read_text()
    filled = re.sub(r"@([A-Z_]+)@", lambda found: values[found.group(1)], text)
    pathlib.Path(out).write_text(filled)


if __name__ == "__main__":
    main()
