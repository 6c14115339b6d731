# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Credentials of MUNGE in place of the token: good once, for one daemon, of one user. A munged of the test's own makes them."""
import os
import pathlib
import shutil
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
    """Its socket. Its folders must be nobody else's, up to the root."""
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


def test_ompdctl_shows_one(daemon, munged):
    done = subprocess.run([BIN / "ompdctl", "-s", daemon.uris[0], "targets"], env={**os.environ, "OMPDD_AUTH": f"munge:{munged}"},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


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


@pytest.mark.parametrize("text", ["", "0" * 32, "something else"])
def test_one_that_was_made_for_others_is_no_good(text, daemon, munged):
    with daemon.connect(daemon.uris[0]) as client:
        with fails("unauthorized") as failure:
            client.rpc.authenticate(munge=make(munged, text))
        assert "something else" in str(failure.error)


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


def test_nobodys_credential_is_of_nobody(daemon, munged):
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    with daemon.connect(daemon.uris[0]) as client:
        challenge = client.rpc.authenticate()["challenge"]
        made = subprocess.run(["munge", "--socket", munged, "--string", challenge], user="nobody", group="nogroup", extra_groups=[],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout.strip()
        with fails("unauthorized") as failure:
            client.rpc.authenticate(munge=made)
        assert "is of uid" in str(failure.error)


def test_without_the_option_none_is_taken(daemons, munged):
    folder = pathlib.Path(tempfile.mkdtemp(dir=munged.parent))
    one = daemons("--token-file", folder / "token", listen=["tcp:0"])
    with one.connect() as client:
        with fails("unauthorized") as failure:
            client.rpc.authenticate(munge=make(munged, "x"))
        assert "--auth munge" in failure.error.data["hint"]
