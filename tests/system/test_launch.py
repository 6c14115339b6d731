# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""target.launch: where it stops, what the program inherits, why it fails.

The end of launched programs: test_launch_ends.py.
"""
import os
import resource
import shutil
import subprocess

import ompdd
import pytest
from conftest import PROGRAMS, fails
from control import Hits
from launched import compiled, ended, launch  # noqa: F401
from snapshots import check_oracle, check_structure
from targets import OMPRT, RUNTIME, read_text, stopped_threads, tasks, tracer, wait_until

NESTED = str(PROGRAMS / "nested")
ROUNDS = str(PROGRAMS / "rounds")
SLEEP = shutil.which("sleep")


def run(client, tmp_path, *argv, **params):
    """Launch a program and wait for its end. Return its output and its exit status."""
    output = tmp_path / "said"
    result = client.target.launch(argv=list(argv), stdout=str(output), stderr=str(output), **params)
    info = ended(client, result["target"])
    client.target.detach(target=result["target"])
    return output.read_text(), info["exit"]


# Places where it stops.

def test_it_runs(launch, client):
    one = launch(client, "nested", 2, 3)
    result = one.result
    assert result["launched"] is True and result["mode"] == "stop" and result["exe"] == NESTED
    assert result["state"] in ("running", "exited") and "stop" not in result and "exit" not in result
    one.wait_ready()
    assert not tracer(one.pid), "nothing is traced without need"
    snapshot = check_structure(client.snapshot.get(target=one.target))
    for line in one.oracle().values():
        check_oracle(snapshot, line)
    assert client.target.info(target=one.target)["runtime"]["kind"] == RUNTIME
    assert client.target.list()["targets"] == [{"target": one.target, "pid": one.pid, "mode": "stop",
                                                "max_stop_ms": result["max_stop_ms"], "state": "attached"}]
    client.target.stop(target=one.target)
    assert len(stopped_threads(one.pid)) == len(one.lines)
    assert client.snapshot.get(target=one.target)["consistency"] == "stopped"
    client.target.resume(target=one.target)
    one.runs_free()
    client.target.detach(target=one.target)


def test_stop_at_exec(launch, client):
    one = launch(client, "nested", 2, 3, stop_at="exec")
    assert one.result["state"] == "held" and one.result["stop"] == {"reason": "launch", "own": True, "tid": one.pid}
    assert stopped_threads(one.pid) == [one.pid] and "libc.so" not in read_text(f"/proc/{one.pid}/maps")
    assert os.readlink(f"/proc/{one.pid}/exe") == NESTED and one.text() == ""
    with fails("no_openmp_runtime"):
        client.snapshot.get(target=one.target)
    assert client.stack.get(target=one.target, thread=one.pid)["frames"]
    events = client.event.poll()["events"]
    assert [(event["type"], event.get("pid")) for event in events] == [("attached", one.pid), ("stopped", None)]
    assert client.target.resume(target=one.target)["state"] == "running"
    one.wait_ready()
    snapshot = check_structure(client.snapshot.get(target=one.target))
    for line in one.oracle().values():
        check_oracle(snapshot, line)


def test_stop_at_main(launch, client):
    one = launch(client, "rounds", 2, stop_at="main")
    stop = one.result["stop"]
    assert (stop["reason"], stop["function"], stop["offset"], stop["tid"]) == ("launch", "main", 0, one.pid)
    assert one.result["runtime"]["kind"] == RUNTIME and one.text() == "" and tasks(one.pid) == [one.pid]
    frame = client.stack.get(target=one.target, thread=one.pid)["frames"][0]
    assert frame["function"] == "main" and frame["pc"] == stop["address"]
    if OMPRT:
        # The breakpoint exists from the start.
        snapshot = check_structure(client.snapshot.get(target=one.target))
        assert snapshot.threads[one.pid]["state"]["name"] == "ompt_state_work_serial" and snapshot.parallel_of(one.pid)["level"] == 0
    else:
        with fails("openmp_not_started"):
            client.snapshot.get(target=one.target)
    hits = Hits(client, one.target)
    client.breakpoint.set(target=one.target, function="work", once=True)
    client.target.resume(target=one.target)
    assert client.target.info(target=one.target)["launched"] is True
    event = hits.next()
    assert client.target.info(target=one.target)["stop"]["function"] == "work"
    assert client.snapshot.get(target=one.target)["epoch"] == event["epoch"]
    client.target.resume(target=one.target)


def address_of_main(path):
    for text in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
        if text.endswith(" T main"):
            return int(text.split()[0], 16)
    raise AssertionError("no main")


def base_of(pid, exe):
    return min(int(text.split("-")[0], 16) for text in read_text(f"/proc/{pid}/maps").splitlines() if text.endswith(exe))


def test_stop_at_main_of_a_stripped_program(launch, client, tmp_path):
    path = str(tmp_path / "stripped")
    subprocess.run(["strip", "-o", path, NESTED], check=True)
    one = launch(client, "nested", 2, 3, path=path, stop_at="main")
    assert int(one.result["stop"]["address"], 16) == base_of(one.pid, path) + address_of_main(NESTED)
    assert "warnings" not in one.result and one.text() == ""
    client.target.resume(target=one.target)
    one.wait_ready()


def test_static_programs(launch, client, tmp_path):
    source = "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n"
    path = compiled(tmp_path, "static", source, "-static")
    one = launch(client, "static", path=path, stop_at="main")
    assert one.result["stop"]["function"] == "main"
    client.target.resume(target=one.target)
    path = compiled(tmp_path, "static-stripped", source, "-static", "-s")
    other = launch(client, "static", path=path, stop_at="main")
    assert [warning["name"] for warning in other.result["warnings"]] == ["symbol_not_found"]
    assert other.result["state"] == "held" and stopped_threads(other.pid) == [other.pid]
    client.target.resume(target=other.target)


@pytest.mark.parametrize("event", ["parallel_begin", "task_begin", "thread_begin"])
def test_stop_at_an_event(launch, client, event):
    hits = None
    one = launch(client, "rounds", 3, stop_at=event)
    assert one.result["state"] in ("running", "breakpoint")
    hits = Hits(client, one.target, since=0)
    hit = hits.next()
    assert hit["event"] == event
    info = client.target.info(target=one.target)
    assert info["state"] == "breakpoint" and info["stop"]["event"] == event and info["stop"]["own"]
    assert client.breakpoint.list(target=one.target)["breakpoints"] == [], "it was for once"
    if event == "task_begin":  # At the other places the runtime has no team yet.
        assert client.snapshot.get(target=one.target)["threads"]
    client.target.resume(target=one.target)
    one.wait_ready()
    one.signal()
    assert one.read_line()["failed"] == 0


def test_stop_at_an_event_that_cannot_be(launch, client):
    """The program is stopped before its own code, and the warning gives the reason."""
    one = launch(client, "sleep", 1000, path=SLEEP, stop_at="parallel_begin")
    assert [warning["name"] for warning in one.result["warnings"]] == ["no_openmp_runtime"]
    assert one.result["state"] == "held" and one.result["stop"]["reason"] == "launch"
    assert "libc.so" in read_text(f"/proc/{one.pid}/maps")
    client.target.resume(target=one.target)


def test_end_on_the_way(client, tmp_path):
    """The dynamic loader fails: that is the end of the program, not a failure to start it."""
    (tmp_path / "libgomp.so.1").write_text("no library")
    output = tmp_path / "said"
    result = client.target.launch(argv=[NESTED, "2"], env={"LD_LIBRARY_PATH": str(tmp_path)}, stop_at="main", stderr=str(output))
    assert result["state"] == "exited" and result["exit"] == {"status": 127}
    assert "libgomp.so.1" in output.read_text()
    kinds = wait_until(lambda: (lambda events: events if events[-1]["type"] == "exited" else None)(client.event.poll()["events"]),
                       "its end is reported")
    assert [event["type"] for event in kinds] == ["attached", "exited"] and kinds[-1]["exit"] == {"status": 127}


def test_initialisers_that_do_not_return(launch, client, tmp_path):
    library = compiled(tmp_path, "slow.so", "#include <unistd.h>\n__attribute__((constructor)) void f(void) { pause(); }\n",
                       "-shared", "-fPIC")
    one = launch(client, "nested", 2, env={"LD_PRELOAD": library}, stop_at="main")
    assert [warning["name"] for warning in one.result["warnings"]] == ["stop_timeout"]
    assert one.result["state"] == "running"
    one.runs_free()


def test_exec_on_the_way(client, tmp_path):
    """A program that executes another one in an initialiser never reaches its main()."""
    library = compiled(tmp_path, "exec.so", "#include <unistd.h>\n__attribute__((constructor)) void f(void)"
                       "{ unsetenv(\"LD_PRELOAD\"); execl(\"/bin/true\", \"true\", (char *)0); }\n", "-shared", "-fPIC",
                       "-include", "stdlib.h")
    result = client.target.launch(argv=[NESTED], env={"LD_PRELOAD": library}, stop_at="main")
    assert result["state"] in ("running", "exited")
    types = wait_until(lambda: (lambda t: t if "exited" in t else None)([e["type"] for e in client.event.poll()["events"]]), "its end")
    assert types == ["attached", "exec", "exited"]


@pytest.mark.parametrize("wrapper", [["env", "WRAPPED=1"], ["sh", "-c", 'exec "$0" "$@"'], ["nice", "env"]])
def test_programs_that_become_others(launch, client, wrapper):
    """Requests, and target.kill, apply to the program that it has become."""
    path = shutil.which(wrapper[0])
    one = launch(client, *wrapper, ROUNDS, 2, path=path, stop_at="main")
    assert one.result["exe"] == os.path.realpath(path)
    client.breakpoint.set(target=one.target, function="pause")
    client.target.resume(target=one.target)
    one.wait_ready()
    info = client.target.info(target=one.target)
    assert info["exe"] == ROUNDS and info["launched"] is True and info["state"] == "running"
    assert client.breakpoint.list(target=one.target)["breakpoints"] == []
    assert {thread["tid"] for thread in client.snapshot.get(target=one.target)["threads"]} == set(one.lines)
    hits = Hits(client, one.target)
    client.breakpoint.set(target=one.target, function="work", once=True)
    hits.next()
    client.target.resume(target=one.target)
    assert "exec" in [event["type"] for event in client.event.poll()["events"]]
    one.expect_end = True
    assert client.target.kill(target=one.target)["state"] == "exited"


def test_exec_within_a_request(launch, client):
    """A request keeps its view of the target: it fails when the program executes another one meanwhile, and the next
    request succeeds.
    """
    one = launch(client, "execs", 100)
    requests = [("ompd.get_thread_handle", {"kind": "OMPD_THREAD_ID_LWP", "thread_id": one.pid}), ("ompd.get_display_control_vars", {}),
                ("diagnose.get", {"interval_ms": 20}), ("snapshot.get", {}), ("profile.start", {"rate_hz": 1000})]
    answered = set()

    def ask(method, params):
        try:
            client.call(method, {"target": one.target, **params})
            answered.add(method)
        except ompdd.Error as error:
            assert error.name in ("target_exec", "target_exiting", "no_openmp_runtime", "openmp_not_started", "profile_running",
                                  "memory_unreadable", "already_traced") or error.name.startswith("ompd_rc_"), error
    for method, params in requests * 60:
        ask(method, params)
    # Beside other load, the new program may not get a CPU for a while, and then has no runtime yet.
    for method, params in requests:
        wait_until(lambda method=method, params=params: method in answered or ask(method, params), f"an answer to {method}")
    one.expect_end = True
    assert client.target.kill(target=one.target)["state"] == "exited"
    assert ended(client, one.target)["exit"]["signal"] == 9


# Inherited and not inherited properties.

def test_surroundings(daemons, tmp_path):
    """No descriptors of ours or the worker's: as if a shell had started it."""
    daemon = daemons(env={"FROM_OMPDD": "1", "REPLACED": "no", "GONE": "yes"})
    with daemon.connect() as client:
        said, how = run(client, tmp_path, "cat", "/proc/self/status")
        assert how == {"status": 0}
        status = dict(text.split(":\t", 1) for text in said.splitlines() if ":\t" in text)
        assert status["SigBlk"] == status["SigIgn"] == "0" * 16
        assert status["NoNewPrivs"] == "0" and status["TracerPid"] == "0" and status["NSpid"] == status["NSsid"] == status["NSpgid"]
        said, _ = run(client, tmp_path, "ls", "/proc/self/fd")
        assert said.split() == ["0", "1", "2", "3"], "3 is the folder that ls reads"
        said, _ = run(client, tmp_path, "sh", "-c", "ulimit -c; ulimit -Hc; ulimit -n; ulimit -Hn; umask")
        limits = [resource.getrlimit(which)[i] for which in (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE) for i in (0, 1)]
        mask = os.umask(0o22)
        os.umask(mask)
        assert said.split() == ["unlimited" if value < 0 else str(value) for value in limits] + [f"{mask:04o}"]
        said, _ = run(client, tmp_path, "env", env={"ADDED": "a b", "REPLACED": "yes", "GONE": None, "NEVER": None})
        got = dict(text.split("=", 1) for text in said.splitlines() if "=" in text)
        assert got["FROM_OMPDD"] == "1" and got["ADDED"] == "a b" and got["REPLACED"] == "yes"
        assert "GONE" not in got and "NEVER" not in got and got["PATH"] == os.environ["PATH"]
        assert not any(name.startswith(("OMPDD_ENV_", "LC_ALL")) for name in got if name not in os.environ)


