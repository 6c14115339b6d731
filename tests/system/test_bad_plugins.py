# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OMPD libraries that fail, hang or answer nonsense: an error names the library, and the daemon and the target survive."""
import os
import signal

import ompdd
import pytest
from conftest import fails
from targets import PROGRAMS, stopped_threads, tracer, wait_until

PLUGIN_DIR = PROGRAMS
# Short: a hanging library must not delay the suite.
SHORT = ["--plugin-timeout", "1000"]

EVIL = {
    "constructor_exit": {"plugin_crashed"},
    "old_version": {"plugin_incompatible"},
    "crash_initialize": {"plugin_crashed"},
    "crash": {"plugin_crashed"}, "abort": {"plugin_crashed"}, "exit": {"plugin_crashed"}, "stack": {"plugin_crashed"},
    "hang": {"plugin_hung"}, "sleep": {"plugin_hung"},
    "null_handle": {"plugin_misbehaved"}, "wild_rc": {"plugin_misbehaved"},
    "endless_icvs": {"plugin_misbehaved", None}, "endless_states": {"plugin_misbehaved", None},
    "circle": {"plugin_misbehaved", None}, "bad_strings": {"plugin_misbehaved", None}, "wild_values": {"plugin_misbehaved", None},
    # Any process may have sent SIGKILL: the error names no culprit.
    "kill": {"worker_failed"},
    "greedy": {None}, "noisy": {None}, "double_free": {"plugin_misbehaved", "plugin_crashed", None},
}


@pytest.mark.parametrize("evil", EVIL)
def test_evil_plugin(evil, mode, program, daemons):
    """Whatever the library does, the answer is an error that names it, or (None) a valid result.

    The daemon and the target survive.
    """
    daemon = daemons("--libompd", PLUGIN_DIR / f"libompd_{evil}.so", *(SHORT if "plugin_hung" in EVIL[evil] else ()))
    daemon.expect_log.append("plugin|worker")
    one = program("nested", 2, 2)
    name = None
    with daemon.connect() as client:
        try:
            target = client.target.attach(pid=one.pid, mode=mode)["target"]
            result = client.snapshot.get(target=target)
            assert len(result["threads"]) == len(one.lines)
        except ompdd.Error as error:
            name = error.name
            assert name == "worker_failed" or "libompd" in str(error) + error.hint or "path" in error.data, error.data
        assert name in EVIL[evil], name
        wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "the target runs on")
        assert client.daemon.info()["pid"] == daemon.pid
        if name in ("plugin_crashed", "plugin_hung", "worker_failed"):
            # The target is detached, and a second attach works as well (or badly) as the first.
            assert client.target.list()["targets"] == []
            try:
                client.target.attach(pid=one.pid, mode=mode)
            except ompdd.Error as error:
                assert error.name == name


def test_hanging_plugin_does_not_keep_the_target_stopped(program, daemons):
    """max_stop_ms bounds calls of the library in a stop, as for logical stacks; the plugin's time limit does not apply.
    """
    daemon = daemons("--libompd", PLUGIN_DIR / "libompd_hang.so", "--plugin-timeout", "60000")
    daemon.expect_log.append("plugin|worker")
    # One of its threads always runs: a program that sleeps is not stopped.
    one = program("stacks", "spin")
    with daemon.wire() as wire:
        target = wire.ask("target.attach", {"pid": one.pid, "mode": "stop", "max_stop_ms": 3000})["result"]["target"]
        from wire import line, request
        wire.send(line(request("stack.groups", {"target": target, "logical": True}, ident="hangs")))
        wait_until(lambda: stopped_threads(one.pid), "the stop")
        wait_until(lambda: not stopped_threads(one.pid), "the end of the stop")
        os.kill(daemon.worker(), signal.SIGKILL)  # It is still in the library, and would stay there for a minute.
        assert wire.answer("stack.groups")["error"]["data"]["name"] == "worker_failed"
        wait_until(lambda: not tracer(one.pid), "ompdd-tracer has left")
        assert not stopped_threads(one.pid)


def test_hanging_plugin_does_not_even_stop_the_target(program, daemons):
    """ompdd knows what a snapshot reads before the stop: a hanging library hangs while the target runs."""
    daemon = daemons("--libompd", PLUGIN_DIR / "libompd_hang.so", "--plugin-timeout", "5000")
    daemon.expect_log.append("plugin|worker")
    one = program("flat", 4)
    with daemon.wire() as wire:
        from wire import line, request
        target = wire.ask("target.attach", {"pid": one.pid, "mode": "stop", "max_stop_ms": 60000})["result"]["target"]
        wire.send(line(request("snapshot.get", {"target": target}, ident="hangs")))
        seen = set()
        wait_until(lambda: seen.update(stopped_threads(one.pid)) or not daemon.workers(), "the end of the library's time")
        assert wire.answer("snapshot.get")["error"]["data"]["name"] == "plugin_hung"
        assert not seen


def test_plugin_that_is_not_there(program, daemons):
    daemon = daemons("--libompd", "/nowhere/libompd.so")
    one = program("flat", 2)
    with daemon.connect() as client:
        with fails("plugin_load_failed") as failure:
            target = client.target.attach(pid=one.pid)["target"]
            client.snapshot.get(target=target)
    assert "/nowhere/libompd.so" in str(failure.error)


def test_plugin_that_is_no_library(program, daemons, tmp_path):
    (tmp_path / "libompd.so").write_text("no ELF\n")
    daemon = daemons("--libompd", tmp_path / "libompd.so")
    one = program("flat", 2)
    with daemon.connect() as client:
        with fails("plugin_load_failed"):
            target = client.target.attach(pid=one.pid)["target"]
            client.snapshot.get(target=target)


def test_plugin_without_the_routines(program, daemons):
    daemon = daemons("--libompd", PROGRAMS / "strange" / "libgomp.so.1")
    one = program("flat", 2)
    with daemon.connect() as client:
        with fails("plugin_load_failed") as failure:
            target = client.target.attach(pid=one.pid)["target"]
            client.snapshot.get(target=target)
    assert "routines" in str(failure.error), "says what is missing"
