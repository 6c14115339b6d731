# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contents of an installation, used from the place where it was installed."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from daemons import SANITIZED
from targets import BUILD, Program

TOOL = """
#include <omp-tools.h>
#include <ompd-drafts.h>
#include <ompd-more.h>
int main(void) { return ompd_rc_ok; }
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    done = subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def library_folder(prefix):
    """The library folder of libompd.so and the runtime on this system: lib, lib64 or lib/TRIPLET."""
    return next(prefix.glob("lib*/**/ompdd/libompd.so")).parent


def run(*args, **more):
    done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True, timeout=600, **more)
    assert done.returncode == 0, (args, done.stdout, done.stderr)
    return done.stdout


def info(prefix, pid):
    return json.loads(run(prefix / "bin" / "ompdctl", "-p", pid, "info", "--json"))


@pytest.mark.skipif(not shutil.which("gfortran"), reason="no Fortran compiler")
def test_a_compiler_that_came_between_readmes_commands_is_used(tmp_path):
    source = pathlib.Path(__file__).parents[2]
    run("cmake", "-G", "Ninja", "-S", source, "-B", tmp_path, "-DCMAKE_Fortran_COMPILER=CMAKE_Fortran_COMPILER-NOTFOUND")
    run("cmake", tmp_path)
    assert "program_languages_f90" in (tmp_path / "build.ninja").read_text()


def test_programs_find_each_other_and_the_library(prefix):
    with Program("flat", 2) as program:
        assert info(prefix, program.pid)["plugin"]["path"] == str(library_folder(prefix) / "libompd.so")
        assert "parallel region" in run(prefix / "bin" / "ompdctl", "-p", program.pid, "tree")


@pytest.mark.skipif(SANITIZED, reason="programs do not start with a sanitized runtime")
def test_runtime_names_the_library_beside_it(prefix):
    folder = library_folder(prefix)
    with Program("flat", 2, env={"LD_LIBRARY_PATH": str(folder)}) as program:
        told = info(prefix, program.pid)
        assert told["runtime"]["path"] == str(folder / "libgomp.so.1")
        assert told["plugin"]["path"] == str(folder / "libompd.so")


def test_python_client_is_where_the_prefix_has_it(prefix):
    folder = next(prefix.glob("lib*/python3/dist-packages"))
    version = run(sys.executable, "-c", "import ompdd; print(ompdd.__version__, ompdd.__file__)",
                  env={**os.environ, "PYTHONPATH": str(folder)}).split()
    assert run(prefix / "bin" / "ompdctl", "--version").split()[1] == version[0]
    assert version[1].startswith(str(folder))


USER = """
import ompdd

with ompdd.connect("unix:/nowhere/at.all") as client:
    target = client.target.attach(pid=4711, mode="observe")["target"]
    for thread in client.thread.list(target=target)["threads"]:
        print(thread["tid"], thread.get("state"))


async def main() -> None:
    async with await ompdd.aio.connect("unix:/nowhere/at.all") as other:
        attached = (await other.target.attach(pid=4711, mode="observe"))["target"]
        for one in (await other.thread.list(target=attached))["threads"]:
            print(one["tid"], one.get("state"))
        async for event in other.events(timeout=1):
            print(event["type"])
"""


def test_type_checkers_accept_the_python_client(prefix, tmp_path):
    """With the generated signatures, and without them, as in a checkout or a wheel."""
    mypy = shutil.which("mypy", path="/usr/bin")
    assert mypy, "apt install mypy"
    (tmp_path / "user.py").write_text(USER)
    checkout = pathlib.Path(__file__).parents[2] / "clients" / "python"
    for folder in (next(prefix.glob("lib*/python3/dist-packages")), checkout):
        run(mypy, "--strict", "--cache-dir", tmp_path / folder.name, folder / "ompdd", tmp_path / "user.py", cwd=folder)
    (tmp_path / "user.py").write_text(USER.replace("pid=4711", "pid='x'"))
    found = subprocess.run([mypy, "--strict", "--cache-dir", tmp_path / "dist-packages", tmp_path / "user.py"], cwd=next(prefix.glob("lib*/python3/dist-packages")),
                           capture_output=True, text=True)
    # Both clients have the generated signatures.
    assert found.stdout.count('Argument "pid"') == 2, found.stdout


def test_the_python_client_has_a_version_for_pip(prefix):
    folder = next(prefix.glob("lib*/python3/dist-packages"))
    version = run(sys.executable, "-c", "import importlib.metadata; print(importlib.metadata.version('ompdd'))",
                  env={**os.environ, "PYTHONPATH": str(folder)})
    assert version.strip() == run(prefix / "bin" / "ompdctl", "--version").split()[1]


def test_documents_have_installed_paths_and_no_dead_link(prefix):
    folder = prefix / "share" / "doc" / "ompdd"
    documents = list(folder.rglob("*.md"))
    assert {"README.md", "hang.md", "PROTOCOL.md"} <= {path.name for path in documents}
    for path in documents:
        text = path.read_text(encoding="utf-8")
        assert "build/bin/" not in text and "$PWD/build" not in text, path
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not target.startswith(("http", "#", "/")):
                assert (path.parent / target.partition("#")[0]).exists(), (path, target)


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")
def test_commands_for_gdb_find_client_and_ompdd(prefix):
    """One line in the init file is enough."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "OMPDD")}
    with Program("flat", 2) as program:
        text = run("gdb", "-nx", "-batch", "-p", program.pid, "-ex", f"source {prefix}/share/ompdd/debuggers/openmp_gdb.py",
                   "-ex", "openmp threads", env={**env, "DEBUGINFOD_URLS": ""})
    assert "libgomp" in text and f" {program.pid} " in text


