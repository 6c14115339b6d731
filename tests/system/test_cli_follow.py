# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl launch, kill, break and events: what a user sees, and that no process stays stopped."""
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess

import pytest
import validator
from daemons import BIN, PATIENT_STOP_MS
from targets import OMPRT, PROGRAMS, alive, stopped_threads, tracer, wait_until

ROUNDS = PROGRAMS / "rounds"


@pytest.fixture
def ends():
    """Store launched pids. At the end they must run untraced, unless they have ended. Then end them."""
    pids = []
    yield pids.append
    for pid in pids:
        wait_until(lambda pid=pid: not stopped_threads(pid) and not tracer(pid), "it runs")
        os.kill(pid, signal.SIGKILL)


class Follower:
    """An ompdctl that is still running."""

    def __init__(self, *args, **options):
        self.process = subprocess.Popen([BIN / "ompdctl", *map(str, args)], stdout=subprocess.PIPE, text=True,
                                        stdin=subprocess.DEVNULL, **options)

    def line(self):
        text = self.process.stdout.readline()
        assert text, f"it ended: {self.process.wait(600)}"
        return text

    def until(self, pattern):
        while True:
            text = self.line()
            if re.search(pattern, text):
                return text

    def end(self, status=0):
        rest = self.process.stdout.read()
        assert self.process.wait(600) == status
        self.process.stdout.close()
        return rest


def runs_free(one):
    assert one.alive()
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "it runs on")


# break

@pytest.mark.parametrize("place,where", [("parallel_begin", r"breakpoint 1, parallel_begin, thread \d+ in "
                                          + ("ompd_bp_parallel_begin$" if OMPRT else "GOMP_parallel")),
                                         ("chore", r"breakpoint 1, thread \d+ in chore"),
                                         ("rounds.c:65", r"breakpoint 1, thread \d+ in main\._omp_fn"),
                                         ("task_end", r"breakpoint 1, task_end, thread \d+ in ")])
def test_break(program, ompdctl, place, where):
    one = program("rounds", 3)
    done = ompdctl("break", place, "-p", one.pid, "-n", 3)
    assert re.search(rf"^breakpoint 1, {re.escape(place)}: \d+ places?$", done.stdout, re.M), done.stdout
    hits = re.findall(rf"^{where}", done.stdout, re.M)
    assert len(hits) == 3, done.stdout
    assert re.search(r"^  thread number \d, region level \d, team of \d.*; \w+ task", done.stdout, re.M), done.stdout
    # A thread may execute a task at the end of a region, with no frame of the program on its stack.
    assert place == "task_end" or re.search(r"^  #\d .*rounds\.c:\d+$", done.stdout, re.M), done.stdout
    runs_free(one)


@pytest.mark.parametrize("place, hint", [("barier_enter", "did you mean the event barrier_enter?"), ("nosuch", "ompdctl help break names the events"),
                                         ("ordered", "its events are ordered_acquire, ordered_acquired, ordered_release; "),
                                         ("barrier_all_entered", "call breakpoint.addresses -p PID")])
def test_break_at_what_is_not_there(place, hint, program, ompdctl):
    if OMPRT and place == "barrier_all_entered":
        pytest.skip("our runtime has it")
    one = program("rounds", 3)
    assert hint in ompdctl("break", place, "-p", one.pid, status=1).stderr
    runs_free(one)


def test_break_logical(program, ompdctl):
    one = program("rounds", 3)
    text = ompdctl("break", "chore", "-p", one.pid, "--logical").stdout
    assert "parallel region level 1" in text and "GOMP_parallel" not in text


def test_break_as_json(program, ompdctl):
    one = program("rounds", 3)
    lines = ompdctl("break", "work", "parallel_begin", "-p", one.pid, "-n", 4, "--json").stdout.splitlines()
    assert len(lines) == 4
    for text in lines:
        hit = json.loads(text)
        assert hit["event"]["type"] == "breakpoint" and hit["stop"]["tid"] == hit["event"]["tid"]
        validator.check("stack.get", "result", hit["stack"])
    runs_free(one)


