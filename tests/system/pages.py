# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the browser tests of the page: a daemon that serves it, programs that hang, and what the page draws."""
import browsers as chromium
import pytest
from snapshots import diagnose
from targets import BUILD, wait_until

HAS_PAGE = "OMPDD_WEB:BOOL=OFF" not in (BUILD / "CMakeCache.txt").read_text()
MARKS = [pytest.mark.skipif(not HAS_PAGE, reason="built with -DOMPDD_WEB=OFF"), pytest.mark.skipif(bool(chromium.missing()), reason=chromium.missing())]
VIEWS = ("", "why", "time", "tasks", "stacks", "icvs", "devices", "events", "control")
# Windows: width, height, and the user's preference.
LOOKS = {"narrow": (360, 800, "light"), "wide": (2200, 1100, "light"), "dark": (1280, 900, "dark")}
# Programs on our runtime, which reports everything.
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
    """An observed program that hangs, once it does."""
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
    """Return the drawn regions: (level, team, tids of the threads directly in it, nested regions)."""
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