def test_folder_and_files(client, tmp_path):
    assert run(client, tmp_path, "pwd", cwd=str(tmp_path))[0].strip() == os.path.realpath(tmp_path)
    (tmp_path / "tool").write_text("#!/bin/sh\necho out $*; echo err >&2; exit 3\n")
    (tmp_path / "tool").chmod(0o755)
    # A path is relative to cwd; a name is searched for in the program's own PATH. Both outputs are one file, without
    # losses.
    assert run(client, tmp_path, "./tool", "a b", "", cwd=str(tmp_path)) == ("out a b\nerr\n", {"status": 3})
    assert run(client, tmp_path, "tool", "x", env={"PATH": f"/bin:{tmp_path}"}) == ("out x\nerr\n", {"status": 3})
    (tmp_path / "given").write_text("some text")
    assert run(client, tmp_path, "cat", stdin=str(tmp_path / "given"))[0] == "some text"
    assert run(client, tmp_path, "cat")[0] == "", "its standard input is empty unless it is given one"
    said, _ = run(client, tmp_path, "ls", "-l", "/proc/self/fd/0")
    assert "/dev/null" in said
    result = client.target.launch(argv=["sh", "-c", "echo lost; exit 9"])
    assert ended(client, result["target"])["exit"] == {"status": 9}


