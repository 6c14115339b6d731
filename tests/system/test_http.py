# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HTTP on the unix socket: persistent connections, errors, notifications, batches, paths, and a browser's requests."""
import http.client
import json
import select
import socket
import threading

import ompdd
import pytest
import validator
from targets import wait_until
from wire import MIB, error_name, padded, post, request, still_answers


class UnixHTTP(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=600)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(600)
        self.sock.connect(self.path)


def test_http_keeps_the_connection(daemon):
    connection = UnixHTTP(daemon.path)
    for ident in (1, 2, 3):
        answer, text = post(connection, request(ident=ident))
        assert answer.status == 200 and answer.getheader("Content-Type").startswith("application/json")
        message = json.loads(text)
        validator.check_response(message, "daemon.info")
        assert message["id"] == ident
    connection.close()


def test_http_errors_of_json_rpc_are_200(daemon):
    connection = UnixHTTP(daemon.path)
    answer, text = post(connection, request("no.such"))
    assert answer.status == 200
    message = json.loads(text)
    validator.check_response(message)
    assert error_name(message) == "method_not_found"
    connection.close()


def test_http_notification_has_no_body(daemon):
    connection = UnixHTTP(daemon.path)
    answer, text = post(connection, {"jsonrpc": "2.0", "method": "daemon.info"})
    assert answer.status in (202, 204) and text == b""
    connection.close()


def test_http_batch(daemon):
    connection = UnixHTTP(daemon.path)
    answer, text = post(connection, [request(ident=1), request(ident=2)])
    assert answer.status == 200 and len(json.loads(text)) == 2
    connection.close()


def test_http_over_long_body(daemon):
    connection = UnixHTTP(daemon.path)
    try:
        answer, text = post(connection, padded(MIB + 4096))
        assert answer.status in (200, 413)
        message = json.loads(text)
        validator.check_response(message)
        assert error_name(message) == "limit_exceeded"
    except (BrokenPipeError, ConnectionResetError):
        pytest.fail("the connection was cut without an answer")
    finally:
        connection.close()
    assert still_answers(daemon)


@pytest.mark.parametrize("method,path,status", [
    ("GET", "/openrpc.json", 200), ("GET", "/rpc", 405), ("POST", "/nowhere", 404), ("GET", "/nowhere", 404), ("PUT", "/rpc", 405),
    ("GET", "/metrics", 200), ("DELETE", "/rpc", 405), ("OPTIONS", "/rpc", 405),
])
def test_http_paths(method, path, status, daemon):
    connection = UnixHTTP(daemon.path)
    answer, text = post(connection, None if method == "GET" else request(), path=path, method=method)
    assert answer.status == status, text
    connection.close()


def test_http_openrpc_is_rpc_discover(daemon, client):
    connection = UnixHTTP(daemon.path)
    answer, text = post(connection, None, path="/openrpc.json", method="GET")
    assert answer.getheader("Content-Type").startswith("application/json")
    assert json.loads(text) == client.rpc.discover()
    connection.close()


@pytest.mark.parametrize("headers,status", [
    ({"Content-Type": "text/plain"}, 415), ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403), ({"Origin": "http://localhost"}, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403), ({"Sec-Fetch-Site": "other"}, 403),
    ({"Sec-Fetch-Site": "same-origin"}, 200), ({"Sec-Fetch-Site": "none"}, 200), ({}, 200),
])
def test_http_of_a_browser_is_refused(headers, status, daemon):
    connection = UnixHTTP(daemon.path)
    answer, text = post(connection, request(), headers=headers)
    assert answer.status == status, text
    assert answer.getheader("Access-Control-Allow-Origin") is None
    if status != 200:
        assert b'"result"' not in text
    connection.close()
    assert still_answers(daemon)


def test_a_client_that_was_idle_connects_again(tmp_path):
    """The daemon closes a connection that carries no message for half a minute, without a word before."""
    answer = b'{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}'
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()

        def serve():
            for n in range(3):
                with listening.accept()[0] as one, one.makefile("rb") as file:
                    head = http.client.parse_headers(file) if file.readline() else None
                    body = json.loads(file.read(int(head["Content-Length"])))
                    text = answer % (body["id"], n)
                    one.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))
        server = threading.Thread(target=serve)
        server.start()
        with ompdd.connect(f"http+unix:{tmp_path}/s") as client:
            for n in range(3):
                assert client.call("daemon.info", validate=False) == {"n": n}
                wait_until(lambda: select.select([client.transport._connection.sock], [], [], 0)[0], "it was closed")
        server.join()
