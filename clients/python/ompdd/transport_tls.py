# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON texts over TLS."""
import socket
import ssl
from typing import Optional

from . import listener
from .errors import ConnectError
from .transport import CHUNK, Deadline, StreamTransport


class TlsTransport(StreamTransport):
    """StreamTransport over TLS."""

    def __init__(self, sock: ssl.SSLSocket, framing: str) -> None:
        super().__init__(sock.fileno(), sock.fileno(), framing, sock)
        sock.setblocking(False)
        self._sock = sock

    def _read(self) -> None:
        # Read everything: poll() does not show data that TLS has already taken from the socket.
        try:
            while data := self._sock.recv(CHUNK):
                self._data += data
            self._eof = True
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except (ConnectionResetError, ssl.SSLError):
            self._eof = True

    def _write(self, view: memoryview) -> int:
        try:
            return self._sock.send(view)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0


def open_tls(sock: socket.socket, certificate: Optional[str], deadline: Deadline) -> ssl.SSLSocket:
    """Start TLS on a connected socket, only with the server of that certificate."""
    try:
        sock.settimeout(deadline.left())
        return listener.context(certificate).wrap_socket(sock)
    except ssl.SSLError as error:
        sock.close()
        raise ConnectError(f"TLS: {error}") from None
    except OSError as error:
        sock.close()
        raise ConnectError(f"TLS: {error.strerror or error}") from None
