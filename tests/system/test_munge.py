# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MUNGE credentials in place of the token: valid once, for one daemon, of one user.

The test's own munged issues them.
"""
import contextlib
import http.client
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import tempfile

import ompdd
import pytest
from conftest import fails
from daemons import BIN
from targets import wait_until

MUNGED = shutil.which("munged", path="/usr/sbin:/usr/bin")


@pytest.fixture(scope="module")
def munged():
    """Its socket. Its folders, up to the root, must not belong to another user."""
    if not MUNGED or not shutil.which("munge"):
        pytest.skip("munge is not installed")
    base = next((place for place in ("/run", pathlib.Path.home()) if os.access(place, os.W_OK)), None)
    folder = pathlib.Path(tempfile.mkdtemp(dir=base))
    (folder / "key").write_bytes(os.urandom(128))
    (folder / "key").chmod(0o600)
    folder.chmod(0o711)
    with open(folder / "log", "wb") as log, subprocess.Popen(
            [MUNGED, "--foreground", "--force", f"--socket={folder}/socket", f"--key-file={folder}/key", f"--pid-file={folder}/pid", f"--seed-file={folder}/seed"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log) as process:
        try:
            wait_until(lambda: process.poll() is not None or subprocess.run(["munge", "--socket", folder / "socket", "--no-input"], capture_output=True, check=False).returncode == 0,
                       "munged answers")
            if process.poll() is not None:
                pytest.skip(f"munged does not start here: {(folder / 'log').read_text()}")
            yield folder / "socket"
        finally:
            process.terminate()
            process.wait(60)
    shutil.rmtree(folder)


@pytest.fixture
def daemon(munged, daemons):
    return daemons("--auth", f"munge:{munged}", listen=["tcp:0", "http:0"])


def make(munged, text):
    return subprocess.run(["munge", "--socket", munged, "--string", text], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout.strip()


def test_python_shows_one(daemon, munged):
    for uri in daemon.uris:
        with daemon.connect(uri, auth=f"munge:{munged}") as client:
            for _ in range(3):
                assert client.daemon.info()["version"]


def ompdctl(uri, auth, *words, **env):
    return subprocess.run([BIN / "ompdctl", "-s", uri, *words], env={**os.environ, "OMPDD_AUTH": auth, **env},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def test_ompdctl_shows_one(munged, daemons, program):
    """Each HTTP request needs one: the daemon has no token. TLS verifies the daemon by its certificate."""
    one = program("flat", 2)
    place = pathlib.Path(tempfile.mkdtemp(dir=munged.parent))
    daemon = daemons("--auth", f"munge:{munged}", "--token-file", place / "token", listen=["tcp:0", "http:0", "tls:0", "https:0"])
    certificate = (place / "token").read_text().split("\n", 1)
    (place / "certificate").write_text("wrong\n" + certificate[1])
    for uri in daemon.uris:
        env = {} if uri.startswith(("tcp", "http:")) else {"OMPDD_TOKEN_FILE": str(place / "certificate")}
        for words in (["targets"], ["-p", str(one.pid), "threads"], ["launch", "--", "/bin/true"]):
            done = ompdctl(uri, f"munge:{munged}", *words, **env)
            assert done.returncode == 0, (uri, words, done.stderr)
        assert ompdctl(uri, f"munge:{place}/nobody", "targets", **env).returncode != 0


def test_ompdctl_has_events(daemon, munged, program):
    """GET /events has its own credential."""
    one = program("flat", 2)
    uri = next(uri for uri in daemon.uris if uri.startswith("http"))
    with subprocess.Popen([BIN / "ompdctl", "-s", uri, "events"], env={**os.environ, "OMPDD_AUTH": f"munge:{munged}"}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as told:
        try:
            wait_until(lambda: ompdctl(uri, f"munge:{munged}", "-p", str(one.pid), "threads").returncode == 0 and select.select([told.stdout], [], [], 0)[0],
                       "it is told of an attach")
            assert str(one.pid) in told.stdout.readline()  # attached or detached
        finally:
            told.kill()


def test_ompdctl_is_refused(daemons, munged):
    """A daemon that accepts none; the answer explains what to use."""
    place = pathlib.Path(tempfile.mkdtemp(dir=munged.parent))
    one = daemons("--token-file", place / "token", listen=["http:0"])
    done = ompdctl(one.uris[0], f"munge:{munged}", "targets")
    assert done.returncode != 0 and "401" in done.stderr and "munged" in done.stderr


def test_none_is_good_twice(daemon, munged):
    with daemon.connect(daemon.uris[0]) as client:
        asked = client.rpc.authenticate()
        assert asked["authenticated"] is False
        shown = make(munged, asked["challenge"])
        assert client.rpc.authenticate(munge=shown)["authenticated"] is True
        assert client.daemon.info()["version"]
    with daemon.connect(daemon.uris[0]) as client:
        with fails("unauthorized") as failure:
            client.rpc.authenticate(munge=shown)
        assert "replay" in str(failure.error).lower()


def test_none_is_good_twice_over_http(daemon, munged):
    """Not even for the second request of the same connection."""
    connection = http.client.HTTPConnection("127.0.0.1", int(daemon.uris[1].rpartition(":")[2]), timeout=600)

    def answer(shown):
        connection.request("GET", "/metrics", headers={"Authorization": f"MUNGE {shown}"} if shown else {})
        got = connection.getresponse()
        return got.status, got.read().decode(), got.headers["WWW-Authenticate"]
    status, said, asked = answer(None)
    assert status == 401 and "Authorization: MUNGE " in said and "Bearer" not in said
    realm = re.fullmatch(r'MUNGE realm="([^"]+)"', asked)[1]
    shown = make(munged, realm)
    assert answer(shown)[0] == 200
    for wrong, why in ((shown, "Replayed credential"), (make(munged, "0" * 32), "created for another purpose"), ("MUNGE:AAAA:", "is refused")):
        status, said, asked = answer(wrong)
        assert (status, realm in asked) == (401, True) and "the MUNGE credential " in said and why in said and "a new one" in said
    assert answer(make(munged, realm))[0] == 200
    connection.close()


@pytest.mark.parametrize("text", ["", "0" * 32, "something else"])
def test_one_that_was_made_for_others_is_no_good(text, daemon, munged):
    with daemon.connect(daemon.uris[0]) as client:
        with fails("unauthorized") as failure:
            client.rpc.authenticate(munge=make(munged, text))
        assert "another purpose" in str(failure.error)


@pytest.mark.parametrize("credential", ["MUNGE:", "x" * 4096, "MUNGE:AwQFAAC" + "A" * 200 + ":"])
def test_what_is_none_is_refused(credential, daemon):
    with daemon.connect(daemon.uris[0]) as client:
        with fails("unauthorized"):
            client.rpc.authenticate(munge=credential)
        with pytest.raises((ompdd.Closed, ompdd.Error)):
            client.daemon.info()


def test_the_challenge_is_told_once_and_opens_nothing(daemon):
    with daemon.connect(daemon.uris[0]) as client:
        first = client.rpc.authenticate()["challenge"]
        with fails("unauthorized"):
            client.daemon.info()
    with daemon.connect(daemon.uris[0]) as client:
        assert client.rpc.authenticate()["challenge"] == first
        client.rpc.authenticate()
        with pytest.raises((ompdd.Closed, ompdd.Error)):
            client.rpc.authenticate()


def test_clients_are_told_why_over_http(daemon, munged, monkeypatch):
    """With a munge(1) that issues credentials for another purpose."""
    place = pathlib.Path(tempfile.mkdtemp(dir=munged.parent))
    (place / "munge").write_text(f"#!/bin/sh\nexec {shutil.which('munge')} --socket {munged} --string somewhere-else\n")
    (place / "munge").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    done = ompdctl(daemon.uris[1], "munge", "targets")
    assert done.returncode != 0 and "401" in done.stderr and "created for another purpose" in done.stderr, done.stderr
    with daemon.connect(daemon.uris[1], auth="munge") as client, fails("unauthorized") as failure:
        client.daemon.info()
    assert "credential" in str(failure.error) and "created for another purpose" in failure.error.hint


def test_nobodys_credential_is_of_nobody(daemon, munged):
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    with daemon.connect(daemon.uris[0]) as client:
        challenge = client.rpc.authenticate()["challenge"]
        made = subprocess.run(["munge", "--socket", munged, "--string", challenge], user="nobody", group="nogroup", extra_groups=[],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout.strip()
        with fails("unauthorized") as failure:
            client.rpc.authenticate(munge=made)
        assert "belongs to uid" in str(failure.error)


def test_without_the_option_none_is_taken(daemons, munged):
    folder = pathlib.Path(tempfile.mkdtemp(dir=munged.parent))
    one = daemons("--token-file", folder / "token", listen=["tcp:0"])
    with one.connect() as client:
        with fails("unauthorized") as failure:
            client.rpc.authenticate(munge=make(munged, "x"))
        assert "--auth munge" in failure.error.data["hint"]


@pytest.fixture
def silent(munged):
    """A munged that accepts requests and never answers; it counts them."""
    path = pathlib.Path(tempfile.mkdtemp(dir=munged.parent)) / "socket"
    path.parent.chmod(0o711)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o777)
        listener.listen(64)
        listener.settimeout(600)
        yield path, listener


@pytest.mark.parametrize("scheme", ["tcp", "http"])
def test_one_that_hangs_holds_up_nobody(scheme, silent, daemons):
    path, listener = silent
    one = daemons("--auth", f"munge:{path}", "--token-file", path.parent / "token", listen=[f"{scheme}:0", f"unix:{path.parent}/s"])
    host, port = "127.0.0.1", int(one.uris[0].rpartition(":")[2])
    shown = {"tcp": b'{"jsonrpc":"2.0","id":1,"method":"rpc.authenticate","params":{"munge":"MUNGE:AAAA:"}}\n',
             "http": b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: MUNGE MUNGE:AAAA:\r\n\r\n" % port}[scheme]
    with one.connect(one.uris[1]) as other, socket.create_connection((host, port)) as waits:
        waits.sendall(shown)
        asked, _ = listener.accept()
        with asked:
            assert other.daemon.info()["version"]
            with one.connect(one.uris[0], token_file=path.parent / "token") as third:
                assert third.daemon.info()["version"]
            # It has got no answer yet, unless the time limit for authentication has passed; from munged it has none.
            with contextlib.suppress(BlockingIOError):
                waits.setblocking(False)
                assert b"credential is refused" not in waits.recv(4096)
            waits.setblocking(True)
        listener.close()
        waits.settimeout(600)
        assert b"401" in (answer := waits.recv(4096)) or b"unauthorized" in answer
        assert other.daemon.info()["version"]


@pytest.mark.parametrize("scheme", ["tcp", "http"])
def test_daemon_ends_while_it_hangs(scheme, silent, daemons):
    path, listener = silent
    one = daemons("--auth", f"munge:{path}", "--token-file", path.parent / "token", listen=[f"{scheme}:0"])
    port = int(one.uris[0].rpartition(":")[2])
    shown = {"tcp": b'{"jsonrpc":"2.0","id":1,"method":"rpc.authenticate","params":{"munge":"MUNGE:AAAA:"}}\n',
             "http": b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: MUNGE MUNGE:AAAA:\r\n\r\n" % port}[scheme]
    with socket.create_connection(("127.0.0.1", port)) as waits:
        waits.sendall(shown)
        with listener.accept()[0]:
            listener.close()
            one.terminate()
            while waits.recv(4096):
                pass


def test_none_in_a_batch(daemon, munged):
    """Each credential is verified by itself. A connection that does not start with one ends."""
    with daemon.connect(daemon.uris[0]) as client:
        shown = make(munged, client.rpc.authenticate()["challenge"])
    with socket.create_connection(("127.0.0.1", int(daemon.uris[0].rpartition(":")[2]))) as raw:
        raw.sendall(b'[{"jsonrpc":"2.0","id":1,"method":"rpc.authenticate","params":{"munge":"%s"}},{"jsonrpc":"2.0","id":2,"method":"daemon.info"}]\n' % shown.encode())
        raw.settimeout(600)
        assert b"result" not in b"".join(iter(lambda: raw.recv(65536), b""))
