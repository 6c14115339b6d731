# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page in a browser: hostile names, tokens, a daemon that comes back, windows, the keyboard; with screenshots."""
import json
import os
import shutil
import urllib.parse

import pytest
from browsers import browser, one_browser  # noqa: F401
from pages import LOOKS, MARKS, VIEWS, Page, hang, page  # noqa: F401
from targets import PROGRAMS, stopped_threads, tracer

pytestmark = MARKS

def test_a_recording_without_a_daemon(browser, page, program, ompdctl, tmp_path):
    """Requests of a static server, for a folder that a person received: no daemon is involved."""
    import functools
    import http.server
    import threading
    one = program("turns", 4, wait=False)
    ompdctl("-p", one.pid, "record", "-d", "1", "-o", tmp_path / "out.json")
    sources = os.path.join(os.path.dirname(__file__), "..", "..", "clients", "web")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sources)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser.requests()
        browser.open(f"http://127.0.0.1:{server.server_port}/#/file")
        browser.wait("document.querySelector('#file')", "there is a field")
        from selenium.webdriver.common.by import By
        browser.driver.find_element(By.ID, "file").send_keys(str(tmp_path / "out.json"))
        browser.wait("document.querySelectorAll('ompdd-flame g').length > 3", "its flame graph")
        file = json.loads((tmp_path / "out.json").read_text())
        assert browser.run("return document.querySelectorAll('#which option').length") == len(file["profiles"])
        browser.shot("recording")
        (tmp_path / "bad.json").write_text('{"shared":{"frames":[{"name":"x"}]},"profiles":[{"type":"sampled","name":"x","unit":"seconds","samples":[[7]],"weights":[1]}]}')
        browser.driver.find_element(By.ID, "file").send_keys(str(tmp_path / "bad.json"))
        browser.wait_text("frame 7 is missing")
        assert not [url for url in browser.requests() if url.endswith(("/rpc", "/events"))]
        server.shutdown()


HOSTILE = '<img src=x onerror="document.title=1">'


def test_hostile_names(browser, page, program, tmp_path):
    """A program, a folder and a thread may have any name."""
    folder = tmp_path / "<script>document.title='hit'<"
    folder.mkdir()
    shutil.copy(PROGRAMS / "nested", folder / HOSTILE)
    one = program(HOSTILE, 2, 2, path=folder / HOSTILE)
    target = page.attach(one)
    browser.open(page.address())
    browser.wait_text(HOSTILE[:15])
    browser.shot("hostile")
    for view in ("", "why", "tasks", "stacks", "icvs", "events"):
        browser.open(page.address(f"{target}/{view}" if view else target))
        browser.wait_text(HOSTILE, "h1")
        browser.wait("document.querySelector('[role=tabpanel] h2')", "the view is there")
        assert browser.run("return document.querySelectorAll('img, script:not([src]), iframe').length") == 0
    assert "hit" not in browser.run("return document.title") and browser.run("return document.title") != "1"
    # A file, as a stranger may send it.
    (tmp_path / "evil.json").write_text(json.dumps({"shared": {"frames": [{"name": HOSTILE, "file": "</title><script>alert(1)</script>"}]}, "profiles": [
        {"type": "sampled", "name": HOSTILE, "unit": "seconds", "samples": [[0]], "weights": [1]}]}))
    browser.run("location.hash = '#/file'")
    browser.wait("document.querySelector('#file')", "there is a field")
    from selenium.webdriver.common.by import By
    browser.driver.find_element(By.ID, "file").send_keys(str(tmp_path / "evil.json"))
    browser.wait("document.querySelectorAll('ompdd-flame g').length === 2", "its flame graph")
    assert browser.run("return document.querySelectorAll('img, script:not([src])').length") == 0
    with_hash = urllib.parse.quote(HOSTILE)
    browser.run(f"location.hash = '#/{with_hash}'")
    browser.wait("document.querySelector('ompdd-processes')", "what the address says is no target's name")
    page.client.target.detach(target=target)


def test_token_is_taken_out_of_the_address_and_kept_for_the_tab(browser, page):
    browser.open(page.address())
    browser.wait_text("OpenMP processes")
    assert page.token not in browser.run("return location.href") and page.token not in browser.text("html")
    assert browser.run("return document.cookie + JSON.stringify(localStorage)") == "{}"
    browser.driver.refresh()
    browser.wait_text("OpenMP processes")
    browser.wait("document.querySelector('#status').innerText.includes('connected')", "the daemon answers")
    assert not any(page.token in url.split("#")[0] for url in browser.requests())


def test_no_token_and_a_wrong_one(browser, page):
    browser.expected += ["401"]
    browser.open(f"http://{page.host}/")
    browser.wait_text("needs the daemon's token")
    assert not any("/rpc" in url for url in browser.requests()), "nothing is asked without one"
    browser.open(f"http://{page.host}/#token={'0' * 64}")
    browser.wait_text("refuses this token")
    assert "--token-file" in browser.text()
    browser.shot("wrong-token")
    asked = len(browser.requests())
    assert asked < 40
    browser.run("document.querySelector('#token').value = arguments[0]", page.token)
    browser.click("Use it")
    browser.wait_text("OpenMP processes")


def test_only_its_own_address_is_asked(browser, page, program):
    target = page.attach(program("nested", 2, 2))
    for view in VIEWS:
        browser.open(page.address(f"{target}/{view}" if view else target))
        browser.wait("document.querySelector('[role=tabpanel] > *')", "the view is there")
    asked = {urllib.parse.urlsplit(url).netloc for url in browser.requests()} - {""}
    assert asked == {page.host}


