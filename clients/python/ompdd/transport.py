# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON texts over file descriptors. HTTP and TLS are imported on demand. Every operation has a deadline."""
import collections
import os
import select
import socket
import subprocess
import time
from typing import Any, Deque, List, Optional, Tuple, Union

from .errors import Closed, ConnectError, ProtocolError, Timeout
from .munge import Munge

MAX_HEADER = 4096
# An answer has at most 64 MiB; a batch may have several.
MAX_TEXT = 256 << 20
CHUNK = 1 << 18


class Deadline:
    """A moment in the future; `None` seconds: never."""

    def __init__(self, seconds: Optional[float]) -> None:
        self.end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> Optional[float]:
        """Return the seconds left, or None. Raises Timeout after the deadline."""
        if self.end is None:
            return None
        left = self.end - time.monotonic()
        if left <= 0:
            raise Timeout("ompdd did not answer in time")
        return left


class Transport:
    """Sends and receives JSON texts."""

    def send(self, text: bytes, deadline: Deadline) -> None:
        """Send one text."""
        raise NotImplementedError

    def receive(self, deadline: Deadline) -> bytes:
        """Return the next text. Raises Closed at the end of the connection."""
        raise NotImplementedError

    def fileno(self) -> int:
        """A descriptor that is readable when data has arrived; -1 without one."""
        return -1

    def close(self) -> None:
        """End the connection. May be called again."""


class Framing:
    """The separation of texts: "lines" or "content-length"."""

    def __init__(self, name: str) -> None:
        if name not in ("lines", "content-length"):
            raise ValueError(f"unknown framing {name!r}")
        self.name = name

    def wrap(self, text: bytes) -> bytes:
        """Return one text in the form in which it is sent."""
        if self.name == "lines":
            return text + b"\n"
        return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)

    def unwrap(self, data: bytearray, seen: int) -> Optional[bytes]:
        """Take one text from the start of `data`. Its first `seen` bytes were examined before."""
        if self.name == "lines":
            end = data.find(b"\n", seen)
            if end < 0:
                if len(data) > MAX_TEXT:
                    raise ProtocolError(f"a line of more than {MAX_TEXT >> 20} MiB")
                return None
            text = bytes(data[:end])
            del data[:end + 1]
            return text
        end = data.find(b"\r\n\r\n", 0, MAX_HEADER)
        if end < 0:
            if len(data) >= MAX_HEADER:
                raise ProtocolError("the header does not end")
            return None
        length = None
        for line in bytes(data[:end]).split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit() and len(value) < 20:
                length = int(value)
        if length is None or length > MAX_TEXT:
            raise ProtocolError(f"no Content-Length, or more than {MAX_TEXT >> 20} MiB, in {bytes(data[:end])!r}")
        if len(data) < end + 4 + length:
            return None
        text = bytes(data[end + 4:end + 4 + length])
        del data[:end + 4 + length]
        return text


