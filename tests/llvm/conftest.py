# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The system tests' fixtures, for programs that clang compiled and that run on LLVM's libomp (build.sh, programs.sh)."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from system_fixtures import conftest as _module

program, daemons, mode, ompdctl, fails, TRIALS = (
    _module.program, _module.daemons, _module.mode, _module.ompdctl, _module.fails, _module.TRIALS)

LLVM = pathlib.Path(os.environ["OMPDD_LLVM_DIR"]) / "19"
PROGRAMS = pathlib.Path(os.environ["OMPDD_BUILD_DIR"]) / "tests" / "llvm" / "programs"
# For users without root, whose folders belong to them.
TRUSTED = ("--plugin-dir", LLVM)


@pytest.fixture
def llvm(program):
    """Start a program of programs.sh on LLVM's runtime (its build, "stripped" or "debian"), with OMP_DEBUG=enabled by
    default.
    """
    def start(*args, build="", debug=True, tool=True, env=None, **options):
        env = {"LD_LIBRARY_PATH": str(LLVM / build), **({"OMP_DEBUG": "enabled"} if debug else {}),
               **({} if tool else {"OMP_TOOL": "disabled"}), **(env or {})}
        return program(*args, env=env, path=PROGRAMS / args[0], **options)
    return start


@pytest.fixture
def daemon(daemons):
    return daemons(*TRUSTED)


@pytest.fixture
def client(daemon):
    with daemon.connect() as one:
        yield one
