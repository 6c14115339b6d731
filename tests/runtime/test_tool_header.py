# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp-tools.h: tools of other authors compile with it, and behave the same."""
import glob
import os
import re
import subprocess

import pytest

from support import OURS, environment

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tool")
INCLUDE = os.path.join(os.path.dirname(HERE), "..", "..", "runtime", "include")
# From LLVM's runtime packages; without them, nothing to compare with.
OTHERS = sorted(glob.glob("/usr/lib/llvm-*/lib/clang/*/include/omp-tools.h"))


@pytest.mark.parametrize("compiler", [["gcc", "-std=c11"], ["g++", "-x", "c++"]], ids=lambda c: c[0])
def test_all_names(tmp_path, compiler):
    """It uses every name of the specification. The runtime knows its entry points, else the tool aborts."""
    path = str(tmp_path / "names")
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-fopenmp", "-rdynamic", "-I" + INCLUDE,
                    os.path.join(HERE, "names.c"), "-o", path], check=True, timeout=600)
    done = subprocess.run([path], env=environment(OURS, OMP_TOOL_VERBOSE_INIT="stdout"), timeout=600, check=True, text=True,
                          capture_output=True)
    assert done.stdout.splitlines()[-1] == "the tool is active"


def printer(tmp_path, header, numbers, types, name):
    """Return the numbers and type sizes of the omp-tools.h of @header."""
    folder = tmp_path / name
    folder.mkdir()
    with open(header, encoding="utf-8") as f:
        (folder / "omp-tools.h").write_text(f.read())
    lines = [f'printf("{n} %d\\n", (int)({n}));' for n in numbers]
    lines += [f'printf("{t} %zu\\n", sizeof({t}));' for t in types]
    (folder / "p.c").write_text('#include <stdio.h>\n#include "omp-tools.h"\nint main(void)\n{\n' + "\n".join(lines) + "\n}\n")
    subprocess.run(["gcc", "-w", str(folder / "p.c"), "-o", str(folder / "p")], check=True, timeout=600)
    return subprocess.run([str(folder / "p")], check=True, timeout=600, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.skipif(not OTHERS, reason="no other omp-tools.h (package libomp-dev)")
@pytest.mark.parametrize("header", OTHERS)
def test_as_llvm_has_it(tmp_path, header):
    with open(header, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read(), flags=re.S)
    numbers = set(re.findall(r"\b(omp[td]_\w+)\s*=", text))
    numbers |= set(re.findall(r"macro\s*\(\s*(ompt_(?:callback|state)_\w+)\s*,", text))
    types = set(re.findall(r"\}\s*(omp[td]_\w+_t);", text))
    types |= set(re.findall(r"\btypedef\b[^;{}]*\(\s*\*\s*(omp[td]_\w+)\s*\)", text))
    assert len(numbers) > 150 and len(types) > 100
    numbers, types = sorted(numbers), sorted(types)
    ours = printer(tmp_path, os.path.join(INCLUDE, "omp-tools.h"), numbers, types, "ours")
    assert ours == printer(tmp_path, header, numbers, types, "theirs")
