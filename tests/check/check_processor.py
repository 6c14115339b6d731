#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of processors, their registers, instructions and decoders occur only in the files for a processor."""
import re

import source

# Files for a processor: a pattern for each component.
KNOW = (r"ompdd/target/arch/arch(?:_\w+)?\.[ch]", r"ompdd/target/arch/syscalls\.(?:c|def)",
        r"libompd/code/(?:(?:x86_64|aarch64(?:_data)?|decode)\.c|aarch64\.h)")
# Also in comments: a comment about a register's contents bypasses the table.
NAMES = re.compile(
    r"\b(?:[re](?:[abcd]x|[sd]i|[bs]p|ip)|r(?:8|9|1[0-5])|orig_rax|[fg]s_base|user_regs_struct|user_pt_regs"
    r"|int3|0xcc|endbr64|sysenter|tpidr(?:_el0)?|EM_[A-Z0-9_]+|PTRACE_(?:GET|SET)(?:FP)?REGS(?:ET)?|PTRACE_(?:PEEK|POKE)USER"
    r"|x86(?:[-_]64)?|amd64|aarch64|arm64|__x86_64__|__aarch64__)\b|%[fg]s\b|\b(?:Zydis|ZYDIS|Capstone|CS_ARCH)|\bsys/user\.h", re.I)


def check(root):
    for path in source.files(root, ".c", ".h", ".def", parts=("ompdd", "libompd")):
        relative = path.relative_to(root)
        if any(re.fullmatch(pattern, relative.as_posix()) for pattern in KNOW):
            continue
        for line, name in source.lines_with(NAMES, path.read_text()):
            yield f"{relative}:{line}: {name}: what depends on the processor is in ompdd/target/arch/arch_*.c and libompd/code/NAME.c"


if __name__ == "__main__":
    source.report(check)
