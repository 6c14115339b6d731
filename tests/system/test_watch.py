# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdctl watch`: it acts on programs that hang, leaves healthy ones alone, and survives hostile surroundings."""
import gzip
import json
import os
import pathlib
import signal
import stat
import subprocess
import time

import pytest
from daemons import BIN
from hangs import start
from targets import read_text, stopped_threads, tracer, wait_until
from test_bad_input import traced  # noqa: F401
from test_record import profile_message

OFTEN = ("--interval", "0.5")


class Watch:
    """A running `ompdctl watch --json`; `events` are the lines that it has printed."""

    def __init__(self, *args, **options):
        self.process = subprocess.Popen([str(BIN / "ompdctl"), "watch", *OFTEN, "--json", *map(str, args)], text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def next(self):
        return json.loads(self.process.stdout.readline())

    def end(self, number=signal.SIGINT):
        """Return the rest of its events."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=600)
        assert self.process.returncode == 0, err
        return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def watch():
    started = []

    def begin(*args, **options):
        started.append(Watch(*args, **options))
        return started[-1]
    yield begin
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def rule(when, *actions):
    return ("--when", when, *(word for action in actions for word in ("--then", action)))


def test_a_deadlock_is_kept(program, watch, tmp_path):
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}"), "-n", 1)
    event = seen.next()
    assert (event["event"], event["pid"], event["program"], event["when"]) == ("acted", one.pid, "lock_cycle", "deadlock")
    (path,) = event["files"]
    report = json.loads(pathlib.Path(path).read_text())
    assert report["diagnosis"]["verdict"] == "deadlock" and report["fact"] == event["fact"]
    assert {thread["tid"] for group in report["stacks"]["groups"] for thread in group["threads"]} >= {one.pid}
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600 and stat.S_IMODE(os.stat(tmp_path / "kept").st_mode) == 0o700
    assert seen.process.wait(600) == 0
    assert not stopped_threads(one.pid) and not tracer(one.pid)


def test_a_core_is_kept(program, watch, ompdctl, tmp_path):
    """The core shows the hang. It counts for the limits of the folder, and to its rule's rate."""
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}", "core", "files=2", "every=0.1s"))
    for _ in range(3):
        event = seen.next()
        assert "errors" not in event, event
        report, core = event["files"]
        assert report.endswith(".json") and core.endswith(f"-{one.pid}-lock_cycle.core")
    seen.end()
    assert {str(path) for path in (tmp_path / "kept").iterdir()} == set(event["files"])
    assert stat.S_IMODE(os.stat(core).st_mode) == 0o600
    assert "deadlock" in ompdctl("--core", core, "why").stdout
    assert not stopped_threads(one.pid) and not tracer(one.pid)


def test_a_core_that_is_too_large(program, watch, tmp_path):
    """It ends at the limit of the folder, and nothing of it remains. The report does."""
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}", "core", "size=100K"), "-n", 1)
    event = seen.next()
    assert event["errors"][0].startswith("core: ") and len(event["files"]) == 1, event
    assert seen.process.wait(600) == 0
    assert [str(path) for path in (tmp_path / "kept").iterdir()] == event["files"]
    assert not stopped_threads(one.pid) and not tracer(one.pid)


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
def test_signals_with_a_core(number, program, watch, tmp_path):
    """At any moment: no unfinished file remains, and the program goes on."""
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}", "core", "every=0.1s"))
    seen.next()
    seen.end(number)
    assert all(path.name.startswith("ompdd-") for path in (tmp_path / "kept").iterdir())
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "it runs")


@pytest.mark.parametrize("args, why", ((rule("deadlock", "core"), "core needs a folder"), ((*rule("deadlock", "keep=x", "core"), "-m", "observe"), "core needs a stop")))
def test_a_core_that_cannot_be(args, why, ompdctl, tmp_path):
    assert why in ompdctl("watch", os.getpid(), *args, cwd=tmp_path, status=3).stderr


def test_a_process_that_a_debugger_holds(traced, watch, tmp_path):
    """It cannot be stopped: the report is of a process that is observed."""
    seen = watch(traced.pid, *rule("metric:cpu_seconds_total<1e9", f"keep={tmp_path / 'kept'}"), "-n", 1)
    (path,) = seen.next()["files"]
    report = json.loads(pathlib.Path(path).read_text())
    assert "verdict" in report["diagnosis"] and "groups" in report["stacks"]


@pytest.mark.parametrize("name, when", (("barrier_miss", "barrier>1"), ("barrier_miss", "no-progress>1"), ("lock_pause", "no-progress>1"),
                                        ("mpi_recv", "no-progress>1"), ("barrier_end", "metric:barrier_threads>1"),
                                        ("barrier_end", "metric:barrier_seconds>1"), ("lock_cycle", "metric:busy_threads<1")))
