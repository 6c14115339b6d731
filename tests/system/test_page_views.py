# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page in a browser: each view of real programs, compared with the methods at that moment; with screenshots."""
import re

import pytest
import task_graph
from browsers import browser, one_browser  # noqa: F401
from cores import gcore
from daemons import SANITIZED
from pages import MARKS, OURS, boxes, flat, hang, page, show  # noqa: F401
from targets import LIBGOMP, PROGRAMS, wait_until

pytestmark = MARKS

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
    # A region is in the box of its encountering thread.
    inner = {region["handle"]: region for region in snapshot["parallels"]}
    depth = {box["title"]: len(box["inner"]) for box in drawn}
    assert sum(depth.values()) == sum(isinstance(region["enclosing"], str) for region in inner.values())
    browser.shot(f"regions-{name.replace('/', '-')}")


def test_a_late_tab_sees_earlier_samples(browser, page, program):
    """The service has kept what another client sampled before the tab was opened."""
    one = program("nested", 2, 3)
    target = page.attach(one)
    assert page.client.history.get(target=target)["ages_ms"] == []

    def sampled(n):
        page.client.view.get(target=target, view="states")
        return len(page.client.history.get(target=target)["ages_ms"]) >= n
    wait_until(lambda: sampled(4), "four seconds are kept")
    before = page.client.history.get(target=target)
    said = {thread["tid"]: before["states"][ord(thread["codes"][0]) - ord("0")]["text"] for thread in before["threads"]}
    view = page.client.view.get(target=target, view="states")
    assert said == {tid: view["states"][code]["text"] for tid, code in zip(view["tids"], view["codes"])}
    show(browser, page, target, "", "past")
    past = "document.querySelector('ompdd-past')"
    browser.wait(f"{past} && {past}.querySelector('canvas')", "the kept samples are drawn")
    oldest = browser.run(f"return {past}.data.ages_ms[0]")
    assert oldest >= before["ages_ms"][0]
    # The strip of the first thread in the oldest second has the state's colour, and a click says its name.
    drawn = browser.run(f"""const p = {past}, c = p.querySelector('canvas'), b = c.getBoundingClientRect(), s = devicePixelRatio || 1;
        p.paint();
        const x = b.width - (p.data.ages_ms[0] / 1000 + 0.5) * (b.width - 74) / p.span(), y = p.rowHeight() - 2;
        c.dispatchEvent(new MouseEvent('click', {{clientX: b.left + x, clientY: b.top + y, bubbles: true}}));
        const one = document.createElement('canvas').getContext('2d'), code = p.data.threads[0].codes.charCodeAt(0) - 48;
        one.fillStyle = p.colour(getComputedStyle(p), p.data.states[code]); one.fillRect(0, 0, 1, 1);
        return [[...c.getContext('2d').getImageData(Math.round(x * s), Math.round(y * s), 1, 1).data], [...one.getImageData(0, 0, 1, 1).data], p.querySelector('[role=status]').innerText];""")
    assert drawn[0] == drawn[1], drawn
    assert f"({min(said)})" in drawn[2] and said[min(said)] in drawn[2], drawn
    browser.shot("past")


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
    # Each strip is drawn with the colour of its state at its right end, and with the full height of its row.
    colours = browser.run(f"""const s = {strips}, c = s.querySelector('canvas'), p = c.getContext('2d');
        return s.tids.map((tid, row) => [...p.getImageData(c.width - 4, Math.round((row + 0.2) * c.height / s.tids.length), 1, 1).data].slice(0, 3).join())""")
    assert len(set(colours)) == 1 and colours[0] != "255,255,255"


def members(line):
    """Return the thread ids of a line "threads 1-299 (4712-5010) work"."""
    for part in re.search(r"\(([\d,-]+)\)", line)[1].split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def test_300_threads_fold(browser, page, program):
    one = program("flat", 300)
    target = page.attach(one)
    show(browser, page, target, "", "300")
    browser.wait_text("300 threads")
    drawn = [box for box in flat(boxes(browser)) if "team of 300" in box["title"]]
    assert len(drawn) == 1
    tids = [tid for thread in drawn[0]["threads"] for tid in members(thread)]
    assert sorted(tids) == sorted(one.lines) and len(drawn[0]["threads"]) <= 24
    browser.wait("document.querySelector('ompdd-strips').tids.length === 300", "300 strips")
    browser.click("All threads at once")
    browser.shot("300-threads")


