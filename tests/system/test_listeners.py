# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Listeners: addresses of a daemon, access with tokens, and a start after another daemon."""
import http.client
import json
import os
import shutil
import signal
import stat
import subprocess

import pytest
import validator
from daemons import BIN
from targets import read_text
from wire import Wire, error_name, line, post, request, still_answers

# TCP and HTTP listeners with their token.

@pytest.fixture
def net_daemon(daemons, tmp_path):
    """TCP and HTTP beside the unix socket; .token, .tcp and .http are the token and the addresses."""
    folder = tmp_path / "private"
    folder.mkdir(mode=0o700)
    one = daemons("--token-file", folder / "token", "--log-level", "info", listen=[f"unix:{tmp_path / 'd0' / 'ompdd.sock'}", "tcp:127.0.0.1:0",
                                                           "http:127.0.0.1:0"])
    one.token_file = folder / "token"
    one.token = one.token_file.read_text().strip()

    def address(uri):
        host, _, port = uri.split(":", 1)[1].rpartition(":")
        return host, int(port)
    one.tcp, one.http = address(one.uris[1]), address(one.uris[2])
    return one


def test_ready_lines_name_the_ports(net_daemon):
    assert net_daemon.uris[1].startswith("tcp:127.0.0.1:") and net_daemon.tcp[1] > 0
    assert net_daemon.uris[2].startswith("http:127.0.0.1:") and net_daemon.http[1] > 0
    with net_daemon.wire() as wire:
        assert wire.ask()["result"]["listeners"] == net_daemon.uris


def test_token_file_is_private(net_daemon):
    found = net_daemon.token_file.stat()
    assert stat.S_IMODE(found.st_mode) == 0o600
    assert len(net_daemon.token) >= 64 and set(net_daemon.token) <= set("0123456789abcdef")
    assert net_daemon.token not in net_daemon.read_log()
    assert net_daemon.token not in read_text(f"/proc/{net_daemon.pid}/cmdline")


