# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of node-summary, merge and the views of a job.

Importing and configuring argparse takes longer than all work for a few nodes.
"""
from __future__ import annotations

from types import SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Tuple

KIND_OF = {"tree": "stacks", "bt": "stacks", "threads": "stacks", "why": "why", "top": "top"}
ENGINES = ("slurm", "clustershell", "openmpi", "mpich")

_SUMMARY, _METRICS, _MERGE, _VIEW = 1, 2, 4, 8
_LOOKS = _SUMMARY | _METRICS | _VIEW
_GROUP = {"node-summary": _SUMMARY, "node-metrics": _METRICS, "merge": _MERGE, **dict.fromkeys(KIND_OF, _VIEW)}
COMMANDS = tuple(_GROUP)

# Name and letter, the commands that accept it, its value (allowed words, or a function of the text; None: no value),
# and its default. ompdctl's own help explains them: clients/cli/commands.c.
_OPTIONS = (
    ("--job", "", _LOOKS, str, None),
    ("--rank", "", _LOOKS, str, None),
    ("--name", "", _LOOKS, str, None),
    ("--user", "-u", _LOOKS, str, None),
    ("--cgroup", "", _LOOKS, str, None),
    ("--runtime", "", _LOOKS, str, None),
    ("--mode", "-m", _LOOKS, ("stop", "observe"), "stop"),
    ("--timeout", "", _LOOKS, float, 60.0),
    ("--ompdd", "", _LOOKS, str, None),
    ("--seconds", "-d", _LOOKS, float, 2.0),
    ("--kind", "", _SUMMARY, ("stacks", "why", "top"), "stacks"),
    ("--node-name", "", _SUMMARY, str, None),
    ("--node-names", "", _SUMMARY, str, None),
    ("--parts", "", _SUMMARY, None, False),
    ("--output", "", _METRICS, str, None),
    ("--json", "-j", _MERGE | _VIEW, None, False),
    ("--all", "-a", _MERGE | _VIEW, None, False),
    ("--width", "", _MERGE | _VIEW, int, None),
    ("--view", "", _MERGE, tuple(KIND_OF), None),
    ("--nodes", "", _VIEW, str, None),
    ("--engine", "", _VIEW, ENGINES, None),
    ("--remote-ompdctl", "", _VIEW, str, None),
)
_BY_NAME = {name: row for row in _OPTIONS for name in row[:2] if name}


class UsageError(Exception):
    """A wrong command line: the error, and the command if one was named."""

    def __init__(self, message: str, command: str = "") -> None:
        self.command = command
        super().__init__(message)


def _value(row: Tuple[Any, ...], text: str) -> Any:
    name, wants = row[0], row[3]
    if isinstance(wants, tuple):
        if text not in wants:
            raise UsageError(f"{name} is one of {', '.join(wants)}, not {text!r}")
        return text
    try:
        return wants(text)
    except ValueError:
        raise UsageError(f"{name} needs a number, not {text!r}") from None


def _split(argv: List[str]) -> Tuple[List[str], Dict[str, Any]]:
    """Return words, and the given options."""
    words: List[str] = []
    given: Dict[str, Any] = {}
    left = argv[::-1]
    while left:
        arg = left.pop()
        if arg == "--":
            return words + left[::-1], given
        if arg == "-" or not arg.startswith("-"):
            words.append(arg)
            continue
        if arg.startswith("--"):
            name, has_text, text = arg.partition("=")
        else:
            # "-uroot", "-ja"
            name, text = arg[:2], arg[2:]
            has_text = text
        row = _BY_NAME.get(name)
        if not row:
            raise UsageError(f"unknown option: {name}")
        if row[3] is None:
            if name.startswith("--") and has_text:
                raise UsageError(f"{name} takes nothing")
            left += ["-" + text] if text else []
            given[row[0]] = True
            continue
        if not has_text:
            if not left:
                raise UsageError(f"{name} wants a value")
            text = left.pop()
        given[row[0]] = _value(row, text)
    return words, given


def parse(argv: List[str]) -> SimpleNamespace:
    """Return `command`, `files` (the other words), and each of its options by name.

    Raises UsageError for a wrong command line.
    """
    command = next((arg for arg in argv if arg in COMMANDS), "")
    try:
        words, given = _split(argv)
        if not words or words[0] not in COMMANDS:
            raise UsageError(f"one of {', '.join(COMMANDS)} is wanted")
        command, group = words[0], _GROUP[words[0]]
        if len(words) > 1 and group != _MERGE:
            raise UsageError(f"{command} accepts no more arguments: {words[1]!r}")
        wrong = next((name for name in given if not _BY_NAME[name][2] & group), None)
        if wrong:
            raise UsageError(f"{command} takes no {wrong}")
    except UsageError as error:
        error.command = command
        raise
    options = {row[0][2:].replace("-", "_"): given.get(row[0], row[4]) for row in _OPTIONS if row[2] & group}
    return SimpleNamespace(command=command, files=words[1:], **options)