def test_the_verdict_stands_above_what_is_opened_first(browser, page, program):
    target = hang(page, program, "critical_cycle")
    show(browser, page, target, "", "verdict")
    title = page.client.diagnose.get(target=target)["title"]
    browser.wait_text(title, "ompdd-verdict")
    verdict = "document.querySelector('ompdd-verdict')"
    place = browser.run(f"return [{verdict}.getBoundingClientRect().bottom, document.querySelector('.regions').getBoundingClientRect().top, innerHeight]")
    assert place[0] < place[1] < place[2]
    # The page requests threads without progress once more, and not again.
    strips = "document.querySelector('ompdd-strips')"
    browser.run(f"window.before = {verdict}.at")
    browser.wait(f"{strips}.still > 30 && {verdict}.at > window.before", "another verdict when nothing moves")
    last = browser.run(f"const s = {strips}; window.before = {verdict}.at; return s.still")
    browser.wait(f"{strips}.still > {last} + 35", "many more looks")
    assert browser.run(f"return {verdict}.at === window.before")
    browser.click("Ask again")
    browser.wait(f"{verdict}.at > window.before", "asked by hand")
    browser.shot("verdict")
    browser.click("Evidence and wait graph", "a")
    browser.wait(f"location.hash === '#/{target}/why'", "the whole of it")


@pytest.mark.parametrize("name", ["critical_cycle", "barrier_miss"])
def test_why(name, browser, page, program):
    target = hang(page, program, name)
    show(browser, page, target, "why", name)
    said = page.client.diagnose.get(target=target, graph=True)
    browser.wait_text(said["title"])
    for finding in said["findings"]:
        assert finding["title"] in browser.text()
        for claim in finding["claims"][:40]:
            assert f"{claim['text']} [{claim['source']}]" in browser.text()
    drawn = browser.run("return document.querySelectorAll('.graph .edge').length")
    assert 0 < drawn <= len(said["edges"])
    named = " ".join(browser.run("return [...document.querySelectorAll('.graph .node title')].map(t => t.textContent)"))
    for node in said["nodes"]:
        if node["kind"] != "thread" and any(node["id"] in (edge["from"], edge["to"]) for edge in said["edges"]):
            assert node.get("name", node["kind"]) in named
    # Threads that block others, with the number that the program knows, and their places.
    drawn = browser.run("return [...document.querySelectorAll('.graph .thread')].map(g => g.textContent)")
    for thread in (thread for finding in said["findings"] for thread in finding["threads"]):
        text = next((text for text in drawn if f"({thread['tid']})" in text), None)
        if text:
            assert f"thread {thread['thread_num']} " in text and thread["place"]["function"] in text
    browser.shot(f"why-{name}")


def dependences(said):
    """The order of dependent tasks, by the page's numbers."""
    number = {task["handle"]: task["handle"].rpartition(":")[2] for task in said}
    before = {task["handle"]: task.get("queued", {}).get("waits_for", {"tasks": []})["tasks"] for task in said}
    return number, {number[handle]: [number[one] for one in those] for handle, those in before.items()}


@pytest.mark.parametrize("runtime", task_graph.RUNTIMES)
def test_tasks_and_their_dependences(runtime, browser, page, program):
    target = task_graph.attach(runtime, program, page.client, "observe")
    show(browser, page, target, "tasks", "tasks")
    said = page.client.task.list(target=target, dependences=True)["tasks"]
    browser.wait(lambda: len(browser.texts("ompdd-tasks tbody tr")) == len(said), "all tasks are listed")
    rows = {row.split()[0]: row for row in browser.texts("ompdd-tasks tbody tr")}
    number, before = dependences(said)
    # Two wait for the running task, and one for these two.
    assert sorted(map(len, before.values()))[-4:] == [0, 1, 1, 2]
    edges = {f"task {one} must be complete before task {task} starts" for task, those in before.items() for one in those}
    drawn = browser.run("return [...document.querySelectorAll('.graph .edge title')].map(t => t.textContent)")
    assert edges == {title for title in drawn if "before" in title}
    # The other tasks are drawn with their creators.
    roots = [task for task in said if task["kind"] == "explicit" and not before[number[task["handle"]]]]
    assert {f"task {number[task['generating']]} generated task {number[task['handle']]}" for task in roots} <= set(drawn)
    for task in said:
        row = rows[number[task["handle"]]]
        assert task["kind"] in row and task["function"].get("symbol", "") in row
        assert bool(re.search(r"\bqueued\b|waits for \d", row)) == ("queued" in task)
        for one in before[number[task["handle"]]]:
            assert re.search(rf"waits for \d+ tasks?: .*\b{one}\b", row), row
    # If no list has all tasks of the runtime, the view says so.
    assert ("this runtime has no list of them" in browser.text()) == (runtime != "ours")
    browser.shot(f"tasks-{runtime}")


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
    differ = {row.split()[0] for row in browser.texts("ompdd-icvs .different tbody tr")}
    for name, value in snapshot["icvs"].items():
        assert value.get("value", "- (") in rows[name]
    values = {}
    for task in snapshot["tasks"]:
        for name, value in task["icvs"].items():
            values.setdefault(name, set()).add(value.get("value"))
    for name, found in values.items():
        assert (name in differ) == (len(found) > 1), (rows[name], found)
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
    assert f"{said['profile']['samplings']} samples" in text.replace("\n", " ") and f"of {said['total']['threads']} threads" in text
    for region in said["regions"]:
        if not region["outside"] and isinstance(region["place"]["function"], str):
            assert region["place"]["function"] in text
        if isinstance(region["imbalance"], float):
            assert f"{region['imbalance']:.2f}" in text
    # The widest inner frame is no wider than the root, and widths are shares of time.
    widths = browser.run("return [...document.querySelectorAll('ompdd-flame rect')].map(r => r.getBoundingClientRect().width)")
    assert max(widths) == widths[0]
    from selenium.webdriver.common.keys import Keys
    browser.run("document.querySelector('ompdd-flame svg').focus()")
    browser.keys(Keys.ARROW_DOWN)
    first = browser.text("ompdd-flame [role=status]")
    assert re.search(r": [\d.]+ (µs|ms|s) \([\d.]+ %\)", first), first
    browser.keys(Keys.ENTER)
    assert browser.text("ompdd-flame [role=status]") == first
    browser.keys(Keys.ESCAPE)
    browser.run("document.querySelector('ompdd-flame input').focus()")
    browser.keys("TURNS.C")
    browser.wait("document.querySelectorAll('ompdd-flame .found').length > 0", "frames of the file")
    found = browser.run("return [...document.querySelectorAll('ompdd-flame .found title')].map(t => t.textContent)")
    assert all("turns.c" in title for title in found), found
    assert re.fullmatch(r"[\d.]+ % of the time is in frames with this text\.", browser.text("ompdd-flame output"))
    assert browser.run("return document.activeElement.value") == "TURNS.C", "a new picture keeps the typed text"
    browser.shot("time")
    browser.keys("?")
    browser.wait_text("No frame has this text.", "ompdd-flame")


