# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OMPD libraries that the target names: allowed folders, allowed owners, and allowed dependences."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import ompdd
import pytest
from conftest import fails
from snapshots import check_structure
from targets import BUILD, wait_until


@pytest.fixture
def safe_dir():
    """A folder which, with its parents, only root and we can write (tmp_path is below /tmp, which all users can write).
    """
    def safe(path):
        return all(not part.stat().st_mode & 0o022 for part in (path, *path.parents))
    places = [pathlib.Path(place) for place in (os.environ.get("XDG_RUNTIME_DIR"), pathlib.Path.home(), "/run", BUILD) if place]
    base = next((place for place in places if place.is_dir() and os.access(place, os.W_OK) and safe(place.resolve())), None)
    if not base:
        pytest.skip(f"none of {places} is out of other users' reach")
    folder = pathlib.Path(tempfile.mkdtemp(dir=base.resolve()))
    yield folder
    shutil.rmtree(folder)


def named(client, program, *paths):
    one = program("names_plugin", *paths)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    return one, client.snapshot.get(target=target)


def test_named_plugin_in_an_allowed_dir_is_used(program, daemons, safe_dir):
    shutil.copy(BUILD / "lib" / "libompd.so", safe_dir / "libompd.so")
    daemon = daemons("--plugin-dir", safe_dir)
    with daemon.connect() as client:
        one, result = named(client, program, safe_dir / "libompd.so")
        assert result["plugin"]["path"] == str(safe_dir / "libompd.so")
        check_structure(result)


def test_bare_name_is_searched_in_the_allowed_dirs_only(program, daemons, safe_dir, tmp_path):
    shutil.copy(BUILD / "lib" / "libompd.so", safe_dir / "libompd.so")
    with daemons("--plugin-dir", safe_dir).connect() as client:
        assert named(client, program, "libompd.so")[1]["plugin"]["path"] == str(safe_dir / "libompd.so")
    shutil.copy(BUILD / "lib" / "libompd.so", tmp_path / "libompd_evil.so")
    with daemons(env={"LD_LIBRARY_PATH": str(tmp_path)}).connect() as client:
        with fails("plugin_not_found"):
            named(client, program, "libompd_evil.so")


def refuse(client, program, path, component, reason):
    with fails("plugin_untrusted") as failure:
        named(client, program, path)
    data = failure.error.data
    assert data["path"] == str(path) or os.path.realpath(path) == data["path"]
    assert data["component"] == str(component), data
    assert reason in data["reason"], data
    assert "--plugin-dir" in data["hint"] or "--libompd" in data["hint"], data


def test_named_plugin_outside_the_allowed_dirs(program, daemon, client, safe_dir):
    shutil.copy(BUILD / "lib" / "libompd.so", safe_dir / "libompd.so")
    refuse(client, program, safe_dir / "libompd.so", safe_dir / "libompd.so", "")


def test_named_plugin_that_others_can_write(program, daemons, safe_dir):
    path = safe_dir / "libompd.so"
    shutil.copy(BUILD / "lib" / "libompd.so", path)
    path.chmod(0o666)
    with daemons("--plugin-dir", safe_dir).connect() as client:
        refuse(client, program, path, path, "writable")
        path.chmod(0o644)
        safe_dir.chmod(0o777)
        refuse(client, program, path, safe_dir, "writable")
        safe_dir.chmod(0o755)
        assert named(client, program, path)[1]["plugin"]["path"] == str(path)


def test_named_plugin_below_tmp(program, daemons, tmp_path):
    """With or without the sticky bit, other users can write /tmp."""
    path = tmp_path / "libompd.so"
    shutil.copy(BUILD / "lib" / "libompd.so", path)
    with daemons("--plugin-dir", tmp_path).connect() as client:
        refuse(client, program, path, "/tmp", "writable")


