# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ompdd of one's own: started, and ended with its client."""
import os
import select
import subprocess
from typing import Any, List, Optional, Sequence

from .client import DEFAULT_TIMEOUT, Client, connect
from .errors import ConnectError, Timeout
from .transport import Deadline, end_process, from_process

READY = "listening on "


class Daemon:
    """An ompdd that was started by start_daemon(); `uris` are the addresses it listens on."""

    def __init__(self, process: "subprocess.Popen[Any]", uris: List[str]) -> None:
        self.process, self.uris = process, uris

    @property
    def pid(self) -> int:
        return self.process.pid

    def connect(self, uri: Optional[str] = None, **options: Any) -> Client:
        """Connect to its first address, or to another one."""
        return connect(uri or self.uris[0], **options)

    def close(self, timeout: float = 10) -> int:
        """End it (SIGTERM); its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return end_process(self.process, timeout)

    def __enter__(self) -> "Daemon":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def read_ready_line(process: "subprocess.Popen[Any]", deadline: Deadline) -> str:
    """The next line of its output, byte by byte so that nothing behind it is taken."""
    line = b""
    assert process.stdout
    descriptor = process.stdout.fileno()
    while not line.endswith(b"\n"):
        left = deadline.left()
        if not select.select([descriptor], [], [], left)[0]:
            raise Timeout("ompdd was not ready in time")
        byte = os.read(descriptor, 1)
        if not byte:
            raise ConnectError(f"ompdd ended before it was ready, with status {process.wait()}")
        line += byte
    text = line.decode(errors="replace").strip()
    if not text.startswith(READY):
        raise ConnectError(f"unexpected output of ompdd: {text[:200]!r}")
    return text[len(READY):]


def start_daemon(ompdd_path: str, listen: Sequence[str], args: Sequence[str] = (),
                 timeout: Optional[float] = DEFAULT_TIMEOUT, **options: Any) -> Daemon:
    """Start ompdd with these --listen URIs and wait until it is ready.

    `args` are further arguments, `options` go to subprocess.Popen.
    """
    argv = [str(ompdd_path)]
    for uri in listen:
        argv += ["--listen", uri]
    try:
        process = subprocess.Popen(argv + [str(arg) for arg in args], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, bufsize=0, **options)
    except OSError as error:
        raise ConnectError(f"{ompdd_path} does not start: {error.strerror}") from None
    deadline = Deadline(timeout)
    try:
        return Daemon(process, [read_ready_line(process, deadline) for _ in listen])
    except BaseException:
        process.kill()
        end_process(process)
        raise


def spawn(ompdd_path: str = "ompdd", listen: str = "stdio", args: Sequence[str] = (), *,
          framing: str = "lines", timeout: Optional[float] = DEFAULT_TIMEOUT,
          validator: Any = None, **options: Any) -> Client:
    """Start a private ompdd and connect to it; closing the client ends it.

    listen   "stdio", "unix:PATH", "tcp:127.0.0.1:0", …
    """
    if listen == "stdio":
        argv = [str(ompdd_path), "--listen", "stdio", *map(str, args)]
        return Client(from_process(argv, framing, **options), timeout, validator)
    daemon = start_daemon(ompdd_path, [listen], args, timeout, **options)
    try:
        token_file = None
        if "--token-file" in args:
            token_file = args[list(args).index("--token-file") + 1]
        client = daemon.connect(token_file=token_file, framing=framing, timeout=timeout,
                                validator=validator)
    except BaseException:
        daemon.close()
        raise
    client.at_close(daemon.close)
    return client
