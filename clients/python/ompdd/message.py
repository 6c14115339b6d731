# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Received JSON texts as messages of JSON-RPC 2.0."""
import json
from typing import Any, Dict, List

from .errors import ProtocolError


def read(text: bytes) -> List[Dict[str, Any]]:
    """Return the messages of a text: one, or those of a batch. Raises ProtocolError if one of them is not whole."""
    try:
        value = json.loads(text.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"no JSON: {error}: {text[:200]!r}") from None
    messages = value if isinstance(value, list) else [value]
    for message in messages:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not _is_whole(message):
            raise ProtocolError(f"not JSON-RPC 2.0: {str(message)[:200]}")
    return messages


def write(message: Any) -> bytes:
    """Return a message or a batch as JSON text."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _is_whole(message: Dict[str, Any]) -> bool:
    """Return whether the used members of a notification or an answer have the right types."""
    if "method" in message:
        return isinstance(message["method"], str) and isinstance(message.get("params", {}), dict)
    error = message.get("error")
    if error is None:
        return isinstance(message.get("result"), dict)
    return isinstance(error, dict) and isinstance(error.get("code"), int) and isinstance(error.get("message"), str)
