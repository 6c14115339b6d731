# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Servers that may get a token: a server with the certificate, and on this machine only our own user and root."""
import ipaddress
import os
import socket
import ssl
import stat
import struct
from typing import Any, Optional, Tuple

from .errors import ConnectError

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST = 1
LISTEN = 10
# Maximum number of symbolic links, as in the kernel.
MAX_LINKS = 40
PARTIAL_CHAIN = getattr(ssl, "VERIFY_X509_PARTIAL_CHAIN", 0x80000)
CERTIFICATE = "-----BEGIN CERTIFICATE-----"

End = Tuple[bytes, int]


def _end(address: Tuple[Any, ...]) -> End:
    """Return an address as 16 bytes (IPv4 as ::ffff:a.b.c.d), and its port."""
    ip = ipaddress.ip_address(address[0].partition("%")[0])
    packed = ip.packed if ip.version == 6 else b"\0" * 10 + b"\xff\xff" + ip.packed
    return packed, address[1]


def _is_local(own: End, peer: End) -> bool:
    ip = ipaddress.IPv6Address(peer[0])
    return own[0] == peer[0] or (ip.ipv4_mapped or ip).is_loopback


def _ask(local: End, remote: End) -> Optional[Tuple[int, int, int]]:
    """Return state, user and inode of the socket with these ends, or of the listening socket; None if neither exists.
    """
    v4 = local[0][:12] == b"\0" * 10 + b"\xff\xff"

    def field(ip: bytes) -> bytes:
        return ip[12:].ljust(16, b"\0") if v4 else ip
    ident = struct.pack("!HH", local[1], remote[1]) + field(local[0]) + field(remote[0]) + struct.pack("=I", 0) + b"\xff" * 8
    body = struct.pack("=BBBBI", socket.AF_INET if v4 else socket.AF_INET6, socket.IPPROTO_TCP, 0, 0, 0xffffffff) + ident
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_SOCK_DIAG) as one:
        one.settimeout(2)
        one.sendto(struct.pack("=IHHII", 16 + len(body), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0) + body, (0, 0))
        answer = one.recv(4096)
    if len(answer) < 16 + 72 or struct.unpack_from("=H", answer, 4)[0] != SOCK_DIAG_BY_FAMILY:
        return None
    ports = struct.unpack_from("!HH", answer, 20)
    state = answer[17]
    uid, inode = struct.unpack_from("=II", answer, 16 + 64)
    if ports[0] != local[1] or (state != LISTEN and ports[1] != remote[1]):
        return None
    return state, uid, inode


def _owner(own: End, peer: End) -> Optional[int]:
    """Return the user at the other end, or the listening user until the connection is accepted; None if it cannot be
    determined.
    """
    found = _ask(peer, own)
    if found and found[0] != LISTEN and found[2]:
        return found[1]
    anybody = b"\0" * 10 + b"\xff\xff" + b"\0" * 4 if peer[0][:12] == b"\0" * 10 + b"\xff\xff" else b"\0" * 16
    listener = _ask(peer, (anybody, 0))
    found = _ask(peer, own)
    if not listener or listener[0] != LISTEN or not found or found[0] == LISTEN:
        return None
    return found[1] if found[2] else listener[1]


def _check_folder(path: str) -> bool:
    """Raise ConnectError if another user could exchange names in this folder.

    Return whether others may add names, as in /tmp.
    """
    status = os.lstat(path)
    shared = bool(status.st_mode & 0o022)
    if status.st_uid not in (0, os.geteuid()):
        raise ConnectError(f"{path} belongs to another user (uid {status.st_uid})")
    if shared and not status.st_mode & stat.S_ISVTX:
        raise ConnectError(f"{path} is writable by other users")
    return shared


def check_socket(path: str) -> None:
    """Raise ConnectError if another user could serve this socket: each folder and link of its path must belong to root
    or us, and so must the socket. The same rule as in ompdd/base/secure_path.c. A missing path is accepted.
    """
    done, rest, links = "/", [name for name in os.path.join(os.getcwd(), path).split("/") if name], 0
    try:
        while rest:
            name = rest.pop(0)
            shared = _check_folder(done)
            here = os.path.dirname(done) if name == ".." else done if name == "." else os.path.join(done, name)
            status = os.lstat(here)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > MAX_LINKS:
                    return
                if shared and status.st_uid not in (0, os.geteuid()):
                    raise ConnectError(f"{here} is a symbolic link of another user (uid {status.st_uid})")
                text = os.readlink(here)
                rest = [part for part in text.split("/") if part] + rest
                here = "/" if text.startswith("/") else done
            elif not rest and status.st_uid not in (0, os.geteuid()):
                raise ConnectError(f"it belongs to another user (uid {status.st_uid})")
            done = here
    except ConnectError as error:
        raise ConnectError(f"cannot trust the socket {path}: {error}; connect(\"unix:{path}\") connects anyway, or unset "
                           "XDG_RUNTIME_DIR, OMPDD_URI and OMPDD_NODE_URI") from None
    except OSError:
        return


def check(sock: socket.socket) -> None:
    """Raise ConnectError if another user could read plain text on this connection."""
    own, peer = _end(sock.getsockname()), _end(sock.getpeername())
    if not _is_local(own, peer):
        raise ConnectError("the token would go to another machine in plain text: use tls: or https:, or ssh -L")
    try:
        uid = _owner(own, peer)
    except OSError as error:
        raise ConnectError(f"cannot determine the owner of the server: {error}") from None
    if uid is None:
        raise ConnectError("cannot determine the owner of the server")
    if uid not in (0, os.geteuid()):
        raise ConnectError(f"another user (uid {uid}) listens there: the token is not sent")


def context(certificate: Optional[str]) -> ssl.SSLContext:
    """Start TLS with the server that holds the key of a certificate in `certificate` (PEM)."""
    if not certificate or CERTIFICATE not in certificate:
        raise ValueError("tls: and https: need token_file, which has the server's certificate")
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.check_hostname = False
    made.verify_flags |= PARTIAL_CHAIN
    made.load_verify_locations(cadata=certificate[certificate.index(CERTIFICATE):])
    return made