def test_break_in_a_program_that_it_launches(ompdctl, ends, tmp_path):
    output = tmp_path / "said"
    done = ompdctl("break", "chore", "-n", 2, "--stdout", "said", "--stderr", "said", "--", ROUNDS, 2, cwd=tmp_path)
    pid = int(re.search(r"^(\d+) runs on$", done.stdout, re.M).group(1))
    ends(pid)
    assert len(re.findall(r"thread \d+ in chore", done.stdout)) == 2
    assert json.loads(output.read_text().splitlines()[0])["pid"] == pid, "--stdout is relative to our folder"
    assert alive(pid)


def test_break_until_the_end(ompdctl):
    done = ompdctl("break", "exit", "-n", 5, "--", "true")
    assert len(re.findall(r"^breakpoint 1, thread \d+ in exit$", done.stdout, re.M)) == 1
    assert done.stdout.endswith(" exited with status 0\n")


SAYS = PROGRAMS / "says"


@pytest.mark.parametrize("how", ["pipe", "file", "both", "json"])
def test_output_of_the_program_goes_where_ours_goes(how, tmp_path):
    """Through a pipe, and appended to a file with content, but never mixed into lines of JSON."""
    files = {"stdout": tmp_path / "out", "stderr": tmp_path / "err"}
    for file in files.values():
        file.write_text("before\n")
    argv = [BIN / "ompdctl", "--max-stop-ms", str(PATIENT_STOP_MS), "break", "main", *(["--json"] if how == "json" else []), "-n", "9", "--", SAYS]
    if how == "pipe":
        done = subprocess.run(argv, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        out, err = done.stdout, done.stderr
    else:
        with open(files["stdout"], "a") as first, open(files["stderr"], "a") as second:
            done = subprocess.run(argv, stdout=first, stderr=first if how == "both" else second, text=True, timeout=600,
                                  stdin=subprocess.DEVNULL)
        out, err = (file.read_text() for file in files.values())
        assert out.startswith("before\n") and err.startswith("before\n")
    assert done.returncode == 0, (out, err)
    if how == "json":
        assert "said" not in out and "said\n" in err and "complained\n" in err
        return
    assert "said\n" in out and "exited with status 0\n" in out
    assert "complained\n" in (out if how == "both" else err)


def test_output_of_the_program_has_no_place_in_a_socket():
    """The file cannot be opened again: the program runs, and its output is lost."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        done = subprocess.run([BIN / "ompdctl", "--max-stop-ms", str(PATIENT_STOP_MS), "break", "main", "-n", "9", "--", SAYS], stdout=theirs,
                              stderr=subprocess.PIPE, timeout=600, stdin=subprocess.DEVNULL)
        assert done.returncode == 0 and done.stderr == b"complained\n"
        said = ours.recv(65536)
    assert b"exited with status 0" in said and b"said\n" not in said


def test_break_where_the_program_stands_after_its_launch(ompdctl, ends):
    """The launch runs it up to main(): a breakpoint at main() is reported, and then later hits."""
    done = ompdctl("break", "main", "work", "-n", 2, "--stdout", "/dev/null", "--stderr", "/dev/null", "--", ROUNDS, 2)
    pid = int(re.search(r"^breakpoint 1, thread (\d+) in main$", done.stdout, re.M)[1])
    ends(pid)
    assert re.search(r"^breakpoint 2, thread \d+ in work$", done.stdout, re.M)
    assert done.stdout.endswith(f"\n{pid} runs on\n")


def test_break_where_nothing_is(ompdctl, program, tmp_path):
    """A mistake does not leave the program behind."""
    done = ompdctl("break", "no_such_function", "--stdout", tmp_path / "said", "--", ROUNDS, 2, status=1)
    assert "no_such_function" in done.stderr and not (tmp_path / "said").read_text()
    one = program("rounds", 2)
    assert "no_such_function" in ompdctl("break", "no_such_function", "-p", one.pid, status=1).stderr
    runs_free(one)


def test_break_is_interrupted(program):
    """After ^C no thread stays stopped, and no breakpoint remains."""
    one = program("rounds", 2)
    follower = Follower("break", "chore", "-n", 1000000, "-p", one.pid)
    follower.until("in chore")
    follower.process.send_signal(signal.SIGINT)
    follower.end(-signal.SIGINT)
    runs_free(one)
    one.signal()
    assert one.read_line()["failed"] == 0


def test_break_with_a_running_daemon(program, daemon, client, ompdctl):
    one = program("rounds", 2)
    server = ["-s", f"unix:{daemon.path}"]
    assert "in work" in ompdctl(*server, "break", "work", "-p", one.pid).stdout
    assert client.target.list()["targets"] == [], "what was attached for it is let go"
    target = client.target.attach(pid=one.pid)["target"]
    assert "in work" in ompdctl(*server, "break", "work", "-t", target).stdout
    wait_until(lambda: client.breakpoint.list(target=target)["breakpoints"] == [], "its breakpoint has gone with it")
    runs_free(one)


@pytest.mark.parametrize("command", [["events"], ["break", "chore", "-n", 1000000]])
def test_interrupted_with_a_running_daemon(command, program, daemon, client):
    """^C also detaches from a target that was attached for this command."""
    one = program("rounds", 2)
    follower = Follower("-s", f"unix:{daemon.path}", *command, "-p", one.pid)
    follower.line()
    follower.process.send_signal(signal.SIGINT)
    follower.end(-signal.SIGINT)
    assert client.target.list()["targets"] == []
    runs_free(one)


# launch and kill

def test_launch_and_kill(daemon, client, ompdctl, tmp_path):
    server = ["-s", f"unix:{daemon.path}"]
    env = {**os.environ, "ONLY_HERE": "1"}
    done = ompdctl(*server, "launch", "--stdout", "said", "--", "env", env=env, cwd=tmp_path)
    target, pid = re.fullmatch(r"(t\d+): launched (\d+), /\S+/env(?:, which has ended with status 0)?\n", done.stdout).groups()
    wait_until(lambda: client.target.info(target=target)["state"] == "exited", "env ends")
    wait_until(lambda: re.search(rf"^{target} .* exited", ompdctl(*server, "targets").stdout, re.M), "the list says so")
    said = (tmp_path / "said").read_text()
    assert "ONLY_HERE=1\n" in said and f"PWD={env['PWD']}" in said
    ompdctl(*server, "detach", "-t", target)
    done = ompdctl(*server, "launch", "--json", "--", "sleep", 1000)
    validator.check("target.launch", "result", json.loads(done.stdout))
    target = json.loads(done.stdout)["target"]
    pid = client.target.info(target=target)["pid"]
    assert os.readlink(f"/proc/{pid}/cwd") == os.getcwd()
    assert ompdctl(*server, "kill", "-t", target).stdout == f"{target}: killed {pid}\n"
    assert client.target.info(target=target)["exit"]["signal"] == 9
    assert "has exited" in ompdctl(*server, "kill", "-t", target, status=1).stderr
    done = ompdctl(*server, "launch", "--", "/no/such/program", status=1)
    assert "/no/such/program" in done.stderr and "No such file" in done.stderr


def test_output_goes_to_the_terminal(daemon):
    controller, terminal = pty.openpty()
    process = subprocess.Popen([BIN / "ompdctl", "-s", f"unix:{daemon.path}", "launch", "--", "echo", "said by the program"],
                               stdin=terminal, stdout=terminal, stderr=terminal)
    assert process.wait(600) == 0
    text = b""
    while b"said by the program" not in text:
        text += os.read(controller, 4096)
    os.close(terminal)
    os.close(controller)


# events

def test_events(program, daemon, client):
    one = program("flat", 2)
    follower = Follower("-s", f"unix:{daemon.path}", "events")
    # The moment of the subscription is invisible, but the first printed event is not.
    first = client.target.attach(pid=one.pid)["target"]
    readable = select.poll()
    readable.register(follower.process.stdout, select.POLLIN)
    while not readable.poll(100):
        client.target.detach(target=first)
        first = client.target.attach(pid=one.pid)["target"]
    client.target.detach(target=first)
    follower.until(f"{first} #2 detached")
    target = client.target.attach(pid=one.pid)["target"]
    client.target.stop(target=target)
    client.target.resume(target=target)
    client.target.detach(target=target)
    assert [follower.line() for _ in range(4)] == [f"{target} #1 attached, pid {one.pid}, mode stop\n",
                                                   f"{target} #2 stopped, epoch 1\n", f"{target} #3 resumed, epoch 1\n",
                                                   f"{target} #4 detached, pid {one.pid}\n"]
    follower.process.send_signal(signal.SIGINT)
    follower.end(-signal.SIGINT)


def test_events_of_a_process_until_its_end(program):
    one = program("events", "exit")
    follower = Follower("events", "-p", one.pid, "--json")
    first = json.loads(follower.line())
    assert first["type"] == "attached" and first["pid"] == one.pid
    one.expect_end = True
    one.signal()
    assert json.loads(follower.line())["type"] == "exited"
    assert follower.end() == ""


def test_count_of_events(program, ompdctl):
    one = program("flat", 2)
    assert ompdctl("events", "-p", one.pid, "-n", 1).stdout == f"t1 #1 attached, pid {one.pid}, mode stop\n"


def test_events_end_with_their_reader(daemon, ompdctl):
    """As in `ompdctl events | head -1`."""
    server = ["-s", f"unix:{daemon.path}"]
    follower = Follower(*server, "events")
    readable = select.poll()
    readable.register(follower.process.stdout, select.POLLIN)
    wait_until(lambda: ompdctl(*server, "launch", "--", "true") and readable.poll(0), "the first event")
    follower.process.stdout.close()
    wait_until(lambda: ompdctl(*server, "launch", "--", "true") and follower.process.poll() is not None,
               "it ends with the next event")
    assert follower.process.returncode == 0


def test_events_of_an_unknown_target(daemon, ompdctl):
    for command in (["events"], ["break", "main"]):
        assert "no_such_target" in ompdctl("-s", f"unix:{daemon.path}", *command, "-t", "t99", status=1).stderr


# Conditions, steps, regions of one thread

def test_break_with_conditions(program):
    one = program("rounds", 3)
    with_number = Follower("break", "chore", "--thread-num", 2, "--after", 3, "-n", 2, "-p", one.pid)
    for _ in range(2):
        with_number.until(r"breakpoint 1, thread \d+ in chore")
        assert "thread number 2" in with_number.line()
    with_number.end()
    runs_free(one)


@pytest.mark.parametrize("kind,where", [("into", r"main\._omp_fn\.1"), ("over", "main"), ("instruction", ".*")])
def test_step(kind, where, program):
    one = program("rounds", 3)
    for attempt in range(200):
        follower = Follower("step", kind, "-p", one.pid)
        try:
            follower.until(rf"step \w+, thread {one.pid} in {where}")
            break
        except AssertionError:
            # It may sleep in a system call then: no instruction can be stepped.
            if kind != "instruction" or attempt == 199:
                raise
    follower.end()
    runs_free(one)


def test_step_that_is_refused(program):
    one = program("rounds", 2)
    follower = Follower("step", "into", 1, "-p", one.pid, stderr=subprocess.PIPE)
    follower.end(1)
    assert "no thread 1" in follower.process.stderr.read()
    follower.process.stderr.close()
    runs_free(one)


def test_step_of_a_thread_that_ends(program, daemon, client):
    one = program("ender")
    target = client.target.attach(pid=one.pid)["target"]
    (tid,) = one.lines
    follower = Follower("-s", f"unix:{daemon.path}", "step", "into", tid, "-t", target, stderr=subprocess.PIPE)
    wait_until(lambda: "step" in client.target.info(target=target), "the step has begun")
    one.signal()
    follower.end(1)
    assert f"thread {tid} has ended, so its step cannot end" in follower.process.stderr.read()
    follower.process.stderr.close()
    runs_free(one)


def test_serialize(program):
    one = program("rounds", 3)
    follower = Follower("serialize", "-n", 2, "-p", one.pid, stderr=subprocess.PIPE)
    if OMPRT:
        assert follower.end() == "2 regions had one thread\n"
    else:
        follower.end(1)
        assert "cannot be instructed" in follower.process.stderr.read()
    follower.process.stderr.close()
    runs_free(one)
