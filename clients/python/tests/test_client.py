#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The client against a scripted peer: framings, order, batches, time limits, and messages that no ompdd would send."""
import ast
import contextlib
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import ompdd  # noqa: E402
from ompdd.client import Client  # noqa: E402
from ompdd.transport import Deadline, Framing, StreamTransport, split_host  # noqa: E402

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "protocol" / "schema"


class Recorder:
    """A validator that records its calls."""

    def __init__(self):
        self.requests, self.responses, self.notifications = [], [], []

    def check_request(self, message):
        self.requests.append(message)

    def check_response(self, message, method):
        self.responses.append((message, method))

    def check_notification(self, message):
        self.notifications.append(message)


def flood(peer):
    """A line without an end."""
    with contextlib.suppress(OSError):
        while True:
            peer.sendall(b"x" * 65536)


class ClientTest(unittest.TestCase):
    """A client on a socket pair whose other end belongs to the test."""

    framing = "lines"

    def setUp(self):
        ours, self.peer = socket.socketpair()
        self.peer.settimeout(10)
        self.validator = Recorder()
        self.client = Client(StreamTransport(ours.fileno(), ours.fileno(), self.framing, ours), 10, self.validator)
        self.addCleanup(self.peer.close)
        self.addCleanup(self.client.close)

    def pair(self):
        """Return another client, and the other end of its connection."""
        ours, peer = socket.socketpair()
        client = Client(StreamTransport(ours.fileno(), ours.fileno(), self.framing, ours), 60)
        self.addCleanup(peer.close)
        self.addCleanup(client.close)
        return client, peer

    def write(self, message):
        """Send a message of the peer, possibly before the request."""
        self.peer.sendall(Framing(self.framing).wrap(json.dumps(message).encode()))

    def answer(self, ident, **more):
        self.write({"jsonrpc": "2.0", "id": ident, **(more or {"result": {"n": ident}})})

    def read(self):
        """Return the client's message."""
        data = bytearray()
        while True:
            text = Framing(self.framing).unwrap(data, 0)
            if text is not None:
                self.assertEqual(data, b"")
                return json.loads(text)
            data += self.peer.recv(65536)


class CallTest(ClientTest):
    def test_call_sends_a_request_and_returns_the_result(self):
        self.answer(1)
        self.assertEqual(self.client.call("a.b", {"x": 1}, y=2), {"n": 1})
        self.assertEqual(self.read(), {"jsonrpc": "2.0", "id": 1, "method": "a.b", "params": {"x": 1, "y": 2}})

    def test_stub_leaves_out_what_is_none(self):
        self.answer(1)
        self.client.target.attach(pid=5, mode="observe")
        self.assertEqual(self.read()["params"], {"pid": 5, "mode": "observe"})

    def test_error_answer_is_raised(self):
        self.answer(1, error={"code": 1000, "message": "no process 5", "data": {"name": "no_such_process", "hint": "look", "x": "y"}})
        with self.assertRaises(ompdd.Error) as caught:
            self.client.call("target.attach", pid=5)
        error = caught.exception
        self.assertEqual((error.code, error.name, error.message, error.hint, error.data["x"]),
                         (1000, "no_such_process", "no process 5", "look", "y"))
        self.assertIs(ompdd.OmpddError, ompdd.Error)

    def test_answers_may_come_in_any_order(self):
        first, second = self.client.start("a"), self.client.start("b")
        self.answer(second.id)
        self.answer(first.id)
        self.assertEqual(first.result(), {"n": 1})
        self.assertEqual(second.result(), {"n": 2})
        self.assertEqual(second.result(), {"n": 2})

    def test_notify_has_no_id(self):
        self.client.notify("a.b", x=1)
        self.assertEqual(self.read(), {"jsonrpc": "2.0", "method": "a.b", "params": {"x": 1}})

    def test_notifications_are_kept(self):
        self.write({"jsonrpc": "2.0", "method": "event", "params": {}})
        self.answer(1)
        self.client.call("a")
        self.assertEqual(len(self.client.notifications), 1)
        self.assertEqual(len(self.validator.notifications), 1)

    def test_validator_sees_requests_and_responses(self):
        self.answer(1)
        self.client.call("a.b")
        self.assertEqual(self.validator.requests[0]["method"], "a.b")
        self.assertEqual(self.validator.responses[0][1], "a.b")
        self.answer(2)
        self.client.call("wrong", validate=False)
        self.assertEqual(len(self.validator.requests), 1)
        self.assertEqual(len(self.validator.responses), 2)

    def test_batch_goes_out_as_one_and_keeps_the_order(self):
        batch = self.client.batch()
        batch.call("a")
        batch.notify("n")
        batch.call("b", x=1)
        self.write([{"jsonrpc": "2.0", "id": 2, "error": {"code": -1, "message": "m"}}, {"jsonrpc": "2.0", "id": 1, "result": {}}])
        results = batch.send()
        self.assertEqual([type(result) for result in results], [dict, ompdd.Error])
        sent = self.read()
        self.assertEqual([(message.get("id"), message["method"]) for message in sent],
                         [(1, "a"), (None, "n"), (2, "b")])

    def test_large_request_while_the_peer_talks(self):
        """Neither side may wait for the other to read."""
        text = "x" * (4 << 20)
        answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"text": text}}).encode()

        def peer():
            self.peer.sendall(Framing(self.framing).wrap(answer))
            left = len(text)
            while left > 0:
                left -= len(self.peer.recv(65536))

        thread = threading.Thread(target=peer)
        thread.start()
        self.assertEqual(self.client.call("a", text=text)["text"], text)
        thread.join()


