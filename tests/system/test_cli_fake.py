# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl against tests/support/fake_ompdd.py: its output, its exit codes, and daemons that misbehave."""
import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

REPOSITORY = pathlib.Path(__file__).parents[2]
FAKE = REPOSITORY / "tests" / "support" / "fake_ompdd.py"
OMPDCTL = pathlib.Path(os.environ.get("OMPDD_BUILD_DIR", REPOSITORY / "build")) / "bin" / "ompdctl"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def environment(**extra):
    clean = {k: v for k, v in os.environ.items()
             if not k.startswith(("FAKE_OMPDD", "OMPDD_URI", "OMPDD_TOKEN")) and k != "NO_COLOR"}
    return {**clean, "LC_ALL": "C.UTF-8", **extra}


def run(*args, status=0, behaviour="ok", state="nested", private=True, stdin=None, **env):
    """Run ompdctl to its end, with the fake ompdd unless not `private`. Return (stdout, stderr)."""
    argv = [str(OMPDCTL), *(["--ompdd", str(FAKE)] if private else []), *map(str, args)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=600, input=stdin or "",
                          env=environment(FAKE_OMPDD=behaviour, FAKE_OMPDD_STATE=state, **env))
    assert done.returncode == status, f"{argv}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    return done.stdout, done.stderr


def on_terminal(*args, columns=80, state="nested", **env):
    """Return the output on a terminal of this width."""
    argv = [str(OMPDCTL), "--ompdd", str(FAKE), *args]
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execve(argv[0], argv, environment(TERM="xterm", FAKE_OMPDD_STATE=state, **env))
    out = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    os.close(fd)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, out
    return out.decode().replace("\r\n", "\n")


class Server:
    """A running fake daemon."""

    def __init__(self, listen, *args, **env):
        self.process = subprocess.Popen([str(FAKE), "--listen", listen, *args], stdout=subprocess.PIPE, text=True,
                                        env=environment(**env))
        self.uri = self.process.stdout.readline().removeprefix("listening on ").strip()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def until(condition, what):
    deadline = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < deadline, f"not within 600 s: {what}"
        time.sleep(0.01)


@pytest.fixture
def server(tmp_path):
    one = Server(f"unix:{tmp_path}/fake.sock", FAKE_OMPDD_LOG=str(tmp_path / "log"))
    one.log = tmp_path / "log"
    yield one
    one.close()


# Output

def test_300_threads_in_the_same_place_are_one_line():
    out, _ = run("-p", 4711, "threads", state="flat")
    lines = out.splitlines()
    assert lines[0] == "solver (pid 4711), libgomp 12, 301 threads (300 OpenMP), stopped for 212 µs"
    assert len(lines) == 7 and lines[6].startswith("~ inferred from")
    assert re.match(r" +297 +1-16,18-41,43-299 +4712-4727,4729-4752,4754-5010 +solver +barrier~ +1 +300 +main\._omp_fn\.0",
                    lines[3])
    assert "0x55d0f80100a0 (lock)" in lines[4]
    assert "no OpenMP" in lines[5] and "logger" in lines[5]


def test_all_unfolds():
    out, _ = run("-p", 4711, "threads", "--all", state="flat")
    assert len(out.splitlines()) == 2 + 301 + 1


def test_rows_for_scripts_stand_alone():
    """-o and --no-headers: the named columns, one line for each thread, nothing else."""
    out, _ = run("-p", 4711, "threads", "--all", "--no-headers", "-o", "TID,STATE,waits_for", state="flat")
    lines = [line.split(maxsplit=2) for line in out.splitlines()]
    assert len(lines) == 301 and all(int(line[0]) for line in lines)
    assert {line[1] for line in lines} == {"barrier~", "lock~", "work~", "no"}


def test_an_unknown_column_is_exit_3():
    out, err = run("-p", 4711, "threads", "-o", "tid,stat", state="flat", status=3)
    assert out == "" and "threads has no column 'stat'" in err and "hint: its columns: count, num, tid" in err


def test_unknown_states_say_why_once():
    out, _ = run("-p", 4711, "threads", state="flat_unknown")
    assert out.splitlines()[-1] == "- state not known: the thread runs"


