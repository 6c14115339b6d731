# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdctl watch` with `push=`: profiles go to a receiver, and hostile receivers do no harm."""
import contextlib
import email
import email.policy
import gzip
import http.server
import json
import socket
import threading
import time
import urllib.parse

import pytest
from daemons import BIN
from hangs import start
from test_record import profile_message
from test_watch import rule, watch  # noqa: F401

needs_push = pytest.mark.skipif(not (BIN / "ompdctl-push").exists(), reason="built without libcurl")


@contextlib.contextmanager
def receiver(answer):
    """An HTTP server on a free port. `answer` gets its handler and the body of each POST."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            answer(self, self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *args):
            pass
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@needs_push
def test_a_profile_is_pushed(program, watch, tmp_path):
    """The request has the form of Pyroscope's POST /ingest: parameters, and a form with the profile and its types."""
    asked = []

    def accept(handler, body):
        asked.append((handler.path, handler.headers["Content-Type"], body))
        handler.send_response(200)
        handler.end_headers()
    one = program("turns")
    with receiver(accept) as url:
        before = time.time()
        seen = watch(one.pid, *rule("metric:cpu_seconds_total>0", "profile=1s", f"push={url}/behind/a/proxy/"), "-n", 1)
        event = seen.next()
        assert event["pushed"] == f"{url}/behind/a/proxy/" and "files" not in event and "errors" not in event
    ((path, kind, body),) = asked
    place = urllib.parse.urlsplit(path)
    query = dict(urllib.parse.parse_qsl(place.query))
    assert place.path == "/behind/a/proxy/ingest" and query["format"] == "pprof"
    assert query["name"] == f"turns{{hostname={socket.gethostname()},pid={one.pid}}}"
    assert before - 2 < int(query["from"]) <= int(query["until"]) < time.time() + 2
    form = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body, policy=email.policy.HTTP)
    parts = {part.get_param("name", header="Content-Disposition"): part.get_payload(decode=True) for part in form.iter_parts()}
    profile = profile_message().FromString(gzip.decompress(parts["profile"]))
    types = {profile.string_table[one.type]: profile.string_table[one.unit] for one in profile.sample_type}
    assert set(json.loads(parts["sample_type_config"])) == set(types) and profile.sample


def refuse(handler, body):
    handler.wfile.write(b"HTTP/1.1 422 No\r\n\r\nno \x1b[31mroom\nmore")


def redirect(handler, body):
    handler.wfile.write(b"HTTP/1.1 307 Elsewhere\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")


def flood(handler, body):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    with contextlib.suppress(OSError):
        for _ in range(100000):
            handler.wfile.write(bytes(65536))


def close(handler, body):
    handler.connection.shutdown(socket.SHUT_RDWR)


def babble(handler, body):
    handler.wfile.write(b"no HTTP at all\r\n" * 100)


@needs_push
@pytest.mark.parametrize("answer, why", ((refuse, "HTTP status 422: no \\x1b[31mroom"), (redirect, "HTTP status 307"), (flood, "127.0.0.1"), (close, "127.0.0.1"),
                                         (babble, "127.0.0.1")))
def test_hostile_receivers(answer, why, program, watch, tmp_path):
    """The profile is kept all the same."""
    one = start(program, "lock_cycle", "libgomp")
    with receiver(answer) as url:
        seen = watch(one.pid, *rule("deadlock", f"keep={tmp_path / 'kept'}", "profile=0.1s", f"push={url}"), "-n", 1)
        event = seen.next()
    assert len(event["files"]) == 2 and "pushed" not in event
    assert event["errors"][0].startswith("push: ") and why in event["errors"][0]


@needs_push
def test_a_receiver_that_is_silent(program, watch, tmp_path):
    """A signal ends the wait for it."""
    one = start(program, "lock_cycle", "libgomp")
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen = watch(one.pid, *rule("deadlock", "profile=0.1s", f"push=http://127.0.0.1:{server.getsockname()[1]}"))
        connection, _ = server.accept()
        with connection:
            (event,) = seen.end()
    assert "ended before its answer" in event["errors"][0]


def test_no_receiver(program, watch, ompdctl, tmp_path):
    one = start(program, "lock_cycle", "libgomp")
    for url, why in (("ftp://x", "needs an address"), ("http://", "needs an address"), ("http://user:word@x", "netrc"), ("http://x/?a=b", "parameters")):
        assert why in ompdctl("watch", one.pid, *rule("deadlock", "profile=1s", f"push={url}"), status=3).stderr
    assert "needs a profile" in ompdctl("watch", one.pid, *rule("deadlock", "push=http://x"), status=3).stderr
    seen = watch(one.pid, *rule("deadlock", "profile=0.1s", "push=http://127.0.0.1:1"), "-n", 1)
    assert "push: " in seen.next()["errors"][0]
