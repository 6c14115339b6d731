#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Print the completion of a program for a shell, from its --help: `completion.py PROGRAM SHELL`."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "man"))
from fill import help_of, section  # noqa: E402


def options(text):
    """Return (option, placeholder of its argument or "", help) for each option of a help text."""
    found = []
    for what, help_text in section(text, None):
        for option, argument in re.findall(r"(--[a-z-]+)(?: ([A-Za-z]\S*))?", what):
            found.append((option, argument, re.sub(r"['\[\]:`]", "", help_text)))
    return found


def completion(name, shell, rows):
    """Return the script."""
    head = f"completion of {name}, from its --help\n"
    if shell == "bash":
        return f"# bash {head}complete -o default -W '{' '.join(option for option, _, _ in rows)}' {name}\n"
    if shell == "zsh":
        lines = [f"'{option}[{text}]{f':{argument}:_files' if argument else ''}'" for option, argument, text in rows]
        return f"#compdef {name}\n# zsh {head}_arguments \\\n\t" + " \\\n\t".join(lines) + "\n"
    return f"# fish {head}" + "".join(f"complete -c {name} -l {option[2:]}{' -r' if argument else ''} -d '{text}'\n" for option, argument, text in rows)


def main():
    program, shell = sys.argv[1:]
    print(completion(pathlib.Path(program).name, shell, options(help_of(program, "--help"))), end="")


if __name__ == "__main__":
    main()
