# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page in a browser: each view of real programs, beside what the methods say at that moment; its manners; screenshots of all."""
import json
import os
import re
import shutil
import signal
import urllib.parse

import browsers as chromium
import pytest
from browsers import browser, one_browser  # noqa: F401
from cores import gcore
from daemons import SANITIZED
from snapshots import diagnose
from targets import BUILD, PROGRAMS, children, stopped_threads, tracer, wait_until

HAS_PAGE = "OMPDD_WEB:BOOL=OFF" not in (BUILD / "CMakeCache.txt").read_text()
pytestmark = [pytest.mark.skipif(not HAS_PAGE, reason="built with -DOMPDD_WEB=OFF"), pytest.mark.skipif(bool(chromium.missing()), reason=chromium.missing())]


# Programs on our runtime, of which all is known.
OURS = {"LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")}


class Page:
    """A daemon with an http: listener, a validated client of it, and its addresses."""

    def __init__(self, daemon, token_file):
        self.daemon = daemon
        self.token = token_file.read_text().strip()
        self.host = daemon.uris[1].removeprefix("http:")
        self.client = daemon.connect()

    def address(self, *panels):
        return f"http://{self.host}/#token={self.token}&show={'+'.join(panels)}"

    def attach(self, program):
        return self.client.target.attach(pid=program.pid, mode="observe")["target"]

    def close(self):
        self.client.close()


@pytest.fixture
def page(daemons, tmp_path):
    daemon = daemons("--token-file", tmp_path / "token", listen=[f"unix:{tmp_path}/s", "http:127.0.0.1:0"])
    one = Page(daemon, tmp_path / "token")
    yield one
    one.close()


def hang(page, program, name, **options):
    """A program that hangs, observed, when it does."""
    one = program(f"hangs/{name}", wait=False, **options)
    one.read_line()
    target = page.attach(one)
    wait_until(lambda: diagnose(page.client, target)["verdict"] not in ("running", "unknown"), f"{name} hangs")
    return target


def show(browser, page, target, view, name):
    browser.open(page.address(f"{target}/{view}" if view else target))
    browser.wait("document.querySelector('[role=tabpanel]') !== null", "the view is there")
    return name


def boxes(browser):
    """Regions as they are drawn: (level, team, tids of the threads directly in it, regions within)."""
    return browser.run("""
        const tids = (e) => [...e.children].filter(c => c.tagName === 'UL').flatMap(ul => [...ul.children]);
        const region = (e) => ({
            title: e.querySelector(':scope > .title').innerText,
            threads: tids(e).map(li => li.querySelector(':scope > p').innerText),
            inner: tids(e).flatMap(li => [...li.children].filter(c => c.classList.contains('region')).map(region)),
        });
        return [...document.querySelectorAll('.regions > .region')].map(region)""")


def flat(regions):
    for one in regions:
        yield one
        yield from flat(one["inner"])


def test_processes_live(browser, page, program):
    one = program("nested", 2, 3)
    browser.open(page.address())
    row = f"[...document.querySelectorAll('tbody tr')].find(r => r.innerText.includes('{one.pid}'))"
    browser.wait(row, "the process is listed")
    cells = browser.run(f"return [...{row}.cells].map(c => c.innerText)")
    said = next(found for found in page.client.process.list()["processes"] if found["pid"] == one.pid)
    assert cells[1:4] == [str(one.pid), ", ".join(kind["kind"] for kind in said["runtimes"]), str(said["n_threads"])]
    assert cells[4] == "in a region" and said["in_region"] is True
    browser.shot("processes")
    other = program("flat", 2)
    browser.wait(f"document.body.innerText.includes('{other.pid}')", "one that starts appears")
    other.close()
    browser.wait(f"!document.body.innerText.includes('{other.pid}')", "one that ends goes")
    browser.run(f"{row}.querySelector('button').click()")
    browser.wait_text("observed: never stopped")
    assert [(target["pid"], target["mode"]) for target in page.client.target.list()["targets"]] == [(one.pid, "observe")]