def test_socket_is_private(daemon):
    found = os.stat(daemon.path)
    assert stat.S_ISSOCK(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o600


@pytest.mark.parametrize("wrong", ["socket", "token"])
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_folders_that_others_can_write_are_refused(wrong, mode, tmp_path):
    """A folder above: its writers could replace everything below."""
    for name in ("socket", "token"):
        (tmp_path / name / "inner").mkdir(parents=True, mode=0o700)
    (tmp_path / wrong).chmod(mode)
    with subprocess.Popen([BIN / "ompdd", "--listen", f"unix:{tmp_path}/socket/inner/s", "--listen", "tcp:0", "--token-file", tmp_path / "token" / "inner" / "t"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        listens = one.stdout.readline()
        one.terminate()
        said = one.stderr.read()
        assert not listens and one.wait(600) > 0, said
    assert f"{tmp_path / wrong} is writable by other users (mode {mode:04o})" in said and "chmod go-w" in said
    assert not any((tmp_path / name / "inner" / file).exists() for name, file in (("socket", "s"), ("token", "t")))


def test_tcp_with_the_token(net_daemon, program):
    one = program("nested", 2, 2)
    with net_daemon.connect(net_daemon.uris[1], token=net_daemon.token) as client:
        target = client.target.attach(pid=one.pid, mode="observe")["target"]
        assert len(client.thread.list(target=target)["threads"]) == len(one.lines)


@pytest.mark.parametrize("first", ["nothing", "wrong", "empty"])
def test_tcp_without_the_token(first, net_daemon):
    with Wire(net_daemon.tcp) as wire:
        if first == "nothing":
            wire.send(line(request()))
        else:
            wire.send(line(request("rpc.authenticate", {"token": "" if first == "empty" else "0" * 64})))
        assert error_name(wire.answer()) in ("unauthorized", "invalid_params")
        assert wire.at_end()
    assert still_answers(net_daemon)


def test_http_listener_needs_the_token(net_daemon):
    connection = http.client.HTTPConnection(*net_daemon.http, timeout=600)
    for headers, status in (({}, 401), ({"Authorization": "Bearer " + "0" * 64}, 401), ({"Authorization": "Basic abc"}, 401),
                            ({"Authorization": f"Bearer {net_daemon.token}"}, 200)):
        answer, text = post(connection, request(), headers=headers)
        assert answer.status == status, text
        assert (b'"result"' in text) == (status == 200)
    connection.close()


def test_http_listener_checks_the_host_with_its_port(net_daemon):
    good = {"Authorization": f"Bearer {net_daemon.token}"}
    port = net_daemon.http[1]
    for host, status in ((f"localhost:{port}", 200), (f"127.0.0.1:{port}", 200), (f"LocalHost:{port}", 200),
                         (f"localhost:{port + 1}", 403), (f"localhost6:{port}", 403), (f"127.0.0.1.evil.example:{port}", 403),
                         (f"rebound.example:{port}", 403), ("", 403)):
        connection = http.client.HTTPConnection(*net_daemon.http, timeout=600)
        answer, text = post(connection, request(), headers={**good, "Host": host})
        assert answer.status == status, (host, text)
        connection.close()


def test_http_client_on_the_raw_port_costs_only_itself(net_daemon):
    """Delve's lesson: `curl http://localhost:PORT/` must not end the session."""
    with Wire(net_daemon.tcp) as wire:
        wire.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        error = wire.answer()["error"]
        assert error["data"]["name"] == "parse_error" and "--listen http:" in error["data"]["hint"]
        assert wire.at_end()
    done = subprocess.run(["curl", "-sS", "--max-time", "10", f"http://127.0.0.1:{net_daemon.tcp[1]}/"], capture_output=True)
    assert done.returncode != 0 or b"parse_error" in done.stdout
    assert still_answers(net_daemon)


@pytest.mark.parametrize("sent", [b"POST /rpc HTTP/1.1\r\nHo", b"POST /rpc HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n"
                                  b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"])
def test_http_listener_lets_go_of_half_requests(sent, net_daemon):
    """The end of the client's stream comes together with its last bytes, which are incomplete: well before the limit of
    30 s.
    """
    sent = sent if b"%" not in sent else sent % (net_daemon.http[1], net_daemon.token.encode())
    for _ in range(3):
        # Both are available when the daemon reads.
        os.kill(net_daemon.pid, signal.SIGSTOP)
        with Wire(net_daemon.http) as wire:
            wire.send(sent).end()
            os.kill(net_daemon.pid, signal.SIGCONT)
            assert wire.at_end()
    assert still_answers(net_daemon)


def test_json_on_the_http_port_is_no_rpc(net_daemon):
    with Wire(net_daemon.http) as wire:
        wire.send(line(request())).end()
        data = b""
        while True:
            more = wire.socket.recv(65536)
            if not more:
                break
            data += more
        assert b'"result"' not in data
    assert still_answers(net_daemon)


# Starting.

def start(*args, **env):
    return subprocess.run([str(BIN / "ompdd"), *map(str, args)], capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL,
                          env={**os.environ, **env})


@pytest.mark.parametrize("args", [["--listen", "carrier-pigeon:x"], ["--listen", "tcp:nowhere:x"], ["--no-such-option"], ["surplus"],
                                  ["--listen", "unix:"], ["--listen", "tcp:127.0.0.1:70000"]])
def test_wrong_command_line_is_usage(args):
    done = start(*args)
    assert done.returncode not in (0, -6, -11) and done.stderr.strip() and not done.stdout


def test_tcp_without_token_file_does_not_start():
    done = start("--listen", "tcp:127.0.0.1:0")
    assert done.returncode != 0 and "--token-file" in done.stderr


def test_remote_address_is_refused_unless_asked_for(tmp_path):
    done = start("--listen", "tcp:0.0.0.0:0", "--token-file", tmp_path / "t")
    assert done.returncode != 0 and "--allow-remote" in done.stderr


def test_second_daemon_on_the_same_socket(daemon):
    done = start("--listen", f"unix:{daemon.path}")
    assert done.returncode != 0 and daemon.path in done.stderr
    assert still_answers(daemon)


def test_stale_socket_of_a_killed_daemon_is_taken_over(daemons):
    first = daemons()
    first.kill()
    assert os.path.exists(first.path)
    done = subprocess.Popen([str(BIN / "ompdd"), "--listen", f"unix:{first.path}"], stdout=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL)
    try:
        assert done.stdout.readline().strip() == f"listening on unix:{first.path}"
    finally:
        done.terminate()
        assert done.wait(600) == 0
        done.stdout.close()


def test_default_socket_is_in_the_runtime_dir(tmp_path):
    shutil.rmtree(tmp_path / "run", ignore_errors=True)
    (tmp_path / "run").mkdir(mode=0o700)
    one = subprocess.Popen([str(BIN / "ompdd")], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                           env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run")})
    try:
        path = tmp_path / "run" / "ompdd" / "ompdd.sock"
        assert one.stdout.readline().strip() == f"listening on unix:{path}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    finally:
        one.terminate()
        assert one.wait(600) == 0
        one.stdout.close()
    assert not path.exists()


def test_stdio_listener_ends_with_its_input(program):
    one = program("flat", 3)
    process = subprocess.Popen([str(BIN / "ompdd"), "--listen", "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(line(request("target.attach", {"pid": one.pid, "mode": "stop"}, ident="a")))
    process.stdin.flush()
    first = json.loads(process.stdout.readline())
    validator.check_response(first, "target.attach")
    process.stdin.write(line(request("snapshot.get", {"target": first["result"]["target"]}, ident="b")))
    process.stdin.close()
    second = json.loads(process.stdout.readline())
    validator.check_response(second, "snapshot.get")
    assert [first["id"], second["id"]] == ["a", "b"]
    assert process.stdout.read() == b"" and process.wait(600) == 0
    process.stdout.close()
