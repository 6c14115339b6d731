# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connections from other machines use TLS; the token file identifies the server; and a token goes only to the right
server.
"""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

import ompdd
import pytest
import validator
from daemons import BIN
from targets import wait_until

NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
NEEDS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="needs another user")


@pytest.fixture
def own_address():
    """Return an address of this machine that is not loopback, if any. No packet is sent for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but loopback's")
        return one.getsockname()[0]


@pytest.fixture
def remote(daemons, tmp_path):
    """A daemon with tls: and https: on all addresses; .token is the path of its token file."""
    token = tmp_path / "private" / "token"
    token.parent.mkdir(mode=0o700)
    one = daemons("--token-file", token, "--allow-remote", listen=["tls:0.0.0.0:0", "https:0.0.0.0:0"])
    one.token = token
    return one


def at(uri, host):
    scheme, _, port = uri.split(":")
    return f"{scheme}:{host}:{port}"


@pytest.mark.parametrize("which", [0, 1])
def test_python_over_tls(which, remote, program):
    with ompdd.connect(at(remote.uris[which], "127.0.0.1"), token_file=remote.token, validator=validator, timeout=600) as client:
        assert client.daemon.info()["listeners"] == remote.uris
        target = client.target.attach(pid=program("flat", 300).pid, mode="observe", timeout=600)["target"]
        for _ in range(3):
            assert len(client.snapshot.get(target=target)["threads"]) == 300


@pytest.mark.parametrize("which", [0, 1])
def test_ompdctl_over_tls(which, remote, ompdctl, own_address):
    for host in ("127.0.0.1", own_address):
        done = ompdctl("-s", at(remote.uris[which], host), "--token-file", remote.token, "call", "daemon.info")
        assert json.loads(done.stdout)["pid"] == remote.pid


def test_curl_takes_the_token_file_as_the_certificate(remote):
    """The certificate has no host name: curl connects to "ompdd" at this address."""
    if not shutil.which("curl"):
        pytest.skip("curl is missing")
    port = remote.uris[1].split(":")[-1]
    token = remote.token.read_text().split()[0]
    body = '{"jsonrpc":"2.0","id":1,"method":"daemon.info"}'
    argv = ["curl", "-sS", "--noproxy", "*", "--connect-to", f"ompdd:{port}:127.0.0.1:{port}", "-H", "Content-Type: application/json",
            "-H", f"Host: 127.0.0.1:{port}", "-H", f"Authorization: Bearer {token}", "-d", body, f"https://ompdd:{port}/rpc"]
    done = subprocess.run([*argv, "--cacert", str(remote.token)], capture_output=True, text=True, timeout=600)
    assert '"result"' in done.stdout, done.stderr
    assert subprocess.run(argv, capture_output=True, timeout=600).returncode == 60, "nobody else vouches for it"


@pytest.mark.parametrize("which", [0, 1])
def test_another_server_is_not_talked_to(which, remote, daemons, ompdctl, tmp_path):
    """Another server listens there, or the file belongs to another daemon: the token is not sent."""
    other = tmp_path / "other" / "token"
    other.parent.mkdir(mode=0o700)
    stranger = daemons("--token-file", other, "--allow-remote", listen=["tls:0.0.0.0:0", "https:0.0.0.0:0"])
    uri = at(stranger.uris[which], "127.0.0.1")
    done = ompdctl("-s", uri, "--token-file", remote.token, "call", "daemon.info", status=2)
    assert "certificate" in done.stderr.lower(), done.stderr
    with pytest.raises(ompdd.ConnectError, match="(?i)certificate"):
        ompdd.connect(uri, token_file=remote.token, timeout=600).daemon.info()


