# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page at GET /, as plain HTTP: its content and headers, access, and the contents of its files.

Tests that open it share pages.py.
"""
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from cores import gcore
from daemons import BIN, end_with_the_tests
from targets import BUILD, alive, children, read_text, wait_until

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "clients" / "web"
FILES = sorted(path for pattern in ("*.html", "*.js", "*.css", "*.svg", "vendor/*.js") for path in SOURCES.glob(pattern))
HAS_PAGE = "OMPDD_WEB:BOOL=OFF" not in (BUILD / "CMakeCache.txt").read_text()

pytestmark = pytest.mark.skipif(not HAS_PAGE, reason="built with -DOMPDD_WEB=OFF")


def path_of(file):
    return "/" if file.name == "index.html" else f"/{file.relative_to(SOURCES)}"


class Page:
    """A daemon with an http: listener."""

    def __init__(self, daemon, token):
        self.daemon = daemon
        self.token = token
        self.host = daemon.uris[0].removeprefix("http:")

    def ask(self, path, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection(self.host, timeout=600)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data

    def call(self, method, params, **headers):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return self.ask("/rpc", "POST", body, Content_Type="application/json", Authorization=f"Bearer {self.token}", **headers)


@pytest.fixture
def page(daemons, tmp_path):
    daemon = daemons("--token-file", tmp_path / "token", listen=["http:127.0.0.1:0"])
    return Page(daemon, (tmp_path / "token").read_text().strip())


def test_every_file_comes_without_a_token(page):
    for file in FILES:
        answer, data = page.ask(path_of(file))
        assert answer.status == 200 and data == file.read_bytes(), file.name
        kind = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}[file.suffix]
        assert answer.getheader("Content-Type").split(";")[0] == kind, file.name


def test_headers_let_nothing_else_in(page):
    for file in FILES:
        answer, _ = page.ask(path_of(file))
        policy = answer.getheader("Content-Security-Policy")
        assert policy.startswith("default-src 'self';") and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert "data:" not in policy and "http" not in policy and "*" not in policy
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert answer.getheader("Referrer-Policy") == "no-referrer"
        assert answer.getheader("Access-Control-Allow-Origin") is None


def test_compressed(page):
    whole = 0
    for file in FILES:
        answer, data = page.ask(path_of(file), Accept_Encoding="gzip, deflate, br")
        assert answer.getheader("Content-Encoding") == "gzip" and gzip.decompress(data) == file.read_bytes()
        assert answer.getheader("Vary") == "Accept-Encoding"
        whole += len(data)
        answer, data = page.ask(path_of(file), Accept_Encoding="gzip;q=0")
        assert answer.getheader("Content-Encoding") is None and data == file.read_bytes()
    print(f"{len(FILES)} files, {whole} bytes compressed")
    assert whole <= 150000


def test_not_sent_twice(page):
    tags = set()
    for file in FILES:
        answer, _ = page.ask(path_of(file))
        tag = answer.getheader("ETag")
        tags.add(tag)
        # The next daemon there may be an ompdd of another version, and an abandoned page must not survive with its
        # secrets.
        assert answer.getheader("Cache-Control") == ("no-store" if path_of(file) == "/" else "no-cache")
        again, data = page.ask(path_of(file), If_None_Match=f'"other", {tag}', Accept_Encoding="gzip")
        assert again.status == 304 and data == b"" and again.getheader("ETag") == tag
        assert again.getheader("Content-Security-Policy")
        assert page.ask(path_of(file), If_None_Match='"other"')[0].status == 200
    assert len(tags) == len(FILES)


def test_head_and_other_methods(page):
    answer, data = page.ask("/", "HEAD")
    assert answer.status == 200 and data == b"" and int(answer.getheader("Content-Length")) == (SOURCES / "index.html").stat().st_size
    for method in ("POST", "PUT", "DELETE"):
        answer, _ = page.ask("/main.js", method, "{}")
        assert answer.status == 405 and answer.getheader("Allow") == "GET, HEAD"


@pytest.mark.parametrize("path", ["/index.html", "/main.js/", "/../main.js", "/%2e%2e/token", "/MAIN.JS", "//main.js", "/etc/passwd", "/embed.py",
                                  "/CMakeLists.txt"])
def test_nothing_else_is_a_file(path, page):
    assert page.ask(path)[0].status == 401
    assert page.ask(path, Authorization=f"Bearer {page.token}")[0].status == 404


def test_the_page_may_ask_and_others_may_not(page):
    port = page.host.split(":")[1]
    for origin, status in ((f"http://127.0.0.1:{port}", 200), ("http://evil.example", 403), ("null", 403), (f"http://127.0.0.1:{int(port) ^ 1}", 403),
                           (f"https://127.0.0.1:{port}", 403), (f"http://localhost:{port}", 403)):
        answer, _ = page.call("daemon.info", {}, Origin=origin)
        assert answer.status == status, origin
        assert answer.getheader("Access-Control-Allow-Origin") is None
    # The same address under its other name.
    answer, _ = page.call("daemon.info", {}, Origin=f"http://localhost:{port}", Host=f"localhost:{port}")
    assert answer.status == 200
    # A name that another person has pointed at this machine.
    assert page.ask("/", Host=f"evil.example:{port}")[0].status == 403
    assert page.call("daemon.info", {}, Origin=f"http://evil.example:{port}", Host=f"evil.example:{port}")[0].status == 403


def test_on_the_unix_socket_no_origin_is_ours(daemon):
    """Any Host passes there, so a Host that matches an Origin proves nothing."""
    done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", daemon.path, "-H", "Origin: http://localhost", "-H", "Content-Type: application/json",
                           "-d", '{"jsonrpc":"2.0","id":1,"method":"daemon.info"}', "http://localhost/rpc"], capture_output=True, text=True, check=True)
    assert done.stdout == "403"


def test_what_the_files_must_not_have():
    """Constructs that CSP would stop anyway, and constructs that no policy stops."""
    for file in FILES:
        text = file.read_text()
        addresses = {found for found in re.findall(r"\b(?:https?|wss?)://[^\s\"'`)]+", text) if found != "http://www.w3.org/2000/svg"}
        assert not addresses, f"{file.name} names other addresses: {addresses}"
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "setAttribute(\"style\"", "localStorage", "document.cookie",
                     "srcdoc", "EventSource("):
            assert word not in text, f"{file.name} has {word}"
    index = (SOURCES / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", index), "nothing is inline"


def test_every_module_is_there():
    """Each import is another file of the page."""
    names = {path_of(file) for file in FILES}
    for file in FILES:
        for wanted in re.findall(r"(?:import|from) \"([^\"]+)\"", file.read_text()) if file.suffix == ".js" else []:
            assert wanted in names, f"{file.name} imports {wanted}"


def test_all_modules_are_asked_for_at_once():
    """Each file is requested at once, without waiting for its importer.

    hub.js and its own imports belong to the worker.
    """
    names = {path_of(file) for file in FILES if file.suffix == ".js"} - {"/main.js", "/hub.js"}
    assert set(re.findall(r'<link rel="modulepreload" href="([^"]+)">', (SOURCES / "index.html").read_text())) == names


def test_built_in():
    """One executable is enough."""
    assert b"default-src 'self'" in (BIN / "ompdd").read_bytes()


# The objects of a session, from any of its connections.

@contextlib.contextmanager
def events(page, **headers):
    """GET /events, after its header."""
    connection = http.client.HTTPConnection(page.host, timeout=600)
    connection.request("GET", "/events", headers={"Authorization": f"Bearer {page.token}", **{name.replace("_", "-"): value for name, value in headers.items()}})
    answer = connection.getresponse()
    assert answer.status == 200 and answer.fp.readline()
    try:
        yield answer
    finally:
        answer.close()
        connection.close()


def test_a_session_over_several_connections(page, program):
    one = program("rounds", 2)
    own = {"Ompdd-Session": "abc"}
    result = lambda answered: json.loads(answered[1])["result"]  # noqa: E731
    with events(page, **own):
        target = {"target": result(page.call("target.attach", {"pid": one.pid, "max_stop_ms": 60000}))["target"]}
        result(page.call("target.stop", target, **own))
        assert result(page.call("target.info", target, **own))["stop"]["own"] is True
        assert result(page.call("target.info", target))["stop"]["own"] is False
        assert json.loads(page.call("target.resume", target)[1])["error"]["data"]["name"] == "target_held"
        result(page.call("breakpoint.set", {**target, "function": "chore"}, **own))
        result(page.call("target.resume", target, **own))
        wait_until(lambda: result(page.call("target.info", target))["state"] == "breakpoint", "a hit")
        assert result(page.call("breakpoint.list", target, **own))["breakpoints"][0]["own"] is True
    wait_until(lambda: result(page.call("target.info", target))["state"] == "running", "what is held ends with the stream")
    assert result(page.call("breakpoint.list", target))["breakpoints"] == []
    assert page.call("target.info", target, **own)[0].status == 409


def test_a_session_that_nobody_renews_ends(page, program):
    """A browser may sleep, or be unplugged, and keep its connection."""
    one = program("rounds", 2)
    result = lambda answered: json.loads(answered[1])["result"]  # noqa: E731
    target = {"target": result(page.call("target.attach", {"pid": one.pid, "max_stop_ms": 60000}))["target"]}
    with contextlib.ExitStack() as stack:
        stack.enter_context(events(page, Ompdd_Session="long", Ompdd_Lease="3600"))
        result(page.call("breakpoint.set", {**target, "event": "teams_end"}, Ompdd_Session="long"))
        for seconds in (1, 4, 16, 64):  # Until it is long enough for this machine.
            stack.enter_context(events(page, Ompdd_Session="short", Ompdd_Lease=str(seconds)))
            answer, text = page.call("breakpoint.set", {**target, "event": "teams_begin"}, Ompdd_Session="short")
            if answer.status == 200:
                break
        assert json.loads(text)["result"]
        wait_until(lambda: len(result(page.call("breakpoint.list", target))["breakpoints"]) == 1, "what was the short one's goes")
        assert page.call("daemon.info", {}, Ompdd_Session="short")[0].status == 409
        assert result(page.call("breakpoint.list", target, Ompdd_Session="long"))["breakpoints"][0]["own"] is True


def test_a_session_that_is_asked_for_goes_on(page):
    lease = 1
    while True:
        lease *= 2
        with events(page, Ompdd_Session=f"of {lease}", Ompdd_Lease=str(lease)):
            began = before = time.monotonic()
            while (now := time.monotonic()) - began < 3 * lease:
                status = page.call("daemon.info", {}, Ompdd_Session=f"of {lease}")[0].status
                if time.monotonic() - before >= lease:
                    break  # This machine was too busy for such a short time.
                assert status == 200
                before = now
            else:
                return


@pytest.mark.parametrize("lease", ["0", "3601", "-1", "1.5", "", "x", "99999999999999999999"])
def test_leases_that_there_are_not(lease, page):
    assert page.ask("/events", Authorization=f"Bearer {page.token}", Ompdd_Session="s", Ompdd_Lease=lease)[0].status == 400


def test_a_session_is_ended_by_its_name(page, program):
    one = program("rounds", 2)
    result = lambda answered: json.loads(answered[1])["result"]  # noqa: E731
    target = {"target": result(page.call("target.attach", {"pid": one.pid, "max_stop_ms": 60000}))["target"]}
    token = {"Authorization": f"Bearer {page.token}"}
    with events(page, Ompdd_Session="one") as stream:
        result(page.call("target.stop", target, Ompdd_Session="one"))
        assert page.ask("/events", "DELETE", Ompdd_Session="one")[0].status == 401
        assert page.ask("/events", "DELETE", **token)[0].status == 400
        assert page.ask("/events", "DELETE", Ompdd_Session="two", **token)[0].status == 204
        assert result(page.call("target.info", target))["state"] == "held"
        assert page.ask("/events", "DELETE", Ompdd_Session="one", **token)[0].status == 204
        wait_until(lambda: result(page.call("target.info", target))["state"] == "running", "it goes on")
        with contextlib.suppress(http.client.IncompleteRead, ConnectionError):
            stream.read()
    assert page.ask("/events", "DELETE", Ompdd_Session="one", **token)[0].status == 204


@pytest.mark.parametrize("name", ["", "x", "a" * 65, "b" * 3000])
def test_a_session_that_there_is_not(name, page):
    with events(page, **{"Ompdd-Session": "a" * 65}):
        answer, text = page.call("daemon.info", {}, **{"Ompdd-Session": name})
        assert answer.status == 409 and b"no GET /events" in text


def test_one_look_for_all_who_ask_in_a_moment(page, program):
    """max_age_ms: an earlier answer serves only an equal request."""
    one = program("flat", 4)
    result = lambda answered: json.loads(answered[1])["result"]  # noqa: E731
    target = result(page.call("target.attach", {"pid": one.pid, "mode": "observe"}))["target"]
    begin = time.monotonic()
    first = result(page.call("thread.list", {"target": target, "max_age_ms": 10000}))
    for _ in range(20):
        again = result(page.call("thread.list", {"target": target, "max_age_ms": 10000}))
        if again != first and time.monotonic() - begin > 10:
            pytest.skip("this machine is too slow for 20 looks in 10 s")
        assert again == first
    assert result(page.call("thread.list", {"target": target}))["epoch"] == first["epoch"] + 1, "20 cost nothing"
    other = result(page.call("thread.list", {"target": target, "max_age_ms": 9999}))
    assert other["epoch"] == first["epoch"] + 2, "another question"
    assert result(page.call("stack.groups", {"target": target, "max_age_ms": 10000}))["epoch"] == first["epoch"] + 3
    assert result(page.call("target.info", {"target": target}))["epoch"] == first["epoch"] + 3
    for bad in (-1, 10001, "1"):
        assert json.loads(page.call("thread.list", {"target": target, "max_age_ms": bad})[1])["error"]["data"]["pointer"] == "/params/max_age_ms"


# ompdctl page.

class Served:
    """A running `ompdctl page`."""

    def __init__(self, *args, **options):
        self.process = subprocess.Popen([str(BIN / "ompdctl"), "page", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, preexec_fn=end_with_the_tests, **options)
        self.address = self.process.stdout.readline().strip()
        self.host, _, fragment = self.address.removeprefix("http://").partition("/#")
        self.said = dict(part.partition("=")[::2] for part in fragment.split("&"))

    def call(self, method, params):
        connection = http.client.HTTPConnection(self.host, timeout=600)
        connection.request("POST", "/rpc", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
                           {"Content-Type": "application/json", "Authorization": f"Bearer {self.said['token']}"})
        answer = json.load(connection.getresponse())
        connection.close()
        return answer["result"]

    def daemon(self):
        return next(child for child in children(self.process.pid) if "ompdd" in read_text(f"/proc/{child}/comm"))

    def end(self, number=signal.SIGINT):
        """Return its status. Everything that it started has ended."""
        daemon = self.daemon()
        below = [daemon, *children(daemon)]
        self.process.send_signal(number)
        _, trouble = self.process.communicate(timeout=600)
        wait_until(lambda: not any(alive(pid) for pid in below), "ompdd and its workers ended")
        assert not trouble, trouble
        return self.process.returncode


@pytest.fixture
def served(tmp_path, program):
    started = []
    (tmp_path / "run").mkdir(exist_ok=True)

    def start(*args, **env):
        clean = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        started.append(Served(*args, env={**clean, "XDG_RUNTIME_DIR": str(tmp_path / "run"), **env}))
        return started[-1]

    yield start
    for one in started:
        with contextlib.suppress(ProcessLookupError):
            one.process.kill()
        one.process.communicate()
    assert not list((tmp_path / "run").iterdir()), "the token was left behind"


def test_page_of_a_process(served, program):
    one = program("nested", 2, 2)
    page = served("-p", one.pid)
    assert page.host.startswith("127.0.0.1:") and page.said["show"] == "t1"
    info = page.call("target.info", {"target": "t1"})
    assert info["pid"] == one.pid and info["mode"] == "observe"
    assert len(page.call("thread.list", {"target": "t1"})["threads"]) == len(one.lines)
    connection = http.client.HTTPConnection(page.host, timeout=600)
    connection.request("GET", "/")
    assert connection.getresponse().read() == (SOURCES / "index.html").read_bytes()
    connection.close()
    assert page.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_page_ends_with_all_that_it_started(number, served, program):
    one = program("flat", 2)
    page = served("-p", one.pid)
    assert page.end(number) == (-number if number == signal.SIGKILL else 0)


def test_page_of_several_and_of_none(served, program):
    one, other = program("flat", 2), program("nested", 2, 2)
    page = served("-p", f"{one.pid},{other.pid}")
    assert page.said["show"] == "t1+t2"
    assert [target["pid"] for target in page.call("target.list", {})["targets"]] == [one.pid, other.pid]
    assert page.end() == 0
    page = served()
    assert "show" not in page.said
    assert {one.pid, other.pid} <= {found["pid"] for found in page.call("process.list", {})["processes"]}
    assert page.end() == 0


def test_page_that_may_stop_looks_without_a_stop(served, program):
    one = program("flat", 2)
    page = served("-m", "stop", "-p", one.pid)
    assert page.said["show"] == "t1"
    assert [target["mode"] for target in page.call("target.list", {})["targets"]] == ["observe", "stop"]
    assert page.end() == 0


def test_page_of_a_core(served, program, tmp_path):
    one = program("nested", 2, 2)
    core = gcore(one, tmp_path)
    page = served("--core", core)
    assert page.call("target.info", {"target": page.said["show"]})["mode"] == "core"
    assert page.end() == 0


def test_page_opens_a_browser_where_there_is_a_desktop(served, program, tmp_path):
    (tmp_path / "xdg-open").write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened.new && mv {tmp_path}/opened.new {tmp_path}/opened\n')
    (tmp_path / "xdg-open").chmod(0o755)
    page = served("-p", program("flat", 2).pid, DISPLAY=":99", PATH=f"{tmp_path}:{os.environ['PATH']}")
    wait_until((tmp_path / "opened").exists, "a browser was opened")
    assert (tmp_path / "opened").read_text().strip() == page.address
    assert page.end() == 0


def test_page_of_nothing_there(ompdctl, tmp_path):
    done = ompdctl("page", "-p", 2 ** 22 - 3, status=1, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert "[no_such_process]" in done.stderr and not done.stdout
    done = ompdctl("page", "--core", tmp_path / "none", status=1, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert not done.stdout and not list(tmp_path.iterdir())
    done = ompdctl("page", status=2, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "none")})
    assert "cannot create a folder" in done.stderr
