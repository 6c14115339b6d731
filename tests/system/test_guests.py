# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clients that only connect, without a token, exclude no other client: neither the owner on the unix socket nor a
client with the token. 25 connections for each of OMPDD_TRIALS: a thousand in the suite, ten thousand in the soak
preset.
"""
import collections
import contextlib
import shutil
import socket
import subprocess

import ompdd
import pytest
import validator
from conftest import TRIALS
from targets import wait_until

N = 25 * TRIALS
KEPT = 200  # Open at this end; the daemon has no slots for so many.
HELLO = b"\x16\x03\x01\x02\x00\x01"
ELSEWHERE = "127.0.0.2"


@pytest.fixture
def served(daemons, tmp_path):
    """A daemon whose uris are a unix socket, and tls:, https: and http: on loopback.

    `token` is the path of its token file.
    """
    token = tmp_path / "private" / "token"
    token.parent.mkdir(mode=0o700)
    one = daemons("--token-file", token, "--allow-remote", listen=[f"unix:{tmp_path}/s", "tls:0.0.0.0:0", "https:0.0.0.0:0", "http:127.0.0.1:0"])
    one.token = token
    return one


def at(uri):
    scheme, _, port = uri.split(":")
    return f"{scheme}:127.0.0.1:{port}"


def port(uri):
    return int(uri.split(":")[-1])


def begin(uri, sent):
    one = socket.create_connection(("127.0.0.1", port(uri)), 600, source_address=(ELSEWHERE, 0))
    with contextlib.suppress(ConnectionError):  # The daemon may close it at once.
        one.sendall(sent)
    return one


def with_token(daemon, which):
    return ompdd.connect(at(daemon.uris[which]), token_file=daemon.token, validator=validator, timeout=600)


@pytest.mark.parametrize(("which", "sent"), [(1, b""), (1, HELLO), (2, b""), (2, HELLO), (3, b""), (3, b"POST /rpc HTTP/1.1\r\n")],
                         ids=["tls", "tls hello", "https", "https hello", "http", "http half"])
def test_half_a_connection_keeps_nobody_out(which, sent, served):
    limit = served.connect().daemon.info()["limits"]["max_connections"]
    with with_token(served, which) as before, contextlib.ExitStack() as opened:
        before.daemon.info()
        kept = collections.deque()
        for i in range(N):
            kept.append(opened.enter_context(begin(served.uris[which], sent)))
            if len(kept) > KEPT:
                kept.popleft().close()
            if i > limit and i % 100 == 0:
                with served.connect() as owner:
                    wait_until(lambda owner=owner: owner.daemon.info()["connections"] <= limit, "those that were sent away are gone")
                with with_token(served, which) as client:
                    assert client.daemon.info()["pid"] == served.pid
        before.daemon.info()  # A client that has sent the token stays.


def test_who_has_shown_the_token_has_his_place(served):
    """Authenticated clients occupy all slots: every further client is refused."""
    with contextlib.ExitStack() as opened:
        first = opened.enter_context(served.connect())
        limit = first.daemon.info()["limits"]["max_connections"]
        clients = [opened.enter_context(with_token(served, 1 + i % 3)) for i in range(limit - 1)]
        for client in clients:
            client.daemon.info()
        with pytest.raises((ompdd.Error, ompdd.ConnectError, OSError)):
            with served.connect() as one:
                one.daemon.info()
        for client in clients:
            client.daemon.info()


@pytest.mark.parametrize("which", [1, 2])
def test_nobody_makes_the_daemon_negotiate_again(which, served):
    """A client that requests another handshake (TLS 1.2) is refused, and affects no other client."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is missing")
    peer = subprocess.Popen(["openssl", "s_client", "-connect", f"127.0.0.1:{port(served.uris[which])}", "-tls1_2", "-legacy_renegotiation"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = []
    for line in peer.stdout:
        said.append(line)
        if "Verify return code" in line:
            break
    assert any("TLSv1.2" in line for line in said), said
    with contextlib.suppress(BrokenPipeError):
        peer.stdin.write("R\n")
        peer.stdin.flush()
    with with_token(served, which) as client:
        client.daemon.info()
    rest = peer.stdout.read()  # It stays until its end without sending the token.
    peer.stdin.close()
    peer.wait()
    # With another handshake, openssl would check the certificate again.
    assert "RENEGOTIATING" in rest and "depth=" not in rest and "verify return" not in rest, rest