def test_several_processes_one_after_the_other():
    out, _ = run("-p", "4711,4712", "threads", state="flat")
    assert len([line for line in out.splitlines() if "(pid " in line]) == 2
    out, _ = run("-p", "4711,4712", "threads", "--json", state="flat")
    assert len(out.splitlines()) == 2 and all(json.loads(line)["threads"] for line in out.splitlines())


def test_tree_nests_regions_under_their_threads_and_folds_equal_teams():
    out, _ = run("-p", 4711, "tree")
    assert out.splitlines()[2:] == [
        "├─ initial region level 0, team of 1",
        "│  └─ thread 0 (4711) → parallel region level 1, team of 3: main._omp_fn.1",
        "│     ├─ threads 0-1 (4711-4712) → 2 parallel regions level 2, team of 4: main._omp_fn.0",
        "│     │  ├─ thread 0 of each (4711-4712)  work~",
        "│     │  └─ threads 1-3 of each (4714-4719)  barrier~",
        "│     └─ thread 2 (4713) → parallel region level 2, team of 4: main._omp_fn.0",
        "│        ├─ thread 0 (4713)  work~",
        "│        ├─ threads 1-2 (4720-4721)  work~",
        "│        └─ thread 3 (4722)  barrier~",
        "└─ 2 threads (4723-4724)  idle",
        "~ inferred from what the thread does in the kernel or where it runs",
    ]


def test_tree_shows_tasks_below_what_they_interrupted_and_who_created_them():
    out, _ = run("-p", 4711, "tree", state="tasks")
    assert out.splitlines()[4:] == [
        "      ├─ thread 0 (4711)  taskwait",
        "      │  └─ explicit task fib._omp_fn.1 (suspended)",
        "      │     └─ explicit task fib._omp_fn.2",
        "      ├─ threads 1-3 (4712-4714)  work~",
        "      │  └─ 3 explicit tasks fib._omp_fn.2, created by task fib._omp_fn.1 of thread 0",
        "      └─ 2 explicit tasks fib._omp_fn.3 (not current), created by task fib._omp_fn.2 of thread 0",
        "~ inferred from what the thread does in the kernel or where it runs",
    ]


def test_tree_is_ascii_outside_utf8():
    out, _ = run("-p", 4711, "tree", LC_ALL="C")
    assert out.isascii()
    assert "|- initial region" in out and "stopped for 212 us" in out


def test_tasks_are_folded_by_kind_region_function_and_creator():
    out, _ = run("-p", 4711, "tasks", state="tasks")
    rows = [re.split(r"  +", line.strip()) for line in out.splitlines()[1:]]
    assert rows[0] == ["COUNT", "KIND", "THREAD", "LEVEL", "REGION", "FUNCTION", "CREATED BY", "STATUS"]
    assert rows[4] == ["4", "explicit", "4711-4714", "1", "fib_parallel._omp_fn.0", "fib._omp_fn.2",
                       "fib._omp_fn.1 of 4711", "current"]


def test_icvs_show_sets_side_by_side():
    out, _ = run("-p", 4711, "icvs")
    assert "All 16 tasks\n" in out
    assert "  B  3 implicit tasks of main._omp_fn.1 (threads 4711-4713)\n" in out
    assert re.search(r"^levels-var +0 +1 +2$", out, re.M)
    assert re.search(r"^thread-num-var +0 +0-2 +0-3$", out, re.M)
    assert re.search(r"^dyn-var +0$", out, re.M)
    assert "unavailable: place-partition-var, def-allocator-var\n" in out


def test_verbose_says_why_a_value_is_missing():
    out, _ = run("-p", 4711, "icvs", "-v")
    assert re.search(r"^def-allocator-var +- \(unavailable\)$", out, re.M)


def test_info_is_readable():
    out, _ = run("-p", 4711, "info", "--mode", "observe", "--max-stop-ms", 7)
    assert re.search(r"^mode +observe$", out, re.M)
    assert re.search(r"^max stop +7 ms$", out, re.M)
    assert re.search(r"^runtime build id +5c1d", out, re.M)


