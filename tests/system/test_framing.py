# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes on the sockets: framings, batches, limits, and malformed input, which costs only its own connection."""
import json
import os
import signal
import socket
import subprocess

import pytest
import validator
from daemons import SANITIZED
from targets import read_text, task_state, wait_until
from wire import MIB, content_length, error_name, line, padded, request, still_answers

# nc and curl, as people type them.

def shell(command, cwd=None, **env):
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=600, cwd=cwd,
                          env={**os.environ, **env})


def test_nc_command(daemon):
    done = shell("""echo '{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":{}}' | nc -UN $SOCK""", SOCK=daemon.path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    message = json.loads(done.stdout)
    validator.check_response(message, "daemon.info")
    assert message["result"]["pid"] == daemon.pid


def test_curl_command_on_the_same_socket(daemon, tmp_path):
    (tmp_path / "request.json").write_text('{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":{}}')
    done = shell("""curl -sS --unix-socket $SOCK -H 'Content-Type: application/json' -d @request.json http://localhost/rpc""",
                 cwd=tmp_path, SOCK=daemon.path)
    assert done.returncode == 0, done.stderr
    message = json.loads(done.stdout)
    validator.check_response(message, "daemon.info")
    assert message["result"]["pid"] == daemon.pid


# Framings.

def test_lines_answers_in_lines(daemon):
    with daemon.wire() as wire:
        for ident in (1, "two", -3, 0, 2**53, ""):
            assert wire.ask(ident=ident)["id"] == ident


def test_content_length_answers_in_frames(daemon):
    with daemon.wire() as wire:
        for ident in (1, 2):
            wire.send(content_length(request(ident=ident)))
            message = wire.read_frame()
            validator.check_response(message, "daemon.info")
            assert message["id"] == ident


def test_other_header_fields_beside_content_length(daemon):
    text = json.dumps(request()).encode()
    with daemon.wire() as wire:
        wire.send(b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s" % (len(text), text))
        validator.check_response(wire.read_frame(), "daemon.info")


@pytest.mark.parametrize("frame", [line, content_length], ids=["lines", "content-length"])
def test_byte_at_a_time(frame, daemon):
    with daemon.wire() as wire:
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        for byte in frame(request(ident="slow")):
            wire.send(bytes([byte]))
        message = wire.read_line() if frame is line else wire.read_frame()
        validator.check_response(message, "daemon.info")
        assert message["id"] == "slow"


@pytest.mark.parametrize("frame", [line, content_length], ids=["lines", "content-length"])
def test_many_messages_in_one_write(frame, daemon):
    with daemon.wire() as wire:
        wire.send(b"".join(frame(request(ident=ident)) for ident in range(20)))
        read = wire.read_line if frame is line else wire.read_frame
        answers = [read() for _ in range(20)]
        for message in answers:
            validator.check_response(message, "daemon.info")
        assert sorted(message["id"] for message in answers) == list(range(20))


def test_message_cut_anywhere_between_two_writes(daemon):
    data = line(request(ident="a")) + line(request(ident="b"))
    with daemon.wire() as wire:
        for cut in range(0, len(data), 7):
            wire.send(data[:cut]).send(data[cut:])
            assert [wire.answer("daemon.info")["id"] for _ in range(2)] == ["a", "b"]


def test_last_line_needs_no_newline(daemon):
    with daemon.wire() as wire:
        wire.send(json.dumps(request()).encode()).end()
        assert wire.answer("daemon.info")["id"] == 1
        assert wire.at_end()


def test_answers_come_before_the_end_of_a_half_closed_connection(daemon, program):
    one = program("flat", 4)
    with daemon.wire() as wire:
        target = wire.ask("target.attach", {"pid": one.pid})["result"]["target"]
        wire.send(line(request("snapshot.get", {"target": target}, ident="last"))).end()
        assert wire.answer("snapshot.get")["id"] == "last"
        assert wire.at_end()


def test_white_space_between_messages(daemon):
    with daemon.wire() as wire:
        wire.send(line(request(ident=1)) + b"\r\n \t\n" + line(request(ident=2)))
        assert [wire.answer()["id"] for _ in range(2)] == [1, 2]


def test_framing_stays_what_the_first_byte_said(daemon):
    with daemon.wire() as wire:
        wire.ask()
        wire.send(content_length(request()))
        assert error_name(wire.answer()) == "parse_error"
        assert wire.at_end()
    assert still_answers(daemon)


# Input that is not JSON-RPC gets one -32700 and the end of the connection. Other clients are not affected.

GARBAGE = {
    "text": b"hello\n", "binary": bytes(range(128, 256)) * 8, "zeros": b"\0" * 100, "tls": b"\x16\x03\x01\x02\x00\x01",
    "half object": b'{"jsonrpc":"2.0"\n', "trailing comma": b'{"jsonrpc":"2.0","id":1,"method":"daemon.info",}\n',
    "two values": b'{"jsonrpc":"2.0","id":1,"method":"daemon.info"} {}\n', "single quotes": b"{'jsonrpc':'2.0'}\n",
    "comment": b'{/* */"jsonrpc":"2.0","id":1,"method":"daemon.info"}\n', "nan": b'{"jsonrpc":"2.0","id":NaN,"method":"daemon.info"}\n',
    "bad utf-8": b'{"jsonrpc":"2.0","id":"\xff\xfe","method":"daemon.info"}\n',
    "overlong utf-8": b'{"jsonrpc":"2.0","id":"\xc0\xaf","method":"daemon.info"}\n',
    "surrogate": b'{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"daemon.info"}\n',
    "raw control character": b'{"jsonrpc":"2.0","id":"a\x01b","method":"daemon.info"}\n',
    "nul in a string": b'{"jsonrpc":"2.0","id":"a\\u0000b","method":"daemon.info"}\n',
    "leading zero": b'{"jsonrpc":"2.0","id":01,"method":"daemon.info"}\n',
    "duplicate key": b'{"jsonrpc":"2.0","id":1,"id":2,"method":"daemon.info"}\n',
    "duplicate key deep": b'{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":{"a":1,"a":1}}\n',
    "duplicate key escaped": b'{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":{"a":1,"\\u0061":1}}\n',
    "too deep": b'{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":{"x":' + b"[" * 40 + b"]" * 40 + b"}}\n",
    "integer out of range": b'{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":{"x":18446744073709551616}}\n',
    "integer far out of range": b'{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":{"x":-99999999999999999999999}}\n',
    "length not a number": b"Content-Length: abc\r\n\r\n{}", "negative length": b"Content-Length: -5\r\n\r\n{}",
    "length missing": b"Content-Type: x\r\n\r\n{}", "header without colon": b"Content-Length 5\r\n\r\n{}",
    "length twice": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "huge length of digits": b"Content-Length: 99999999999999999999999999\r\n\r\n{}",
    "frame that is no json": b"Content-Length: 5\r\n\r\nhello",
}


@pytest.mark.parametrize("what", GARBAGE)
def test_garbage_gets_one_parse_error_and_the_end(what, daemon):
    data = GARBAGE[what]
    with daemon.wire() as bystander, daemon.wire() as wire:
        bystander.ask()
        wire.send(data)
        message = wire.read_frame() if data.startswith(b"C") else wire.read_line()
        validator.check_response(message)
        assert message["id"] is None
        assert error_name(message) in ("parse_error", "limit_exceeded"), message
        if "length of digits" not in what:
            assert error_name(message) == "parse_error"
        assert wire.at_end()
        assert "result" in bystander.ask(), "somebody else's garbage"


def test_depth_of_32_is_allowed(daemon):
    """The message and its params are two levels; level 33 is one too many."""
    def nested(levels):
        return (b'{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":{"x":' + b"[" * levels + b"]" * levels + b"}}\n")
    with daemon.wire() as wire:
        wire.send(nested(30))
        assert error_name(wire.answer()) == "invalid_params"
        wire.send(nested(31))
        assert error_name(wire.answer()) == "parse_error"


def test_nothing_after_a_parse_error_is_executed(daemon, program):
    """Redis' lesson: a body after a rejected head must not run."""
    one = program("flat", 2)
    with daemon.wire() as wire:
        wire.send(b"hello\n" + line(request("target.attach", {"pid": one.pid})))
        assert error_name(wire.answer()) == "parse_error"
        assert wire.at_end()
    with daemon.wire() as wire:
        assert wire.ask("target.list")["result"]["targets"] == []


# Valid JSON that is not JSON-RPC: an error each, and the connection continues.

@pytest.mark.parametrize("text", [
    "{}", '{"jsonrpc":"2.0"}', '{"id":1,"method":"daemon.info"}', '{"jsonrpc":"1.0","id":1,"method":"daemon.info"}',
    '{"jsonrpc":2.0,"id":1,"method":"daemon.info"}', '{"jsonrpc":"2.0","id":1.5,"method":"daemon.info"}',
    '{"jsonrpc":"2.0","id":null,"method":"daemon.info"}', '{"jsonrpc":"2.0","id":[1],"method":"daemon.info"}',
    '{"jsonrpc":"2.0","id":true,"method":"daemon.info"}', '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":1,"method":""}', '{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":7}',
    '{"jsonrpc":"2.0","id":1,"method":"daemon.info","params":[]}', '{"jsonrpc":"2.0","id":1,"method":"daemon.info","extra":1}',
    '{"jsonrpc":"2.0","id":1,"result":{}}', "[]", '{"jsonrpc":"2.0","id":1,"method":"daemon.info","client":1}',
    '{"jsonrpc":"2.0","id":"' + "x" * 129 + '","method":"daemon.info"}',
])
def test_valid_json_that_is_no_request(text, daemon):
    with daemon.wire() as wire:
        wire.send(text.encode() + b"\n")
        message = wire.answer()
        if '"params":[]' in text or '"params":7' in text:
            assert error_name(message) in ("invalid_request", "invalid_params")
        elif '"method":""' in text:
            assert error_name(message) in ("invalid_request", "method_not_found")
        else:
            assert error_name(message) == "invalid_request", message
        assert "result" in wire.ask(ident="next")


def test_notification_gets_no_answer(daemon):
    with daemon.wire() as wire:
        wire.send(line({"jsonrpc": "2.0", "method": "daemon.info"}))
        wire.send(line({"jsonrpc": "2.0", "method": "no.such_method"}))
        assert wire.ask(ident="after")["id"] == "after"


# Batches.

def test_batch_answers_as_one_array(daemon):
    with daemon.wire() as wire:
        wire.send(line([request(ident=1), {"jsonrpc": "2.0", "method": "daemon.info"}, request("no.such", ident=2), 7,
                        request("target.list", ident=3)]))
        answers = wire.read_line()
        assert isinstance(answers, list)
        for message in answers:
            validator.check_response(message)
        by_id = {message["id"]: message for message in answers}
        assert set(by_id) == {1, 2, 3, None} and len(answers) == 4
        assert error_name(by_id[2]) == "method_not_found" and error_name(by_id[None]) == "invalid_request"
        assert "result" in by_id[1] and "result" in by_id[3]


def test_batch_of_notifications_gets_nothing(daemon):
    with daemon.wire() as wire:
        wire.send(line([{"jsonrpc": "2.0", "method": "daemon.info"}] * 3))
        assert wire.ask(ident="after")["id"] == "after"


def test_batch_of_64_is_allowed_and_of_65_is_not(daemon):
    with daemon.wire() as wire:
        wire.send(line([request(ident=ident) for ident in range(64)]))
        answers = wire.read_line()
        assert len(answers) == 64
        wire.send(line([request(ident=ident) for ident in range(65)]))
        message = wire.answer()
        assert error_name(message) == "limit_exceeded" and message["id"] is None


def test_batch_with_requests_of_a_worker(daemon, program):
    one = program("flat", 4)
    with daemon.wire() as wire:
        target = wire.ask("target.attach", {"pid": one.pid, "mode": "observe"})["result"]["target"]
        wire.send(line([request("snapshot.get", {"target": target}, ident="a"), request(ident="b"),
                        request("thread.list", {"target": target}, ident="c")]))
        answers = {message["id"]: message for message in wire.read_line()}
        validator.check_response(answers["a"], "snapshot.get")
        validator.check_response(answers["c"], "thread.list")
        assert len(answers["a"]["result"]["threads"]) == 4 and "result" in answers["b"]


# Limits.

def test_limits_are_shown(daemon):
    with daemon.wire() as wire:
        limits = wire.ask()["result"]["limits"]
    expected = {"max_message_bytes": MIB, "max_depth": 32, "max_batch": 64, "max_connections": 64, "max_in_flight": 32,
                "max_queued_bytes": 32 * MIB, "max_targets": 64}
    assert {key: limits[key] for key in expected} == expected


def test_message_of_the_largest_size(daemon):
    with daemon.wire() as wire:
        wire.send(padded(MIB) + b"\n")
        assert error_name(wire.answer()) in ("invalid_params", "no_such_target")
        assert "result" in wire.ask(ident="next")


def test_longer_message_is_refused_before_it_is_whole(daemon):
    with daemon.wire() as wire:
        wire.send(padded(MIB + 4096))  # Without a newline.
        assert error_name(wire.answer()) == "limit_exceeded"
        assert wire.at_end()
    with daemon.wire() as wire:
        wire.send(b"Content-Length: %d\r\n\r\n{" % (MIB + 1))
        message = wire.read_frame()
        validator.check_response(message)
        assert error_name(message) == "limit_exceeded"
        assert wire.at_end()
    assert still_answers(daemon)


def test_65th_connection_is_told_so(daemon):
    wires = []
    try:
        for _ in range(64):
            wires.append(daemon.wire())
            wires[-1].ask()
        with daemon.wire() as extra:
            extra.send(line(request()))
            assert error_name(extra.answer()) == "limit_exceeded"
            assert extra.at_end()
        assert all("result" in wire.ask() for wire in wires), "the 64 go on"
        wires.pop().close()

        def one_more():
            with daemon.wire() as wire:
                wire.send(line(request()))
                return "result" in wire.answer()
        wait_until(one_more, "a place becomes free")
    finally:
        for wire in wires:
            wire.close()


def test_requests_in_flight_are_limited(daemon, program):
    """32 requests may wait for a worker (stopped here, so that it answers none). The next gets an error at once."""
    one = program("flat", 2)
    with daemon.wire() as wire:
        target = wire.ask("target.attach", {"pid": one.pid, "mode": "observe"})["result"]["target"]
        worker = daemon.worker()
        os.kill(worker, signal.SIGSTOP)
        wait_until(lambda: task_state(worker, worker) == "T", "it is stopped")
        try:
            wire.send(b"".join(line(request("target.info", {"target": target}, ident=ident)) for ident in range(33)))
            refused = wire.answer()
            assert error_name(refused) == "limit_exceeded" and refused["id"] == 32
        finally:
            os.kill(worker, signal.SIGCONT)
        answers = [wire.answer("target.info") for _ in range(32)]
        assert all("result" in message for message in answers)


def memory_kb(pid):
    return next(int(text.split()[1]) for text in read_text(f"/proc/{pid}/status").splitlines() if text.startswith("VmRSS"))


def test_slow_reader_holds_up_nobody(daemon, program):
    """A client that sends many requests and reads nothing: others are served, and its queue stays bounded."""
    one = program("flat", 300)
    with daemon.wire() as slow, daemon.wire() as other:
        target = slow.ask("target.attach", {"pid": one.pid, "mode": "observe"})["result"]["target"]
        slow.socket.setblocking(False)
        asked = 0
        data = line(request("snapshot.get", {"target": target}, ident=0))
        while asked < 400:
            try:
                slow.socket.send(data)
            except BlockingIOError:
                break
            asked += 1
        for _ in range(20):
            assert "result" in other.ask()
        rss = memory_kb(daemon.pid)
        assert SANITIZED or rss < 200 * 1024, f"{rss} KiB resident"
    assert still_answers(daemon)


def metric(daemon, name):
    with daemon.wire() as wire:
        wire.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        text = b"".join(iter(lambda: wire.socket.recv(65536), b"")).decode()
    return next(int(row.split()[1]) for row in text.splitlines() if row.startswith(name + " "))


def test_batches_that_wait_count_as_queued(daemon, program):
    """Answers of an incomplete batch, and unread answers, count towards the connection's limit."""
    n_batches, n = 4, 63  # More than twice the limit of one connection.
    one = program("flat", 1)
    with daemon.wire() as wire:
        target = wire.ask("target.attach", {"pid": one.pid, "mode": "observe"})["result"]["target"]
        before = memory_kb(daemon.pid)
        # Targets that cannot answer, however long it takes until all requests wait.
        worker = daemon.worker()
        os.kill(worker, signal.SIGSTOP)
        wait_until(lambda: task_state(worker, worker) == "T", "it is stopped")
        for i in range(n_batches):
            wait = request("target.info", {"target": target}, ident=f"wait {i}")
            wire.send(line([request("rpc.discover", ident=j) for j in range(n)] + [wait]))
        wait_until(lambda: metric(daemon, "ompdd_requests_pending") == n_batches, "all batches wait")
        held = memory_kb(daemon.pid) - before
        assert SANITIZED or held < 64 * 1024, f"{held} KiB for one connection"
        for i in range(n_batches):
            wire.send(line(request("request.cancel", {"id": f"wait {i}"}, ident=f"cancel {i}")))
        pieces, lines = [], 0
        while lines < 2 * n_batches:
            pieces.append(wire.socket.recv(1 << 20))
            lines += pieces[-1].count(b"\n")
        data = b"".join(pieces)
        assert len(data) < 33 * MIB
        answers = [message for message in map(json.loads, data.splitlines()) if isinstance(message, list)]
        assert [len(message) for message in answers] == n_batches * [n + 1], "each is answered"
        refused = [element for message in answers for element in message
                   if "error" in element and error_name(element) == "limit_exceeded"]
        assert refused and all(element["error"]["data"]["limit"] == "output" for element in refused)
        os.kill(worker, signal.SIGCONT)
    wait_until(lambda: SANITIZED or memory_kb(daemon.pid) - before < 16 * 1024, "the memory is given back")


# Half messages and clients that disappear.

HALVES = [b"{", line(request())[:-20], b"Content-Le", b"Content-Length: 100\r\n\r\n{", b""]


@pytest.mark.parametrize("data", HALVES + [b"POST /rpc HT", b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"])
def test_half_message_and_gone(data, daemon):
    with daemon.wire() as wire:
        wire.send(data)
    with daemon.wire() as wire:
        wait_until(lambda: wire.ask()["result"]["connections"] == 1, "the connection is forgotten")


@pytest.mark.parametrize("data", HALVES)
def test_half_message_and_its_end(data, daemon):
    """The other direction is still open: at most one error, then the end."""
    with daemon.wire() as wire:
        wire.send(data).end()
        complaint = b""
        while True:
            more = wire.socket.recv(65536)
            if not more:
                break
            complaint += more
        assert complaint.count(b"jsonrpc") <= 1
    assert still_answers(daemon)


def test_every_prefix_of_a_message_then_gone(daemon):
    data = line(request("target.attach", {"pid": 1}))
    for cut in range(len(data) - 1):
        with daemon.wire() as wire:
            wire.send(data[:cut])
    assert still_answers(daemon)
    with daemon.wire() as wire:
        wait_until(lambda: wire.ask()["result"]["connections"] == 1, "all others are forgotten")