def test_conditions(name, when, program, watch, tmp_path):
    one = start(program, name, "libgomp")
    seen = watch(one.pid, *rule(when, f"keep={tmp_path / 'kept'}"))
    event = seen.next()
    assert (event["event"], event["when"]) == ("acted", when), event
    assert "errors" not in event and len(event["files"]) == 1
    assert seen.end() == []


@pytest.mark.parametrize("way", ("sleep", "poll", "spin"))
def test_polls_are_no_progress(way, program, watch, tmp_path):
    """A thread that wakes again and again at one place makes none."""
    one = start(program, "polls", "libgomp", way)
    seen = watch(one.pid, *rule("no-progress>1", f"keep={tmp_path / 'kept'}"))
    assert "no progress" in seen.next()["fact"]
    assert seen.end() == []


@pytest.mark.parametrize("kind", ("barriers", "locks", "criticals", "tasks"))
def test_a_healthy_program_is_left_alone(kind, program, watch, tmp_path):
    """The rule of the cpu time shows that it was examined."""
    one = start(program, "healthy", "libgomp", kind)
    healthy = [rule(when, f"keep={tmp_path / 'kept'}") for when in ("deadlock", "barrier>2", "no-progress>2")]
    seen = watch(one.pid, *sum(healthy, ()), *rule("metric:cpu_seconds_total>0", f"keep={tmp_path / 'looks'}", "every=0.1s"))
    assert {seen.next()["when"] for _ in range(7)} == {"metric:cpu_seconds_total>0"}
    assert all(event["when"] == "metric:cpu_seconds_total>0" for event in seen.end())
    assert not os.listdir(tmp_path / "kept")


def test_a_suspended_program_is_left_alone(program, watch, tmp_path):
    one = start(program, "healthy", "libgomp", "barriers")
    wait_until(lambda: sum(map(int, read_text(f"/proc/{one.pid}/stat").rpartition(")")[2].split()[11:13])), "it has used a CPU")
    os.kill(one.pid, signal.SIGSTOP)
    try:
        seen = watch(one.pid, *rule("no-progress>1", f"keep={tmp_path / 'kept'}"),
                     *rule("metric:cpu_seconds_total>0", f"keep={tmp_path / 'looks'}", "every=0.1s"))
        assert {seen.next()["when"] for _ in range(5)} == {"metric:cpu_seconds_total>0"}
        seen.end()
    finally:
        os.kill(one.pid, signal.SIGCONT)


def test_all_processes_with_a_name(program, watch, tmp_path):
    """Processes that start later are found, too. Others are left alone."""
    script(tmp_path / "unused", "true")
    seen = watch("--name", "lock_self", *rule("deadlock", f"keep={tmp_path / 'kept'}"))
    start(program, "lock_cycle", "libgomp")
    first, second = start(program, "lock_self", "libgomp"), start(program, "lock_self", "libgomp")
    ours = {first.pid, second.pid}
    while ours:
        event = seen.next()
        assert event["program"] == "lock_self"
        ours -= {event["pid"]}


def test_a_profile(program, watch, tmp_path):
    one = program("turns")
    seen = watch(one.pid, *rule("metric:cpu_seconds_total>0", f"keep={tmp_path / 'kept'}", "profile=1s"), "-n", 1)
    event = seen.next()
    report, path = event["files"]
    assert report.endswith("-turns.json") and path.endswith("-turns.pb.gz")
    profile = profile_message().FromString(gzip.decompress(pathlib.Path(path).read_bytes()))
    assert profile.sample and profile.duration_nanos >= 9e8


def test_the_folder_is_bounded(program, watch, tmp_path):
    """The oldest files of the watcher are removed; others stay. No unfinished file remains."""
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o700)
    (kept / "notes.txt").write_text("mine")
    (kept / ".ompdd-unfinished").write_text("the rest of a watcher that was killed")
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={kept}", "files=2", "every=0.1s"))
    files = [seen.next()["files"][0] for _ in range(5)]
    seen.end()
    left = {str(path) for path in kept.iterdir()} - {str(kept / "notes.txt")}
    assert len(left) == 2 and not left & set(files[:3])


def test_the_size_is_bounded(program, watch, tmp_path):
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}", "size=100"), "-n", 1)
    assert "larger than size=" in seen.next()["errors"][0]
    assert not os.listdir(tmp_path / "kept")
    size = 20000
    seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}", f"size={size}", "every=0.1s"))
    for _ in range(8):
        assert "errors" not in seen.next()
    seen.end()
    assert sum(path.stat().st_size for path in (tmp_path / "kept").iterdir()) <= size


def test_the_rate_is_limited(program, watch, tmp_path):
    """Two rules see the same process as often; only one of them acts again."""
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'once'}"), *rule("no-progress>0.1", f"keep={tmp_path / 'often'}", "every=0.1s"))
    events = [seen.next()["when"] for _ in range(5)] + [event["when"] for event in seen.end()]
    assert events.count("deadlock") == 1 and len(os.listdir(tmp_path / "once")) == 1


