# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Client of ompdd, a debugger service for OpenMP programs.

    with ompdd.connect("unix:/run/user/1000/ompdd/ompdd.sock") as client:
        target = client.target.attach(pid=4711)["target"]
        print(client.snapshot.get(target=target))
"""
from __future__ import annotations

import importlib

from .errors import Closed, ConnectError, Error, HttpError, OmpddException, ProtocolError, Timeout

# Like typing's constant: importing typing takes milliseconds.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import aio, listener
    from .aio import AsyncClient
    from .client import Batch, Client, Pending, connect, default_uri
    from .daemon import Daemon, spawn, start_daemon
    from .transport import Transport

# The usual name for an error answer.
OmpddError = Error

__version__ = "0.2.0"
__all__ = ["AsyncClient", "Batch", "Client", "Closed", "ConnectError", "Daemon", "Error", "HttpError",
           "OmpddError", "OmpddException", "Pending", "ProtocolError", "Timeout", "Transport",
           "aio", "connect", "default_uri", "spawn", "start_daemon"]

# Other modules are imported on demand: a view of a job and a node's summary are faster than importing everything.
_FROM = {"client": ("Batch", "Client", "Pending", "connect", "default_uri"), "daemon": ("Daemon", "spawn", "start_daemon"),
         "transport": ("Transport",), "listener": ("listener",), "aio": ("AsyncClient",)}


def __getattr__(name: str) -> Any:
    for module, names in _FROM.items():
        if name in names or name == module:
            loaded = importlib.import_module(f"{__name__}.{module}")
            return loaded if name == module else getattr(loaded, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
