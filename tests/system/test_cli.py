# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl as a user runs it: a private ompdd for a pid, a running one for -s, its tables, its tree, its exit codes."""
import json
import os
import pty
import re
import subprocess

import pytest
import validator
from daemons import BIN
from snapshots import check_oracle, check_structure
from targets import OMPRT, children, stopped_threads, tracer, wait_until

VIEWS = ("threads", "tree", "tasks", "icvs", "devices", "snapshot", "info")


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_a_pid(view, mode, program, ompdctl):
    one = program("nested", 2, 3)
    done = ompdctl("-p", one.pid, view, "--mode", mode)
    assert done.stdout.strip() and done.stderr == ""
    assert "\x1b" not in done.stdout, "colour is for terminals"
    assert all(character.isprintable() or character == "\n" for character in done.stdout)
    assert str(one.pid) in done.stdout
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "the program runs on")


@pytest.mark.parametrize("view,method", [("threads", "thread.list"), ("tasks", "task.list"), ("icvs", None), ("tree", None),
                                         ("devices", "device.list"),
                                         ("snapshot", "snapshot.get"), ("info", "target.info")])
def test_json_is_one_object_and_nothing_else(view, method, mode, program, ompdctl):
    one = program("nested", 2, 3)
    done = ompdctl("-p", one.pid, view, "--json", "--mode", mode)
    result = json.loads(done.stdout)
    assert isinstance(result, dict) and done.stdout.count("\n") == 1 and done.stderr == ""
    if method:
        validator.check(method, "result", result)


def test_snapshot_json_is_the_snapshot(mode, program, ompdctl):
    one = program("nested", 2, 3)
    result = json.loads(ompdctl("-p", one.pid, "snapshot", "--json", "--mode", mode).stdout)
    snapshot = check_structure(result)
    assert result["target"] == "t1" and result["pid"] == one.pid and result["epoch"] == 1
    for line in one.oracle().values():
        check_oracle(snapshot, line)


def test_300_threads_in_the_same_place_are_one_line(program, ompdctl):
    one = program("flat", 300)
    done = ompdctl("-p", one.pid, "tree")
    assert re.search(r"threads? [01]-299\b", done.stdout), done.stdout
    assert len(done.stdout.splitlines()) < 20
    folded = ompdctl("-p", one.pid, "threads").stdout
    assert len(folded.splitlines()) < 20, folded
    every = ompdctl("-p", one.pid, "threads", "--all").stdout
    assert all(re.search(rf"\b{tid}\b", every) for tid in one.lines)


def test_tree_shows_regions_tasks_and_functions(program, ompdctl):
    text = ompdctl("-p", program("tasks", "chain").pid, "tree").stdout
    # The functions of stock libgomp's implicit tasks, which sleep elsewhere on their stacks, are not known.
    assert len(set(re.findall(r"deferred_chain\._omp_fn\.\d", text))) == (3 if OMPRT else 2), text
    text = ompdctl("-p", program("tasks", "nested").pid, "tree").stdout
    indents = [len(line) - len(line.lstrip(" │├└─|`-+")) for line in text.splitlines() if "explicit" in line]
    assert len(indents) == 5 and len(set(indents)) == 5, "each task below the one that generated it\n" + text


def test_uneven_tree(program, ompdctl):
    one = program("nested", 2, 2)
    text = ompdctl("-p", one.pid, "tree").stdout
    assert re.search(r"team of 2|size 2|2 threads", text) and re.search(r"team of 3|size 3|3 threads", text), text


