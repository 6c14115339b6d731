#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares libompd/code/aarch64.c with binutils' disassembler on every instruction of arm64's libgomp and libomp.

decoder.py SYSROOT...

Checks the targets of jumps and calls, the results of adr and adrp, and the places and sizes of loads and stores. For each
instruction it also checks that the decoder knows all registers that the instruction changes. The decoder is compiled for
this machine. Exit status: 77 (skipped) without a disassembler of aarch64.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
OBJDUMP = "aarch64-linux-gnu-objdump"
LIBRARIES = ("libgomp.so.1", "libomp.so.5")
KINDS = "ELSE MOVE WIDEN CHOOSE LEA ADD SUB CLEAR INSERT COMPARE RETURN CALL JUMP BRANCH".split()
PC, PAGE, OTHER, NONE = -2, -4, -3, -1
STORES = ("str", "stp", "stur", "stlr", "stnp", "sttr")
LOADS = ("ldr", "ldp", "ldur", "ldar", "ldapr", "ldxr", "ldaxr", "ldrsw", "ldursw", "ldnp", "ldpsw", "ldtr")
# The first operand of these instructions is not a register that they change.
READS = re.compile(r"st(?!xr|xp|lxr|lxp)\w*|prfu?m|cmp|cmn|tst|ccmp|ccmn|fcmpe?|fccmpe?|b(\..*)?|bl|blr|br|cbn?z|tbn?z|ret|nop|dmb|dsb|isb|svc|brk|msr|hlt|udf|bti|yield|"
                   r"wfe|wfi|sev|sevl|clrex|hint|pac\w*|aut\w*|xpac\w*|dc|ic|sys|cas\w+|ldadd\w*p?$")