def test_a_daemon_that_comes_back_is_joined_again(browser, daemons, program, tmp_path):
    browser.expected += ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"]
    one = program("nested", 2, 3)
    daemon = daemons("--token-file", tmp_path / "token", listen=[f"unix:{tmp_path}/s", "http:127.0.0.1:0"])
    first = Page(daemon, tmp_path / "token")
    # The next daemon will give it another id.
    first.client.target.detach(target=first.attach(one))
    target = first.attach(one)
    browser.open(first.address(target))
    browser.wait_text("team of 3")
    first.close()
    daemon.terminate()
    browser.wait_text("no connection", "#status")
    assert "team of 3" in browser.text(), "what was seen last stays"
    browser.shot("gone")
    port = first.host.split(":")[1]
    again = daemons("--token-file", tmp_path / "token", listen=[f"unix:{tmp_path}/s2", f"http:127.0.0.1:{port}"])
    # A token is valid as long as its daemon runs.
    browser.wait_text("ompdd refuses this token")
    browser.expected += ["401"]
    browser.run("document.querySelector('#token').value = arguments[0]", (tmp_path / "token").read_text().split()[0])
    browser.click("Use it")
    browser.wait_text("connected", "#status")
    second = Page(again, tmp_path / "token")
    browser.wait(lambda: [found["pid"] for found in second.client.target.list()["targets"]] == [one.pid], "it is attached to again")
    browser.wait("location.hash === '#/t1'", "and shown under its new id")
    browser.wait("document.querySelector('ompdd-tree') && document.querySelector('ompdd-tree').error === null && document.querySelector('ompdd-tree').target === 't1'", "and looked at")
    assert not stopped_threads(one.pid)
    second.close()


def test_a_tab_that_the_worker_has_lost_comes_back(browser, page, program):
    target = page.attach(program("nested", 2, 3))
    browser.open(page.address(target))
    looks = "document.querySelector('ompdd-strips').looks"
    browser.wait("document.querySelector('ompdd-strips') && document.querySelector('ompdd-strips').looks > 0", "it looks")
    browser.run("return import('/api.js').then(({api}) => { api.port.postMessage({type: 'bye'}); })")
    before = browser.run(f"return {looks}")
    browser.wait(f"{looks} > {before} + 3", "it looks again")
    worker = next(one["targetId"] for one in browser.driver.execute_cdp_cmd("Target.getTargets", {})["targetInfos"] if one["type"] == "shared_worker" and page.host in one["url"])
    browser.driver.execute_cdp_cmd("Target.closeTarget", {"targetId": worker})
    before = browser.run(f"return {looks}")
    browser.wait(f"{looks} > {before} + 3", "it looks again, with another worker")


def test_nothing_is_stopped_by_looking(browser, page, program):
    one = program("nested", 2, 3)
    target = page.attach(one)
    for view in VIEWS:
        browser.open(page.address(f"{target}/{view}" if view else target))
        browser.wait("document.querySelector('[role=tabpanel] > * > *')", "the view is there")
        assert not tracer(one.pid) and not stopped_threads(one.pid)
    assert all(event["type"] in ("attached", "detached") for event in page.client.event.poll()["events"])


@pytest.mark.parametrize("look", LOOKS)
def test_windows(look, browser, page, program):
    browser.look_like(*LOOKS[look])
    target = page.attach(program("nested", 2, 3))
    stuck = hang(page, program, "critical_cycle")
    for view, wanted in ((target, "team of 3"), (f"{stuck}/why", "deadlock"), (f"{target}/icvs", "nthreads-var"), (f"{target}/stacks", "main")):
        browser.open(page.address(view))
        browser.wait_text(wanted)
        # The reason for the end of a stack names the library, whose path may be long.
        over = browser.run("""for (const one of document.querySelectorAll('.stack .quiet')) one.textContent += '/' + 'x'.repeat(200);
            return document.documentElement.scrollWidth - document.documentElement.clientWidth""")
        assert over <= 0, f"{view} is {over} wider than the window"
        browser.shot(f"{look}-{view.partition('/')[2] or 'regions'}")
    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (look != "dark")


def test_by_keyboard_alone(browser, page, program):
    from selenium.webdriver.common.keys import Keys
    one = program("nested", 2, 3)
    browser.open(page.address())
    browser.wait(f"document.body.innerText.includes('{one.pid}')", "the process is listed")

    def tab_to(condition, what):
        # The list of all processes of this machine comes before it.
        for _ in range(80 + 4 * browser.run("return document.querySelectorAll('tr').length")):
            browser.keys(Keys.TAB)
            if browser.run(f"const e = document.activeElement; return {condition}"):
                assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") != "none", f"{what} does not show that it has the focus"
                return
        raise AssertionError(f"{what} cannot be reached with Tab")

    tab_to(f"e.closest('tr') && e.closest('tr').innerText.includes('{one.pid}')", "the process")
    browser.keys(Keys.ENTER)
    browser.wait_text("team of 3")
    tab_to("e.getAttribute('role') === 'tab'", "the views")
    browser.keys(Keys.ARROW_RIGHT)
    browser.wait("location.hash.endsWith('/why')", "the next view")
    browser.wait("document.activeElement.getAttribute('aria-selected') === 'true'", "the focus went with it")
    tab_to("e.textContent === 'API'", "the switch of sources")
    browser.keys(Keys.ENTER)
    tab_to("e.classList.contains('how')", "where it is from")
    browser.keys(Keys.ENTER)
    browser.wait("document.querySelector('dialog').open", "the line of curl")
    assert "curl" in browser.text("dialog") and page.token not in browser.text("dialog")
    browser.keys(Keys.ESCAPE)
    browser.wait("!document.querySelector('dialog').open", "closed")
