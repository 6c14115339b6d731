# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures as exceptions."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict


class OmpddException(Exception):
    """Base of all exceptions of this package."""


class Error(OmpddException):
    """ompdd answered with an error.

    code     the JSON-RPC error code
    name     the stable key ("no_such_process", "ompd_rc_unavailable")
    message  one sentence
    hint     what to do about it; may be empty
    data     everything that came with it, for example data["pointer"]
    """

    def __init__(self, error: Dict[str, Any]) -> None:
        self.code: int = error.get("code", 0)
        self.message: str = error.get("message", "")
        data = error.get("data")
        self.data: Dict[str, Any] = data if isinstance(data, dict) else {}
        self.name: str = self.data.get("name", "")
        self.hint: str = self.data.get("hint", "")
        super().__init__(self.message)

    def __str__(self) -> str:
        text = f"{self.message} [{self.name or self.code}]"
        return f"{text}; {self.hint}" if self.hint else text


class ConnectError(OmpddException):
    """No ompdd listens at the address, or it did not start."""


class Closed(ConnectError):
    """The connection ended before the answer arrived."""


class Timeout(OmpddException, TimeoutError):
    """The answer did not arrive in time."""


class ProtocolError(OmpddException):
    """The received bytes violate the protocol."""


class HttpError(ProtocolError):
    """The HTTP request was refused before it was read as JSON-RPC."""

    def __init__(self, status: int, text: str) -> None:
        self.status, self.text = status, text
        super().__init__(f"HTTP status {status}: {text[:200]}")