class ContentLengthTest(CallTest):
    framing = "content-length"


class TroubleTest(ClientTest):
    def test_no_answer_is_a_timeout(self):
        with self.assertRaises(ompdd.Timeout):
            self.client.call("a", timeout=0.05)

    def test_late_answer_still_belongs_to_its_request(self):
        pending = self.client.start("a")
        with self.assertRaises(TimeoutError):
            pending.result(timeout=0.05)
        self.answer(pending.id)
        self.assertEqual(pending.result(), {"n": 1})

    def test_end_of_the_connection_is_closed(self):
        self.peer.close()
        with self.assertRaises(ompdd.Closed):
            self.client.call("a")

    def test_call_after_close_is_closed(self):
        self.client.close()
        with self.assertRaises(ompdd.Closed):
            self.client.call("a")

    def test_error_about_the_connection_is_raised(self):
        self.answer(None, error={"code": -32000, "message": "full", "data": {"name": "limit_exceeded"}})
        with self.assertRaises(ompdd.Error) as caught:
            self.client.call("a")
        self.assertEqual(caught.exception.name, "limit_exceeded")

    def test_nonsense_is_a_protocol_error(self):
        for text in (b"nonsense\n", b"{}\n", b"1\n", b'{"jsonrpc":"2.0","id":99,"result":{}}\n'):
            with self.subTest(text=text):
                self.peer.sendall(text)
                with self.assertRaises(ompdd.ProtocolError):
                    self.client.call("a")

    def test_what_is_nearly_an_answer_is_a_protocol_error(self):
        for text in (b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"2.0","id":1,"result":5}', b'{"jsonrpc":"2.0","id":1,"result":NaN}',
                     b'{"jsonrpc":"2.0","id":1,"error":5}', b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":[]}}',
                     b'{"jsonrpc":"2.0","id":true,"result":{}}', b'{"jsonrpc":"2.0","id":1.0,"result":{}}', b'{"jsonrpc":"2.0","id":{},"result":{}}',
                     b'{"jsonrpc":"2.0","id":null,"error":[]}', b'{"jsonrpc":"2.0","method":[]}', b'{"jsonrpc":"2.0","method":"event","params":5}',
                     b"[" * 100000, b'{"a":' * 100000, b'{"jsonrpc":"2.0","id":1,"result":{"n":' + b"9" * 5000 + b"}}", b"\xff\xfe", b'"\xed\xa0\x80"'):
            client, peer = self.pair()
            with self.subTest(text=text[:80]):
                threading.Thread(target=peer.sendall, args=(text + b"\n",), daemon=True).start()
                with self.assertRaises(ompdd.ProtocolError):
                    client.call("a")

    def test_an_answer_without_end_is_a_protocol_error(self):
        with unittest.mock.patch("ompdd.transport.MAX_TEXT", 1 << 20):
            client, peer = self.pair()
            threading.Thread(target=flood, args=(peer,), daemon=True).start()
            with self.assertRaises(ompdd.ProtocolError):
                client.call("a")
        for length in (b"9" * 3000, b"99999999999", b"-1", b"+1"):
            with self.subTest(length=length[:20]), self.assertRaises(ompdd.ProtocolError):
                Framing("content-length").unwrap(bytearray(b"Content-Length: " + length + b"\r\n\r\n{}"), 0)

    def test_header_without_end_is_a_protocol_error(self):
        with self.assertRaises(ompdd.ProtocolError):
            Framing("content-length").unwrap(bytearray(b"x" * 5000), 0)
        with self.assertRaises(ompdd.ProtocolError):
            Framing("content-length").unwrap(bytearray(b"X: 1\r\n\r\n{}"), 0)


