# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON texts over HTTP."""
import collections
import http.client
import re
import select
import socket
from typing import Deque, Dict, Optional, Tuple

from . import listener
from .errors import Closed, ConnectError, Error, HttpError, ProtocolError, Timeout
from .munge import Munge
from .transport import MAX_TEXT, Deadline, Transport, split_host


class UnixHTTPConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: str, timeout: Optional[float]) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class CheckedHTTPConnection(http.client.HTTPConnection):
    """HTTP in plain text, only with servers that may get the token."""

    def connect(self) -> None:
        super().connect()
        try:
            listener.check(self.sock)
        except ConnectError:
            self.close()
            raise


class HttpTransport(Transport):
    """POST /rpc; the response has the answer."""

    def __init__(self, connection: http.client.HTTPConnection, token: Optional[str], maker: Optional[Munge] = None) -> None:
        self._connection = connection
        self._maker = maker
        self._challenge: Optional[str] = None
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._answers: Deque[bytes] = collections.deque()

    def _drop_if_closed(self) -> None:
        """Drop a connection that ompdd has closed while it was idle; the request makes a new one."""
        if self._connection.sock:
            poll = select.poll()
            poll.register(self._connection.sock, select.POLLIN)
            if poll.poll(0):
                self._connection.close()

    def request(self, verb: str, path: str, body: Optional[bytes], deadline: Deadline,
                headers: Optional[Dict[str, str]] = None) -> Tuple[int, bytes]:
        """Send one HTTP request. Return status and body."""
        left = deadline.left()
        self._drop_if_closed()
        self._connection.timeout = left
        if self._connection.sock:
            self._connection.sock.settimeout(left)
        try:
            tries = 0
            while True:
                tries += 1
                if self._maker and self._challenge:
                    # One credential for each request: each is valid once.
                    self._headers["Authorization"] = f"MUNGE {self._maker.make(self._challenge)}"
                self._connection.request(verb, path, body, {**self._headers, **(headers or {})})
                response = self._connection.getresponse()
                answer = response.read(MAX_TEXT + 1)
                if len(answer) > MAX_TEXT:
                    self._connection.close()
                    raise ProtocolError(f"an HTTP response of more than {MAX_TEXT >> 20} MiB")
                asked = re.fullmatch(r'MUNGE realm="([0-9a-f]+)"', response.headers.get("WWW-Authenticate", ""))
                if response.status != 401 or not self._maker or not asked or tries == 2:
                    return response.status, answer
                self._challenge = asked[1]
        except socket.timeout:
            self._connection.close()
            raise Timeout("ompdd did not answer in time") from None
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            self._connection.close()
            raise Closed(f"ompdd closed the connection: {error}") from None
        except http.client.HTTPException as error:
            self._connection.close()
            raise ProtocolError(f"not an HTTP response: {error!r}") from None
        except OSError as error:
            self._connection.close()
            raise ConnectError(f"no ompdd there: {error}") from None

    def send(self, text: bytes, deadline: Deadline) -> None:
        status, body = self.request("POST", "/rpc", text, deadline)
        if status == 401:
            raise Error({"code": -32002, "message": "ompdd refuses the credential" if self._maker else "ompdd needs a token",
                         "data": {"name": "unauthorized", "hint": body.decode(errors="replace").strip()}})
        if status not in (200, 204):
            raise HttpError(status, body.decode(errors="replace").strip())
        if body.strip():
            self._answers.append(body)

    def receive(self, deadline: Deadline) -> bytes:
        if not self._answers:
            raise Closed("the HTTP response has no answer")
        return self._answers.popleft()

    def close(self) -> None:
        self._connection.close()


def open_http(scheme: str, rest: str, token: Optional[str], deadline: Deadline, certificate: Optional[str], maker: Optional[Munge]) -> HttpTransport:
    """Connect to http:, https: or http+unix:, with the rest of the address."""
    if scheme == "http+unix":
        return HttpTransport(UnixHTTPConnection(rest, deadline.left()), token)
    host, port = split_host(rest.strip("/"))
    if scheme == "http":
        return HttpTransport(CheckedHTTPConnection(host, port, timeout=deadline.left()), token, maker)
    return HttpTransport(http.client.HTTPSConnection(host, port, timeout=deadline.left(), context=listener.context(certificate)), token, maker)
