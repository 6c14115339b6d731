# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of the symbols of LLVM's runtime, the library that is loaded, and the errors without them."""
import os
import shutil
import stat

import pytest
from conftest import LLVM, fails
from cores import gcore
from snapshots import check_structure


def trusted_for_root(path):
    """Return whether only root can change the file."""
    while True:
        st = os.stat(path)
        if st.st_uid != 0 or st.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return False
        if path.parent == path:
            return True
        path = path.parent


def build_id(build):
    """Return the build-id of a libomp in the form of its debug file's name."""
    found = list((LLVM / "debug" / ".build-id").glob("*/*.debug"))
    assert len(found) == 1
    return found[0].parent.name + found[0].name.removesuffix(".debug")


def is_ours(info):
    """Return whether our own libompd answers, in a way that LLVM's cannot."""
    return info["plugin"]["version_string"].startswith("ompdd libompd")


@pytest.mark.parametrize("build", ["stripped", "debian"])
def test_stripped_runtime_is_read_by_our_library(mode, llvm, client, build):
    one = llvm("flat", 2, build=build)
    info = client.target.attach(pid=one.pid, mode=mode)
    assert info["runtime"]["path"] == str(LLVM / build / "libomp.so")
    assert is_ours(info) and info["runtime"]["version"] == "19"
    check_structure(client.snapshot.get(target=info["target"]))


def test_release_is_not_that_of_a_compiler(llvm, client):
    """This machine's gcc built it, and LLVM's library does not report that."""
    one = llvm("flat", 2)
    assert client.target.attach(pid=one.pid)["runtime"]["version"] == {"rc": "ompd_rc_unavailable"}


def test_debug_folder_of_ompdd(mode, llvm, daemons):
    one = llvm("flat", 2, build="stripped")
    with daemons("--plugin-dir", LLVM, "--debug-dir", LLVM / "debug").connect() as client:
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        check_structure(client.snapshot.get(target=target))


def test_debug_folder_of_a_client(mode, llvm, client):
    one = llvm("flat", 2, build="stripped")
    target = client.target.attach(pid=one.pid, mode=mode, debug_dirs=["/nowhere", str(LLVM / "debug")])["target"]
    check_structure(client.snapshot.get(target=target))


def test_debug_folder_of_ompdctl(llvm, ompdctl):
    one = llvm("flat", 2, build="stripped")
    done = ompdctl("-p", one.pid, "--plugin-dir", LLVM, "--debug-dir", LLVM / "debug", "threads")
    assert str(one.pid) in done.stdout


def test_debug_folder_for_a_core(llvm, client, tmp_path):
    one = llvm("flat", 2, build="stripped", env={"OMP_STACKSIZE": "256K"})
    core = str(gcore(one, tmp_path))
    assert is_ours(client.target.open_core(core=core))
    info = client.target.open_core(core=core, debug_dirs=[str(LLVM / "debug")])
    assert not is_ours(info)
    check_structure(client.snapshot.get(target=info["target"]))


def test_debug_file_of_another_build_is_not_taken(llvm, client, tmp_path):
    """Its name suggests the purpose, but its contents decide."""
    one = llvm("flat", 2, build="debian")
    info = client.target.attach(pid=one.pid)
    wanted = info["runtime"]["build_id"]
    (tmp_path / ".build-id" / wanted[:2]).mkdir(parents=True)
    ours = build_id("")
    shutil.copy(LLVM / "debug" / ".build-id" / ours[:2] / f"{ours[2:]}.debug",
                tmp_path / ".build-id" / wanted[:2] / f"{wanted[2:]}.debug")
    info = client.target.attach(pid=one.pid, debug_dirs=[str(tmp_path)])
    assert is_ours(info)


def test_library_beside_a_runtime_of_roots_needs_no_option(mode, llvm, daemons):
    if not trusted_for_root(LLVM / "libomp.so") or os.geteuid():
        pytest.skip("the folder is not root's alone")
    one = llvm("flat", 2)
    with daemons().connect() as client:
        info = client.target.attach(pid=one.pid, mode=mode)
        assert info["plugin"]["path"] == str(LLVM / "libompd.so")
        check_structure(client.snapshot.get(target=info["target"]))


def test_library_of_others_is_refused_unless_its_folder_is_named(llvm, daemons, tmp_path_factory):
    """A copy in a folder that not only root can write, like a user's own build of LLVM."""
    home = LLVM.parent / "writable"
    home.mkdir(exist_ok=True)
    for name in ("libomp.so", "libompd.so"):
        shutil.copy(LLVM / name, home / name)
    home.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(home / "libomp.so", 1, 1)  # The folder is not root's alone, but the library belongs to the user.
    one = llvm("flat", 2, env={"LD_LIBRARY_PATH": str(home)})
    with daemons().connect() as client:
        assert is_ours(client.target.attach(pid=one.pid))
    with daemons("--plugin-dir", home).connect() as client:
        info = client.target.attach(pid=one.pid)
        assert not is_ours(info)
        check_structure(client.snapshot.get(target=info["target"]))