@pytest.mark.parametrize("env", [{}, pytest.param(OURS, marks=pytest.mark.skipif(SANITIZED, reason="this build's runtime has a sanitizer that its programs do not start with"))],
                         ids=["default", "ours"])
def test_where_locks_are_waited_for_and_held(env, browser, page, program):
    """The method's answer about a lock's holder, or the reason without one. Our runtime knows it."""
    one = program("waits", "lock", env=env)
    target = page.attach(one)
    one.wait_settled()
    show(browser, page, target, "time", "locks")
    browser.click("Record")
    rows = "[...document.querySelectorAll('[aria-label=\"Locks by waiting\"] tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
    browser.wait(f"{rows}.length === 1", "the lock is listed")
    browser.click("End the recording")
    browser.wait_text("It has ended: stopped.")
    (lock,) = page.client.profile.get(target=target)["locks"]
    # The last sample may arrive after the texts.
    browser.wait(lambda: browser.run(f"return {rows}")[0][2] == f"{lock['max_waiters']} threads", "the last of it")
    (cells,) = browser.run(f"return {rows}")
    assert cells[0] == f"lock {lock['symbol'] if isinstance(lock['symbol'], str) else lock['address']}" and "waits.c:" in cells[3]
    if env:
        assert re.fullmatch(r"park park\.c:\d+", cells[4]), cells
    if isinstance(lock["holders"], list):
        assert all(holder["place"]["function"] in cells[4] for holder in lock["holders"][:3] if isinstance(holder["place"]["function"], str))
        assert all(("source" in holder) == ("about " in cells[4]) for holder in lock["holders"])
    else:
        title = browser.run("return document.querySelector('[aria-label=\"Locks by waiting\"] tbody tr td:last-child').title")
        assert cells[4] == "-" and title == (lock["holders"].get("message") or lock["holders"]["rc"].removeprefix("ompd_rc_"))
    browser.shot(f"locks-{'ours' if env else 'default'}")


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
    browser.wait_text("The last view remains.")
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
    browser.wait_text("1 sample: progress is not known.")
    browser.click("Stacks", "[role=tab]")
    browser.wait("document.querySelectorAll('section.stack').length > 0", "its stacks")
    browser.shot("core")
    browser.run("location.hash = '#/'")
    browser.wait("document.querySelector('#core')", "the list again")
    browser.run("document.querySelector('#core').value = '/none'")
    browser.click("Open")
    browser.wait_text("cannot open the core /none")


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


@pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")
def test_devices_are_those_of_the_command(browser, page, program, ompdctl):
    one = program("offload_maps", env={"LD_LIBRARY_PATH": str(PROGRAMS / "stand_in")})
    show(browser, page, page.attach(one), "devices", "devices")
    browser.wait("document.querySelector('ompdd-devices li') !== null", "there are devices")
    shown = {text.split("\n")[0] for text in browser.texts("ompdd-devices li")}
    lines = [line.lstrip("│├└─ ") for line in ompdctl("-p", one.pid, "devices").stdout.splitlines()[1:]]
    # The names of local variables need registers, which the two targets may not both have.
    lines = [line for line in lines if not line.startswith("map 0x") and " of main()" not in line]
    assert any(line.startswith("map shared_table") for line in lines) and set(lines) <= shown, (lines, shown)
