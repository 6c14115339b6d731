# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes on a socket, for tests of framing and of bad input, where a well-behaved client would be in the way."""
import contextlib
import json
import socket

import validator

MIB = 1 << 20


def request(method="daemon.info", params=None, ident=1, **more):
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params or {}, **more}


def line(message):
    return json.dumps(message).encode() + b"\n"


def content_length(message):
    text = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)


class Wire:
    """A connection on which a test writes any bytes. The answers must still be valid JSON-RPC."""

    def __init__(self, address, timeout=600.0):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)
        return self

    def end(self):
        """Close our direction; the other stays open."""
        self.socket.shutdown(socket.SHUT_WR)
        return self

    def _more(self):
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        self.buffer += data
        return bool(data)

    def read_line(self):
        """Return the next answer framed as a line, or None at the end of the connection."""
        while b"\n" not in self.buffer:
            if not self._more():
                assert not self.buffer, f"the connection ended within an answer: {self.buffer[:200]}"
                return None
        text, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(text)

    def read_frame(self):
        """Return the next answer framed by Content-Length."""
        while b"\r\n\r\n" not in self.buffer:
            assert self._more(), f"no header: {self.buffer[:200]}"
        head, _, rest = self.buffer.partition(b"\r\n\r\n")
        fields = dict(field.split(b": ", 1) for field in head.split(b"\r\n"))
        length = int(fields[b"Content-Length"])
        while len(rest) < length:
            assert self._more(), "the connection ended within a frame"
            rest = self.buffer.partition(b"\r\n\r\n")[2]
        self.buffer = rest[length:]
        return json.loads(rest[:length])

    def answer(self, method=None):
        """Return the next line, validated as one response."""
        message = self.read_line()
        assert message is not None, "the connection ended without an answer"
        validator.check_response(message, method)
        return message

    def ask(self, method="daemon.info", params=None, ident=1):
        """Send one request as a line, return its validated response."""
        message = request(method, params, ident)
        self.send(line(message))
        response = self.answer(method)
        assert response["id"] == ident
        return response

    def at_end(self):
        """Wait until the other side closes. Return whether it sent nothing more."""
        while self._more():
            pass
        assert self.buffer == b"", f"more than expected: {self.buffer[:300]}"
        return True

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def error_name(message):
    return message["error"]["data"]["name"]


def still_answers(daemon):
    """Whatever happens on another connection, this one is served."""
    with daemon.wire() as wire:
        assert "result" in wire.ask()
    return True


def padded(size):
    """Return a request of exactly that many bytes of JSON."""
    empty = json.dumps(request("target.info", {"target": ""})).encode()
    return json.dumps(request("target.info", {"target": "x" * (size - len(empty))})).encode()


def post(connection, body, headers=None, path="/rpc", method="POST"):
    if not isinstance(body, (bytes, str, type(None))):
        body = json.dumps(body)
    # A refusal may come before the body is sent: the rest cannot be sent then, but the answer must arrive.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.request(method, path, body=body, headers={"Content-Type": "application/json", **(headers or {})})
    answer = connection.getresponse()
    return answer, answer.read()