def link(path):
    (path.parent / "real").mkdir(mode=0o700)
    path.symlink_to("real")


@pytest.mark.parametrize("make, why", ((link, "symbolic link"), (os.mkfifo, "Not a directory"), (lambda path: path.write_text(""), "Not a directory"),
                                       (lambda path: (path.mkdir(), path.chmod(0o777)), "other users can write")))
def test_a_hostile_folder(make, why, program, ompdctl, tmp_path):
    make(tmp_path / "kept")
    one = start(program, "lock_cycle", "libgomp")
    done = ompdctl("watch", one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}"), status=4)
    assert why in done.stderr
    assert not (tmp_path / "real").exists() or not os.listdir(tmp_path / "real")


def test_hostile_files_in_the_folder(program, watch, tmp_path):
    """Links and pipes with its names are neither followed nor counted nor opened."""
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o700)
    (tmp_path / "secret").write_text("secret")
    (kept / "ompdd-0-link.json").symlink_to(tmp_path / "secret")
    (kept / ".ompdd-unfinished").symlink_to(tmp_path / "secret")
    os.mkfifo(kept / "ompdd-0-pipe.json")
    (kept / "ompdd-0-folder").mkdir()
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={kept}", "files=1", "every=0.1s"))
    for _ in range(3):
        assert "errors" not in seen.next()
    seen.end()
    assert (tmp_path / "secret").read_text() == "secret"
    assert {"ompdd-0-link.json", "ompdd-0-pipe.json", "ompdd-0-folder"} <= set(os.listdir(kept)) and len(os.listdir(kept)) == 4


def test_a_folder_that_disappears(program, watch, tmp_path):
    """A step that fails does not prevent the next one, or the next examination."""
    kept, ran = tmp_path / "kept", tmp_path / "ran"
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"keep={kept}", f"run={script(tmp_path / 'notify', f'echo x >> {ran}')}", "every=0.1s"))
    assert "files" in seen.next()
    for path in kept.iterdir():
        path.unlink()
    kept.rmdir()
    kept.write_text("a file")
    while "errors" not in (event := seen.next()):
        pass
    assert event["run"]["exit"] == 0 and "files" not in event
    seen.end()
    assert len(ran.read_text().splitlines()) >= 2


def test_the_program_gets_the_facts(program, watch, tmp_path):
    one = start(program, "lock_cycle", "libgomp")
    told = tmp_path / "told"
    notify = script(tmp_path / "notify", f"cat >&2; echo \"$#\" > {told}.new; env | grep ^OMPDD_WATCH >> {told}.new; mv {told}.new {told}; exit 3")
    seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}", f"run={notify}"), "-n", 1,
                 env={**os.environ, "OMPDD_WATCH_PID": "an older value"})
    event = seen.next()
    assert event["run"] == {"program": str(notify), "exit": 3}
    first, *lines = told.read_text().splitlines()
    assert first == "0"
    assert dict(line.split("=", 1) for line in lines) == {
        "OMPDD_WATCH_PID": str(one.pid), "OMPDD_WATCH_PROGRAM": "lock_cycle", "OMPDD_WATCH_WHEN": "deadlock",
        "OMPDD_WATCH_FACT": event["fact"], "OMPDD_WATCH_FILES": event["files"][0]}


def test_a_program_that_hangs_is_killed(program, watch, tmp_path):
    """With its children; afterwards the watch goes on."""
    pids = tmp_path / "pids"
    notify = script(tmp_path / "notify", f"trap '' TERM\nsleep 1000 &\necho $$ $! >> {pids}\nwait")
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, *rule("deadlock", f"run={notify}", "limit=0.5s", "every=0.1s"))
    assert [seen.next()["run"] for _ in range(2)] == [{"timed_out": True, "program": str(notify)}] * 2
    seen.end()
    for pid in pids.read_text().split():
        wait_until(lambda pid=pid: not os.path.exists(f"/proc/{pid}") or " Z " in pathlib.Path(f"/proc/{pid}/stat").read_text(), "it has ended")


@pytest.mark.parametrize("spoil, why", ((lambda path: path.chmod(0o644), "Permission denied"), (lambda path: path.chmod(0o777), "other users can change it"),
                                        (lambda path: path.unlink(), "No such file"), (lambda path: (path.unlink(), path.mkdir()), "not a regular file")))
def test_a_program_that_cannot_run(spoil, why, program, ompdctl, tmp_path):
    """It is refused before the first examination."""
    notify = script(tmp_path / "notify", "true")
    spoil(notify)
    one = start(program, "lock_cycle", "libgomp")
    assert why in ompdctl("watch", one.pid, *rule("deadlock", f"run={notify}"), status=3).stderr
    assert "needs a path" in ompdctl("watch", one.pid, *rule("deadlock", "run=true"), status=3).stderr


