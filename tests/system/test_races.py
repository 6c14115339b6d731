# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that change while ompdd reads them, and cores with changed bytes.

OMPDD_TRIALS of each: 40 in the suite, 400 in the soak preset.
"""
import itertools
import os
import pathlib
import shutil
import subprocess
import threading

import ompdd
from conftest import TRIALS
from cores import SMALL_STACKS, gcore
from targets import BUILD
from test_named_plugins import build, safe_dir  # noqa: F401  # pylint: disable=unused-import

# Lines that do not depend on the contents of a core.
NEVER = {"internal_error", "worker_failed", "plugin_crashed", "plugin_misbehaved", "request_timeout", "parse_error"}


def test_plugin_that_is_swapped(program, daemons, safe_dir, tmp_path):  # noqa: F811
    """In turn a good library, one that other users can write and whose constructor reports itself, and a file that is
    not a library: only the first is ever loaded.
    """
    good, evil, none = safe_dir / "good", tmp_path / "evil", safe_dir / "none"
    path = safe_dir / "libompd.so"
    shutil.copy(BUILD / "lib" / "libompd.so", good)
    build(evil, "ompd_initialize")
    evil.chmod(0o666)
    build(none)
    done = threading.Event()

    def swap():
        for turn in itertools.cycle((good, evil, none, "symlink")):
            if done.is_set():
                return
            new = safe_dir / "new"
            if turn == "symlink":
                new.symlink_to(evil)
            else:
                shutil.copy2(turn, new)
            os.replace(new, path)
    shutil.copy2(good, path)
    one = program("names_plugin", path)
    daemon = daemons("--plugin-dir", safe_dir)
    swapper = threading.Thread(target=swap)
    swapper.start()
    used = refused = 0
    try:
        with daemon.connect() as client:
            while used + refused < TRIALS or not used or not refused:
                target = client.target.attach(pid=one.pid, mode="observe")["target"]
                try:
                    assert client.snapshot.get(target=target)["plugin"]["path"] == str(path)
                    used += 1
                except ompdd.Error as error:
                    assert error.name in ("plugin_untrusted", "plugin_load_failed", "plugin_not_found"), error
                    refused += 1
                client.target.detach(target=target)
    finally:
        done.set()
        swapper.join()
    daemon.terminate()
    assert "constructor" not in daemon.read_log()


def test_cores_with_changed_bytes(program, client, bystander, moments, tmp_path):
    """Most changes are in headers and notes. The core is shown or refused, and no other target is affected."""
    whole = pathlib.Path(gcore(program("nested", 2, 2, env=SMALL_STACKS), tmp_path)).read_bytes()
    path = tmp_path / "changed"
    path.write_bytes(whole)
    opened = 0
    for _ in range(TRIALS):
        with open(path, "r+b") as core:
            reach = moments.choice((64, 4096, 20000, len(whole)))
            places = [moments.randrange(min(reach, len(whole))) for _ in range(moments.choice((1, 4, 30)))]
            for place in places:
                core.seek(place)
                core.write(bytes([moments.randrange(256)]))
        try:
            target = client.target.open_core(core=str(path))["target"]
            opened += 1
            for method in ("snapshot.get", "stack.groups", "diagnose.get"):
                try:
                    client.call(method, target=target)
                except ompdd.Error as error:
                    assert error.name not in NEVER, (places, error)
            client.target.detach(target=target)
        except ompdd.Error as error:
            assert error.name not in NEVER, (places, error)
        with open(path, "r+b") as core:
            for place in places:
                core.seek(place)
                core.write(whole[place:place + 1])
        bystander()
    assert opened
