# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page in a browser: stops, breakpoints and steps, where they are allowed; holds do not outlive the page."""
import os
import signal

import pytest
from browsers import Browser, browser, one_browser  # noqa: F401
from pages import MARKS, Page, hang, page  # noqa: F401
from targets import children, tracer, wait_until

pytestmark = MARKS

def test_stop_breakpoints_and_steps_where_allowed(browser, page, program):
    one = program("rounds", 2)
    target = page.attach(one)
    browser.open(page.address(f"{target}/control"))
    browser.wait_text("may only observe the program")
    assert "ompdctl page -m stop" in browser.text()
    stopper = page.client.target.attach(pid=one.pid, mode="stop")["target"]
    browser.fresh()
    browser.open(page.address(f"{target}/control"))
    browser.wait_text("It runs.")
    assert not tracer(one.pid)
    browser.click("Stop it")
    browser.wait_text("It was stopped.")
    assert page.client.target.info(target=stopper)["state"] == "held"
    # On any of the browser's connections.
    browser.click("Resume")
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
    # It belongs to the page until its last tab is closed.
    browser.fresh()
    wait_until(lambda: page.client.target.info(target=stopper)["state"] == "running", "it runs on without the page")
    wait_until(lambda: not tracer(one.pid), "nobody traces it")


def test_why_knows_the_hold_of_its_own_page(browser, page, program):
    target = hang(page, program, "barrier_critical")
    pid = page.client.target.info(target=target)["pid"]
    page.client.target.attach(pid=pid, mode="stop")
    title = page.client.diagnose.get(target=target)["title"]
    assert title.startswith("blocked: ")
    browser.open(page.address(f"{target}/control"))
    browser.wait_text("It runs.")
    browser.click("Stop it")
    browser.wait_text("It was stopped.")
    assert "by a debugger" in page.client.diagnose.get(target=target)["title"], "without the hold's own target"
    for view in ("why", ""):
        browser.open(page.address(f"{target}/{view}"))
        browser.wait_text(title)
        assert "debugger" not in browser.text()
    browser.open(page.address(f"{target}/control"))
    browser.click("Resume")
    browser.wait_text("It runs.")


@pytest.mark.parametrize("view", ["why", ""])
def test_one_short_stop_shows_more(view, browser, page, program):
    one = program("hangs/doacross", wait=False)
    one.read_line()
    pid, target = one.pid, page.attach(one)
    browser.open(page.address(f"{target}/{view}"))
    browser.wait_text("not known: ")
    assert not tracer(pid)
    browser.click("Stop it for a moment")
    browser.wait_text("blocked: 1 thread waits for a turn in ordered")
    browser.wait_text("It was stopped once, for ")
    browser.shot(f"short-stop-{view or 'tree'}")
    assert not tracer(pid)
    assert [one["target"] for one in page.client.target.list()["targets"]] == [target], "no other target remains"


@pytest.mark.parametrize("tier", ["observe", "inspect", "control"])
def test_what_may_not_be_done_is_not_offered(tier, browser, daemons, program, tmp_path):
    one = program("rounds", 2)
    daemon = daemons("--token-file", tmp_path / "token", listen=[f"unix:{tmp_path}/s", f"http:127.0.0.1:0,allow={tier}"])
    page = Page(daemon, tmp_path / "token")
    page.host = page.host.partition(",")[0]
    target = page.attach(one)
    page.client.target.attach(pid=one.pid, mode="stop")
    for view, offered in (("time", {"Record": "inspect"}), ("control", {"Stop it": "inspect", "Resume": "inspect", "Over it": "control", "Set": "control"})):
        browser.open("about:blank")
        browser.open(page.address(f"{target}/{view}"))
        tiers = ["observe", "inspect", "control"]
        allowed = {text for text, needed in offered.items() if tiers.index(needed) <= tiers.index(tier)}
        missing = [needed for needed in offered.values() if tiers.index(needed) > tiers.index(tier)]
        for text in allowed:
            browser.wait(lambda text=text: text in browser.texts("button"), f"{text} is offered")
        if missing:
            browser.wait_text(f"this connection has the tier {tier}, and this needs the tier {min(missing, key=tiers.index)}")
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
    browser.click("Detach")
    wait_until(lambda: state() == "running", "it runs")
    stopper = next(target["target"] for target in page.client.target.list()["targets"] if target["mode"] == "stop")
    wait_until(lambda: page.client.breakpoint.list(target=stopper)["breakpoints"] == [], "and will not be stopped again")


@pytest.fixture
def stoppable(page, program):
    """A program that the page may stop: (its view, a function that returns its target.info)."""
    one = program("rounds", 2)
    target = page.attach(one)
    stopper = page.client.target.attach(pid=one.pid, mode="stop", max_stop_ms=60000)["target"]
    return f"{target}/control", lambda: page.client.target.info(target=stopper)["state"]


def test_what_is_held_does_not_outlive_its_tab(browser, page, stoppable):
    """A browser keeps an abandoned page as it was, and suspends its scripts."""
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
