# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdd-dap without a native debugger: it observes processes and cores, and in mode stop it debugs OpenMP by itself."""
import os
import re
import socket
import subprocess

import cores
import pytest
from dap import Dap, LABEL, SOURCE, line_of
from targets import alive, stopped_threads, tracer, wait_until


def attached(dap, **arguments):
    dap.initialize()
    number = dap.send("attach", **arguments)
    dap.event("initialized")
    assert dap.answer(number)["success"]
    return dap


def configured(dap, **arguments):
    attached(dap, **arguments).ask("configurationDone")
    return dap


def check_view(dap, n):
    """The client's view of @n threads that are all in regions."""
    threads = dap.threads()
    assert len(threads) == n
    for thread in threads:
        assert re.match(r"\d+\.\d+ ", thread["name"])
        stack = dap.stack(thread["id"])
        assert stack[-1]["name"] == "main"
        assert any(frame.get("presentationHint") == "label" for frame in stack)
        assert dap.variables(stack[0]["id"], "Thread")["tid"] == str(thread["id"])
        assert dap.variables(stack[0]["id"], "Region")["level"] != "0"
        assert dap.variables(stack[0]["id"], "Task ICVs")
        assert dap.variables(stack[-1]["id"], "Region")["level"] == "0"
    return threads


def test_observing_a_running_process(adapter, program):
    one = program("nested", 2, 2)
    dap = configured(adapter(Dap.PROGRAM, "--observe"), pid=one.pid, mode="observe")
    assert "runs on" in dap.event("stopped")["description"]
    check_view(dap, len(one.lines))
    assert not stopped_threads(one.pid) and not tracer(one.pid), "nothing stands, nobody traces"
    assert dap.ask("ompdd/tree")["consistency"] in ("proven", "racy")
    assert dap.ask("setBreakpoints", source={"path": "/x.c"}, breakpoints=[{"line": 1}])["breakpoints"][0]["verified"] is False
    assert "stops nothing" in dap.fail("next", threadId=one.pid)
    dap.ask("continue", threadId=one.pid)
    dap.ask("pause", threadId=one.pid)
    dap.event("stopped")
    check_view(dap, len(one.lines))
    dap.end()
    assert alive(one.pid)


def test_a_profile(adapter, program):
    one = program("ticks", 2)
    dap = configured(adapter(Dap.PROGRAM, "--observe"), pid=one.pid, mode="observe")
    assert dap.ask("ompdd/profile", action="start", rate=200)["profile"]["recording"]
    wait_until(lambda: dap.ask("ompdd/profile")["profile"]["samples"], "it has samples")
    told = [dap.event("ompdd/profile")["profile"] for _ in range(2)]
    assert all(one["recording"] for one in told) and 0 < told[0]["elapsed_us"] < told[1]["elapsed_us"]
    assert not dap.ask("ompdd/profile", action="stop")["profile"]["recording"]
    while dap.event("ompdd/profile")["profile"]["recording"]:
        pass
    assert "action" in dap.fail("ompdd/profile", action="begin")
    dap.end()


def test_a_process_of_a_daemon(adapter, program, daemon):
    one = program("flat", 3)
    dap = configured(adapter(Dap.PROGRAM), pid=one.pid, mode="observe", connect=daemon.uris[0])
    dap.event("stopped")
    check_view(dap, 3)
    dap.end()


@pytest.mark.parametrize("scheme", ("tcp", "http"))
def test_a_process_of_a_daemon_with_a_token(scheme, adapter, program, daemons, tmp_path):
    """The attach request names the token's file, or the environment does. Without a file the answer says how to name it."""
    token = tmp_path / "token"
    daemon = daemons("--token-file", token, listen=[f"{scheme}:127.0.0.1:0"])
    one = program("flat", 3)
    there = {"pid": one.pid, "mode": "observe", "connect": daemon.uris[0]}
    env = {name: value for name, value in os.environ.items() if name != "OMPDD_TOKEN_FILE"}
    for dap in (configured(adapter(Dap.PROGRAM, env=env), tokenFile=str(token), **there),
                configured(adapter(Dap.PROGRAM, env={**env, "OMPDD_TOKEN_FILE": str(token)}), **there)):
        dap.event("stopped")
        check_view(dap, 3)
        dap.end()
    for named, message in (({}, f'a {scheme}: address needs a token; "tokenFile", or $OMPDD_TOKEN_FILE, names the file'),
                           ({"tokenFile": str(tmp_path / "none")}, f"token in {tmp_path}/none: No such file")):
        dap = adapter(Dap.PROGRAM, env=env)
        dap.initialize()
        assert message in dap.fail("attach", **there, **named)
        dap.end()
    if os.geteuid() == 0:
        os.chown(token, 65534, -1)
        dap = adapter(Dap.PROGRAM, env={**env, "OMPDD_TOKEN_FILE": str(token)})
        dap.initialize()
        refused = dap.fail("attach", **there)
        assert "belongs to another user" in refused and refused.endswith('; name it with "tokenFile" to use it anyway'), refused
        dap.end()


