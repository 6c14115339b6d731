# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sockets that systemd passes (sd_listen_fds(3)). A shell takes the place of systemd."""
import os
import socket
import subprocess

import ompdd
from daemons import BIN
from targets import stopped_threads, tracer, wait_until

PASS = 'for i in $(seq 3 $((2 + LISTEN_FDS))); do eval "exec $i<&$1"; done; shift; export LISTEN_PID=$$; exec "$@"'


def activate(one, n=1, names="unix"):
    return subprocess.Popen(["bash", "-c", PASS, "bash", str(one.fileno()), str(BIN / "ompdd")], pass_fds=[one.fileno()],
                            env={**os.environ, "LISTEN_FDS": str(n), "LISTEN_FDNAMES": names}, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process, status=0):
    process.terminate()
    out, err = process.communicate(timeout=600)
    assert process.returncode == status, err
    return out + err


def test_a_passed_socket_is_served_and_left_alone(tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))
        one.listen()
        process = activate(one)
        try:
            with ompdd.connect(f"unix:{path}") as client:
                assert client.daemon.info()["listeners"] == [f"unix:{path}"]
        finally:
            end(process)
    assert path.exists(), "it belongs to systemd"


def test_what_is_no_listening_socket_is_refused(tmp_path):
    with open(tmp_path / "file", "w", encoding="ascii") as one:
        process = activate(one)
        assert process.wait(600) == 1
        assert "fd 3 from systemd is not a listening socket" in end(process, 1)


def test_too_many_are_refused(tmp_path):
    with open(tmp_path / "file", "w", encoding="ascii") as one:
        process = activate(one, 17, ":".join(17 * ["x"]))
        assert process.wait(600) == 1
        assert "systemd has passed 17 sockets; at most 16" in end(process, 1)


def test_names_that_do_not_fit(tmp_path):
    with open(tmp_path / "file", "w", encoding="ascii") as one:
        process = activate(one, 1, "one:two")
        assert process.wait(600) == 1
        assert "LISTEN_FDNAMES" in end(process, 1)


def assert_goes_on(target):
    """It counts its rounds: they increase, and nothing traces or stops it."""
    def rounds():
        target.signal()
        return target.read_line()["rounds"]
    wait_until(lambda: not stopped_threads(target.pid) and not tracer(target.pid), "nobody traces it")
    before = rounds()
    wait_until(lambda: rounds() > before, "it counts on")


def test_a_new_daemon_takes_over(program, tmp_path):
    """A restart as systemd does it: the socket stays, clients that connect meanwhile wait, and the target continues."""
    target = program("rounds", 2)
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))
        one.listen()
        old = activate(one)
        try:
            with ompdd.connect(f"unix:{path}", timeout=600) as client:
                first = client.target.attach(pid=target.pid, mode="stop", max_stop_ms=60000)["target"]
                client.breakpoint.set(target=first, function="chore")
                wait_until(lambda: client.target.info(target=first)["state"] == "breakpoint", "a thread comes there")
        finally:
            end(old)
        # No process accepts now.
        with socket.socket(socket.AF_UNIX) as waiting:
            waiting.connect(str(path))
            waiting.sendall(b'{"jsonrpc":"2.0","id":1,"method":"daemon.info"}\n')
            assert_goes_on(target)
            new = activate(one)
            try:
                answer = waiting.makefile().readline()
                assert '"id":1' in answer and f"unix:{path}" in answer, answer
                with ompdd.connect(f"unix:{path}", timeout=600) as client:
                    assert client.target.attach(pid=target.pid, mode="observe")["target"] == "t1"
            finally:
                end(new)
    assert_goes_on(target)
