# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The client: calls, notifications and batches over one connection."""
import collections
import os
import socket
from typing import Any, Callable, Deque, Dict, Iterator, List, NamedTuple, Optional, Union

from .errors import Error, ProtocolError
from .message import read, write
from .methods import Methods
from .munge import Munge
from .transport import Deadline, Transport, open_uri

DEFAULT_TIMEOUT = 30.0
# Unread notifications; older ones are dropped.
MAX_NOTIFICATIONS = 4096


class Pending:
    """A request whose answer may not have arrived yet."""

    def __init__(self, client: "Client", ident: Union[int, str], method: str) -> None:
        self._client, self.id, self.method = client, ident, method
        self._message: Optional[Dict[str, Any]] = None

    def response(self, timeout: Optional[float] = None) -> Dict[str, Any]:
        """The whole response object."""
        if self._message is None:
            self._message = self._client._await(self.id, timeout)
        return self._message

    def result(self, timeout: Optional[float] = None) -> Dict[str, Any]:
        """The result. Raises Error if the answer is an error."""
        message = self.response(timeout)
        if "error" in message:
            raise Error(message["error"])
        result: Dict[str, Any] = message["result"]
        return result


class Batch:
    """Requests that are sent together: `batch = client.batch(); batch.call(…); batch.send()`."""

    def __init__(self, client: "Client") -> None:
        self._client = client
        self._requests: List[Dict[str, Any]] = []
        self._pending: List[Pending] = []

    def call(self, method: str, params: Optional[Dict[str, Any]] = None, /, *,
             validate: bool = True, **more: Any) -> Pending:
        """Add a request. Its answer is available after send()."""
        request = self._client._request(method, params, more, validate)
        self._requests.append(request)
        pending = Pending(self._client, request["id"], method)
        self._pending.append(pending)
        self._client._methods[request["id"]] = method
        return pending

    def notify(self, method: str, params: Optional[Dict[str, Any]] = None, /, *,
               validate: bool = True, **more: Any) -> None:
        """Add a notification."""
        self._requests.append(self._client._request(method, params, more, validate, False))

    def send(self, timeout: Optional[float] = None) -> List[Union[Dict[str, Any], Error]]:
        """Send all. Return the results in order of the calls, with an Error for each failed one."""
        self._client._send(self._requests, timeout)
        answers: List[Union[Dict[str, Any], Error]] = []
        for pending in self._pending:
            try:
                answers.append(pending.result(timeout))
            except Error as error:
                answers.append(error)
        return answers


class Client(Methods):
    """One connection to ompdd, used by one thread at a time.

    `client.call("snapshot.get", target="t1")` and `client.snapshot.get(target="t1")` are the same.
    `validator`, if given, has check_request(message), check_response(message, method) and
    check_notification(message), called with everything that is sent and received.
    """

    def __init__(self, transport: Transport, timeout: Optional[float] = DEFAULT_TIMEOUT,
                 validator: Any = None) -> None:
        self.transport = transport
        self.timeout = timeout
        self.notifications: Deque[Dict[str, Any]] = collections.deque(maxlen=MAX_NOTIFICATIONS)
        self._validator = validator
        self._next_id = 1
        self._methods: Dict[Union[int, str], str] = {}
        self._answers: Dict[Union[int, str], Dict[str, Any]] = {}
        self._at_close: Optional[Callable[[], object]] = None

    def call(self, method: str, params: Optional[Dict[str, Any]] = None, /, *,
             timeout: Optional[float] = None, validate: bool = True, **more: Any) -> Dict[str, Any]:
        """Call a method and return its result.

        Parameters as a dict, by name, or both. `validate=False` sends a request that the validator would refuse; the
        answer is still validated.
        """
        return self.start(method, params, timeout=timeout, validate=validate, **more).result(timeout)

    def start(self, method: str, params: Optional[Dict[str, Any]] = None, /, *,
              timeout: Optional[float] = None, validate: bool = True, **more: Any) -> Pending:
        """Send a request without waiting for the answer."""
        request = self._request(method, params, more, validate)
        self._methods[request["id"]] = method
        self._send(request, timeout)
        return Pending(self, request["id"], method)

    def notify(self, method: str, params: Optional[Dict[str, Any]] = None, /, *,
               timeout: Optional[float] = None, validate: bool = True, **more: Any) -> None:
        """Call a method without an answer, not even an error."""
        self._send(self._request(method, params, more, validate, False), timeout)

    def batch(self) -> Batch:
        """Collect calls that are sent together."""
        return Batch(self)

    def events(self, timeout: Optional[float] = None) -> Iterator[Dict[str, Any]]:
        """Yield the events of event.subscribe as they arrive.

        Raises Timeout if none arrives within that time (None: no limit). Events that arrived during other calls come
        first. Not available over HTTP: use event.poll.
        """
        while True:
            while self.notifications:
                message = self.notifications.popleft()
                if message["method"] == "event":
                    yield message.get("params", {})
            self._take(self.transport.receive(Deadline(timeout)))

    def close(self) -> None:
        """End the connection: its held targets resume, and its handles become invalid."""
        self.transport.close()
        if self._at_close:
            self._at_close()

    def at_close(self, function: Callable[[], object]) -> None:
        """Call this function when the connection has been closed."""
        self._at_close = function

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _request(self, method: str, params: Optional[Dict[str, Any]], more: Dict[str, Any],
                 validate: bool, wants_answer: bool = True) -> Dict[str, Any]:
        request: Dict[str, Any] = {"jsonrpc": "2.0"}
        if wants_answer:
            request["id"] = self._next_id
            self._next_id += 1
        request.update(method=method, params={**(params or {}), **more})
        if self._validator is not None and validate:
            self._validator.check_request(request)
        return request

    def _deadline(self, timeout: Optional[float]) -> Deadline:
        return Deadline(self.timeout if timeout is None else timeout)

    def _send(self, message: Any, timeout: Optional[float]) -> None:
        self.transport.send(write(message), self._deadline(timeout))

    def _await(self, ident: Union[int, str], timeout: Optional[float]) -> Dict[str, Any]:
        deadline = self._deadline(timeout)
        while ident not in self._answers:
            self._take(self.transport.receive(deadline))
        return self._answers.pop(ident)

    def _take(self, text: bytes) -> None:
        for message in read(text):
            if "method" in message:
                if self._validator is not None:
                    self._validator.check_notification(message)
                self.notifications.append(message)
            else:
                self._take_answer(message)

    def _take_answer(self, message: Dict[str, Any]) -> None:
        ident = message.get("id")
        if not isinstance(ident, (int, str)) or isinstance(ident, bool) or ident not in self._methods:
            if self._validator is not None:
                self._validator.check_response(message, None)
            if ident is None and isinstance(message.get("error"), dict):
                # An error of the whole connection: a parse error, a limit, a missing token.
                raise Error(message["error"])
            raise ProtocolError(f"an unexpected answer: {str(message)[:200]}")
        method = self._methods.pop(ident)
        if self._validator is not None:
            self._validator.check_response(message, method)
        self._answers[ident] = message