def test_core_limit(client, tmp_path):
    """The worker may not dump core. The program may, if ompdd could."""
    result = client.target.launch(argv=["sh", "-c", "ulimit -c unlimited && kill -ABRT $$"], cwd=str(tmp_path))
    how = ended(client, result["target"])["exit"]
    assert how["signal"] == 6 and how["signal_name"] == "SIGABRT" and isinstance(how["core_dumped"], bool)


# Reasons for failures.

@pytest.mark.parametrize("params,step,words", [
    ({"argv": ["no-such-program"]}, "exec", "PATH"),
    ({"argv": ["/no/such/program"]}, "exec", "No such file"),
    ({"argv": ["/tmp"]}, "exec", "folder"),
    ({"argv": ["/dev/null"]}, "exec", "not a regular file"),
    ({"argv": ["/etc/passwd"]}, "exec", "not executable"),
    ({"argv": ["./nested"]}, "exec", "./nested"),
    ({"argv": ["true"], "cwd": "/no/such/folder"}, "cwd", "/no/such/folder"),
    ({"argv": ["true"], "cwd": "/etc/passwd"}, "cwd", "Not a directory"),
    ({"argv": ["true"], "stdin": "/no/file"}, "stdin", "/no/file"),
    ({"argv": ["true"], "stdout": "/no/file"}, "stdout", "/no/file"),
    ({"argv": ["true"], "stderr": "/"}, "stderr", "directory"),
    ({"argv": ["true"], "env": {"PATH": "/nowhere"}}, "exec", "PATH"),
    ({"argv": ["true"] + ["x" * 100000] * 8, "env": {"BIG": "y" * 131072}}, "exec", "exceed"),
])
def test_errors(client, params, step, words):
    before = client.daemon.info()["targets"]
    with fails("launch_failed") as failure:
        client.target.launch(**params)
    assert failure.error.data["step"] == step and words in failure.error.message, failure.error
    assert client.daemon.info()["targets"] == before