class StreamTransport(Transport):
    """A pair of file descriptors: a socket, or the pipes of a process."""

    def __init__(self, read_fd: int, write_fd: int, framing: str = "lines",
                 owner: Union[socket.socket, "subprocess.Popen[Any]", None] = None) -> None:
        self._read_fd, self._write_fd, self._owner = read_fd, write_fd, owner
        self._framing = Framing(framing)
        self._data = bytearray()
        self._seen = 0
        self._eof = False
        self._open = True
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)

    def fileno(self) -> int:
        return self._read_fd

    def _wait(self, writing: bool, deadline: Deadline) -> Tuple[bool, bool]:
        """Wait until the descriptor is readable or writable."""
        poller = select.poll()
        if not self._eof:
            poller.register(self._read_fd, select.POLLIN)
        if writing:
            # With one descriptor for both, this replaces the registration above.
            both = self._write_fd == self._read_fd and not self._eof
            poller.register(self._write_fd, select.POLLOUT | (select.POLLIN if both else 0))
        left = deadline.left()
        ready = poller.poll(None if left is None else max(1, int(left * 1000)))
        if not ready:
            deadline.left()
        broken = select.POLLHUP | select.POLLERR | select.POLLNVAL
        readable = any(fd == self._read_fd and event & (select.POLLIN | broken) for fd, event in ready)
        writable = any(fd == self._write_fd and event & (select.POLLOUT | broken) for fd, event in ready)
        return readable, writable

    def _read(self) -> None:
        try:
            data = os.read(self._read_fd, CHUNK)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        self._eof = not data
        self._data += data

    def _write(self, view: memoryview) -> int:
        return os.write(self._write_fd, view)

    def send_bytes(self, data: bytes, deadline: Deadline) -> None:
        """Send bytes unchanged. Read meanwhile, so that neither side waits for the other."""
        if not self._open:
            raise Closed("the connection is closed")
        view = memoryview(data)
        while view:
            readable, writable = self._wait(True, deadline)
            if readable and not self._eof:
                self._read()
            if writable:
                try:
                    view = view[self._write(view):]
                except BlockingIOError:
                    pass
                except (BrokenPipeError, ConnectionResetError):
                    # Its remaining output explains the reason.
                    return

    def send(self, text: bytes, deadline: Deadline) -> None:
        self.send_bytes(self._framing.wrap(text), deadline)

    def receive(self, deadline: Deadline) -> bytes:
        if not self._open:
            raise Closed("the connection is closed")
        while True:
            text = self._framing.unwrap(self._data, self._seen)
            if text is not None:
                self._seen = 0
                if text.strip():
                    return text
                continue
            self._seen = len(self._data)
            if self._eof:
                raise Closed("ompdd closed the connection")
            if self._wait(False, deadline)[0]:
                self._read()

    def shutdown(self) -> None:
        """Send no more requests; answers can still arrive."""
        if isinstance(self._owner, socket.socket):
            self._owner.shutdown(socket.SHUT_WR)
        elif self._owner is not None and self._owner.stdin:
            self._owner.stdin.close()

    def close(self) -> None:
        if not self._open:
            return
        self._open = False
        if isinstance(self._owner, socket.socket):
            self._owner.close()
        elif self._owner is not None:
            end_process(self._owner)


def end_process(process: "subprocess.Popen[Any]", seconds: float = 10) -> int:
    """Close its input, which ends an ompdd on stdio. Kill it if it does not end."""
    try:
        if process.stdin and not process.stdin.closed:
            process.stdin.close()
    except BrokenPipeError:
        pass
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
    return process.returncode


def split_host(address: str) -> Tuple[str, int]:
    """Return "[::1]:80", "localhost:80" or "80" as host and port."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        raise ValueError(f"no port in {address!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


def open_socket(family: int, address: Union[str, Tuple[str, int]], deadline: Deadline) -> socket.socket:
    """Return a connected socket."""
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(deadline.left())
        sock.connect(address)
    except socket.timeout:
        sock.close()
        raise Timeout(f"no connection to {address!r} in time") from None
    except OSError as error:
        sock.close()
        raise ConnectError(f"no ompdd at {address!r}: {error.strerror or error}") from None
    return sock


def from_process(argv: List[str], framing: str, **options: Any) -> StreamTransport:
    """Start a command that speaks the protocol on its standard input and output.

    It has a session of its own: ^C is for the caller, who may still need the recorded data. It ends with its input.
    """
    options.setdefault("start_new_session", True)
    try:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                   **options)
    except OSError as error:
        raise ConnectError(f"{argv[0]} does not start: {error.strerror}") from None
    assert process.stdin and process.stdout
    return StreamTransport(process.stdout.fileno(), process.stdin.fileno(), framing, process)


def open_uri(uri: str, framing: str, token: Optional[str], deadline: Deadline, certificate: Optional[str] = None,
             maker: Optional[Munge] = None) -> Transport:
    """Connect to the server of the URI."""
    scheme, _, rest = uri.partition(":")
    if not rest:
        raise ValueError(f"not a URI of ompdd: {uri!r}")
    if scheme == "unix":
        sock = open_socket(socket.AF_UNIX, rest, deadline)
        return StreamTransport(sock.fileno(), sock.fileno(), framing, sock)
    if scheme in ("tcp", "tls"):
        host, port = split_host(rest)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        sock = open_socket(family, (host, port), deadline)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if scheme == "tls":
            from . import transport_tls
            return transport_tls.TlsTransport(transport_tls.open_tls(sock, certificate, deadline), framing)
        try:
            from . import listener
            listener.check(sock)
        except ConnectError:
            sock.close()
            raise
        return StreamTransport(sock.fileno(), sock.fileno(), framing, sock)
    if scheme in ("http", "https", "http+unix"):
        from . import transport_http
        return transport_http.open_http(scheme, rest, token, deadline, certificate, maker)
    if scheme == "stdio":
        from shlex import split
        return from_process(split(rest), framing)
    raise ValueError(f"{uri!r}: the scheme is unix, tcp, tls, http, https, http+unix or stdio")