class FakeHttp(http.server.BaseHTTPRequestHandler):
    """Answers every request with its own id, unless the token is wrong."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, text = 200, json.dumps({"jsonrpc": "2.0", "id": body.get("id"), "result": {"path": self.path}}).encode()
        if self.headers.get("Authorization") != "Bearer secret":
            status, text = 401, b"send a token\n"
        elif self.headers.get("Content-Type") != "application/json":
            status, text = 415, b"type\n"
        elif "id" not in body:
            status, text = 204, b""
        elif body["method"] == "refuse":
            status, text = 403, b"origin\n"
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", f'MUNGE realm="{os.urandom(16).hex()}"')
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class HttpTest(unittest.TestCase):
    def setUp(self):
        self.server = http.server.HTTPServer(("127.0.0.1", 0), FakeHttp)
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.uri = f"http:127.0.0.1:{self.server.server_port}"

    def test_http(self):
        with ompdd.connect(self.uri, token="secret", timeout=10) as client:
            self.assertEqual(client.call("a"), {"path": "/rpc"})
            client.notify("n")
            self.assertEqual(client.call("b"), {"path": "/rpc"})
            with self.assertRaises(ompdd.HttpError) as caught:
                client.call("refuse")
            self.assertEqual(caught.exception.status, 403)

    def test_a_server_with_a_new_challenge_each_time_is_given_up(self):
        with ompdd.connect(self.uri, token="challenge", timeout=60) as client, self.assertRaises(ompdd.Error) as caught:
            client.transport._maker = unittest.mock.Mock(make=lambda challenge: "MUNGE:x")
            client.call("a")
        self.assertEqual(caught.exception.name, "unauthorized")

    def test_http_without_token_is_unauthorized(self):
        with ompdd.connect(self.uri, timeout=10) as client, self.assertRaises(ompdd.Error) as caught:
            client.call("a")
        self.assertEqual(caught.exception.name, "unauthorized")


class AddressTest(unittest.TestCase):
    def test_nobody_there_is_a_connect_error(self):
        for uri in ("unix:/nonexistent/ompdd.sock", "tcp:127.0.0.1:1", "stdio:/nonexistent/ompdd"):
            with self.subTest(uri=uri), self.assertRaises(ompdd.ConnectError):
                ompdd.connect(uri, timeout=5)
        with self.assertRaises(ompdd.ConnectError):
            ompdd.start_daemon("/nonexistent/ompdd", ["stdio"])

    def test_bad_uri_is_a_value_error(self):
        for uri in ("", "unix", "ftp:x", "tcp:host", "unix:"):
            with self.subTest(uri=uri), self.assertRaises(ValueError):
                ompdd.connect(uri)

    def test_split_host(self):
        self.assertEqual(split_host("[::1]:80"), ("::1", 80))
        self.assertEqual(split_host("localhost:80"), ("localhost", 80))
        self.assertEqual(split_host(":80"), ("127.0.0.1", 80))
        self.assertEqual(split_host("80"), ("127.0.0.1", 80))

    def test_stdio_speaks_with_a_command(self):
        command = f"{sys.executable} -c 'import sys; [print(line, end=\"\", flush=True) for line in sys.stdin]'"
        with ompdd.connect("stdio:" + command, timeout=10) as client:
            client.transport.send(b'{"jsonrpc":"2.0","method":"echo"}', Deadline(10))
            self.assertIn(b"echo", client.transport.receive(Deadline(10)))

    def test_daemon_that_says_something_else_is_a_connect_error(self):
        with self.assertRaises(ompdd.ConnectError):
            ompdd.start_daemon("/bin/echo", ["unix:/x"], timeout=10)


class MethodsTest(ClientTest):
    def test_an_attribute_calls_the_method_of_its_name(self):
        self.answer(1)
        self.assertEqual(self.client.target.attach(pid=4711, mode=None, timeout=5), {"n": 1})
        self.assertEqual(self.read(), {"jsonrpc": "2.0", "id": 1, "method": "target.attach", "params": {"pid": 4711}})

    def test_private_names_are_no_methods(self):
        for owner in (self.client, self.client.target):
            self.assertFalse(hasattr(owner, "_target"))

    def test_stubs_name_every_method(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", SCHEMA.parent / "gen" / "generate.py", folder], check=True)
            tree = ast.parse((pathlib.Path(folder) / "methods.pyi").read_text())
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        for methods, kind in (("Methods", ast.FunctionDef), ("AsyncMethods", ast.AsyncFunctionDef)):
            found = [f"{space.target.id}.{verb.name}" for space in classes[methods].body
                     for verb in classes[space.annotation.id].body if isinstance(verb, kind)]
            self.assertEqual(sorted(found), sorted(path.stem for path in SCHEMA.glob("*.json")))


if __name__ == "__main__":
    unittest.main()