def test_errors_of_files(client, tmp_path):
    (tmp_path / "script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "script").chmod(0o755)
    with fails("launch_failed") as failure:
        client.target.launch(argv=[str(tmp_path / "script")])
    assert "interpreter" in failure.error.message
    os.mkfifo(tmp_path / "fifo")
    with fails("launch_failed") as failure:
        client.target.launch(argv=["true"], stdout=str(tmp_path / "fifo"))
    assert "no process reads" in failure.error.message


@pytest.mark.parametrize("params,pointer", [
    ({}, "/params/argv"),
    ({"argv": []}, "/params/argv"),
    ({"argv": "true"}, "/params/argv"),
    ({"argv": [""]}, "/params/argv/0"),
    ({"argv": ["x" * 5000]}, "/params/argv/0"),
    ({"argv": ["true", 5]}, "/params/argv/1"),
    ({"argv": ["true"] * 16385}, "/params/argv"),
    ({"argv": ["true"], "env": ["A=b"]}, "/params/env"),
    ({"argv": ["true"], "env": {"A": 1}}, "/params/env/A"),
    ({"argv": ["true"], "env": {"": "x"}}, "/params/env/"),
    ({"argv": ["true"], "env": {"A=B": "x"}}, "/params/env/A=B"),
    ({"argv": ["true"], "env": {"a/b": False}}, "/params/env/a~1b"),
    ({"argv": ["true"], "cwd": "relative"}, "/params/cwd"),
    ({"argv": ["true"], "stdout": "out.txt"}, "/params/stdout"),
    ({"argv": ["true"], "stop_at": "start"}, "/params/stop_at"),
    ({"argv": ["true"], "pid": 1}, "/params/pid"),
])
def test_bad_parameters(client, params, pointer):
    with fails("invalid_params", pointer):
        client.call("target.launch", params, validate=False)
    assert client.target.list()["targets"] == []
