# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl with -s http: and http+unix:, through ompdctl-http."""
import http.server
import json
import os
import re
import socket
import subprocess
import threading

import pytest
from daemons import BIN, PATIENT_STOP_MS
from targets import stopped_threads, tracer, wait_until

pytestmark = pytest.mark.skipif(not (BIN / "ompdctl-http").exists(), reason="built without libcurl")


@pytest.fixture(params=["tcp", "unix"])
def server(request, daemons, tmp_path):
    """The options for connecting ompdctl to a daemon."""
    if request.param == "unix":
        return ["-s", f"http+unix:{daemons().path}"]
    token = tmp_path / "token"
    daemon = daemons("--token-file", token, listen=["http:127.0.0.1:0"])
    return ["-s", daemon.uris[0], "--token-file", token]


def test_views(server, program, ompdctl):
    one = program("nested", 2, 3)
    alone = ompdctl("-p", one.pid, "tree").stdout
    done = ompdctl(*server, "-p", one.pid, "tree")
    assert done.stdout.splitlines()[2:] == alone.splitlines()[2:] and not done.stderr
    assert ompdctl(*server, "targets").stdout.startswith("no targets"), "it was let go"


def test_attach_is_not_for_one_command(server, program, ompdctl):
    one = program("flat", 2)
    target = ompdctl(*server, "attach", "-p", one.pid).stdout.split()[0].rstrip(":")
    assert f"(pid {one.pid})" in ompdctl(*server, "-t", target, "threads").stdout
    assert json.loads(ompdctl(*server, "-t", target, "snapshot", "--json").stdout)["pid"] == one.pid
    ompdctl(*server, "detach", target)
    assert "no_such_target" in ompdctl(*server, "-t", target, "threads", status=1).stderr


def test_large_answers(server, program, ompdctl):
    one = program("flat", 300)
    result = json.loads(ompdctl(*server, "-p", one.pid, "snapshot", "--json").stdout)
    assert len(result["threads"]) == 300


def test_break(server, program, ompdctl):
    one = program("rounds", 2)
    done = ompdctl(*server, "break", "chore", "-n", 2, "-p", one.pid)
    assert len(re.findall(r"^breakpoint 1, thread \d+ in chore$", done.stdout, re.M)) == 2
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "it runs on")


def test_events(server, program, ompdctl):
    one = program("flat", 2)
    follower = subprocess.Popen([BIN / "ompdctl", *map(str, server), "events", "-n", "2", "--json"], stdout=subprocess.PIPE, text=True)
    # Events before its subscription do not arrive: attach until one does.
    while True:
        ompdctl(*server, "-p", one.pid, "info")
        if follower.poll() is not None:
            break
    events = [json.loads(line) for line in follower.stdout]
    follower.stdout.close()
    assert follower.wait() == 0 and len(events) == 2 and all(event["pid"] == one.pid for event in events)
    assert "no_such_target" in ompdctl(*server, "events", "-t", "t999", status=1).stderr


def test_a_wrong_token(daemons, ompdctl, tmp_path):
    (tmp_path / "wrong").write_text("0" * 64)
    daemon = daemons("--token-file", tmp_path / "token", listen=["http:127.0.0.1:0"])
    done = ompdctl("-s", daemon.uris[0], "--token-file", tmp_path / "wrong", "targets", status=2)
    assert "[unauthorized]" in done.stderr and "hint: --token-file FILE" in done.stderr and "401" in done.stderr
    done = ompdctl("-s", daemon.uris[0], "--token-file", tmp_path / "none", "targets", status=2)
    assert "cannot read the token" in done.stderr and "No such file" in done.stderr
    assert "needs a token" in ompdctl("-s", daemon.uris[0], "targets", status=3,
                                      env={key: value for key, value in os.environ.items() if key != "OMPDD_TOKEN_FILE"}).stderr


def test_nobody_there(ompdctl, tmp_path):
    (tmp_path / "token").write_text("0" * 64)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        uri = f"http:127.0.0.1:{unused.getsockname()[1]}"
        done = ompdctl("-s", uri, "--token-file", tmp_path / "token", "targets", status=2)
    assert f"{uri}: " in done.stderr and "[cannot_connect]" in done.stderr and "is ompdd running" in done.stderr
    assert "[cannot_connect]" in ompdctl("-s", f"http+unix:{tmp_path}/none", "targets", status=2).stderr


class Strange(http.server.BaseHTTPRequestHandler):
    """A server that is not an ompdd; `reply` is its answer."""

    def do_POST(self):
        status, body = self.server.reply
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.mark.parametrize("reply,said", [
    ((200, b"<html>"), "does not speak JSON-RPC"), ((200, b"{}\n{}\n"), "not one line"), ((404, b"\x1b[31mno\xff\n"), "HTTP status 404"),
    ((302, b""), "HTTP status 302"), ((403, b"not you\nat all"), "HTTP status 403: not you"), ((200, b"\0\n"), "does not speak JSON-RPC"),
])
def test_of_something_else(reply, said, ompdctl, tmp_path):
    (tmp_path / "token").write_text("0" * 64)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Strange) as other:
        other.reply = reply
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        done = ompdctl("-s", f"http://127.0.0.1:{other.server_port}/", "--token-file", tmp_path / "token", "targets", status=2)
        other.shutdown()
        thread.join()
    assert said in done.stderr and "\x1b" not in done.stderr, done.stderr


def test_a_proxy_does_not_get_the_token(server, ompdctl):
    env = {**os.environ, "http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"}
    assert ompdctl(*server, "targets", env=env).stdout.startswith("no targets")


def test_interrupted(server, program, ompdctl):
    """ompdctl detaches before it exits."""
    one = program("rounds", 2)
    argv = [BIN / "ompdctl", *server, "--max-stop-ms", PATIENT_STOP_MS, "break", "chore", "-n", 1000000, "-p", one.pid]
    process = subprocess.Popen(list(map(str, argv)), stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout.readline().startswith("breakpoint 1, chore: ")
    os.killpg(process.pid, 2)
    process.stdout.read()
    process.stdout.close()
    assert process.wait(600) == -2
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "it runs on")
    assert ompdctl(*server, "targets").stdout.startswith("no targets")
