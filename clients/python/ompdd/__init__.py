# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Client of ompdd, a debugger service for OpenMP programs.

    with ompdd.connect("unix:/run/user/1000/ompdd/ompdd.sock") as client:
        target = client.target.attach(pid=4711)["target"]
        print(client.snapshot.get(target=target))
"""
from . import listener
from .client import Batch, Client, Pending, connect, default_uri
from .errors import Closed, ConnectError, Error, HttpError, OmpddException, ProtocolError, Timeout
from .spawn import Daemon, spawn, start_daemon
from .transport import Transport

# The name by which an error answer is known elsewhere.
OmpddError = Error

__version__ = "0.2.0"
__all__ = ["Batch", "Client", "Closed", "ConnectError", "Daemon", "Error", "HttpError",
           "OmpddError", "OmpddException", "Pending", "ProtocolError", "Timeout", "Transport",
           "connect", "default_uri", "spawn", "start_daemon"]