def _is_served(path: str) -> bool:
    """Return whether a daemon listens there: the socket of a killed daemon, or of a stopped unit, may remain."""
    with socket.socket(socket.AF_UNIX) as one:
        one.setblocking(False)
        try:
            one.connect(path)
        except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
            return False
        except OSError:
            pass
    return True


def _socket_folder(uid: int) -> str:
    """The same rule as in ompdd/base/socket_folder.c."""
    run, login = os.environ.get("XDG_RUNTIME_DIR"), f"/run/user/{uid}"
    if run or not uid or os.path.exists(login):
        return f"{run or (login if uid else '/run')}/ompdd"
    return f"{os.environ.get('TMPDIR') or '/tmp'}/ompdd-{uid}"


def default_uri() -> str:
    """Return the address that ompdctl uses, too: $OMPDD_URI, else the user's own ompdd, else the node's."""
    named = os.environ.get("OMPDD_URI")
    if named:
        return named
    uid = os.geteuid()
    own = f"{_socket_folder(uid)}/ompdd.sock"
    node = os.environ.get("OMPDD_NODE_URI") or "unix:/run/ompdd/ompdd.sock"
    path = node[5:] if node.startswith("unix:") else None
    return f"unix:{own}" if (path and not os.path.exists(path)) or _is_served(own) else node


class Access(NamedTuple):
    """An address, and what its server requires."""
    uri: str
    token: Optional[str]
    certificate: Optional[str]
    maker: Optional[Munge]

    @property
    def needs_token(self) -> bool:
        """Whether rpc.authenticate must send the token; HTTP sends it in a header."""
        return self.token is not None and self.uri.partition(":")[0] in ("tcp", "tls", "unix")

    @property
    def needs_credential(self) -> bool:
        """Whether rpc.authenticate must send a credential of MUNGE."""
        return self.token is None and self.uri.partition(":")[0] in ("tcp", "tls")


def find_access(uri: Optional[str], token: Optional[str], token_file: Optional[str], auth: Optional[str]) -> Access:
    """Complete the arguments of connect() from the environment and the token file."""
    if uri is None:
        uri = default_uri()
        scheme, _, path = uri.partition(":")
        if scheme in ("unix", "http+unix"):
            # The environment names it, not the caller: sudo and su may keep another user's variables.
            from . import listener  # pylint: disable=import-outside-toplevel
            listener.check_socket(path)
    certificate = None
    if token_file is not None and token is None:
        with open(token_file, encoding="utf-8") as stream:
            certificate = stream.read()
        token = (certificate.split() or [""])[0]
    if auth is None and token is None:
        auth = os.environ.get("OMPDD_AUTH")
    return Access(uri, token, certificate, Munge(auth) if auth else None)


def connect(uri: Optional[str] = None, token: Optional[str] = None, *, token_file: Optional[str] = None,
            framing: str = "lines", timeout: Optional[float] = DEFAULT_TIMEOUT,
            validator: Any = None, auth: Optional[str] = None) -> Client:
    """Connect to a running ompdd.

    uri         unix:PATH, http+unix:PATH, stdio:COMMAND, or tcp:, tls:, http: or https: and HOST:PORT; default: default_uri()
    token       for these four: the first line of the daemon's --token-file; or
    token_file  its path, which tls: and https: need: it has the server's certificate, too
    auth        "munge", or "munge:SOCKET": a credential of MUNGE, made by munge(1), in place of the token (ompdd --auth munge);
                default: $OMPDD_AUTH, where there is no token
    framing     "lines" or "content-length", of unix, tcp, tls and stdio
    timeout     seconds for each call, unless it says otherwise; None: no limit
    """
    access = find_access(uri, token, token_file, auth)
    client = Client(open_uri(access.uri, framing, access.token, Deadline(timeout), access.certificate, access.maker), timeout, validator)
    try:
        if access.needs_token:
            client.rpc.authenticate(token=access.token)
        elif access.needs_credential and access.maker:
            challenge = str(client.call("rpc.authenticate").get("challenge"))
            client.rpc.authenticate(munge=access.maker.make(challenge))
    except BaseException:
        client.close()
        raise
    return client