@pytest.mark.parametrize("name", ["nested", "llvm/nested"])
def test_regions_are_as_snapshot_get_says(name, browser, page, program):
    if not (PROGRAMS / name).exists():
        pytest.skip("no clang with libomp: stock libomp is not looked at")
    one = program(name, 2, 3, path=PROGRAMS / name)
    target = page.attach(one)
    show(browser, page, target, "", "regions")
    snapshot = page.client.snapshot.get(target=target, stacks="regions")
    browser.wait(lambda: len(list(flat(boxes(browser)))) == len(snapshot["parallels"]), "all regions are drawn")
    drawn = list(flat(boxes(browser)))
    for region in snapshot["parallels"]:
        function = region["function"].get("symbol", "")
        fits = [box for box in drawn if f"level {region['level']}, team of {region['team_size']}" in box["title"] and
                all(any(f"({tid})" in thread for thread in box["threads"]) for tid in region["threads"])]
        assert len(fits) == 1, (region, drawn)
        assert len(fits[0]["threads"]) == len(region["threads"])
        assert region["level"] == 0 or function in fits[0]["title"]
    # A region stands in the box of the thread that met it.
    inner = {region["handle"]: region for region in snapshot["parallels"]}
    depth = {box["title"]: len(box["inner"]) for box in drawn}
    assert sum(depth.values()) == sum(isinstance(region["enclosing"], str) for region in inner.values())
    browser.shot(f"regions-{name.replace('/', '-')}")


