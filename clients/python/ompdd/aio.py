# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The client for asyncio: calls are coroutines, events an asynchronous iterator.

    async with await ompdd.aio.connect() as client:
        target = (await client.target.attach(pid=4711))["target"]
        print(await client.snapshot.get(target=target))
"""
import asyncio
import collections
import contextlib
import socket
from typing import Any, AsyncIterator, Coroutine, Deque, Dict, Iterator, List, Optional, Sequence, Set, TypeVar

from .client import DEFAULT_TIMEOUT, MAX_NOTIFICATIONS, Access, find_access
from .errors import Closed, ConnectError, Error, ProtocolError, Timeout
from .message import read, write
from .methods import AsyncMethods
from .transport import CHUNK, Deadline, Framing, split_host

# Seconds that a private ompdd has to end, before and after SIGTERM.
GRACE = 10.0

T = TypeVar("T")


class AsyncClient(AsyncMethods):
    """One connection to ompdd, used by the tasks of one event loop; several calls may wait at the same time.

    `await client.call("snapshot.get", target="t1")` and `await client.snapshot.get(target="t1")` are the same. A call
    can be cancelled: the connection stays usable, and ompdd drops the request if it still waits there. A call that
    times out does the same. `validator` as in ompdd.Client.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, framing: str = "lines",
                 timeout: Optional[float] = DEFAULT_TIMEOUT, validator: Any = None,
                 process: Optional[asyncio.subprocess.Process] = None) -> None:
        self.timeout = timeout
        self.notifications: Deque[Dict[str, Any]] = collections.deque(maxlen=MAX_NOTIFICATIONS)
        self._reader, self._writer, self._process = reader, writer, process
        self._framing, self._validator = Framing(framing), validator
        self._next_id = 1
        self._methods: Dict[int, str] = {}
        self._waiting: "Dict[int, asyncio.Future[Dict[str, Any]]]" = {}
        self._abandoned: Set[int] = set()
        self._failure: Optional[Exception] = None
        self._arrived = asyncio.Event()
        self._draining = asyncio.Lock()
        self._receiver = asyncio.ensure_future(self._receive())

    async def call(self, method: str, params: Optional[Dict[str, Any]] = None, /, *,
                   timeout: Optional[float] = None, validate: bool = True, **more: Any) -> Dict[str, Any]:
        """Call a method and return its result, as Client.call()."""
        deadline = self._deadline(timeout)
        ident = self._next_id
        self._next_id += 1
        answer: "asyncio.Future[Dict[str, Any]]" = asyncio.get_running_loop().create_future()
        request = self._request(method, params, more, validate, ident)
        self._check_open()
        self._methods[ident], self._waiting[ident] = method, answer
        try:
            await self._send(request, deadline)
            await asyncio.wait([answer], timeout=deadline.left())
            if not answer.done():
                raise Timeout("ompdd did not answer in time")
        except (asyncio.CancelledError, Timeout):
            self._cancel(ident)
            raise
        finally:
            self._waiting.pop(ident, None)
        message = answer.result()
        if "error" in message:
            raise Error(message["error"])
        result: Dict[str, Any] = message["result"]
        return result

    async def notify(self, method: str, params: Optional[Dict[str, Any]] = None, /, *,
                     timeout: Optional[float] = None, validate: bool = True, **more: Any) -> None:
        """Call a method without an answer, not even an error."""
        request = self._request(method, params, more, validate)
        self._check_open()
        await self._send(request, self._deadline(timeout))

    async def events(self, timeout: Optional[float] = None) -> AsyncIterator[Dict[str, Any]]:
        """Yield the events of event.subscribe as they arrive. Each event goes to one iterator.

        Raises Timeout if none arrives within that time (None: no limit). Events that arrived before come first.
        """
        while True:
            while self.notifications:
                message = self.notifications.popleft()
                if message["method"] == "event":
                    yield message.get("params", {})
            self._check_open()
            self._arrived.clear()
            await _within(self._arrived.wait(), Deadline(timeout), "no event arrived in time")

    async def close(self) -> None:
        """End the connection: its held targets resume, and its handles become invalid. May be called again."""
        self._fail(Closed("the connection is closed"))
        self._receiver.cancel()
        await asyncio.wait([self._receiver])
        self._writer.close()
        with contextlib.suppress(OSError, Timeout):
            await _within(self._writer.wait_closed(), Deadline(GRACE), "the other end does not close the connection")
        if self._process is not None:
            await _end_process(self._process)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    def _deadline(self, timeout: Optional[float]) -> Deadline:
        return Deadline(self.timeout if timeout is None else timeout)

    def _check_open(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _request(self, method: str, params: Optional[Dict[str, Any]], more: Dict[str, Any], validate: bool,
                 ident: Optional[int] = None) -> Dict[str, Any]:
        request: Dict[str, Any] = {"jsonrpc": "2.0"}
        if ident is not None:
            request["id"] = ident
        request.update(method=method, params={**(params or {}), **more})
        if self._validator is not None and validate:
            self._validator.check_request(request)
        return request

    async def _send(self, message: Dict[str, Any], deadline: Deadline) -> None:
        """Send a message. The writer takes it as a whole, so a cancelled call does not send a part."""
        self._writer.write(self._framing.wrap(write(message)))
        try:
            await _within(self._drain(), deadline, "ompdd did not read the request in time")
        except (BrokenPipeError, ConnectionResetError):
            # The remaining output of ompdd explains the reason.
            pass

    async def _drain(self) -> None:
        # Before Python 3.11, only one task may wait for a writer.
        async with self._draining:
            await self._writer.drain()

    def _cancel(self, ident: int) -> None:
        """Drop the answer to a request when it arrives, and cancel the request in ompdd."""
        if ident not in self._methods or self._failure is not None:
            return
        self._abandoned.add(ident)
        cancel = self._request("request.cancel", {"id": ident}, {}, True)
        self._writer.write(self._framing.wrap(write(cancel)))

    async def _receive(self) -> None:
        """Receive texts until the connection ends. The failure ends all waiting calls."""
        data, seen = bytearray(), 0
        try:
            while True:
                text = self._framing.unwrap(data, seen)
                if text is None:
                    seen = len(data)
                    more = await self._reader.read(CHUNK)
                    if not more:
                        raise Closed("ompdd closed the connection")
                    data += more
                    continue
                seen = 0
                if text.strip():
                    self._take(read(text))
        except OSError as error:
            self._fail(Closed(f"ompdd closed the connection: {error.strerror or error}"))
        except Exception as error:  # pylint: disable=broad-exception-caught
            # Also what a validator raises: the calls must not wait for ever.
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if self._failure is not None:
            return
        self._failure = error
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error)
                # A cancelled call does not fetch it.
                answer.exception()
        self._arrived.set()

    def _take(self, messages: List[Dict[str, Any]]) -> None:
        for message in messages:
            if "method" in message:
                if self._validator is not None:
                    self._validator.check_notification(message)
                self.notifications.append(message)
                self._arrived.set()
            else:
                self._take_answer(message)

    def _take_answer(self, message: Dict[str, Any]) -> None:
        ident = message.get("id")
        method = self._methods.pop(ident, None) if isinstance(ident, int) and not isinstance(ident, bool) else None
        if self._validator is not None:
            self._validator.check_response(message, method)
        if method is None or not isinstance(ident, int):
            if ident is None and isinstance(message.get("error"), dict):
                # An error of the whole connection: a parse error, a limit, a missing token.
                raise Error(message["error"])
            raise ProtocolError(f"an unexpected answer: {str(message)[:200]}")
        if ident in self._abandoned:
            self._abandoned.remove(ident)
            return
        answer = self._waiting.get(ident)
        if answer is not None and not answer.done():
            answer.set_result(message)


