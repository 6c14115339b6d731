# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of numbers and of node names as people write them: "0-62,64", "node[1-100],login"."""
from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, Iterator, List, Tuple

# No job has more ranks, no process more threads: larger numbers are errors.
MAX_NUMBER = 1 << 24
MAX_NAMES = 1 << 20
# Maximum length of a name, longer than any node's with its suffix.
MAX_NAME = 1024
# Maximum size of all sets of one summary: a few characters of a line may expand to megabytes.
MAX_BITS = 1 << 31

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?\Z")
_NAME = re.compile(r"(.*?)(\d{1,9})(\D*)\Z", re.S)


def numbers_parse(text: str) -> int:
    """Return a set as the bits of an integer. ValueError: not a set."""
    runs: List[Tuple[int, int]] = []
    for part in text.split(",") if text else ():
        match = _RANGE.match(part)
        if not match:
            raise ValueError(f"not a set of numbers: {text[:80]!r}")
        first = int(match.group(1))
        last = int(match.group(2) or first)
        if last < first or last >= MAX_NUMBER:
            raise ValueError(f"not a set of numbers: {text[:80]!r}")
        runs.append((first, last))
    runs.sort()
    # Each byte is written about once, for any number of runs. Bytes before the first run are not written: a node's part
    # is small.
    base = runs[0][0] & ~7 if runs else 0
    bits, end = bytearray((max((last for _, last in runs), default=base - 1) - base >> 3) + 1), base
    for first, last in runs:
        first = max(first, end)
        if last < first:
            continue
        end = last + 1
        first, last = first - base, last - base
        low, high = first >> 3, last >> 3
        begin, stop = 0xff << (first & 7) & 0xff, 0xff >> (7 - (last & 7))
        if low == high:
            bits[low] |= begin & stop
            continue
        bits[low] |= begin
        bits[low + 1:high] = b"\xff" * (high - low - 1)
        bits[high] |= stop
    return int.from_bytes(bits, "little") << base


def numbers_fold(bits: int) -> str:
    """Return the shortest text of the set: "0-62,64"."""
    digits = bin(bits)[:1:-1]
    return ",".join(str(run.start()) if run.end() - run.start() == 1 else f"{run.start()}-{run.end() - 1}"
                    for run in re.finditer("1+", digits))


def numbers_count(bits: int) -> int:
    return bin(bits).count("1")


def lowest(bits: int) -> int:
    """Return the smallest number of a set that is not empty."""
    return (bits & -bits).bit_length() - 1


def _padded(number: int, width: int) -> str:
    return str(number).zfill(width)


def _tail(folded: str, tail: str) -> str:
    return ",".join(part + "/" + tail if tail else part for part in _split(folded))


def names_fold(names: Iterable[str]) -> str:
    """Fold names to ClusterShell's and Slurm's syntax: "gpu7,node[01-16,20]".

    The nodes of NODE/TAIL are folded: "node[1-2]/0".
    """
    names = set(names)
    tails = {name.partition("/")[2] for name in names}
    if tails != {""}:
        return ",".join(_tail(names_fold(name.partition("/")[0] for name in names if name.partition("/")[2] == tail), tail)
                        for tail in sorted(tails, key=lambda tail: (len(tail), tail)))
    groups: Dict[Tuple[str, str, int], List[int]] = {}
    plain: List[str] = []
    for name in names:
        match = _NAME.match(name)
        if not match:
            plain.append(name)
            continue
        digits = match.group(2)
        # "7" and "07" are different names. Numbers with the maximum length need no padding.
        width = len(digits) if digits[0] == "0" and len(digits) > 1 else 0
        groups.setdefault((match.group(1), match.group(3), width), []).append(int(digits))
    parts = sorted(plain)
    for (before, after, width), numbers in sorted(groups.items()):
        if len(numbers) == 1:
            parts.append(before + _padded(numbers[0], width) + after)
            continue
        runs: List[List[int]] = []
        for number in sorted(numbers):
            if runs and number == runs[-1][1] + 1 and (not width or len(str(number)) <= width):
                runs[-1][1] = number
            else:
                runs.append([number, number])
        inside = ",".join(_padded(first, width) if first == last else f"{_padded(first, width)}-{_padded(last, width)}"
                          for first, last in runs)
        parts.append(f"{before}[{inside}]{after}")
    return ",".join(parts)


def _split(text: str) -> Iterator[str]:
    depth = start = 0
    for i, char in enumerate(text):
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
        elif char == "," and not depth:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def names_parse(text: str) -> List[str]:
    """Return the names of a folded set, in its order. ValueError: not a folded set."""
    names: List[str] = []
    for part in _split(text) if text else ():
        before, bracket, rest = part.partition("[")
        inside, closed, after = rest.partition("]")
        if bracket and (not closed or "[" in after or "]" in after) or not bracket and "]" in part or not part:
            raise ValueError(f"not a set of names: {text[:80]!r}")
        if len(before) + len(after) > MAX_NAME:
            raise ValueError(f"not a name: {part[:80]!r}")
        if not bracket:
            names.append(part)
            continue
        for piece in inside.split(","):
            match = _RANGE.match(piece)
            if not match:
                raise ValueError(f"not a set of names: {text[:80]!r}")
            first, last = match.group(1), match.group(2) or match.group(1)
            if int(last) < int(first) or int(last) - int(first) + len(names) >= MAX_NAMES:
                raise ValueError(f"too many names: {text[:80]!r}")
            width = len(first) if first[0] == "0" and len(first) > 1 else 0
            names += [before + _padded(number, width) + after for number in range(int(first), int(last) + 1)]
    return names