def test_a_core(adapter, program, tmp_path):
    one = program("nested", 2, 2, env=cores.SMALL_STACKS)
    core = cores.gcore(one, tmp_path)
    dap = configured(adapter(Dap.PROGRAM), coreFile=str(core), mode="observe")
    assert dap.event("stopped")["reason"] == "exception"
    check_view(dap, len(one.lines))
    assert dap.ask("ompdd/tree")["consistency"] == "core"
    assert "core" in dap.fail("continue", threadId=one.pid)
    dap.end()


def test_why_of_a_process_that_hangs(adapter, program):
    one = program("unjoined", 3)
    dap = configured(adapter(Dap.PROGRAM), pid=one.pid, mode="observe")
    verdict = dap.ask("ompdd/why")
    assert verdict["title"] in verdict["text"]
    dap.end()


def test_refusals_say_what_to_do(adapter):
    dap = adapter(Dap.PROGRAM, "--observe")
    dap.initialize()
    assert "pid" in dap.fail("attach", mode="observe")
    dap.event("terminated")
    dap.end()
    dap = adapter(Dap.PROGRAM, "--observe")
    dap.initialize()
    assert "observe" in dap.fail("attach", mode="watch", pid=1)
    assert "starts nothing" in dap.fail("launch", mode="observe", program="/bin/true")
    dap.end()
    dap = adapter(Dap.PROGRAM, "--observe")
    dap.initialize()
    assert "connect" in dap.fail("attach", mode="observe", pid=1, connect="unix:/nowhere/at.all")
    dap.end()


STOCK_GDB = """#!/bin/sh
# gdb 13, without DAP: an import of gdb.dap fails, and so does -i dap.
echo "Interpreter \\`dap' unrecognized" >&2
exit 1
"""


def test_without_an_adapter_that_speaks_dap_initialize_succeeds(adapter, program, tmp_path):
    """Debian 12 with gdb and without lldb."""
    (tmp_path / "gdb").write_text(STOCK_GDB)
    (tmp_path / "gdb").chmod(0o755)
    for argv, request, name in (((Dap.PROGRAM,), "attach", "gdb"), ((Dap.PROGRAM, "--native", tmp_path / "gdb"), "launch", str(tmp_path / "gdb"))):
        dap = adapter(*argv, env={"PATH": str(tmp_path)})
        dap.initialize()
        assert dap.fail(request, program="/bin/true", pid=1).startswith(f"{name} has no debug adapter")
        dap.event("terminated")
        dap.end()
    dap = adapter(Dap.PROGRAM, env={"PATH": "/nowhere"})
    dap.initialize()
    assert "no native debug adapter is installed" in dap.fail("attach", pid=1)
    dap.end()
    # Mode observe needs no native adapter.
    one = program("flat", 2)
    dap = configured(adapter(Dap.PROGRAM, env={"PATH": str(tmp_path)}), pid=one.pid, mode="observe")
    assert not dap.caps["supportsConditionalBreakpoints"] and not dap.caps["supportsFunctionBreakpoints"]
    assert len(dap.threads()) == 2
    dap.end()


@pytest.mark.parametrize("settings", [{"pid": "123"}, {"pid": 1.5}, {"pid": True}, {"mode": 5}, {"coreFile": 1, "mode": "observe"}, {"nativeAdapter": 5},
                                      {"nativeAdapter": []}, {"nativeAdapter": ["lldb", 1]}, {"connect": 1, "mode": "observe"}, {"args": "a b", "mode": "stop"},
                                      {"env": ["A=B"], "mode": "stop"}, {"stopOnEntry": "yes", "mode": "stop"}])
def test_settings_of_another_type_are_refused(settings, adapter):
    dap = adapter(Dap.PROGRAM)
    dap.initialize()
    name = next(iter(settings))
    for more in ({}, {"mode": "observe"}) if name == "pid" else ({},):
        assert dap.fail("attach", **{**settings, **more}).startswith(f'"{name}" must be ')
    dap.end()


def launch(dap, debuggee, *args, **more):
    dap.initialize()
    return dap.launch(debuggee, *args, mode="stop", **more)


def test_launch_without_a_native_adapter_uses_mode_stop(adapter, debuggee, tmp_path):
    (tmp_path / "gdb").write_text(STOCK_GDB)
    (tmp_path / "gdb").chmod(0o755)
    for path in ("/nowhere", tmp_path):
        dap = adapter(Dap.PROGRAM, env={"PATH": str(path)})
        dap.initialize()
        dap.launch(debuggee, 3, 2, functions=["omp:parallel_begin"])
        assert "mode stop" in dap.event("output", category="console")["output"]
        assert dap.event("stopped")["reason"] == "function breakpoint"
        dap.end()