def test_pkg_config_finds_the_headers_and_the_plugin(prefix, tmp_path):
    pc = next(prefix.glob("lib*/**/libompd.pc"))
    # The file has the configured prefix; pkg-config replaces it by the real one.
    ask = ["pkg-config", f"--define-variable=includedir={prefix}/include", f"--define-variable=libdir={library_folder(prefix).parent}"]
    env = {**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}
    (tmp_path / "tool.c").write_text(TOOL)
    run("cc", "-c", "tool.c", *run(*ask, "--cflags", "libompd", env=env).split(), cwd=tmp_path)
    assert pathlib.Path(run(*ask, "--variable=plugin", "libompd", env=env).strip()).is_file()


def test_cmake_finds_the_package(prefix, tmp_path):
    (tmp_path / "tool.c").write_text(TOOL)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(tool C)\nfind_package(ompdd 0.2 REQUIRED)\n"
        "add_library(tool OBJECT tool.c)\ntarget_link_libraries(tool PRIVATE ompdd::omp-tools)\n"
        "file(GENERATE OUTPUT plugin CONTENT $<TARGET_FILE:ompdd::libompd>)\n")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    assert pathlib.Path((tmp_path / "build" / "plugin").read_text()).is_file()


def test_protocol_is_there_for_programs(prefix):
    methods = {one["name"] for one in json.loads((prefix / "share" / "ompdd" / "openrpc.json").read_text())["methods"]}
    assert {"snapshot.get", "rpc.discover"} <= methods
    assert {path.stem for path in (prefix / "share" / "ompdd" / "schema").glob("*.json")} >= methods


def test_editors_find_the_types_of_the_python_client(prefix):
    stubs = next(prefix.glob("lib/python3*/**/ompdd/methods.pyi"))
    assert "class TargetMethods:" in stubs.read_text()
    assert stubs.with_name("py.typed").is_file()


def complete_in_bash(prefix, *words):
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _ompdctl; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    file = prefix / "share" / "bash-completion" / "completions" / "ompdctl"
    return run("bash", "-c", script, "bash", file, *words).split()


def test_bash_completes_commands_options_and_values(prefix):
    assert complete_in_bash(prefix, "ompdctl", "th") == ["threads"]
    assert complete_in_bash(prefix, "ompdctl", "-p", "1", "-m", "o") == ["observe"]
    assert "--logical" in complete_in_bash(prefix, "ompdctl", "-p", "1", "bt", "--l")
    assert complete_in_bash(prefix, "ompdctl", "targets", "--lo") == []
    assert str(os.getpid()) in complete_in_bash(prefix, "ompdctl", "-p", str(os.getpid()))


@pytest.mark.parametrize("program,option", [("ompdd", "--listen"), ("ompdd-dap", "--native")])
def test_bash_completes_options_of_the_other_programs(prefix, program, option):
    file = prefix / "share" / "bash-completion" / "completions" / program
    registered = run("bash", "-c", 'source "$1"; complete -p "$2"', "bash", file, program)
    assert option in registered and registered.rstrip().endswith(f" {program}")


def test_each_command_has_a_man_page(prefix):
    commands = re.findall(r"^  (\S+) {2,}\S", run(prefix / "bin" / "ompdctl", "help", "commands"), re.M)
    assert "why" in commands
    pages = {path.name for path in (prefix / "share" / "man" / "man1").glob("ompdctl-*.1")}
    assert {f"ompdctl-{name}.1" for name in commands} == pages


@pytest.mark.parametrize("shell,file", [("zsh", "zsh/vendor-completions/_ompdctl"), ("zsh", "zsh/vendor-completions/_ompdd"),
                                        ("zsh", "zsh/vendor-completions/_ompdd-dap"), ("fish", "fish/vendor_completions.d/ompdd.fish"),
                                        ("fish", "fish/vendor_completions.d/ompdd-dap.fish"),
                                        ("fish", "fish/vendor_completions.d/ompdctl.fish")])
def test_other_shells_read_their_completions(prefix, shell, file):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    run(shell, "-n", prefix / "share" / file)
    if file.endswith("/ompdctl.fish"):
        assert "threads" in run(shell, "-c", f"source {prefix}/share/{file}; complete -C 'ompdctl th'").split()


@pytest.mark.parametrize("page", ["man1/ompdctl.1", "man1/ompdctl-why.1", "man1/ompdctl-record.1", "man1/ompdd-dap.1", "man8/ompdd.8", "man7/ompdd-protocol.7", "man7/libompd.7", "man7/libompdd-client.7"])
def test_man_pages_are_whole(prefix, page):
    path = prefix / "share" / "man" / page
    text = path.read_text()
    assert "@" not in text.replace("ompdd@", "")
    for section in ("NAME", "DESCRIPTION", "SEE ALSO"):
        assert f".SH {section}\n" in text
    if not shutil.which("man"):
        pytest.skip("man is not installed: not rendered")
    done = subprocess.run(["man", "--warnings", "-l", str(path)], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
    assert done.returncode == 0 and not done.stderr and len(done.stdout) > 500, done.stderr
