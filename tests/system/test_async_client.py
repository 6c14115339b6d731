# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python client for asyncio: calls, cancellation, time limits, events, and servers that misbehave."""
import asyncio
import contextlib
import inspect
import json
import subprocess
import sys

import ompdd
import pytest
import validator
from daemons import BIN
from test_docs import ROOT


def asynchronous(test):
    """Return a test that runs the coroutine, at most ten minutes. A task that is left over fails the test."""
    def run(**fixtures):
        async def whole():
            trouble = []
            asyncio.get_running_loop().set_exception_handler(lambda _, context: trouble.append(context))
            await asyncio.wait_for(test(**fixtures), 600)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left and not trouble, (left, trouble)
        asyncio.run(whole())
    run.__name__, run.__doc__ = test.__name__, test.__doc__
    run.__signature__ = inspect.signature(test)
    return run


def connect(daemon, **options):
    return ompdd.aio.connect(daemon.uris[0], **{"timeout": 600, "validator": validator, **options})


@contextlib.asynccontextmanager
async def server(tmp_path, serve):
    """Yield the address of a server that runs serve(reader, writer) for each connection."""
    async def accept(reader, writer):
        with contextlib.suppress(ConnectionError):
            await serve(reader, writer)
        writer.close()
    listener = await asyncio.start_unix_server(accept, str(tmp_path / "server.sock"))
    yield f"unix:{tmp_path}/server.sock"
    listener.close()
    await listener.wait_closed()


async def read_request(reader):
    line = await reader.readline()
    return json.loads(line) if line else None


