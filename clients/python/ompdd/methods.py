# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods as attributes: `client.target.attach(pid=4711)` calls `target.attach`.

The daemon checks names and parameters. An installation has methods.pyi beside this file: signatures,
documentation and types of results for editors and type checkers, generated from the schemas.
"""
from __future__ import annotations

# typing takes milliseconds to load, and a summary of a node is faster.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Namespace:
    """The methods with one prefix: `target` of `target.attach`."""

    def __init__(self, call: Callable[..., Any], name: str) -> None:
        self._call, self._name = call, name

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        if verb.startswith("_"):
            raise AttributeError(verb)
        method = f"{self._name}.{verb}"

        def stub(*, timeout: Any = None, **params: Any) -> Any:
            given = {name: value for name, value in params.items() if value is not None}
            return self._call(method, given, timeout=timeout)
        stub.__name__, stub.__doc__ = verb, f"Call {method}. A parameter that is None is not sent."
        return stub


class Methods:
    """Base class of a client: each attribute without an underscore is a namespace."""

    def call(self, method: str, params: Any = None, /, *, timeout: Any = None) -> Any:
        """Call a method and return its result."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Namespace:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return Namespace(self.call, name)


class AsyncMethods(Methods):
    """Base class of an asynchronous client: a call returns a coroutine."""