@pytest.mark.parametrize("kind", ["fifo", "directory", "symlink out", "dots"])
def test_named_plugin_that_is_no_regular_file_of_ours(kind, program, daemons, safe_dir, tmp_path):
    path = safe_dir / "libompd.so"
    if kind == "fifo":
        os.mkfifo(path, 0o600)
    elif kind == "directory":
        path.mkdir()
    elif kind == "symlink out":
        shutil.copy(BUILD / "lib" / "libompd.so", tmp_path / "libompd.so")
        path.symlink_to(tmp_path / "libompd.so")
    else:
        shutil.copy(BUILD / "lib" / "libompd.so", tmp_path / "libompd.so")
        path = pathlib.Path(f"{safe_dir}/..{'/..' * str(safe_dir).count('/')}{tmp_path}/libompd.so")
    with daemons("--plugin-dir", safe_dir).connect() as client:
        with fails("plugin_untrusted"):
            named(client, program, path)
        assert client.daemon.info()["version"]


# A library that logs its loading.
LOADED = """
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) { if (write(2, "constructor\\n", 12) < 0) _exit(1); }
int NAME(void) { return 0; }
"""


def build(path, name="helper", *options):
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", path, f"-DNAME={name}", *map(str, options)],
                   input=LOADED, text=True, check=True)


def test_nothing_is_loaded_that_is_no_plugin(program, daemons, safe_dir):
    """Its constructors would run before it is examined."""
    build(safe_dir / "libompd_no.so")
    daemon = daemons("--plugin-dir", safe_dir)
    with daemon.connect() as client:
        with fails("plugin_load_failed") as failure:
            named(client, program, safe_dir / "libompd_no.so")
        assert failure.error.data["missing_routine"] == "ompd_initialize"
    daemon.terminate()
    assert "constructor" not in daemon.read_log()


@pytest.mark.parametrize("how", ["runpath", "rpath", "origin", "relative", "missing folder", "file", "nested", "by path"])
def test_what_a_plugin_needs_is_vetted_too(how, program, daemons, safe_dir):
    """The dynamic linker loads it with the plugin, from any path that the plugin names."""
    open_dir = safe_dir / "open"
    open_dir.mkdir()
    folder, path = open_dir, safe_dir / "libompd_needs.so"
    said = {"origin": "$ORIGIN/open", "relative": "open", "missing folder": open_dir / "none"}.get(how, open_dir)
    if how == "file":
        folder = said = safe_dir
    build(folder / "libhelper.so")
    needs = [folder / "libhelper.so"] if how == "by path" else ["-L", folder, "-lhelper", f"-Wl,-rpath,{said}",
                                                                "-Wl,--disable-new-dtags" if how == "rpath" else "-Wl,--enable-new-dtags"]
    if how == "nested":
        build(safe_dir / "libmiddle.so", "middle", "-Wl,--no-as-needed", *needs)
        needs = ["-L", safe_dir, "-lmiddle", f"-Wl,-rpath,{safe_dir}"]
    build(path, "ompd_initialize", "-Wl,--no-as-needed", *needs)
    if how == "file":
        os.chmod(safe_dir / "libhelper.so", 0o666)
    else:
        open_dir.chmod(0o777)
    daemon = daemons("--plugin-dir", safe_dir)
    with daemon.connect() as client:
        with fails("plugin_untrusted") as failure:
            named(client, program, path)
        assert failure.error.data["path"] == str(path)
        assert "constructor" not in daemon.read_log()
        # In a folder that no other user can write, it is loaded and found unusable.
        if how in ("runpath", "rpath", "nested", "by path"):
            open_dir.chmod(0o755)
            with fails("plugin_load_failed") as failure:
                named(client, program, path)
            assert failure.error.data["missing_routine"] != "ompd_initialize"
            wait_until(lambda: "constructor" in daemon.read_log(), "the log says that it was loaded")


@pytest.mark.parametrize("option", ["--endless", "--wild", "--long"])
def test_hostile_list_of_plugins(option, program, client, bystander):
    one = program("names_plugin", option)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    try:
        result = client.snapshot.get(target=target)
    except ompdd.Error as error:
        assert error.name in ("plugin_not_found", "plugin_untrusted", "memory_unreadable", "plugin_misbehaved"), error
    else:
        check_structure(result)
