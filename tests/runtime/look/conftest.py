# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The system tests' fixtures, for the tests of this folder."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from system_fixtures import conftest as _module

program, daemons, daemon, client, mode, ompdctl, fails = (
    _module.program, _module.daemons, _module.daemon, _module.client, _module.mode, _module.ompdctl, _module.fails)
TRIALS, programs = _module.TRIALS, _module.programs