def test_strips_say_what_thread_list_says(browser, page, program):
    one = program("nested", 2, 3)
    target = page.attach(one)
    show(browser, page, target, "", "strips")
    strips = "document.querySelector('ompdd-strips')"
    browser.wait(f"{strips} && {strips}.looks > 20", "twenty looks have come")
    said = {thread["tid"]: thread for thread in page.client.thread.list(target=target)["threads"]}
    assert sorted(browser.run(f"return {strips}.tids")) == sorted(said)
    browser.run(f"{strips}.querySelector('canvas').focus()")
    from selenium.webdriver.common.keys import Keys
    browser.keys(Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    spoken = browser.text("#strip-said")
    tid = int(re.search(r"\((\d+)\)", spoken)[1])
    assert tid in said and spoken.endswith(": work"), spoken
    # What is drawn: each strip has the colour of its state at its right end, and the whole height of its row, as it works.
    colours = browser.run(f"""const s = {strips}, c = s.querySelector('canvas'), p = c.getContext('2d');
        return s.tids.map((tid, row) => [...p.getImageData(c.width - 4, Math.round((row + 0.2) * c.height / s.tids.length), 1, 1).data].slice(0, 3).join())""")
    assert len(set(colours)) == 1 and colours[0] != "255,255,255"


def test_300_threads_fold(browser, page, program):
    one = program("flat", 300)
    target = page.attach(one)
    show(browser, page, target, "", "300")
    browser.wait_text("300 threads:")
    drawn = [box for box in flat(boxes(browser)) if "team of 300" in box["title"]]
    assert len(drawn) == 1
    counted = sum(int(found[1]) if (found := re.match(r"(\d+)\s*threads", thread)) else 1 for thread in drawn[0]["threads"])
    assert counted == 300 and len(drawn[0]["threads"]) <= 24
    browser.wait("document.querySelector('ompdd-strips').tids.length === 300", "300 strips")
    browser.click("All threads at once")
    browser.shot("300-threads")


@pytest.mark.parametrize("name", ["critical_cycle", "barrier_miss"])
def test_why(name, browser, page, program):
    target = hang(page, program, name)
    show(browser, page, target, "why", name)
    said = page.client.diagnose.get(target=target, graph=True)
    browser.wait_text(said["title"])
    for finding in said["findings"]:
        assert finding["title"] in browser.text()
        for claim in finding["claims"][:40]:
            assert claim["text"] in browser.text() and f"[{claim['source']}]" in browser.text()
    drawn = browser.run("return document.querySelectorAll('.graph .edge').length")
    assert 0 < drawn <= len(said["edges"])
    named = " ".join(browser.run("return [...document.querySelectorAll('.graph .node title')].map(t => t.textContent)"))
    for node in said["nodes"]:
        if node["kind"] != "thread" and any(node["id"] in (edge["from"], edge["to"]) for edge in said["edges"]):
            assert node.get("name", node["kind"]) in named
    browser.shot(f"why-{name}")


@pytest.mark.skipif(SANITIZED, reason="this build's runtime has a sanitizer that its programs do not start with")
def test_tasks_and_their_dependences(browser, page, program):
    target = page.attach(program("tasks", "waiting", env=OURS))
    show(browser, page, target, "tasks", "tasks")
    said = page.client.task.list(target=target, dependences=True)["tasks"]
    browser.wait(lambda: len(browser.texts("ompdd-tasks tbody tr")) == len(said), "all tasks are listed")
    rows = {row.split()[0]: row for row in browser.texts("ompdd-tasks tbody tr")}
    number = {task["handle"]: task["handle"].rpartition(":")[2] for task in said}
    before = {task["handle"]: task["queued"].get("waits_for", {"tasks": []})["tasks"] for task in said if "queued" in task}
    # A chain of three behind the one that runs, and one that waits for two of them.
    assert sorted(map(len, before.values())) == [0] * 10 + [1, 1, 1, 2]
    edges = {f"task {number[one]} must be complete before task {number[handle]} begins" for handle, those in before.items() for one in those}
    drawn = browser.run("return [...document.querySelectorAll('.graph .edge title')].map(t => t.textContent)")
    assert edges <= set(drawn) and len([title for title in drawn if "before" in title]) == 5
    for task in said:
        row = rows[number[task["handle"]]]
        assert task["kind"] in row and task["function"].get("symbol", "") in row
        assert ("not begun" in row) == ("queued" in task)
        for one in before.get(task["handle"], []):
            assert re.search(rf"depends on: .*\b{number[one]}\b", row), row
    browser.shot("tasks")


def test_stacks_few_threads_first(browser, page, program):
    target = hang(page, program, "barrier_miss")
    show(browser, page, target, "stacks", "stacks")
    said = page.client.stack.groups(target=target, logical=True)["groups"]
    browser.wait(lambda: len(browser.texts("section.stack")) == len(said), "all groups are shown")
    shown = browser.texts("section.stack h3")
    sizes = [int(re.match(r"\d+", text)[0]) for text in shown]
    assert sizes == sorted(len(group["threads"]) for group in said)
    text = browser.text()
    for group in said:
        for frame in group["frames"]:
            location = frame.get("location", {})
            if frame["kind"] == "user" and "line" in location:
                assert f"{location['file'].rpartition('/')[2]}:{location['line']}" in text
    browser.shot("stacks")


def test_icvs_and_where_they_differ(browser, page, program):
    one = program("icvs")
    target = page.attach(one)
    show(browser, page, target, "icvs", "icvs")
    snapshot = page.client.snapshot.get(target=target)
    browser.wait("document.querySelector('ompdd-icvs table') !== null", "there are variables")
    rows = {row.split()[0]: row for row in browser.texts("ompdd-icvs tbody tr")}
    for name, value in snapshot["icvs"].items():
        assert value.get("value", "not known") in rows[name]
    values = {}
    for task in snapshot["tasks"]:
        for name, value in task["icvs"].items():
            values.setdefault(name, set()).add(value.get("value"))
    for name, found in values.items():
        assert ("differs" in rows[name]) == (len(found) > 1), (rows[name], found)
        for value in found - {None}:
            assert value in rows[name]
    assert any(len(found) > 1 for found in values.values()), "the program has some that differ"
    browser.shot("icvs")


def test_time_while_it_records(browser, page, program):
    one = program("turns", 4, wait=False)
    target = page.attach(one)
    show(browser, page, target, "time", "time")
    browser.click("Record")
    browser.wait("document.querySelectorAll('ompdd-flame g').length > 3", "a flame graph")
    browser.wait("document.querySelectorAll('ompdd-time tbody tr').length > 0", "regions by time")
    browser.click("End the recording")
    browser.wait_text("It has ended: stopped.")
    said = page.client.profile.get(target=target, stacks=True)
    text = browser.text()
    assert f"{said['profile']['samplings']} looks" in text.replace("\n", " ") and f"of {said['total']['threads']} threads" in text
    for region in said["regions"]:
        if not region["outside"] and isinstance(region["place"]["function"], str):
            assert region["place"]["function"] in text
        if isinstance(region["imbalance"], float):
            assert f"{region['imbalance']:.2f}" in text
    # The widest frame that is not all of it is no wider than all, and widths are shares of time.
    widths = browser.run("return [...document.querySelectorAll('ompdd-flame rect')].map(r => r.getBoundingClientRect().width)")
    assert max(widths) == widths[0]
    from selenium.webdriver.common.keys import Keys
    browser.run("document.querySelector('ompdd-flame svg').focus()")
    browser.keys(Keys.ARROW_DOWN)
    first = browser.text("ompdd-flame [role=status]")
    assert re.search(r": [\d.]+ (µs|ms|s) \([\d.]+ %\)", first), first
    browser.keys(Keys.ENTER)
    assert browser.text("ompdd-flame [role=status]") == first
    browser.shot("time")


def test_events_as_they_happen(browser, page, program):
    one = program("flat", 2)
    target = page.attach(one)
    show(browser, page, target, "events", "events")
    browser.wait_text("attached")
    one.close()
    page.daemon.expect_log.append(".*")
    browser.wait(f"document.body.innerText.includes('exited') || document.body.innerText.includes('has ended')", "its end is told")
    browser.shot("events")


def test_a_target_that_ends_stays_readable(browser, page, program):
    one = program("nested", 2, 3)
    target = page.attach(one)
    show(browser, page, target, "", "ended")
    browser.wait_text("team of 3")
    tids = sorted(one.lines)
    one.close()
    browser.wait_text("What was seen last stays here.")
    assert "team of 3" in browser.text() and all(str(tid) in browser.text() for tid in tids)
    browser.shot("ended")


def test_a_core(browser, page, program, tmp_path):
    core = gcore(program("nested", 2, 3), tmp_path)
    browser.open(page.address())
    browser.wait("document.querySelector('#core')", "there is a field for it")
    browser.run("document.querySelector('#core').value = arguments[0]", str(core))
    browser.click("Open")
    browser.wait_text("a core")
    browser.wait_text("team of 3")
    target = page.client.target.list()["targets"][0]["target"]
    snapshot = page.client.snapshot.get(target=target, stacks="regions")
    assert len(list(flat(boxes(browser)))) == len(snapshot["parallels"])
    browser.click("Why", "[role=tab]")
    browser.wait_text("One look.")
    browser.click("Stacks", "[role=tab]")
    browser.wait("document.querySelectorAll('section.stack').length > 0", "its stacks")
    browser.shot("core")
    browser.run("location.hash = '#/'")
    browser.wait("document.querySelector('#core')", "the list again")
    browser.run("document.querySelector('#core').value = '/none'")
    browser.click("Open")
    browser.wait_text("/none cannot be opened")


def test_side_by_side(browser, page, program):
    browser.look_like(1600, 1000, "light")
    targets = [page.attach(program("nested", 2, 2)), hang(page, program, "critical_cycle")]
    browser.open(page.address(targets[0], f"{targets[1]}/why"))
    browser.wait("document.querySelectorAll('ompdd-target').length === 2", "two panels")
    browser.wait_text("team of 2")
    browser.wait_text("critical")
    places = browser.run("return [...document.querySelectorAll('ompdd-target')].map(e => [e.getBoundingClientRect().left, e.getBoundingClientRect().top])")
    assert places[0][0] < places[1][0] and places[0][1] == places[1][1]
    browser.click("ICVs", "ompdd-target:first-child [role=tab]")
    browser.wait(f"location.hash === '#/{targets[0]}/icvs+{targets[1]}/why'", "the address says what is shown")
    browser.shot("side-by-side")


def test_a_recording_without_a_daemon(browser, page, program, ompdctl, tmp_path):
    """Of a static server, as of a folder that somebody was sent: no daemon is asked."""
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
        browser.wait_text("there is no frame 7")
        assert not [url for url in browser.requests() if url.endswith(("/rpc", "/events"))]
        server.shutdown()


HOSTILE = '<img src=x onerror="document.title=1">'


def test_hostile_names(browser, page, program, tmp_path):
    """A program, a folder and a thread may be called anything."""
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
    browser.wait("document.querySelector('#status').innerText.includes('is there')", "the daemon answers")
    assert not any(page.token in url.split("#")[0] for url in browser.requests())


def test_no_token_and_a_wrong_one(browser, page):
    browser.expected += ["401"]
    browser.open(f"http://{page.host}/")
    browser.wait_text("needs the daemon's token")
    assert not any("/rpc" in url for url in browser.requests()), "nothing is asked without one"
    browser.open(f"http://{page.host}/#token={'0' * 64}")
    browser.wait_text("does not know this token")
    assert "--token-file" in browser.text()
    browser.shot("wrong-token")
    asked = len(browser.requests())
    assert asked < 40
    browser.run("document.querySelector('#token').value = arguments[0]", page.token)
    browser.click("Use it")
    browser.wait_text("OpenMP processes")


def test_only_its_own_address_is_asked(browser, page, program):
    target = page.attach(program("nested", 2, 2))
    for view in ("", "why", "time", "tasks", "stacks", "icvs", "events", "control"):
        browser.open(page.address(f"{target}/{view}" if view else target))
        browser.wait("document.querySelector('[role=tabpanel] > *')", "the view is there")
    asked = {urllib.parse.urlsplit(url).netloc for url in browser.requests()} - {""}
    assert asked == {page.host}


def test_a_daemon_that_comes_back_is_joined_again(browser, daemons, program, tmp_path):
    browser.expected += ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"]
    one = program("nested", 2, 3)
    daemon = daemons("--token-file", tmp_path / "token", listen=[f"unix:{tmp_path}/s", "http:127.0.0.1:0"])
    first = Page(daemon, tmp_path / "token")
    # Another id than the one that it will get from the next daemon.
    first.client.target.detach(target=first.attach(one))
    target = first.attach(one)
    browser.open(first.address(target))
    browser.wait_text("team of 3")
    first.close()
    daemon.terminate()
    browser.wait_text("ompdd is gone", "#status")
    assert "team of 3" in browser.text(), "what was seen last stays"
    browser.shot("gone")
    port = first.host.split(":")[1]
    again = daemons("--token-file", tmp_path / "token", listen=[f"unix:{tmp_path}/s2", f"http:127.0.0.1:{port}"])
    # A token lasts as long as its daemon.
    browser.wait_text("ompdd does not know this token")
    browser.expected += ["401"]
    browser.run("document.querySelector('#token').value = arguments[0]", (tmp_path / "token").read_text().split()[0])
    browser.click("Use it")
    browser.wait_text("ompdd is there", "#status")
    second = Page(again, tmp_path / "token")
    browser.wait(lambda: [found["pid"] for found in second.client.target.list()["targets"]] == [one.pid], "it is attached to again")
    browser.wait("location.hash === '#/t1'", "and shown under its new id")
    browser.wait("document.querySelector('ompdd-tree') && document.querySelector('ompdd-tree').error === null && document.querySelector('ompdd-tree').target === 't1'", "and looked at")
    assert not stopped_threads(one.pid)
    second.close()


def test_stop_breakpoints_and_steps_where_allowed(browser, page, program):
    one = program("rounds", 2)
    target = page.attach(one)
    browser.open(page.address(f"{target}/control"))
    browser.wait_text("nobody has allowed to stop it")
    assert "ompdctl page -m stop" in browser.text()
    stopper = page.client.target.attach(pid=one.pid, mode="stop")["target"]
    browser.fresh()
    browser.open(page.address(f"{target}/control"))
    browser.wait_text("It runs.")
    assert not tracer(one.pid)
    browser.click("Stop it")
    browser.wait_text("It was stopped.")
    assert page.client.target.info(target=stopper)["state"] == "held"
    # On whichever of the browser's connections it comes.
    browser.click("Let it go on")
    browser.wait_text("It runs.")
    browser.run("document.querySelector('input[name=place]').value = 'chore'")
    browser.click("Set")
    browser.wait_text("Breakpoint 1: thread")
    info = page.client.target.info(target=stopper)
    assert info["state"] == "breakpoint" and f"thread {info['stop']['tid']} in {info['stop']['function']}" in browser.text()
    assert not info["stop"]["own"]
    browser.shot("control")
    browser.click("Delete")
    browser.click("One instruction")
    browser.wait_text("A step has ended")
    # It is the page's until its last tab is closed.
    browser.fresh()
    wait_until(lambda: page.client.target.info(target=stopper)["state"] == "running", "it runs on without the page")
    wait_until(lambda: not tracer(one.pid), "nobody traces it")


@pytest.mark.parametrize("tier", ["observe", "inspect", "control"])
def test_what_may_not_be_done_is_not_offered(tier, browser, daemons, program, tmp_path):
    one = program("rounds", 2)
    daemon = daemons("--token-file", tmp_path / "token", listen=[f"unix:{tmp_path}/s", f"http:127.0.0.1:0,allow={tier}"])
    page = Page(daemon, tmp_path / "token")
    page.host = page.host.partition(",")[0]
    target = page.attach(one)
    page.client.target.attach(pid=one.pid, mode="stop")
    for view, offered in (("time", {"Record": "inspect"}), ("control", {"Stop it": "inspect", "Let it go on": "inspect", "Over it": "control", "Set": "control"})):
        browser.open("about:blank")
        browser.open(page.address(f"{target}/{view}"))
        tiers = ["observe", "inspect", "control"]
        allowed = {text for text, needed in offered.items() if tiers.index(needed) <= tiers.index(tier)}
        missing = [needed for needed in offered.values() if tiers.index(needed) > tiers.index(tier)]
        for text in allowed:
            browser.wait(lambda text=text: text in browser.texts("button"), f"{text} is offered")
        if missing:
            browser.wait_text(f"this ompdd lets you {tier} only, and that needs the tier {min(missing, key=tiers.index)}")
        assert not (offered.keys() - allowed) & set(browser.texts("button"))
        browser.shot(f"tier-{tier}-{view}")
    page.close()


def test_let_go_of_all(browser, page, stoppable):
    view, state = stoppable
    browser.open(page.address(view))
    browser.wait_text("It runs.")
    browser.run("document.querySelector('input[name=place]').value = 'chore'")
    browser.click("Set")
    browser.wait_text("Breakpoint 1: thread")
    browser.click("Let go")
    wait_until(lambda: state() == "running", "it runs")
    stopper = next(target["target"] for target in page.client.target.list()["targets"] if target["mode"] == "stop")
    wait_until(lambda: page.client.breakpoint.list(target=stopper)["breakpoints"] == [], "and will not be stopped again")


@pytest.fixture
def stoppable(page, program):
    """A program that the page may stop: (its view, what target.info says of it now)."""
    one = program("rounds", 2)
    target = page.attach(one)
    stopper = page.client.target.attach(pid=one.pid, mode="stop", max_stop_ms=60000)["target"]
    return f"{target}/control", lambda: page.client.target.info(target=stopper)["state"]


def test_what_is_held_does_not_outlive_its_tab(browser, page, stoppable):
    """A browser keeps a page that is left as it was, and lets what the page runs on sleep."""
    view, state = stoppable
    for _ in range(2):
        browser.open(page.address(view))
        for _ in range(2):
            browser.click("Stop it")
            browser.wait_text("It was stopped.")
            browser.open("about:blank")
            wait_until(lambda: state() == "running", "it goes on without the page")
            browser.driver.back()
            browser.wait_text("It runs.")


def test_what_is_held_does_not_outlive_its_browser(page, stoppable, tmp_path):
    from browsers import Browser
    view, state = stoppable
    browser = Browser(tmp_path / "browser")
    try:
        browser.open(page.address(view))
        browser.click("Stop it")
        browser.wait_text("It was stopped.")
        for pid in children(browser.driver.service.process.pid):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: state() == "running", "it goes on without the browser")
    finally:
        browser.driver.service.process.kill()
        browser.driver.service.process.wait()


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
    for view in ("", "why", "time", "tasks", "stacks", "icvs", "events", "control"):
        browser.open(page.address(f"{target}/{view}" if view else target))
        browser.wait("document.querySelector('[role=tabpanel] > * > *')", "the view is there")
        assert not tracer(one.pid) and not stopped_threads(one.pid)
    assert all(event["type"] in ("attached", "detached") for event in page.client.event.poll()["events"])