@pytest.mark.parametrize("state", ["nested", "flat", "tasks", "hostile"])
@pytest.mark.parametrize("command", ["threads", "tree", "tasks", "info"])
def test_80_columns_are_enough(command, state):
    out = ESCAPE.sub("", on_terminal("-p", "4711", command, state=state))
    long = [line for line in out.splitlines() if len(line) > 80]
    assert not long, "\n".join(long)


def test_colour_only_on_a_terminal_or_when_asked():
    assert "\x1b[" in on_terminal("-p", "4711", "threads")
    assert "\x1b[" not in on_terminal("-p", "4711", "threads", NO_COLOR="1")
    assert "\x1b[" not in on_terminal("-p", "4711", "threads", "--color=never")
    assert "\x1b[" not in run("-p", 4711, "threads")[0]
    assert "\x1b[" in run("-p", 4711, "threads", "--color=always", NO_COLOR="1")[0]


@pytest.mark.parametrize("command", ["threads", "tree", "tasks", "icvs", "snapshot", "info"])
@pytest.mark.parametrize("json_too", [False, True])
def test_target_strings_never_control_the_terminal(command, json_too):
    out, _ = run("-p", 4711, command, *(["--json"] if json_too else []), state="hostile")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)


@pytest.mark.parametrize("state", ["odd", "empty"])
@pytest.mark.parametrize("command", ["threads", "tree", "tasks", "icvs", "snapshot"])
def test_odd_snapshots_are_shown_as_well_as_may_be(command, state):
    assert run("-p", 4711, command, state=state)[0].startswith("solver (pid ")


# --json

@pytest.mark.parametrize("command,member", [("threads", "threads"), ("tree", "parallels"), ("tasks", "tasks"),
                                            ("icvs", "icvs"), ("snapshot", "parallels"), ("info", "exe")])
def test_json_is_the_result_object_alone_on_one_line(command, member):
    out, err = run("-p", 4711, command, "--json")
    assert out.count("\n") == 1 and not err
    assert member in json.loads(out)


def test_pretty_json_has_many_lines():
    assert run("-p", 4711, "snapshot", "--pretty")[0].count("\n") > 100


def test_errors_show_name_and_hint():
    out, err = run("-p", 999999, "threads", status=1)
    assert out == ""
    assert err == "ompdctl: no process has pid 999999 [no_such_process]\n  hint: check the pid with ps\n"


def test_errors_as_json_go_to_stderr():
    out, err = run("-p", 999999, "threads", "--json", status=1)
    assert out == ""
    assert json.loads(err)["data"]["name"] == "no_such_process"


# Daemons that misbehave

@pytest.mark.parametrize("behaviour,message", [
    ("exit", "ended with status 4 without an answer [daemon_died]\n  hint: it said: error: cannot find ompdd-worker"),
    ("crash", "was killed by signal 11"),
    ("half", "ended with status 0 without an answer"),
    ("garbage", "does not speak JSON-RPC; it sent 'SSH-2.0"),
    ("huge", "sent a line of more than 64 MiB"),
    ("not_object", "does not speak JSON-RPC"),
])
def test_a_broken_daemon_is_named(behaviour, message):
    _, err = run("-p", 4711, "threads", status=2, behaviour=behaviour)
    assert err.startswith("ompdctl: ") and message in err
    assert "\x1b" not in err


def test_a_hanging_daemon_is_given_up_and_ended():
    begin = time.monotonic()
    _, err = run("-p", 4711, "threads", "--timeout", 1, status=2, behaviour="hang")
    assert "within 1 s [timeout]" in err
    assert time.monotonic() - begin < 600


def test_a_daemon_that_lingers_after_its_answer_is_ended():
    assert "barrier" in run("-p", 4711, "threads", behaviour="linger")[0]


def test_notifications_and_blank_lines_are_skipped():
    assert "barrier" in run("-p", 4711, "threads", behaviour="notify")[0]


def test_another_first_target_is_asked_again():
    assert "barrier" in run("-p", 4711, "threads", behaviour="late_target")[0]