INSN = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f]{8})\s*\t(\S+)(?:\t(.*?))?(?:\s*//.*|\s*<.*>)?$")
GENERAL = re.compile(r"^([wx])(\d+|zr)$|^(w?sp)$")


class Operand:
    def __init__(self, text):
        fields = list(map(int, text.split(":")))
        self.kind, self.size, self.reg, self.base, self.index, self.scale, self.of_thread, self.number = fields


def number_of(register):
    """Return the number of a general register; None for any other operand, and for the zero register."""
    found = GENERAL.match(register)
    if not found or found[2] == "zr":
        return None
    return 31 if found[3] else int(found[2])


def split(text):
    return [part.strip() for part in re.findall(r"(?:\[[^\]]*\]!?|\{[^}]*\}|[^,])+", text or "")]


def changed(name, operands):
    """Return the registers that the instruction changes, by the disassembler's text."""
    found = set()
    for operand in operands:
        base = re.match(r"\[(\w+)", operand)
        if base and (operand.endswith("!") or operands[-1] != operand and operands[-1].startswith("#")):
            found.add(number_of(base[1]))
    if not READS.fullmatch(name):
        found.add(number_of(operands[0]) if operands else None)
        if name in ("ldp", "ldnp", "ldpsw", "ldxp", "ldaxp"):
            found.add(number_of(operands[1]))
    if re.match(r"(ld(add|clr|set|eor|[su]max|[su]min)|swp)", name) and len(operands) == 3:
        found.add(number_of(operands[1]))
    if name in ("bl", "blr"):
        found.add(30)
    return found - {None}


def memory(operand):
    """Return (base, displacement) of an address without index that changes no base; None for any other."""
    found = re.fullmatch(r"\[(\w+)(?:, #(-?\w+))?\]", operand)
    return (number_of(found[1]), int(found[2] or "0", 0)) if found else None


def complaints(address, name, operands, kind, other, is_pair, written, target, ops):
    missing = {reg for reg in changed(name, operands) if not written >> reg & 1}
    if missing:
        yield f"changes {sorted(missing)}"
    if name in ("b", "bl") or name.startswith(("b.", "cb", "tb")):
        to = int(operands[-1].split()[0], 16)
        wanted = {"b": "JUMP", "bl": "CALL"}.get(name, "JUMP" if name in ("b.al", "b.nv") else "BRANCH")
        if kind != wanted or target != to:
            yield f"is {wanted} to {to:#x}"
    elif name in ("blr", "br", "ret"):
        if kind != {"blr": "CALL", "br": "JUMP", "ret": "RETURN"}[name] or target:
            yield f"is {name}"
    elif kind in ("CALL", "JUMP", "BRANCH", "RETURN") and not name.startswith(("braa", "brab", "blraa", "blrab", "reta")):
        yield f"is no {kind}"
    elif name in ("adr", "adrp"):
        start = {PC: address + 4, PAGE: address & ~4095}.get(ops[1].base)
        if kind != "LEA" or start is None or start + ops[1].number != int(operands[1].split()[0], 16) or ops[0].reg != number_of(operands[0]):
            yield f"makes {operands[1]}"
    elif name == "movk":
        shift = int(operands[2].split("#")[1]) if operands[2:] else 0
        if kind != "INSERT" or (ops[0].reg, ops[1].scale, ops[1].number % (1 << 64)) != (number_of(operands[0]), shift, int(operands[1].split()[0][1:], 0) << shift):
            yield f"is {operands}"
    elif name in LOADS + STORES and number_of(operands[0]) is not None and kind in ("MOVE", "WIDEN"):
        is_load = name in LOADS
        at = operands[2] if name in ("ldp", "stp", "ldnp", "stnp", "ldpsw") else operands[1]
        wanted, side = memory(at), ops[1] if is_load else ops[0]
        register = ops[0] if is_load else ops[1]
        if side.kind != 3 or register.reg != number_of(operands[0]):
            yield "is a load" if is_load else "is a store"
        elif wanted and (side.base, side.number, side.index) != (*wanted, NONE):
            yield f"is at {at}"
        elif is_pair != (at is operands[-1] and len(operands) == 3):
            yield "is of one or two registers"
        elif side.size != (4 if operands[0][0] == "w" or name.endswith("sw") else 8):
            yield "is of another size"
    elif name in ("ldr", "str") and number_of(operands[0]) is not None and memory(operands[1]) and not operands[2:]:
        yield f"is a plain {name}, and is not read"


def judge(path, decoder):
    text = subprocess.run([OBJDUMP, "-d", path], capture_output=True, text=True, check=True).stdout
    found = [one.groups() for one in map(INSN.match, text.splitlines()) if one]
    said = subprocess.run([decoder], input="".join(f"{address} {word}\n" for address, word, *_ in found), capture_output=True, text=True, check=True)
    bad, seen = [], collections.Counter()
    for (address, word, name, rest), line in zip(found, said.stdout.splitlines(), strict=True):
        operands = split(rest)
        if line == "none":
            if name not in ("udf", ".inst", ".word"):
                bad.append(f"{address}: {word} {name} {rest}: is an instruction")
            continue
        kind, other, is_pair, written, target, *ops = line.split()
        kind = KINDS[int(kind)]
        seen[kind] += 1
        bad += [f"{address}: {word} {name} {rest}: {why}; read as {line}" for why in
                complaints(int(address, 16), name, operands, kind, int(other), is_pair == "1", int(written, 16), int(target, 16), list(map(Operand, ops)))]
    print(f"{path}: {len(found)} instructions, {len(bad)} read wrongly;", ", ".join(f"{kind} {n}" for kind, n in seen.most_common()))
    for line in bad[:40]:
        print("  " + line)
    return len(found) > 1000 and not bad


def main():
    if not shutil.which(OBJDUMP) or not shutil.which("cc"):
        print(f"skipped: {OBJDUMP} is missing (apt install binutils-aarch64-linux-gnu)")
        return 77
    root = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        decoder = pathlib.Path(scratch, "decode_list")
        subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", f"-I{SOURCE / 'libompd'}", f"-I{SOURCE / 'runtime/include'}", "-o", decoder,
                        SOURCE / "tests/arm64/decode_list.c", *(SOURCE / "libompd/code").glob("aarch64*.c")], check=True)
        good = [judge(root / "usr/lib/aarch64-linux-gnu" / name, decoder) for name in LIBRARIES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