def test_a_target_that_ends(program, watch, tmp_path):
    """The watch of given processes ends with the last of them."""
    one, other = start(program, "lock_cycle", "libgomp"), start(program, "lock_self", "libgomp")
    seen = watch(f"{one.pid},{other.pid}", *rule("deadlock", f"keep={tmp_path / 'kept'}"))
    assert {seen.next()["pid"], seen.next()["pid"]} == {one.pid, other.pid}
    one.close()
    assert (event := seen.next())["event"] == "ended" and event["pid"] == one.pid
    assert seen.process.poll() is None
    other.close()
    assert (event := seen.next())["event"] == "ended" and event["pid"] == other.pid
    assert seen.process.wait(600) == 0


def test_no_such_process(ompdctl, tmp_path):
    done = ompdctl("watch", 4194303, *rule("deadlock", f"keep={tmp_path}/kept"), status=1)
    assert "process 4194303 does not exist" in done.stderr


def test_a_process_without_openmp(ompdctl, tmp_path):
    with subprocess.Popen(["sleep", "1000"]) as plain:
        try:
            assert "OpenMP" in ompdctl("watch", plain.pid, *rule("deadlock", f"keep={tmp_path}/kept"), status=1).stderr
        finally:
            plain.kill()


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
def test_signals_end_a_profile(number, program, watch, tmp_path):
    """The samples so far are kept. A signal before the recording leaves the report alone."""
    one = start(program, "lock_cycle", "libgomp")
    for seconds in (1, 2, 4, 8, 16, 32, 64):
        kept = tmp_path / f"kept{seconds}"
        seen = watch(one.pid, *rule("deadlock", f"keep={kept}", "profile=1h"))
        wait_until(lambda kept=kept: kept.exists() and os.listdir(kept), "the report is kept")
        late = time.monotonic() + seconds
        wait_until(lambda late=late: time.monotonic() > late, "the recording has started, unless this machine is slow")
        (event,) = seen.end(number)
        endings = [pathlib.Path(path).suffix for path in event["files"]]
        if len(endings) == 2:
            break
    assert endings == [".json", ".gz"]


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
def test_signals_end_a_program(number, program, watch, tmp_path):
    one = start(program, "lock_cycle", "libgomp")
    notify = script(tmp_path / "notify", f"echo $$ > {tmp_path / 'pid'}\nsleep 1000")
    seen = watch(one.pid, *rule("deadlock", f"run={notify}"))
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text(), "it runs")
    (event,) = seen.end(number)
    assert event["run"]["interrupted"]
    assert not os.path.exists(f"/proc/{(tmp_path / 'pid').read_text().strip()}")


def test_a_file_of_rules(program, watch, tmp_path):
    rules = tmp_path / "rules.conf"
    rules.write_text(f"# comment\n\n  when deadlock\tthen keep={tmp_path / 'a#b'} every=1h # only once\nwhen metric:busy_threads>99 then keep={tmp_path / 'c'}\n")
    one = start(program, "lock_cycle", "libgomp")
    seen = watch(one.pid, "--rules", rules, "-n", 1)
    assert seen.next()["files"][0].startswith(str(tmp_path / "a#b"))


@pytest.mark.parametrize("text, why", (("when deadlock", "has no action"), ("if deadlock then keep=x", "expected 'when'"), ("when deadlock do keep=x", "expected 'then'"),
                                       ("when lunch then keep=x", "unknown condition 'lunch'"), ("when deadlock then keep", "unknown action"),
                                       ("when deadlock then every=1m", "has no action"), ("when barrier>x then keep=x", "needs a time")))
def test_wrong_files_of_rules(text, why, ompdctl, tmp_path):
    rules = tmp_path / "rules.conf"
    rules.write_text(f"# first line\n{text}\n")
    assert why in ompdctl("watch", "--rules", rules, status=3, cwd=tmp_path).stderr


def test_a_text_for_people(program, ompdctl, tmp_path):
    one = start(program, "lock_cycle", "libgomp")
    wait_until(lambda: "deadlock" in ompdctl("why", one.pid).stdout, "the deadlock")
    done = ompdctl("watch", one.pid, *rule("deadlock", "keep=kept", f"run={script(tmp_path / 'notify', 'echo told')}"), "-n", 1, cwd=tmp_path)
    first, kept, ran = done.stdout.splitlines()
    assert f"lock_cycle (pid {one.pid}): deadlock: threads" in first and first.count("deadlock") == 1
    assert kept.startswith("  kept kept/ompdd-") and ran == f"  ran {tmp_path / 'notify'}: exit status 0"
    assert done.stderr == "told\n"