def test_an_answer_without_id_is_an_error_of_the_connection():
    _, err = run("-p", 4711, "threads", status=1, behaviour="refused")
    assert "64 connections are open [limit_exceeded]" in err


def test_a_missing_ompdd_is_cannot_start():
    _, err = run("-p", 4711, "threads", "--ompdd", "/nonexistent/ompdd", status=2, private=False)
    assert "cannot start /nonexistent/ompdd: No such file or directory [cannot_start]" in err


def test_no_child_is_left_behind(tmp_path):
    marker = f"FAKE_MARKER={os.getpid()}"
    run("-p", 4711, "threads", "--timeout", 1, status=2, behaviour="hang", FAKE_MARKER=str(os.getpid()))
    left = [p for p in pathlib.Path("/proc").glob("[0-9]*/environ") if marker.encode() in readable(p)]
    assert not left


def readable(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_head_ends_it_quietly():
    done = subprocess.run(f"{OMPDCTL} --ompdd {FAKE} -p 4711 snapshot --pretty | head -1; echo ${{PIPESTATUS[0]}}",
                          shell=True, executable="/bin/bash", capture_output=True, text=True, timeout=600,
                          env=environment(FAKE_OMPDD_STATE="flat"))
    assert done.stdout == "{\n0\n"
    assert done.stderr == ""


def test_a_full_disk_is_an_error():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([str(OMPDCTL), "--ompdd", str(FAKE), "-p", "4711", "threads"], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=600, env=environment())
    assert done.returncode == 4
    assert "cannot write the output: No space left on device" in done.stderr


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_closed_standard_files_do_no_harm(closed):
    done = subprocess.run(f"exec {OMPDCTL} --ompdd {FAKE} -p 4711 threads {closed}<&-", shell=True, capture_output=True,
                          text=True, timeout=600, env=environment())
    assert done.returncode == 0
    assert "work~" in done.stdout or closed == 1


# A running daemon

def test_attach_asks_in_one_go_when_private(tmp_path):
    log = tmp_path / "log"
    run("-p", 4711, "threads", FAKE_OMPDD_LOG=str(log))
    assert log.read_text().split() == ["target.attach", "view.get"]


def test_s_with_p_attaches_and_detaches(server):
    out, _ = run("-s", server.uri, "-p", 4711, "threads", private=False)
    assert "work~" in out
    assert server.log.read_text().split() == ["target.attach", "view.get", "target.detach"]


def test_s_with_p_detaches_after_an_error_too(server):
    run("-s", server.uri, "-p", 4711, "call", "no.such_method", status=1, private=False)
    assert server.log.read_text().split()[-1] == "target.detach"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("waits_for", ["target.attach", "view.get"])
def test_s_with_p_detaches_when_interrupted(tmp_path, waits_for, number):
    """The daemon would keep the target that was attached for this one answer."""
    log = tmp_path / "log"
    one = Server(f"unix:{tmp_path}/fake.sock", FAKE_OMPDD_LOG=str(log), FAKE_OMPDD_GATE=waits_for)
    try:
        process = subprocess.Popen([str(OMPDCTL), "-s", one.uri, "-p", "4711", "threads"], stdout=subprocess.PIPE, text=True,
                                   env=environment())
        until(lambda: log.exists() and waits_for in log.read_text(), "it waits")
        process.send_signal(number)
        (tmp_path / waits_for).touch()
        assert process.communicate(timeout=600)[0] == "" and process.returncode == -number
        assert log.read_text().split()[-1] == "target.detach"
    finally:
        one.close()


def test_attach_targets_and_detach(server):
    uri = ("-s", server.uri)
    assert run(*uri, "targets", private=False)[0].startswith("no targets")
    out, _ = run(*uri, "attach", "-p", 4711, "--mode", "observe", private=False)
    assert out == "t1: attached to 4711, /home/u/bin/solver, libgomp 12, mode observe\n"


def test_an_unknown_target_is_the_daemons_error(server):
    _, err = run("-s", server.uri, "-t", "t9", "threads", status=1, private=False)
    assert "no target t9 [no_such_target]" in err


@pytest.mark.parametrize("name", ["OMPDD_URI", "XDG_RUNTIME_DIR"])
def test_the_default_address(tmp_path, name):
    (tmp_path / "ompdd").mkdir()
    one = Server(f"unix:{tmp_path}/ompdd/ompdd.sock")
    try:
        value = one.uri if name == "OMPDD_URI" else str(tmp_path)
        assert json.loads(run("call", "daemon.info", private=False, **{name: value})[0])["version"] == "0.2.0"
    finally:
        one.close()


def test_call_passes_params_and_fills_in_the_target(server):
    uri = ("-s", server.uri)
    assert json.loads(run(*uri, "call", "test.echo", '{"a":[1]}', private=False)[0]) == {"a": [1]}
    assert json.loads(run(*uri, "call", "test.echo", "-", private=False, stdin='{"b":2}')[0]) == {"b": 2}
    assert json.loads(run(*uri, "-t", "t5", "call", "test.echo", '{"c":3}', private=False)[0]) == {"target": "t5", "c": 3}
    assert json.loads(run("-p", 4711, "call", "test.echo", '{"d":"ü"}')[0]) == {"target": "t1", "d": "ü"}


@pytest.mark.parametrize("params", ["[1]", "{", "{} x", '{"a":1,}', "5", ""])
def test_call_refuses_params_that_are_no_object(server, params):
    _, err = run("-s", server.uri, "call", "test.echo", params, status=3, private=False)
    assert "the parameters are not a JSON object" in err


def test_tcp_authenticates(tmp_path):
    token = tmp_path / "token"
    token.write_text("secret\n")
    wrong = tmp_path / "wrong"
    wrong.write_text("guess\n")
    one = Server("tcp:0", "--token-file", str(token))
    try:
        assert one.uri.startswith("tcp:127.0.0.1:")
        out, _ = run("-s", one.uri, "--token-file", token, "call", "daemon.info", private=False)
        assert json.loads(out)["version"] == "0.2.0"
        run("-s", one.uri, "call", "daemon.info", private=False, OMPDD_TOKEN_FILE=str(token))
        _, err = run("-s", one.uri, "--token-file", wrong, "targets", status=1, private=False)
        assert "wrong token [unauthorized]" in err
        _, err = run("-s", one.uri, "targets", status=3, private=False)
        assert "a tcp: address needs a token" in err
    finally:
        one.close()


def test_nobody_listens_is_exit_2(tmp_path):
    for uri in (f"unix:{tmp_path}/none.sock", "tcp:127.0.0.1:1"):
        (tmp_path / "t").write_text("x")
        _, err = run("-s", uri, "--token-file", tmp_path / "t", "targets", status=2, private=False)
        assert f"cannot connect to {uri}: " in err and "hint: " in err


@pytest.mark.parametrize("behaviour,message", [("exit", "closed the connection without an answer"), ("garbage", "JSON-RPC")])
def test_a_running_daemon_that_breaks_is_exit_2(tmp_path, behaviour, message):
    one = Server(f"unix:{tmp_path}/fake.sock", FAKE_OMPDD=behaviour)
    try:
        assert message in run("-s", one.uri, "targets", status=2, private=False)[1]
    finally:
        one.close()


# Usage

@pytest.mark.parametrize("args,message", [
    ((), "no command"),
    (("-s", "unix:/x", "threads"), "no process given"),
    (("threads", "0"), "-p must be a number"),
    (("-p", "0", "threads"), "-p must be a number"),
    (("-p", "1", "thread"), "unknown command 'thread'"),
    (("-s", "https:localhost:80", "targets"), "needs a token"),
    (("-s", "http:localhost:80", "targets"), "needs a token"),
])
def test_usage_is_exit_3(args, message):
    out, err = run(*args, status=3, private=False)
    assert out == "" and message in err


def test_a_missing_name_is_exit_1():
    out, err = run("threads", "no such name", status=1, private=False)
    assert out == "" and "no process that you may examine has the name" in err


def test_help_and_version():
    assert run("--help", private=False)[0].startswith("usage: ompdctl COMMAND [PID|NAME]")
    assert re.fullmatch(r"ompdctl \d+\.\d+\.\d+\n", run("--version", private=False)[0])


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "--noconftest"]))
