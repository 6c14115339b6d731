#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fill the placeholders of a man page: `fill.py TEMPLATE OUT NAME=VALUE... [PROGRAM]`.

@COMMANDS@, @OPTIONS@ and @EXIT_CODES@ come from the help of PROGRAM, and @METHODS@ from the openrpc.json that METHODS= names.
NAME=VALUE gives each other @NAME@.
"""
import json
import pathlib
import re
import subprocess
import sys


def roff(text):
    """Escape backslashes, hyphens of options, and lines that look like a request of roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def section(help_text, title):
    """Return the rows of a section of --help as (what, text). Continuation lines have a deeper indent."""
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


# Options of ompdd that are not settings of ompdd.conf.
NO_SETTINGS = ("--config", "--check-config", "--version", "--help")


def setting(option):
    name, _, value = option.removeprefix("--").partition(" ")
    return f"{name} = {value or 'yes'}"


def items(rows):
    return "".join(f".TP\n.B {roff(what)}\n{roff(text)}\n" for what, text in rows)


def help_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    template, out, *rest = sys.argv[1:]
    values = dict(word.split("=", 1) for word in rest if "=" in word)
    for program in (word for word in rest if "=" not in word):
        if pathlib.Path(program).name == "ompdctl":
            options = help_of(program, "help", "options")
            values["COMMANDS"] = items(section(help_of(program, "help", "commands"), None))
            values["OPTIONS"] = items(section(options, "Options"))
            values["EXIT_CODES"] = items(section(options, "Exit codes"))
        else:
            rows = section(help_of(program, "--help"), None)
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
