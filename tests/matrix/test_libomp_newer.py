# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of stock libomp on releases that need a newer C library than this machine has. Their programs run inside another
Debian release (chroot.sh), with copies of the programs and of the runtime.
"""
import os
import pathlib
import shutil

import pytest
import test_libomp
from targets import PROGRAMS
from test_libomp import *  # noqa: F403

ROOT = pathlib.Path(os.environ["OMPDD_RELEASE_ROOT"])
LIBOMP = pathlib.Path(os.environ["OMPDD_LIBOMP_DIR"])
# One folder per version: tests of several versions may run at once.
FOLDER = f"/ompdd/{LIBOMP.name}"
COPIES = {LIBOMP: FOLDER, PROGRAMS / "llvm": f"{FOLDER}/llvm", PROGRAMS / "hangs/llvm": f"{FOLDER}/hangs",
          PROGRAMS / "dlopen": f"{FOLDER}/dlopen"}
# A /proc of its own, in a mount namespace that ends with the program. The started process stays the same.
ENTER = ["--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env "$@"', ROOT]
pytestmark = [*pytestmark, pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]  # noqa: F405


@pytest.fixture(scope="module", autouse=True)
def copies():
    for source, place in COPIES.items():
        if source.is_dir():
            shutil.copytree(source, ROOT / place[1:], dirs_exist_ok=True)
        else:
            shutil.copy(source, ROOT / place[1:])


@pytest.fixture(autouse=True)
def dump(monkeypatch, ompdctl):
    """Let ompdctl write the cores: gdb 13 writes zeros for stacks of newer C libraries, whose guard pages are no mappings.

    ompdctl writes zeros for the guard pages only, and a warning names their size.
    """
    def write(one, folder):
        ompdctl("-p", one.pid, "dump", "-o", folder / "core")
        return folder / "core"

    def agree_but_for_guards(result, one):
        warnings = [warning for warning in result.get("warnings", []) if warning["name"] != "core_damaged"]
        return agree({**result, "warnings": warnings}, one)  # noqa: F405
    monkeypatch.setattr(test_libomp, "gcore", write)
    monkeypatch.setattr(test_libomp, "agree", agree_but_for_guards)


def inside(value):
    """A text with the paths that the release has for the copies."""
    for source, place in COPIES.items():
        value = str(value).replace(str(source), place, 1)
    return value


@pytest.fixture
def program(program):
    def start(*args, path, env, **options):
        settings = [f"{name}={inside(value)}" for name, value in env.items()]
        return program(args[0], *ENTER, *settings, inside(path), *map(inside, args[1:]), path="/usr/bin/unshare", **options)
    return start


def test_the_version(mode, libomp, client):  # noqa: F405
    version = look(client, libomp("flat", 2), mode)["runtime"]["version"]  # noqa: F405
    assert version == LIBOMP.name.removeprefix("libomp-")


def test_tasks_of_the_thread_pool(mode, libomp, client):  # noqa: F405
    """threadset(omp_pool): tasks of their team as without the clause. Libomp has no thread outside the team for them."""
    one = libomp("pool")
    result = look(client, one, mode)  # noqa: F405
    snapshot = agree(result, one)  # noqa: F405
    assert len(one.lines) == 2
    (queued,) = [task for task in result["tasks"] if "queued" in task]
    assert queued["kind"] == "explicit" and queued["queued"] == {"predecessors": 0} and queued["function"]["symbol"] == "work"
    assert {snapshot.tasks[snapshot.threads[tid]["task"]]["function"]["symbol"] for tid in one.lines} == {"work"}
    assert snapshot.parallel_of(one.pid)["queued"] == 1
