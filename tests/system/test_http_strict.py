# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HTTP requests that two readers may interpret differently (smuggling): refused before any effect."""
import re
import socket

import pytest

BODY = b'{"jsonrpc":"2.0","id":1,"method":"daemon.info"}'
LENGTH = b"Content-Length: %d" % len(BODY)
JSON = b"Content-Type: application/json"
CHUNKED = b"Transfer-Encoding: chunked"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
# A second request, hidden in the body of the first.
SECOND = b"POST /rpc HTTP/1.1\r\nHost: localhost\r\n%s\r\n%s\r\n\r\n%s" % (JSON, LENGTH, BODY)


def head(*fields, line=b"POST /rpc HTTP/1.1", host=b"Host: localhost"):
    return b"\r\n".join([line, *([host] if host else []), *fields, b"", b""])


@pytest.fixture
def answers(daemon):
    """Return the status lines of the responses to these bytes, until the end of the connection."""
    def ask(data):
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(600)
            one.connect(daemon.path)
            one.sendall(data)
            one.shutdown(socket.SHUT_WR)
            text = b""
            while more := one.recv(1 << 16):
                text += more
        return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", text)], text.count(b'"result"')
    return ask


def test_well_formed_requests(answers):
    assert answers(head(JSON, LENGTH) + BODY) == ([200], 1)
    assert answers(head(JSON, CHUNKED) + CHUNKS) == ([200], 1)
    assert answers(head(JSON, LENGTH) + BODY + SECOND) == ([200, 200], 2)
    assert answers(head(JSON, LENGTH, host=b"host:localhost") + BODY) == ([200], 1)
    assert answers(head(JSON, LENGTH, b"X-Note: a\ttab and \xc3\xa9") + BODY) == ([200], 1)


@pytest.mark.parametrize("data", [
    head(b"Host: localhost", JSON, LENGTH) + BODY,
    head(b"host: evil.example", JSON, LENGTH) + BODY,
    head(b"Content-Length: 5", JSON, LENGTH) + BODY,
    head(LENGTH, JSON, LENGTH) + BODY,
    head(JSON, b"Content-Length: %d, %d" % (len(BODY), len(BODY))) + BODY,
    head(JSON, b"Content-Length: +%d" % len(BODY)) + BODY,
    head(JSON, b"Content-Length: -1") + BODY,
    head(JSON, b"Content-Length: 0x2f") + BODY,
    head(JSON, b"Content-Length:") + BODY,
    head(JSON, LENGTH, CHUNKED) + CHUNKS,
    head(JSON, CHUNKED, LENGTH) + CHUNKS,
    head(JSON, b"Content-Length: 6", CHUNKED) + b"0\r\n\r\nX",
    head(JSON, b"Transfer-Encoding: gzip, chunked") + CHUNKS,
    head(JSON, b"Transfer-Encoding: xchunked") + CHUNKS,
    head(JSON, CHUNKED, CHUNKED) + CHUNKS,
    head(JSON, LENGTH, b"Transfer-Encoding: identity") + BODY,
    head(JSON, LENGTH, b"X-Note: a\0b") + BODY,
    head(JSON, LENGTH, b"X-No\0te: b") + BODY,
    head(JSON, LENGTH, b"X-Note: a\rX-Other: b") + BODY,
    head(JSON, LENGTH, b"X-Note: a\x01b") + BODY,
    head(JSON, LENGTH, b"X-Note: a\x7fb") + BODY,
    head(JSON, LENGTH, b"X-Note : a") + BODY,
    head(JSON, LENGTH, b"X-Note: a\r\n folded") + BODY,
    head(JSON, LENGTH, b"No colon") + BODY,
    head(JSON, LENGTH, b": no name") + BODY,
    head(JSON, LENGTH, b"Authorization: Bearer a", b"Authorization: Bearer b") + BODY,
    head(b"Content-Type: text/plain", JSON, LENGTH) + BODY,
    head(JSON, LENGTH, b"Origin: http://a.example", b"Origin: http://b.example") + BODY,
    head(JSON, LENGTH, line=b"POST /rpc%00x HTTP/1.1") + BODY,
    head(JSON, LENGTH, line=b"POST /rpc\0x HTTP/1.1") + BODY,
    head(JSON, LENGTH, line=b"POST /%72pc HTTP/1.1") + BODY,
    head(JSON, LENGTH, line=b"POST /rpc?x=1 HTTP/1.1") + BODY,
    head(JSON, LENGTH, line=b"POST  /rpc HTTP/1.1") + BODY,
    head(JSON, LENGTH, line=b"POST /rpc x HTTP/1.1") + BODY,
    head(JSON, LENGTH, line=b"POST /rpc HTTP/1.1\rX") + BODY,
    head(JSON, LENGTH, line=b"POST http://evil.example/rpc HTTP/1.1") + BODY,
    head(JSON, LENGTH, line=b"POST /rpc HTTP/1.7") + BODY,
    head(JSON, LENGTH, line=b"POST /rpc") + BODY,
    head(JSON, LENGTH, host=None) + BODY,
    head(JSON, b"Content-Length: +%d" % len(SECOND)),
    head(JSON, LENGTH, host=None),
    (head(JSON, LENGTH) + BODY).replace(b"\r\n", b"\n"),
])
def test_ambiguous_requests_are_refused(data, answers):
    """Bytes after them on the same connection are not read as a request, either."""
    statuses, results = answers(data + SECOND)
    assert results == 0 and all(status >= 400 for status in statuses), (statuses, data)
    assert answers(head(JSON, LENGTH) + BODY) == ([200], 1), "a bad connection costs only itself"