async def _within(work: Coroutine[Any, Any, T], deadline: Deadline, late: str) -> T:
    """Return the result of `work`. Raises Timeout(late) after the deadline.

    Before Python 3.12, asyncio.wait_for() ignores a cancellation that comes together with the result.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task], timeout=deadline.left())
    except asyncio.CancelledError:
        task.cancel()
        raise
    except Timeout:
        pass
    if not task.done():
        task.cancel()
        raise Timeout(late)
    return task.result()


async def _end_process(process: asyncio.subprocess.Process) -> None:
    """Wait until an ompdd whose input has ended exits. Kill it if it does not."""
    for end in (process.terminate, process.kill):
        try:
            await _within(process.wait(), Deadline(GRACE), "ompdd does not end")
            return
        except Timeout:
            with contextlib.suppress(ProcessLookupError):
                end()
    await process.wait()


@contextlib.contextmanager
def _closing_on_error(sock: socket.socket, what: str) -> Iterator[None]:
    """Close the socket after any error; an error of the system becomes a ConnectError."""
    try:
        yield
    except BaseException as error:
        sock.close()
        if isinstance(error, OSError) and not isinstance(error, Timeout):
            raise ConnectError(f"{what}: {error.strerror or error}") from None
        raise


async def _connect_socket(family: int, address: Any, deadline: Deadline) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    with _closing_on_error(sock, f"no ompdd at {address!r}"):
        sock.setblocking(False)
        await _within(asyncio.get_running_loop().sock_connect(sock, address), deadline, f"no connection to {address!r} in time")
    return sock


async def _open_socket(access: Access, deadline: Deadline) -> socket.socket:
    """Connect to unix:, tcp: or tls:, and check the listener before anything is sent in plain text."""
    scheme, _, rest = access.uri.partition(":")
    if scheme == "unix":
        return await _connect_socket(socket.AF_UNIX, rest, deadline)
    host, port = split_host(rest)
    sock = await _connect_socket(socket.AF_INET6 if ":" in host else socket.AF_INET, (host, port), deadline)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if scheme == "tcp":
        from . import listener  # pylint: disable=import-outside-toplevel
        try:
            await asyncio.get_running_loop().run_in_executor(None, listener.check, sock)
        except BaseException:
            sock.close()
            raise
    return sock


async def _open_client(access: Access, framing: str, timeout: Optional[float], validator: Any) -> AsyncClient:
    deadline = Deadline(timeout)
    sock = await _open_socket(access, deadline)
    options: Dict[str, Any] = {}
    with _closing_on_error(sock, "TLS"):
        if access.uri.startswith("tls:"):
            from . import listener  # pylint: disable=import-outside-toplevel
            options = {"ssl": listener.context(access.certificate), "server_hostname": ""}
        reader, writer = await _within(asyncio.open_connection(sock=sock, **options), deadline, f"no connection to {access.uri} in time")
    return AsyncClient(reader, writer, framing, timeout, validator)


async def connect(uri: Optional[str] = None, token: Optional[str] = None, *, token_file: Optional[str] = None,
                  framing: str = "lines", timeout: Optional[float] = DEFAULT_TIMEOUT,
                  validator: Any = None, auth: Optional[str] = None) -> AsyncClient:
    """Connect to a running ompdd. The arguments are those of ompdd.connect(); the address is unix:, tcp: or tls:."""
    access = find_access(uri, token, token_file, auth)
    scheme, _, rest = access.uri.partition(":")
    if scheme not in ("unix", "tcp", "tls") or not rest:
        raise ValueError(f"{access.uri!r}: the scheme is unix, tcp or tls; for http: and https: use ompdd.connect()")
    client = await _open_client(access, framing, timeout, validator)
    try:
        if access.needs_token:
            await client.call("rpc.authenticate", token=access.token)
        elif access.needs_credential and access.maker:
            challenge = str((await client.call("rpc.authenticate")).get("challenge"))
            credential = await asyncio.get_running_loop().run_in_executor(None, access.maker.make, challenge)
            await client.call("rpc.authenticate", munge=credential)
    except BaseException:
        await client.close()
        raise
    return client


async def spawn(ompdd_path: str = "ompdd", args: Sequence[str] = (), *, framing: str = "lines",
                timeout: Optional[float] = DEFAULT_TIMEOUT, validator: Any = None, **options: Any) -> AsyncClient:
    """Start a private ompdd and connect to it; closing the client ends it. `options` go to the process."""
    options.setdefault("start_new_session", True)
    try:
        process = await asyncio.create_subprocess_exec(
            str(ompdd_path), "--listen", "stdio", *map(str, args), stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, **options)
    except OSError as error:
        raise ConnectError(f"{ompdd_path} does not start: {error.strerror}") from None
    assert process.stdin and process.stdout
    return AsyncClient(process.stdout, process.stdin, framing, timeout, validator, process)