def test_colour_on_a_terminal(program):
    one = program("nested", 2, 2)
    controller, terminal = pty.openpty()
    process = subprocess.Popen([BIN / "ompdctl", "--max-stop-ms", "60000", "-p", str(one.pid), "tree"], stdout=terminal,
                               stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm-256color"})
    os.close(terminal)
    text = b""
    while True:
        try:
            data = os.read(controller, 65536)
        except OSError:  # EIO: the other end is closed
            break
        if not data:
            break
        text += data
    os.close(controller)
    assert process.wait(600) == 0
    assert b"\x1b[" in text


# A running daemon.

def test_running_daemon(program, daemon, ompdctl):
    one = program("nested", 2, 2)
    server = f"unix:{daemon.path}"
    target = ompdctl("-s", server, "attach", "-p", one.pid, "--mode", "observe").stdout.strip()
    assert re.search(r"\bt1\b", target)
    assert re.search(rf"\bt1\b.*\b{one.pid}\b", ompdctl("-s", server, "targets").stdout)
    text = ompdctl("-s", server, "-t", "t1", "threads", "--all").stdout
    assert all(re.search(rf"\b{tid}\b", text) for tid in one.lines)
    ompdctl("-s", server, "detach", "-t", "t1")
    assert "t1" not in ompdctl("-s", server, "targets").stdout


def test_server_from_the_environment(program, daemon, ompdctl):
    env = {**os.environ, "OMPDD_URI": f"unix:{daemon.path}"}
    assert json.loads(ompdctl("call", "daemon.info", env=env).stdout)["pid"] == daemon.pid


def test_call_any_method(daemon, ompdctl):
    server = f"unix:{daemon.path}"
    info = json.loads(ompdctl("-s", server, "call", "daemon.info", "{}").stdout)
    validator.check("daemon.info", "result", info)
    assert json.loads(ompdctl("-s", server, "call", "target.list").stdout) == {"targets": []}


def test_tcp_with_a_token_file(program, daemons, ompdctl, tmp_path):
    (tmp_path / "private").mkdir(mode=0o700)
    token = tmp_path / "private" / "token"
    daemon = daemons("--token-file", token, listen=["tcp:127.0.0.1:0"])
    assert json.loads(ompdctl("-s", daemon.uris[0], "--token-file", token, "call", "daemon.info").stdout)["pid"] == daemon.pid
    (tmp_path / "private" / "wrong").write_text("0" * 64 + "\n")
    done = ompdctl("-s", daemon.uris[0], "--token-file", tmp_path / "private" / "wrong", "call", "daemon.info", status=1)
    assert "token" in done.stderr


# Failures.

def test_error_of_the_daemon_is_status_1_with_its_hint(program, ompdctl):
    one = program("plain")
    done = ompdctl("-p", one.pid, "threads", status=1)
    assert done.stdout == ""
    assert "no OpenMP runtime" in done.stderr
    assert validator.ERRORS["no_openmp_runtime"]["hint"].split(";")[0].split("?")[0] in done.stderr, done.stderr
    done = ompdctl("-p", 2**22 - 1, "threads", status=1)
    assert "hint" in done.stderr.lower() or "ps" in done.stderr


def test_error_of_a_call_is_status_1(daemon, ompdctl):
    done = ompdctl("-s", f"unix:{daemon.path}", "call", "target.attach", '{"pid":"x"}', status=1)
    assert "/pid" in done.stderr and done.stdout == ""


def test_no_daemon_is_status_2(ompdctl, tmp_path):
    for uri in (f"unix:{tmp_path}/nobody.sock", "tcp:127.0.0.1:1"):
        done = ompdctl("-s", uri, "targets", status=2)
        assert done.stdout == "" and done.stderr.strip()


def test_missing_ompdd_is_status_2(program, ompdctl):
    one = program("flat", 2)
    ompdctl("-p", one.pid, "threads", "--ompdd", "/nowhere/ompdd", status=2)


@pytest.mark.parametrize("args", [[], ["-p", "1", "nonsense"], ["-p"], ["--nonsense"],
                                  ["-p", "1", "threads", "surplus"], ["-p", "1", "threads", "--mode", "freeze"],
                                  ["-s", "carrier:pigeon", "targets"], ["call"], ["call", "daemon.info", "{"],
                                  ["call", "daemon.info", "[]"]])
def test_usage_is_status_3(args, ompdctl, daemon):
    env = {**os.environ, "OMPDD_URI": f"unix:{daemon.path}"}
    done = ompdctl(*args, status=3, env=env)
    assert done.stdout == "" and done.stderr.strip()


def test_help_and_version(ompdctl):
    assert "usage: ompdctl" in ompdctl("--help").stdout
    assert re.search(r"\d+\.\d+\.\d+", ompdctl("--version").stdout)


def test_private_daemon_ends_with_it(program, ompdctl):
    one = program("flat", 2)
    before = set(children(os.getpid()))
    ompdctl("-p", one.pid, "threads")
    assert set(children(os.getpid())) <= before
    # It does not live on elsewhere: no process has this pid in its command line, and no process traces it.
    assert tracer(one.pid) == 0


def test_closed_pipe_is_no_crash(program):
    """ompdctl ... | head -1"""
    one = program("flat", 300)
    done = subprocess.run(f"{BIN}/ompdctl --max-stop-ms 60000 -p {one.pid} threads --all | head -1", shell=True,
                          capture_output=True, text=True, timeout=600)
    assert done.stdout.count("\n") == 1 and "Segmentation" not in done.stderr
