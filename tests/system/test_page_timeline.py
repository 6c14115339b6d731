# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page's strips of threads, live and of ten minutes: zoom in time and the search of threads, by mouse and keys."""
import pytest
from browsers import browser, one_browser  # noqa: F401
from daemons import Daemon
from pages import MARKS, Page, hang, show
from targets import Program, stopped_threads, tracer

pytestmark = MARKS

ELEMENTS = ("ompdd-strips", "ompdd-past")
# Windows: width, height, and the user's preference.
LOOKS = {"narrow": (390, 844, "light"), "narrow-dark": (390, 844, "dark"), "wide": (1280, 900, "light"), "dark": (1280, 900, "dark")}
# Pixels of the canvas at (x, row) pairs, at the bottom of each row; and whether they have the ground's colour.
PIXELS = """const e = document.querySelector(arguments[0]), c = e.querySelector('canvas'), p = c.getContext('2d'), s = devicePixelRatio || 1, { first, row } = e.geometry();
    e.paint();
    const at = (x, i) => [...p.getImageData(Math.round(x * s), Math.round(((i - first + 1) * row - 1.5) * s), 1, 1).data].join();
    return arguments[1].map(([x, i]) => at(x, i))"""


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A page, and its target for all tests of this file: no test waits again for the kept samples."""
    folder = tmp_path_factory.mktemp("page")
    programs = []

    def start(*args, **options):
        programs.append(Program(*args, **options))
        return programs[-1]
    daemon = Daemon(folder, "--token-file", folder / "token", listen=[f"unix:{folder}/s", "http:127.0.0.1:0"])
    try:
        page = Page(daemon, folder / "token")
        yield page, hang(page, start, "critical_barrier")
        page.close()
        for one in programs:
            assert one.alive() and not stopped_threads(one.pid) and not tracer(one.pid), one.name
    finally:
        for one in programs:
            one.close()
        daemon.close()


def opened(browser, watched):
    """Show three threads that hang: two wait for a critical section, whose holder waits in a barrier."""
    page, target = watched
    show(browser, page, target, "", "timeline")
    # More samples than the largest zoom shows.
    browser.wait("document.querySelector('ompdd-strips')?.looks > 10", "live samples")
    browser.wait("document.querySelector('ompdd-past canvas') && document.querySelector('ompdd-past').data.ages_ms[0] > 7000", "kept samples")
    view = page.client.view.get(target=target, view="states")
    return [(tid, number, view["states"][code]["text"]) for tid, number, code in zip(view["tids"], view["numbers"], view["codes"])]


def search(browser, element, text):
    """Type into the search field as a user does; return the result, and the tids of the threads that it finds."""
    from selenium.webdriver.common.keys import Keys
    browser.run(f"document.querySelector('{element} input[type=search]').focus()")
    browser.keys(Keys.CONTROL, "a")
    browser.keys(Keys.DELETE if text == "" else text)
    return browser.run(f"""const e = document.querySelector('{element}');
        return [e.querySelector('output').innerText, (e.found || []).flatMap((found, row) => found ? [e.thread(row).tid] : [])]""")


@pytest.mark.parametrize("element", ELEMENTS)
def test_search(element, browser, watched):
    from selenium.webdriver.common.keys import Keys
    threads = opened(browser, watched)
    tids = [tid for tid, _, _ in threads]
    waits = [tid for tid, _, text in threads if "barrier" not in text]
    assert len(threads) == 3 and len(waits) == 2, threads
    # In the middle of the newest sample of each thread.
    x = browser.run(f"""const e = document.querySelector('{element}'), c = e.querySelector('canvas');
        e.stopAll();
        const back = e.data.ages_ms ? e.data.ages_ms.at(-1) / 1000 + 0.5 : 0.5;
        return c.clientWidth - e.fromRight(back, c.clientWidth - 74)""")
    spots = [[x, row] for row in range(3)]
    plain = browser.run(PIXELS, element, spots)
    tid, number, _ = threads[1]
    assert search(browser, element, str(number)) == ["1 of 3 threads", [tid]]
    assert search(browser, element, str(tid)) == ["1 of 3 threads", [tid]]
    said, found = search(browser, element, "  BARRIER ")
    assert said == "1 of 3 threads" and found == sorted(set(tids) - set(waits))
    said, found = search(browser, element, next(text for tid, _, text in threads if tid in waits))
    assert said == "2 of 3 threads" and sorted(found) == sorted(waits)
    holder = sorted(set(tids) - set(waits))
    assert search(browser, element, "Hold") == ["1 of 3 threads", holder], "by its name"
    # The other threads have the program's name, in which "critical" is a state as well.
    assert search(browser, element, "itical_bar")[0] == "2 of 3 threads"
    assert search(browser, element, next(text for tid, _, text in threads if tid in waits))[0] == "2 of 3 threads"
    # The found threads keep their colours; the other thread is covered.
    order = browser.run(f"const e = document.querySelector('{element}'); return [...Array(e.rowCount()).keys()].map(row => e.thread(row).tid)")
    covered = browser.run(PIXELS, element, spots)
    # Enter goes from one found thread to the next.
    browser.keys(Keys.ENTER)
    first = browser.text(f"{element} p[role=status]")
    browser.keys(Keys.ENTER)
    second = browser.text(f"{element} p[role=status]")
    browser.keys(Keys.ENTER)
    third = browser.text(f"{element} p[role=status]")
    found = [next(tid for tid in tids if f"({tid})" in said) for said in (first, second, third)]
    assert found[0] == found[2] != found[1] and set(found) == set(waits)
    browser.shot(f"search-{element}")
    assert search(browser, element, "no such state")[0].startswith("No thread has this")
    assert search(browser, element, "") == ["", []]
    assert [tid for tid, before, after in zip(order, covered, plain) if before == after] == sorted(waits, key=order.index)


def state(browser, element):
    return browser.run(f"const e = document.querySelector('{element}'); return [e.span(), e.shown(), e.back, e.partText()]")


@pytest.mark.parametrize("element", ELEMENTS)
def test_zoom_by_keys(element, browser, watched):
    from selenium.webdriver.common.keys import Keys
    opened(browser, watched)
    browser.run(f"const e = document.querySelector('{element}'); e.stopAll(); e.querySelector('input[type=search]').focus()")
    browser.keys(Keys.TAB)
    assert browser.run("return document.activeElement.localName") == "canvas"
    span, shown, back, said = state(browser, element)
    assert shown == span and back == 0 and said == "the whole time"
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"
    # The few samples are at the right end.
    ground = browser.run(PIXELS, element, [[78, 0]])
    # A sample at the newest end has the cursor, so the zoom goes there.
    browser.keys(Keys.END, "+")
    assert state(browser, element)[1] == span / 2
    browser.keys(*"+" * 10)
    _, shown, back, said = state(browser, element)
    assert shown == 5 and back == 0 and " to " in said
    assert browser.run(PIXELS, element, [[78, 0]]) != ground, "the samples fill the width"
    # The cursor moves the shown part.
    browser.keys(*[Keys.ARROW_LEFT] * 6)
    moved = state(browser, element)
    assert moved[1:3] == [5, 2]
    browser.keys("-")
    assert state(browser, element)[1] == 10
    browser.keys(Keys.ESCAPE)
    span, shown, back, said = state(browser, element)
    assert shown == span and back == 0 and said == "the whole time"


@pytest.mark.parametrize("element", ELEMENTS)
def test_zoom_by_mouse(element, browser, watched):
    from selenium.webdriver.common.action_chains import ActionChains
    opened(browser, watched)

    def press(label):
        ActionChains(browser.driver).click(browser.driver.find_element("css selector", f"{element} button[aria-label='{label}']")).perform()
        return state(browser, element)
    # No sample may move the part between two looks.
    browser.run(f"document.querySelector('{element}').stopAll()")
    span = state(browser, element)[0]
    assert press("Zoom in")[1] == span / 2
    assert press("Zoom in")[1] == span / 4
    before = state(browser, element)[2]
    assert press("Earlier")[2] == before + span / 16
    assert press("Later")[2] == before
    assert press("Zoom out")[1] == span / 2
    assert press("All of the time")[1:3] == [span, 0]
    # The wheel with Ctrl zooms, and the step below the mouse stays there. Without Ctrl, it scrolls the page.
    wheel = f"""const e = document.querySelector('{element}'), c = e.querySelector('canvas'), b = c.getBoundingClientRect();
        const place = {{ clientX: Math.round(b.left + b.width * 0.6), clientY: b.top + 5, bubbles: true, cancelable: true, deltaY: -100 }};
        const at = () => e.stepAt({{ ...place, currentTarget: c }}), before = at();
        const free = c.dispatchEvent(new WheelEvent('wheel', place)), same = e.shown() === e.span();
        const taken = !c.dispatchEvent(new WheelEvent('wheel', {{ ...place, ctrlKey: true }}));
        return [free, same, taken, e.shown() * 2 === e.span(), Math.abs(at() - before) < 0.001]"""
    assert browser.run(wheel) == [True] * 5
    # A click points at a sample.
    browser.driver.find_element("css selector", f"{element} canvas").click()
    assert "thread " in browser.text(f"{element} p[role=status]")


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_part_keeps_its_samples(element, browser, watched):
    opened(browser, watched)
    kept = f"document.querySelector('{element}')"
    browser.run(f"const e = {kept}; e.zoom(8); e.moveTo(2); e.point(1, 4)")
    look = f"const e = {kept}; return [e.timeAt(e.back + 1), e.timeAt(e.cursor.back), e.shown()]"
    before, seen = browser.run(look), browser.run(f"return {kept}.data === null ? 0 : {kept}.at")
    browser.wait(f"{kept}.at > {seen} && {kept}.back > 3", "new samples")
    after = browser.run(look)
    # In milliseconds.
    assert all(abs(one - other) < 1 for one, other in zip(before, after)), (before, after)
    browser.run(f"{kept}.zoom(0)")
    assert state(browser, element)[2] == 0


@pytest.mark.parametrize("look", LOOKS)
def test_windows(look, browser, watched):
    browser.look_like(*LOOKS[look])
    opened(browser, watched)
    for element in ELEMENTS:
        for _ in range(3):
            browser.run(f"document.querySelector('{element} button[aria-label=\"Zoom in\"]').click()")
        search(browser, element, "barrier")
        browser.run(f"document.querySelector('{element} canvas').focus()")
        # No part of the line covers another or leaves the window.
        over = browser.run(f"""const all = [...document.querySelectorAll('{element} .tools > *')].flatMap(e => e.role === 'group' ? [...e.children] : [e]).map(e => e.getBoundingClientRect());
            const cover = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
            return [all.length, all.some((a, i) => all.some((b, k) => k > i && cover(a, b))), all.some(a => a.left < 0 || a.right > innerWidth)]""")
        assert over == [8, False, False], element
        browser.run(f"document.querySelector('{element}').scrollIntoView()")
        browser.shot(f"timeline-{look}-{element}")
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
