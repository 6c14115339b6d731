# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page in a browser: each heading and number has a line of curl, which can be copied and run, and returns the
method's answer.
"""
import json
import re
import subprocess

import pytest
from browsers import browser, one_browser  # noqa: F401
from pages import MARKS, VIEWS, hang, page  # noqa: F401

pytestmark = MARKS
# Members that differ in each answer, or at each moment.
CHANGES = {"epoch", "stopped_us", "looks", "cpu_us", "uptime_s", "connections", "stats", "requests", "kernel"}
# The line of view.get about the samples.
SAMPLES = re.compile(r"\d+ samples(,| within) .*")


def lasting(value):
    """Return the common part of two answers about a program that does not move."""
    if isinstance(value, dict):
        return {name: lasting(one) for name, one in value.items() if name not in CHANGES}
    if isinstance(value, list):
        return [lasting(one) for one in value]
    return SAMPLES.sub("", re.sub(r"^(t[0-9]+):e[0-9]+:", r"\1:", value)) if isinstance(value, str) else value


def copied(browser, page, number):
    """The line behind the button of that number: the shown line equals the copied one, except for the token, which is
    never shown.
    """
    browser.run("window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; }; document.querySelectorAll('.how')[arguments[0]].click()", number)
    browser.wait("document.querySelector('dialog').open", "the line of curl")
    shown = browser.text("dialog .curl")
    assert page.token not in browser.text("dialog") and "…" in shown
    browser.click("Copy the line", "dialog button")
    browser.wait("window.copied", "it is copied")
    line = browser.run("return window.copied")
    assert line == shown.replace("…", page.token)
    browser.click("Close", "dialog button")
    browser.wait("!document.querySelector('dialog').open", "closed")
    return line


def check(page, line):
    """Run it in a shell. Return its method's name."""
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
    assert not done.stderr
    asked = json.loads(line[line.index("-d '") + 4:-1].replace("'\\''", "'"))
    answer = json.loads(done.stdout)
    assert "error" not in answer, answer
    noun, _, verb = asked["method"].partition(".")
    said = getattr(getattr(page.client, noun), verb)(**asked["params"])
    if asked["method"] == "process.list":  # It is about a machine on which other processes start and end.
        answer["result"], said = ({target["pid"] for target in page.client.target.list()["targets"]} <= {one["pid"] for one in result["processes"]} for result in (answer["result"], said))
    if asked["method"] == "history.get":  # A sample is added each second.
        answer["result"], said = ([thread["tid"] for thread in result["threads"]] for result in (answer["result"], said))
    assert lasting(answer["result"]) == lasting(said), asked
    return asked["method"]


def check_all(browser, page):
    return [check(page, copied(browser, page, number)) for number in range(browser.run("return document.querySelectorAll('.how').length"))]


# The line of each view, behind target.info of its head, with a target in mode stop beside it.
METHODS = {"": ["view.get"] * 3 + ["history.get"], "why": ["view.get"], "time": ["profile.get"], "tasks": ["view.get"], "stacks": ["view.get"], "icvs": ["view.get"],
           "devices": ["view.get"], "events": ["event.poll"], "control": ["target.info", "breakpoint.list"]}


@pytest.mark.parametrize("view", VIEWS)
def test_each_view(view, browser, page, program):
    target = hang(page, program, "critical_cycle")
    if view == "control":
        page.client.target.attach(pid=page.client.target.info(target=target)["pid"], mode="stop")
    if view == "time":
        page.client.profile.start(target=target, rate_hz=100, keep=True)
        page.client.profile.stop(target=target)
    browser.open(page.address(f"{target}/{view}" if view else target))
    browser.wait(f"document.querySelectorAll('.how').length === {1 + len(METHODS[view])}", "the view is there")
    assert check_all(browser, page) == ["target.info", *METHODS[view]]


def test_the_list_of_processes(browser, page, program):
    page.attach(program("nested", 2, 3))
    browser.open(page.address())
    browser.wait("document.querySelectorAll('.how').length === 2", "processes and targets")
    assert check_all(browser, page) == ["process.list", "target.list"]


def test_a_number(browser, page, program):
    """Each button opens the line of its view."""
    target = page.attach(program("nested", 2, 3))
    browser.open(page.address(target))
    browser.wait_text("team of 3")
    assert not browser.run("return document.querySelector('.how').checkVisibility()"), "sources are hidden at first"
    browser.run("document.querySelector('ompdd-tree .num').click()")
    assert not browser.run("return document.querySelector('dialog').open")
    browser.click("API")
    browser.wait("document.querySelector('.how').checkVisibility()", "sources are shown")
    browser.run("document.querySelector('ompdd-tree .num').click()")
    browser.wait("document.querySelector('dialog').open", "a number says where it is from")
    assert check(page, browser.text("dialog .curl").replace("…", page.token)) == "view.get"
    browser.shot("how")
