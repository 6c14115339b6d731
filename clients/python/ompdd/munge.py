# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MUNGE credentials, created by munge(1)."""
import subprocess

from .errors import ConnectError


class Munge:
    """"munge", or "munge:SOCKET" for another munged than the usual one."""

    def __init__(self, auth: str) -> None:
        scheme, colon, path = auth.partition(":")
        if scheme != "munge" or (colon and not path.startswith("/")):
            raise ValueError(f"unknown way to authenticate: {auth!r}; use munge, or munge:SOCKET")
        self._options = ["--socket", path] if path else []

    def make(self, challenge: str) -> str:
        """Return a credential with the challenge, which is valid once."""
        try:
            done = subprocess.run(["munge", "--string", str(challenge), *self._options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ConnectError(f"munge cannot create a credential: {error.strerror}") from None
        if done.returncode:
            raise ConnectError(f"munge cannot create a credential: {done.stderr.strip()}")
        return done.stdout.strip()