@pytest.mark.parametrize("scheme", ["tcp", "http"])
def test_no_clear_text_beyond_this_machine(scheme, tmp_path):
    done = subprocess.run([str(BIN / "ompdd"), "--listen", f"{scheme}:0.0.0.0:0", "--allow-remote", "--token-file", str(tmp_path / "t")],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode != 0 and {"tcp": "tls:", "http": "https:"}[scheme] in done.stderr


class Elsewhere:
    """A connection between two machines (RFC 5737)."""

    def getsockname(self):
        return "192.0.2.7", 40000

    def getpeername(self):
        return "192.0.2.8", 7777


def test_a_token_in_clear_stays_in_this_machine():
    with pytest.raises(ompdd.ConnectError, match="plain text"):
        ompdd.listener.check(Elsewhere())


def test_a_handshake_that_does_not_go_on(remote):
    """A client that never starts the handshake occupies no connection for long."""
    with socket.create_connection(("127.0.0.1", int(remote.uris[0].split(":")[-1])), 600) as one:
        one.sendall(b"\x16\x03\x01\x02\x00")
        assert one.recv(4096) == b""


@pytest.mark.parametrize("sent", [b"\x16\x03\x01\x02\x00\x01", b"\x16"], ids=["hello", "byte"])
def test_a_handshake_of_https_that_does_not_go_on_holds_up_nobody(sent, remote):
    """libmicrohttpd requests another call at once as long as it waits for the rest."""
    with socket.create_connection(("127.0.0.1", int(remote.uris[1].split(":")[-1])), 600) as half:
        half.sendall(sent)
        with ompdd.connect(at(remote.uris[0], "127.0.0.1"), token_file=remote.token, timeout=600) as client:
            # It is connected, and its bytes were read.
            wait_until(lambda: client.daemon.info()["connections"] == 2, "it is a connection")
            for _ in range(20):
                client.daemon.info()
        # This limit is shorter than the limit for the rest of a message.
        assert half.recv(1) == b""


LISTEN = """
import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True)
s.settimeout(%s)
try:
    while True:
        c = s.accept()[0]
        print(c.recv(4096).decode(errors="replace") or "nothing", flush=True)
except TimeoutError:
    pass
sys.stdin.read()
"""


@NEEDS_ROOT
@pytest.mark.parametrize("scheme", ["tcp", "http"])
@pytest.mark.parametrize("accepts", [True, False])
def test_a_port_that_another_user_has_taken(scheme, accepts, ompdctl, tmp_path):
    """The daemon has ended, and another server listens in its place: it gets no token."""
    token = tmp_path / "token"
    token.write_text("5ec2e7" * 10 + "\n")
    thief = subprocess.Popen([sys.executable, "-c", LISTEN % (600 if accepts else 0.01)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True, cwd="/", **NOBODY)
    try:
        uri = f"{scheme}:127.0.0.1:{thief.stdout.readline().strip()}"
        done = ompdctl("-s", uri, "--token-file", token, "--timeout", "600", "targets", status=2)
        assert "another user" in done.stderr, done.stderr
        with pytest.raises(ompdd.ConnectError, match="another user"):
            ompdd.connect(uri, token_file=token, timeout=600).daemon.info()
    finally:
        thief.kill()
        assert "5ec2e7" not in thief.communicate()[0]


@NEEDS_ROOT
def test_local_users_are_checked_on_every_address(daemons, tmp_path, own_address):
    """Also on listeners for other machines: with the right token and the right certificate, but as another user."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        token = tmp_path / "private" / "token"
        token.parent.mkdir(mode=0o700)
        one = daemons("--token-file", token, "--allow-remote", "--log-level", "info", listen=["tls:0.0.0.0:0"])
        for host in ("127.0.0.1", own_address):
            done = subprocess.run([sys.executable, "-c", "import socket, sys\ns = socket.create_connection((sys.argv[1], int(sys.argv[2])), 60)\n"
                                   "sys.stdout.write(repr(s.recv(10)))", host, one.uris[0].split(":")[-1]],
                                  capture_output=True, text=True, timeout=600, cwd="/", **NOBODY)
            assert done.stdout == "b''" or "reset" in done.stderr.lower(), done
        wait_until(lambda: one.read_log().count("serves uid 0 only") == 2, "both refusals are in the log")
    finally:
        shutil.rmtree(folder)


def test_tokens_are_of_one_run(daemons, tmp_path):
    """Created at each start, also over an existing file; removed at the end."""
    token = tmp_path / "token"
    seen = set()
    for _ in range(2):
        daemon = daemons("--token-file", token, listen=["tcp:127.0.0.1:0"])
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        seen.add(token.read_text())
        with pytest.raises(ompdd.Error):
            ompdd.connect(daemon.uris[0], token="0123456789abcdef" * 4, timeout=600)
        with ompdd.connect(daemon.uris[0], token_file=token, timeout=600) as client:
            client.daemon.info()
        assert daemon.terminate() == 0
        assert not token.exists()
        # The file of a daemon that was killed.
        token.write_text(sorted(seen)[0])
        token.chmod(0o600)
    assert len(seen) == 2


def test_two_daemons_do_not_share_a_token_file(daemons, tmp_path):
    token = tmp_path / "token"
    daemon = daemons("--token-file", token, listen=["tcp:127.0.0.1:0"])
    done = subprocess.run([str(BIN / "ompdd"), "--listen", "tcp:0", "--token-file", str(token)], capture_output=True, text=True, timeout=600)
    assert done.returncode != 0 and "another ompdd" in done.stderr
    with ompdd.connect(daemon.uris[0], token_file=token, timeout=600) as client:
        client.daemon.info()


def test_a_certificate_of_ones_own(daemons, tmp_path, ompdctl):
    made = tmp_path / "made" / "token"
    made.parent.mkdir(mode=0o700)
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("openssl is missing")
    subprocess.run([openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                    str(tmp_path / "key"), "-out", str(tmp_path / "cert"), "-subj", "/CN=node", "-days", "2"], check=True, capture_output=True)
    daemon = daemons("--token-file", made, "--tls-cert", tmp_path / "cert", "--tls-key", tmp_path / "key", listen=["tls:127.0.0.1:0"])
    assert (tmp_path / "cert").read_text() in made.read_text()
    assert json.loads(ompdctl("-s", daemon.uris[0], "--token-file", made, "call", "daemon.info").stdout)["pid"] == daemon.pid


@pytest.mark.parametrize("data", [b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n", b"{}\n" * 100, b"\x16\x03\x01\x40\x00" + b"\xff" * 20000], ids=["nothing", "half", "http", "json", "long"])
def test_who_speaks_no_tls_costs_only_itself(data, remote):
    for uri in remote.uris:
        with socket.create_connection(("127.0.0.1", int(uri.split(":")[-1])), 600) as one:
            with contextlib.suppress(OSError):  # It may close at once.
                one.sendall(data)
                one.shutdown(socket.SHUT_WR)
                while one.recv(4096):
                    pass
    with ompdd.connect(at(remote.uris[0], "127.0.0.1"), token_file=remote.token, timeout=600) as client:
        assert client.daemon.info()["pid"] == remote.pid
