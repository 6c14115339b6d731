# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sockets that systemd passes (sd_listen_fds(3)): a shell stands in for it."""
import socket
import subprocess

import ompdd
from daemons import BIN

PASS = 'exec 3<&"$1"; shift; export LISTEN_PID=$$; exec "$@"'


def activate(one, n=1, names=""):
    return subprocess.Popen(["bash", "-c", PASS, "bash", str(one.fileno()), str(BIN / "ompdd")], pass_fds=[one.fileno()],
                            env={"LISTEN_FDS": str(n), "LISTEN_FDNAMES": names}, stdin=subprocess.DEVNULL,
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
        assert process.wait(20) == 1
        assert "fd 3 from systemd is no listening socket" in end(process, 1)


def test_too_many_are_refused(tmp_path):
    with open(tmp_path / "file", "w", encoding="ascii") as one:
        process = activate(one, 17)
        assert process.wait(20) == 1
        assert "systemd has passed 17 sockets; at most 16" in end(process, 1)
