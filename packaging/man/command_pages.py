#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write a man page for each command of ompdctl: `command_pages.py OMPDCTL FOLDER VERSION`."""
import pathlib
import sys

from fill import help_of, items, roff, section

PAGE = """.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
.TH OMPDCTL-{title} 1 "" "ompdd {version}" "User Commands"
.SH NAME
ompdctl-{name} \\- {summary}
.SH SYNOPSIS
{synopsis}.SH DESCRIPTION
{description}{more}.SH SEE ALSO
.BR ompdctl (1),
.B "ompdctl help options"
"""


def page(ompdctl, name, summary, version):
    """Return the page of a command, from its help."""
    usage, *parts = help_of(ompdctl, "help", name).split("\n\n")
    synopsis = "".join(f".B {roff(line.replace('usage:', '').strip())}\n.br\n" for line in usage.splitlines())
    description, more = "", ""
    for part in parts:
        title, _, rest = part.partition("\n")
        if title == "Options:":
            more += ".SH OPTIONS\n" + items(section("\n" + part, "Options"))
        elif title == "Examples:":
            more += f".SH EXAMPLES\n.nf\n{roff(rest)}\n.fi\n"
        elif not title.startswith("ompdctl help options"):
            description += roff(part.removeprefix(f"{name}: ").rstrip("\n")) + "\n"
    return PAGE.format(title=name.upper(), name=roff(name), version=version, summary=roff(summary), synopsis=synopsis,
                       description=description, more=more)


def main():
    ompdctl, folder, version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    for name, summary in section(help_of(ompdctl, "help", "commands"), None):
        if " " not in name:
            (folder / f"ompdctl-{name}.1").write_text(page(ompdctl, name, summary, version), encoding="utf-8")


if __name__ == "__main__":
    main()