def answer(request, **result):
    return (json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n").encode()


async def wait_for_end(reader, _):
    while await reader.read(65536):
        pass


@asynchronous
async def test_calls(daemon, program):
    one = program("nested", 2, 2)
    async with await connect(daemon) as client:
        target = (await client.target.attach(pid=one.pid, mode="observe"))["target"]
        threads, info, called = await asyncio.gather(
            client.thread.list(target=target), client.target.info(target=target), client.call("snapshot.get", {"target": target}))
        assert {thread["tid"] for thread in threads["threads"]} == set(one.lines) == {thread["tid"] for thread in called["threads"]}
        assert info["pid"] == one.pid
        await client.notify("target.detach", target=target)
        # A notification has no answer to wait for.
        while (await client.target.list())["targets"]:
            await asyncio.sleep(0.01)


@asynchronous
async def test_errors(daemon):
    async with await connect(daemon) as client:
        with pytest.raises(ompdd.Error) as caught:
            await client.call("target.attach", pid=0, validate=False)
        assert caught.value.name == "invalid_params" and caught.value.hint
        with pytest.raises(ompdd.Error):
            await client.thread.list(target="t9")
        assert (await client.daemon.info())["version"] == ompdd.__version__


@pytest.mark.parametrize("framing", ["lines", "content-length"])
@asynchronous
async def test_framings(daemon, framing):
    async with await connect(daemon, framing=framing) as client:
        found = await asyncio.gather(*[client.rpc.discover() for _ in range(5)])
        assert all(one["methods"] for one in found)


@asynchronous
async def test_a_private_ompdd(program):
    one = program("flat", 2)
    client = await ompdd.aio.spawn(BIN / "ompdd", timeout=600, validator=validator)
    async with client:
        assert (await client.target.attach(pid=one.pid))["pid"] == one.pid
    with pytest.raises(ompdd.Closed):
        await client.daemon.info()
    with pytest.raises(ompdd.ConnectError):
        await ompdd.aio.spawn("/nowhere/ompdd")


@asynchronous
async def test_tcp_needs_the_token(daemons, tmp_path):
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123456789abcdef\n")
    token.chmod(0o600)
    daemon = daemons("--token-file", token, listen=["tcp:127.0.0.1:0"])
    async with await connect(daemon, token_file=str(token)) as client:
        assert await client.daemon.info()
    with pytest.raises(ompdd.Error) as caught:
        await connect(daemon, token="f" * 32)
    assert caught.value.name == "unauthorized"


@asynchronous
async def test_tls_needs_the_certificate(daemons, tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=ompdd", "-days", "2", "-keyout", tmp_path / "key.pem",
                    "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123456789abcdef\n" + (tmp_path / "cert.pem").read_text())
    for path in (token, tmp_path / "key.pem"):
        path.chmod(0o600)
    daemon = daemons("--token-file", token, "--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem", listen=["tls:127.0.0.1:0"])
    async with await connect(daemon, token_file=str(token)) as client:
        assert await client.daemon.info()
    with pytest.raises(ValueError):
        await connect(daemon, token="0123456789abcdef0123456789abcdef")


@asynchronous
async def test_addresses_that_cannot_be_used(tmp_path):
    with pytest.raises(ompdd.ConnectError):
        await ompdd.aio.connect(f"unix:{tmp_path}/nobody")
    for uri in ("http:127.0.0.1:80", "nonsense", "unix:"):
        with pytest.raises(ValueError):
            await ompdd.aio.connect(uri)


@asynchronous
async def test_events(daemon, program):
    one = program("flat", 2)
    async with await connect(daemon) as client, await connect(daemon) as other:
        await client.event.subscribe()

        async def types(n):
            found = []
            async for event in client.events(timeout=600):
                found.append(event["type"])
                if len(found) == n:
                    return found
        waiting = asyncio.ensure_future(types(2))
        target = (await other.target.attach(pid=one.pid, mode="observe"))["target"]
        # Calls of the client that waits for events go on.
        assert (await client.target.info(target=target))["pid"] == one.pid
        await other.target.detach(target=target)
        assert await waiting == ["attached", "detached"]
        with pytest.raises(ompdd.Timeout):
            await client.events(timeout=0.01).__anext__()
        await client.target.attach(pid=one.pid)
        assert await types(1) == ["attached"]


@asynchronous
async def test_the_end_of_the_connection_ends_the_iterator(tmp_path):
    async def serve(_, writer):
        writer.write(b'{"jsonrpc":"2.0","method":"event","params":{"type":"exited"}}\n')
    async with server(tmp_path, serve) as uri, await ompdd.aio.connect(uri) as client:
        found = []
        with pytest.raises(ompdd.Closed):
            async for event in client.events():
                found.append(event["type"])
        assert found == ["exited"]


@asynchronous
async def test_a_cancelled_call_leaves_the_connection_usable(daemon, program):
    """A request that the worker executes, and one that waits in the daemon."""
    one = program("flat", 2)
    async with await connect(daemon) as client, await connect(daemon) as other:
        target = (await client.target.attach(pid=one.pid, mode="observe"))["target"]
        cursor = (await client.event.subscribe())["cursor"]
        for start in (lambda: client.diagnose.get(target=target, interval_ms=500), lambda: client.event.poll(since=cursor, timeout_ms=60000)):
            call = asyncio.ensure_future(start())
            await asyncio.sleep(0.05)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert len((await client.snapshot.get(target=target))["threads"]) == 2
        with pytest.raises(ompdd.Timeout):
            await client.diagnose.get(target=target, interval_ms=500, timeout=0.05)
        assert len((await asyncio.wait_for(other.snapshot.get(target=target), 600))["threads"]) == 2


@asynchronous
async def test_late_answers_are_dropped(tmp_path):
    async def serve(reader, writer):
        """Answer in reverse order, the cancelled requests last."""
        requests = []
        while len(requests) < 8:
            requests.append(await read_request(reader))
        assert [one["method"] for one in requests[1::2]][:3] == ["request.cancel"] * 3
        for request in reversed(requests):
            if "id" in request:
                writer.write(answer(request, method=request["method"]))
        await wait_for_end(reader, writer)
    async with server(tmp_path, serve) as uri, await ompdd.aio.connect(uri) as client:
        for _ in range(3):
            with pytest.raises(ompdd.Timeout):
                await client.call("a.late", timeout=0.01)
        assert await asyncio.gather(client.call("a.b"), client.call("a.c")) == [{"method": "a.b"}, {"method": "a.c"}]


@asynchronous
async def test_a_server_that_does_not_read(tmp_path):
    """A call that is cancelled while its request is sent sends no part of it."""
    go_on = asyncio.Event()
    sizes = []

    async def serve(reader, writer):
        await go_on.wait()
        while True:
            line = b""
            while not line.endswith(b"\n"):
                more = await reader.read(1 << 20)
                if not more:
                    return
                line += more
            for text in line.splitlines():
                request = json.loads(text)
                sizes.append(len(request["params"].get("text", "")))
                if "id" in request:
                    writer.write(answer(request))
    async with server(tmp_path, serve) as uri, await ompdd.aio.connect(uri) as client:
        with pytest.raises(ompdd.Timeout):
            await client.call("a.b", text="x" * 8000000, timeout=0.1)
        call = asyncio.ensure_future(client.call("a.b", text="y" * 100, timeout=600))
        await asyncio.sleep(0.05)
        call.cancel()
        go_on.set()
        assert await client.call("a.b", timeout=600) == {}
        assert sizes[0] == 8000000 and 100 in sizes


HOSTILE = {
    "no JSON": b"<html>\n", "not UTF-8": b"\xff\n", "a number": b"1\n", "deep": b"[" * 100000 + b"\n", "no version": b'{"id":1,"result":{}}\n',
    "a result of the wrong type": b'{"jsonrpc":"2.0","id":1,"result":[]}\n', "an unknown request": b'{"jsonrpc":"2.0","id":77,"result":{}}\n',
    "true": b'{"jsonrpc":"2.0","id":true,"result":{}}\n', "NaN": b'{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}\n',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@asynchronous
async def test_a_hostile_server(tmp_path, text):
    async def serve(reader, writer):
        await read_request(reader)
        writer.write(text)
        await wait_for_end(reader, writer)
    async with server(tmp_path, serve) as uri, await ompdd.aio.connect(uri) as client:
        for _ in range(2):
            with pytest.raises(ompdd.ProtocolError):
                await client.daemon.info()


@asynchronous
async def test_a_server_that_dies(tmp_path):
    async def serve(reader, _):
        await read_request(reader)
    async with server(tmp_path, serve) as uri, await ompdd.aio.connect(uri) as client:
        found = await asyncio.gather(*[client.daemon.info() for _ in range(3)], return_exceptions=True)
        assert [type(one) for one in found] == [ompdd.Closed] * 3


@asynchronous
async def test_an_error_of_the_connection_fails_all_calls(tmp_path):
    async def serve(reader, writer):
        await read_request(reader)
        writer.write(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":{"name":"parse_error"}}}\n')
        await wait_for_end(reader, writer)
    async with server(tmp_path, serve) as uri, await ompdd.aio.connect(uri) as client:
        found = await asyncio.gather(client.daemon.info(), client.daemon.info(), return_exceptions=True)
        assert [one.name for one in found] == ["parse_error"] * 2


def test_closing_ends_the_calls(daemon):
    async def whole():
        client = await connect(daemon)
        call = asyncio.ensure_future(client.event.poll(since=0, timeout_ms=60000))
        await asyncio.sleep(0.05)
        await client.close()
        with pytest.raises(ompdd.Closed):
            await call
        await client.close()
    asyncio.run(whole())


def test_the_package_does_not_load_asyncio():
    """It takes a tenth of a second, and a summary of a node is faster."""
    code = "import sys, ompdd; ompdd.Client; print('asyncio' in sys.modules); ompdd.AsyncClient; print('asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT / "clients" / "python")})
    assert done.stdout.split() == ["False", "True"]