LOOKS = {"narrow": (360, 800, "light"), "wide": (2200, 1100, "light"), "dark": (1280, 900, "dark")}


@pytest.mark.parametrize("look", LOOKS)
def test_windows(look, browser, page, program):
    browser.look_like(*LOOKS[look])
    target = page.attach(program("nested", 2, 3))
    stuck = hang(page, program, "critical_cycle")
    for view, wanted in ((target, "team of 3"), (f"{stuck}/why", "deadlock"), (f"{target}/icvs", "nthreads-var"), (f"{target}/stacks", "main")):
        browser.open(page.address(view))
        browser.wait_text(wanted)
        over = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
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
        # All processes of this machine are listed before it.
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
    tab_to("e.classList.contains('how')", "where it is from")
    browser.keys(Keys.ENTER)
    browser.wait("document.querySelector('dialog').open", "the line of curl")
    assert "curl" in browser.text("dialog") and page.token not in browser.text("dialog")
    browser.keys(Keys.ESCAPE)
    browser.wait("!document.querySelector('dialog').open", "closed")


def test_the_line_of_curl_works(browser, page, program):
    import subprocess
    target = page.attach(program("nested", 2, 3))
    browser.open(page.address(target))
    browser.wait_text("team of 3")
    browser.run("document.querySelector('ompdd-tree .num').click()")
    browser.wait("document.querySelector('dialog').open", "a number says where it is from")
    line = browser.text("dialog .curl").replace("…", page.token)
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["result"]["target"] == target
    browser.shot("how")


@pytest.mark.skipif(SANITIZED, reason="this build's runtime has a sanitizer that its programs do not start with")
def test_our_runtime(browser, page, program):
    one = program("nested", 2, 3, env=OURS)
    target = page.attach(one)
    browser.open(page.address(target))
    browser.wait_text("omprt")
    browser.wait_text("team of 3")
    snapshot = page.client.snapshot.get(target=target, stacks="regions")
    assert len(list(flat(boxes(browser)))) == len(snapshot["parallels"])
    browser.shot("our-runtime")
