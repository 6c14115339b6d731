# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A long line as short ones.

srun and MPI's launchers mix the output of many nodes, in pieces of a kilobyte or more: only short lines arrive
unbroken.
"""
import base64
import binascii
import os
import zlib
from typing import Dict, List, Optional

_WORD = "ompdd-part"
# Maximum length of a part's text: with its prefix, less than one message of Slurm.
_SIZE = 800
_MAX_PARTS = 1 << 16
_MAX_BYTES = 1 << 28


def split(line: str) -> List[str]:
    """Return lines from which Joiner restores `line`."""
    text = base64.b64encode(zlib.compress(line.encode())).decode()
    name = os.urandom(8).hex()
    pieces = [text[at:at + _SIZE] for at in range(0, len(text), _SIZE)]
    return [f"{_WORD} {name} {number} {len(pieces)} {piece}" for number, piece in enumerate(pieces)]


class Joiner:
    """Parts in any order, with those of several lines mixed."""

    def __init__(self) -> None:
        self._waiting: Dict[str, Dict[int, str]] = {}

    def take(self, line: str) -> Optional[str]:
        """Return the whole line with its last part; a line that is not a part, unchanged; else None."""
        words = line.split(" ")
        if words[0] != _WORD or len(words) != 5:
            return line
        name, number, count = words[1], words[2], words[3]
        if not (number.isdecimal() and count.isdecimal() and int(number) < int(count) <= _MAX_PARTS):
            return None
        parts = self._waiting.setdefault(name, {})
        parts[int(number)] = words[4]
        if len(parts) < int(count):
            return None
        del self._waiting[name]
        try:
            unpack = zlib.decompressobj()
            text = unpack.decompress(base64.b64decode("".join(parts[i] for i in sorted(parts)), validate=True), _MAX_BYTES)
            return text.decode() if unpack.eof else None
        except (binascii.Error, zlib.error, UnicodeDecodeError):
            return None
