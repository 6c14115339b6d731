# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`conftest`: the fixtures and helper modules of the system tests, for the conftest.py of other folders."""
import importlib.util
import pathlib
import sys

SYSTEM = pathlib.Path(__file__).parents[1] / "system"
sys.path.insert(0, str(SYSTEM))
_spec = importlib.util.spec_from_file_location("system_conftest", SYSTEM / "conftest.py")
conftest = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conftest)
