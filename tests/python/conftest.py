# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The system tests' fixtures, for the tests of this folder."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from system_fixtures import conftest as _module

program, daemons, daemon, client, ompdctl, mode = (getattr(_module, name) for name in ("program", "daemons", "daemon", "client", "ompdctl", "mode"))
