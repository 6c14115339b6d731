# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C library for clients, as a program uses it that was built against an installation."""
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import threading

import pytest
from daemons import BIN, SANITIZED
from targets import BUILD, SYSCALL, system_call, wait_until
from test_docs import ROOT, blocks
from test_install import library_folder, run

USER = ROOT / "tests" / "support" / "client_library.c"
CLIENTS = (ROOT / "docs" / "clients.md").read_text()


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


def compile_with(prefix, source, folder):
    """Compile with the flags of pkg-config; the file has the configured prefix, which is replaced by the real one."""
    libdir = library_folder(prefix).parent
    ask = ["pkg-config", f"--define-variable=includedir={prefix}/include", f"--define-variable=libdir={libdir}"]
    flags = run(*ask, "--cflags", "--libs", "libompdd-client", env={**os.environ, "PKG_CONFIG_PATH": str(libdir / "pkgconfig")}).split()
    sanitizers = ["-fsanitize=address,undefined"] if SANITIZED else []
    program = folder / source.stem
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *sanitizers, "-o", program, source, *flags, f"-Wl,-rpath,{libdir}")
    return program


@pytest.fixture(scope="module")
def user_program(prefix, tmp_path_factory):
    return compile_with(prefix, USER, tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def user(user_program):
    """Run the steps of the program; return its lines, with the fields of an error."""
    def steps(*words, checker=(), **env):
        done = subprocess.run([*checker, str(user_program), *map(str, words)], capture_output=True, text=True, timeout=600, env={**os.environ, **env},
                              check=False)
        # valgrind reports system calls that it does not know.
        assert done.returncode == 0 and (checker or not done.stderr), (done.returncode, done.stdout, done.stderr)
        *lines, version = done.stdout.splitlines()
        assert version == run(BIN / "ompdctl", "--version").split()[1]
        return [tuple(line.split("\t")) if line.startswith("error\t") else line for line in lines]
    return steps


@contextlib.contextmanager
def server(folder, serve):
    """Yield the address of a server that calls serve(connection) for one connection."""
    path = folder / "server.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def accept():
            connection, _ = listener.accept()
            with connection, contextlib.suppress(BrokenPipeError, ConnectionResetError):
                serve(connection)
        thread = threading.Thread(target=accept)
        thread.start()
        yield f"unix:{path}"
        thread.join(600)
        assert not thread.is_alive()


def read_request(connection):
    text = b""
    while not text.endswith(b"\n"):
        more = connection.recv(65536)
        if not more:
            return None
        text += more
    return json.loads(text)


def answer(request, **result):
    return (json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n").encode()


EVENT = b'{"jsonrpc":"2.0","method":"event","params":{"type":"stopped","target":"t1"}}\n'


def test_calls_and_errors(user, daemon, program):
    one = program("nested", 2, 2)
    lines = user("connect", daemon.uris[0], "-", "call", "daemon.info", "{}", "call", "target.attach", json.dumps({"pid": one.pid, "mode": "observe"}),
                 "object", "thread.list", "target", "t1", "call", "target.attach", '{"pid":0}', "object", "no.such", "key", "value")
    assert lines[0] == "connected" and "version" in json.loads(lines[1]) and json.loads(lines[2])["target"] == "t1"
    assert {thread["tid"] for thread in json.loads(lines[3])["threads"]} == set(one.lines)
    _, kind, code, name, message, hint, text = lines[4]
    assert (kind, int(code), name) == ("answer", -32602, "invalid_params") and message and hint and json.loads(text)["data"]["pointer"]
    assert lines[5][1:4] == ("answer", "-32601", "method_not_found")


def test_errors_without_a_daemon(user, tmp_path):
    (line,) = user("connect", f"unix:{tmp_path}/nobody", "-")
    assert line[1:4] == ("connection", "0", "cannot_connect") and str(tmp_path) in line[4] and "is ompdd running" in line[5] and line[6] == ""
    (line,) = user("connect", "nonsense", "-")
    assert line[1] == "usage" and line[3] == "bad_uri" and "unix:PATH" in line[5]
    (line,) = user("worker", tmp_path)
    assert line[1:4] == ("connection", "0", "cannot_start") and "ompdd-worker" in line[4] and line[5]


def test_wrong_arguments(user, daemon):
    lines = user("connect", daemon.uris[0], "-", "usage", "call", "daemon.info", "{}")
    assert [line[1] for line in lines[1:6]] == ["usage"] * 5 and all(line[5] for line in lines[1:6])
    assert "version" in json.loads(lines[6])


def test_the_address_of_the_environment(user, daemon):
    assert user("connect", "-", "-", OMPDD_URI=daemon.uris[0]) == ["connected"]


def test_tcp_needs_the_token(user, daemons, tmp_path):
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123456789abcdef\n")
    token.chmod(0o600)
    daemon = daemons("--token-file", token, listen=["tcp:127.0.0.1:0"])
    lines = user("connect", daemon.uris[0], token, "call", "daemon.info", "{}")
    assert lines[0] == "connected" and "version" in json.loads(lines[1])
    (line,) = user("connect", daemon.uris[0], "-", OMPDD_TOKEN_FILE="")
    assert line[1] == "usage" and line[3] == "no_token" and "OMPDD_TOKEN_FILE" in line[5]
    (tmp_path / "wrong").write_text("f" * 32)
    (line,) = user("connect", daemon.uris[0], tmp_path / "wrong")
    assert line[1] == "answer" and line[3] == "unauthorized"


def test_a_worker_without_a_daemon(user, prefix, program):
    one = program("nested", 2, 2)
    lines = user("worker", prefix / "libexec" / "ompdd", "call", "target.attach", json.dumps({"pid": one.pid}), "call", "thread.list", '{"target":"t1"}', "close")
    assert lines[0] == "started" and {thread["tid"] for thread in json.loads(lines[2])["threads"]} == set(one.lines)


def test_events(user, daemon, program):
    one = program("flat", 2)
    lines = user("connect", daemon.uris[0], "-", "event", 0, "subscribe", "-", "call", "target.attach", json.dumps({"pid": one.pid}), "event", 60000,
                 "call", "target.detach", '{"target":"t1"}', "event", 60000)
    assert lines[1:3] == ["none", "subscribed"]
    assert [json.loads(line)["type"] for line in lines[4::2]] == ["attached", "detached"]


def test_a_loop_with_poll(user_program, daemon, client, program):
    """The event is of another client, so it comes while the program waits in poll()."""
    one = program("flat", 2)
    argv = [str(user_program), "connect", daemon.uris[0], "-", "subscribe", "-", "poll", "600000"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as user:
        assert [user.stdout.readline().strip() for _ in range(2)] == ["connected", "subscribed"]
        wait_until(lambda: system_call(user.pid, user.pid) in SYSCALL["poll"], "it polls")
        client.target.attach(pid=one.pid, mode="observe")
        assert user.communicate(timeout=600)[0].split()[0] == "1" and user.returncode == 0


def test_events_of_one_target(user, daemon, program):
    one, other = program("flat", 2), program("flat", 2)
    attach = [word for pid in (one.pid, other.pid) for word in ("call", "target.attach", json.dumps({"pid": pid}))]
    lines = user("connect", daemon.uris[0], "-", *attach, "subscribe", "t2", "call", "target.detach", '{"target":"t1"}', "call", "target.detach", '{"target":"t2"}',
                 "event", 60000)
    assert json.loads(lines[-1])["target"] == "t2"
    (line,) = user("connect", daemon.uris[0], "-", "subscribe", "t9")[1:]
    assert line[1:4:2] == ("answer", "no_such_target")


def test_a_server_that_dies(user, tmp_path):
    with server(tmp_path, read_request) as uri:
        lines = user("connect", uri, "-", "call", "daemon.info", "{}", "call", "daemon.info", "{}", "event", 1000)
    assert [line[1:4:2] for line in lines[1:]] == [("connection", "connection_lost")] * 3
    assert "closed the connection" in lines[1][4] and lines[2][5] == "connect anew"


def test_a_late_answer_is_dropped(user, tmp_path):
    """The client is usable after a timeout, although the answers come in another order."""
    def serve(connection):
        late = [read_request(connection) for _ in range(10)]
        last = read_request(connection)
        connection.sendall(b"".join(answer(request, late=True) for request in late[:5]) + answer(last, late=False)
                           + b"".join(answer(request, late=True) for request in late[5:]))
        connection.sendall(answer(read_request(connection), late=False))
        read_request(connection)
    with server(tmp_path, serve) as uri:
        lines = user("connect", uri, "-", "limit", 20, *["call", "daemon.info", "{}"] * 10, "limit", 60000, *["call", "daemon.info", "{}"] * 2)
    assert [line[1:4] for line in lines[1:11]] == [("timeout", "0", "timeout")] * 10 and "within 0.02 s" in lines[1][4]
    assert [json.loads(line) for line in lines[11:]] == [{"late": False}] * 2


def test_events_arrive_whole_and_in_order(user, tmp_path):
    """Also those between answers, and those that share a packet with one."""
    def serve(connection):
        request = read_request(connection)
        connection.sendall(EVENT * 2 + answer(request) + EVENT[:20])
        request = read_request(connection)
        connection.sendall(EVENT[20:] + answer(request))
        read_request(connection)
    with server(tmp_path, serve) as uri:
        lines = user("connect", uri, "-", "call", "a.b", "{}", "event", 0, "event", 0, "event", 0, "call", "a.b", "{}", "event", 0, "event", 0)
    assert [line == "none" for line in lines[2:]] == [False, False, True, False, False, True]


HOSTILE = {
    "no JSON": b"<html>\n", "control characters": b"\x1b]0;title\x07\0\xff\n", "a number": b"1\n", "an array": b"[]\n",
    "deep": b"[" * 100000 + b"\n", "no answer": b'{"jsonrpc":"2.0","id":1}\n', "a result of the wrong type": b'{"jsonrpc":"2.0","id":1,"result":[]}\n',
    "an unknown request": b'{"jsonrpc":"2.0","id":77,"result":{}}\n', "a huge id": b'{"jsonrpc":"2.0","id":1e300,"result":{}}\n',
    "an id below": b'{"jsonrpc":"2.0","id":-1,"result":{}}\n', "a huge line": b"x" * (65 << 20), "too many events": EVENT * 65537,
}


@pytest.mark.parametrize("bytes_sent", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_server(user, tmp_path, bytes_sent):
    def serve(connection):
        read_request(connection)
        connection.sendall(bytes_sent)
        read_request(connection)
    with server(tmp_path, serve) as uri:
        lines = user("connect", uri, "-", "call", "daemon.info", "{}", "call", "daemon.info", "{}")
    assert lines[1][1] == "connection" and lines[1][3] in ("bad_answer", "too_many_events") and lines[1][5]
    assert lines[2][1:4:2] == ("connection", "connection_lost")


def test_an_answer_twice(user, tmp_path):
    def serve(connection):
        request = read_request(connection)
        connection.sendall(answer(request) * 2)
        read_request(connection)
    with server(tmp_path, serve) as uri:
        lines = user("connect", uri, "-", *["call", "a.b", "{}"] * 2)
    assert lines[1] == "{}" and lines[2][1:4:2] == ("connection", "bad_answer")


def test_a_flood_does_not_extend_the_time_limit(user, tmp_path):
    """Lines without end that are no events."""
    def serve(connection):
        read_request(connection)
        while True:
            connection.sendall(b'{"jsonrpc":"2.0","method":"x"}\n' * 1000)
    with server(tmp_path, serve) as uri:
        lines = user("connect", uri, "-", "limit", 300, "call", "a.b", "{}", "event", 300, "event", 0)
    assert lines[1][1] == "timeout" and lines[2:] == ["none", "none"]


def test_no_memory_is_lost(user, daemon, program, tmp_path):
    """By valgrind, or by the sanitizers of the build."""
    one = program("flat", 2)
    assert SANITIZED or shutil.which("valgrind"), "apt install valgrind"
    checker = () if SANITIZED else ("valgrind", "-q", "--leak-check=full", "--error-exitcode=99")
    user("connect", daemon.uris[0], "-", "usage", "subscribe", "-", "call", "target.attach", json.dumps({"pid": one.pid}), "call", "target.attach", "{}",
         "object", "thread.list", "target", "t1", "event", 60000, "close", checker=checker)
    user("worker", BIN, "call", "target.attach", json.dumps({"pid": one.pid}), checker=checker)
    user("connect", f"unix:{tmp_path}/nobody", "-", checker=checker)
    with server(tmp_path, lambda connection: (read_request(connection), connection.sendall(b"?\n" + EVENT))) as uri:
        user("connect", uri, "-", "limit", 60000, "call", "a.b", "{}", checker=checker)


def test_only_the_functions_of_the_header_are_exported(prefix):
    library = library_folder(prefix).parent / "libompdd-client.so.0"
    names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()}
    header = (prefix / "include" / "ompdd" / "client.h").read_text()
    assert {name.split("@")[0] for name in names} - {"OMPDD_CLIENT_0"} == set(re.findall(r"\b(ompdd_(?:client|error)_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
    # The caller frees texts: the library uses the caller's calloc().
    assert SANITIZED or re.search(r" U calloc\b", run("nm", "-D", library))
    assert "libompdd-client.so.0]" in run("readelf", "-d", library)
    symbols = (ROOT / "packaging" / "debian" / "libompdd-client0.symbols").read_text()
    assert set(re.findall(r"^ (\S+@\S+) ", symbols, re.M)) == {name.replace("@@", "@") for name in names if "@" in name} | {"OMPDD_CLIENT_0@OMPDD_CLIENT_0"}


def test_the_program_of_the_document(prefix, program, tmp_path):
    (code,) = blocks(CLIENTS, "c")
    (tmp_path / "threads.c").write_text(code)
    assert "cc -o threads threads.c $(pkg-config --cflags --libs libompdd-client)" in CLIENTS
    threads = compile_with(prefix, tmp_path / "threads.c", tmp_path)
    one = program("nested", 2, 2)
    shown = run(threads, one.pid)
    assert {int(line.split()[0]) for line in shown.splitlines()} == set(one.lines)


def test_cmake_links_the_library(prefix, tmp_path):
    shutil.copy(USER, tmp_path / "user.c")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(user C)\nfind_package(ompdd 0.2 REQUIRED)\n"
        "add_executable(user user.c)\ntarget_link_libraries(user PRIVATE ompdd::client)\n")
    sanitizers = ["-DCMAKE_C_FLAGS=-fsanitize=address,undefined"] if SANITIZED else []
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", *sanitizers)
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build" / "user").strip() == run(BIN / "ompdctl", "--version").split()[1]
