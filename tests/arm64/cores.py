#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cores that the kernel wrote in the virtual machine, of programs on each runtime: cores.py BUILD HERE

What ompdd, built for this machine in the folder HERE, says of them must be what the programs said of themselves, with whole stacks, and in every answer what the
ompdd of BUILD, for aarch64, said in the virtual machine (tests/system/test_other_processors.py). Exit as run.py's."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import run
from keep import mapped

SYSTEM = run.HERE.parent / "system"
# Name, folder of another libgomp.so.1 than the system's, program.
CASES = [
    ("libgomp-tasks", "", "tasks chain"), ("libgomp-nested", "", "nested 2 3"),
    ("libomp-tasks", "", "llvm/tasks nested"), ("libomp-nested", "", "llvm/nested 2 3"),
    ("ours-tasks", "lib/ompdd", "tasks chain"), ("ours-nested", "lib/ompdd", "nested 2 3"),
]


def gather(core, system, root):
    """Copy the files that @core had mapped from @system or, for files that were built, from here."""
    for path in {one[3] for one in mapped(core)}:
        to = root / path[1:]
        to.parent.mkdir(parents=True, exist_ok=True)
        here = (system / path[1:]).resolve()
        shutil.copy(here if here.exists() else path, to)


def main():
    build, here = (pathlib.Path(one).resolve() for one in sys.argv[1:])
    lines = []
    for name, libdir, program in CASES:
        lines.append(f"{shlex.quote(str(run.HERE / 'dump.sh'))} {shlex.quote(str(build))} {name} {shlex.quote(str(build / libdir)) if libdir else repr('')} {program}")
        lines.append(f"echo ARM64-RESULT {name} $? 0")
    names = [one[0] for one in CASES]
    if not run.run(build, "cores", "\n".join(lines), 1500, names):
        return 1
    out = build / "arm64/cores/out"
    for name in names:
        gather(out / name / "core", run.debian() / "root", out / name / "root")
    surroundings = {**os.environ, "OMPDD_OTHER_CORES": str(out), "OMPDD_BUILD_DIR": str(here)}
    return subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "test_other_processors.py", "-k",
                           "said_of_itself or machine_itself or whole"], cwd=SYSTEM, env=surroundings).returncode


if __name__ == "__main__":
    sys.exit(main())
