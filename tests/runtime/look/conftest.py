# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The system tests' fixtures, for the tests of this folder."""
import importlib.util
import pathlib
import sys

SYSTEM = pathlib.Path(__file__).parents[2] / "system"
sys.path.insert(0, str(SYSTEM))
_spec = importlib.util.spec_from_file_location("system_conftest", SYSTEM / "conftest.py")
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
program, daemons, daemon, client, mode, ompdctl, fails = (
    _module.program, _module.daemons, _module.daemon, _module.client, _module.mode, _module.ompdctl, _module.fails)
TRIALS, programs = _module.TRIALS, _module.programs