def test_events_lines_and_functions_stop_it(adapter, debuggee):
    dap = adapter(Dap.PROGRAM, "--observe")
    told = launch(dap, debuggee, 3, 2, lines=[line_of("joined")], source=SOURCE, functions=["omp:parallel_begin", "add", "omp:x"])
    assert [one["verified"] for one in told["functions"]["breakpoints"]] == [True, True, False]
    assert told["lines"]["breakpoints"][0]["verified"], told
    first = dap.event("stopped")
    assert first["reason"] == "function breakpoint" and first["description"] == "OpenMP: a parallel region begins"
    dap.ask("setFunctionBreakpoints", breakpoints=[])
    dap.ask("continue", threadId=first["threadId"])
    second = dap.event("stopped")
    assert second["reason"] == "breakpoint"
    names = [frame["name"] for frame in dap.stack(second["threadId"])]
    assert names[-1] == "main" and "solve" in names
    threads = {thread["id"]: thread["name"] for thread in dap.threads()}
    assert threads[second["threadId"]].startswith("1.")
    dap.ask("setBreakpoints", source={"path": str(SOURCE)}, breakpoints=[])
    dap.ask("continue", threadId=second["threadId"])
    assert dap.event("exited")["exitCode"] == 0
    dap.event("terminated")
    output = "".join(one["body"]["output"] for one in dap.log if one.get("event") == "output")
    dap.end()
    assert "tasks 2" in output + "".join(one["body"]["output"] for one in dap.log if one.get("event") == "output")


def test_steps_into_over_and_out_of_a_region(adapter, debuggee):
    dap = adapter(Dap.PROGRAM, "--observe")
    launch(dap, debuggee, 3, 3, stopOnEntry=True)
    main = dap.event("stopped", reason="entry")["threadId"]
    assert dap.ask("stepInTargets", frameId=1)["targets"]
    dap.ask("stepIn", threadId=main)
    assert dap.event("stopped", reason="step")["threadId"]
    inside = [thread["name"] for thread in dap.threads()]
    assert [name.split()[0] for name in inside] == ["1.0", "1.1", "1.2"], "all members have come"
    dap.ask("stepOut", threadId=main)
    assert dap.event("stopped", reason="step")["threadId"] == main
    assert all(label.get("presentationHint") != "label" or "construct" not in label for label in dap.stack(main))
    dap.ask("ompdd/step", threadId=main, kind="over")
    assert dap.event("stopped", reason="step")["threadId"] == main
    dap.end()


def test_a_thread_that_ends_in_its_step(adapter, program):
    one = program("ender")
    (tid,) = one.lines
    dap = configured(adapter(Dap.PROGRAM), pid=one.pid, mode="stop")
    dap.ask("pause", threadId=tid)
    dap.event("stopped")
    dap.ask("stepIn", threadId=tid)
    one.signal()
    assert dap.event("thread", reason="exited")["threadId"] == tid
    assert "has exited before" in dap.event("output")["output"]
    assert dap.event("stopped")["reason"] == "pause"
    assert dap.threads()
    dap.end()
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "it runs on when the session has ended")


def test_pausing_an_attached_process(adapter, program):
    one = program("flat", 2)
    dap = configured(adapter(Dap.PROGRAM), pid=one.pid, mode="stop")
    assert "pause" in dap.fail("next", threadId=one.pid)
    dap.ask("pause", threadId=one.pid)
    dap.event("stopped")
    wait_until(lambda: len(stopped_threads(one.pid)) == 2, "both stand")
    check_view(dap, 2)
    dap.ask("continue", threadId=one.pid)
    wait_until(lambda: not stopped_threads(one.pid), "it runs on")
    dap.ask("pause", threadId=one.pid)
    dap.event("stopped")
    dap.end()
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "it runs on when the session has ended")


def test_what_was_launched_ends_with_the_session(adapter, debuggee):
    dap = adapter(Dap.PROGRAM)
    launch(dap, debuggee, 2, 2, stopOnEntry=True)
    pid = dap.event("process")["systemProcessId"]
    assert alive(pid)
    dap.end()
    wait_until(lambda: not alive(pid), "it has ended")


def test_one_client_on_a_port():
    with subprocess.Popen([Dap.PROGRAM, "--observe", "--port", "0"], stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().removeprefix("listening on ").strip().split(":")
        with socket.create_connection((address[0], int(address[1])), timeout=60) as connection:
            text = b'{"seq":1,"type":"request","command":"initialize","arguments":{}}'
            connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
            assert connection.recv(16) == b"Content-Length: "
        assert process.wait(60) == 0, "it ends with its client"


def test_options_that_are_none():
    for words in (["--nothing"], ["more"], ["--native"], ["--patience", "1x"], ["--patience", "-1"], ["--port", "65536"]):
        done = subprocess.run([Dap.PROGRAM, *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        assert done.returncode == 3 and "hint" in done.stderr
    assert "--observe" in subprocess.run([Dap.PROGRAM, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
