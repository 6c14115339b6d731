# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian's Chromium, driven by Selenium, for the tests of the page; screenshots go to the build folder."""
import json
import shutil

import pytest
from targets import BUILD, wait_until

SCREENSHOTS = BUILD / "screenshots"
CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")


def missing():
    """Return what is missing to open the page, in a word; "" if nothing is missing."""
    if not CHROMIUM or not DRIVER:
        return "no chromium and chromedriver (packages chromium, chromium-driver)"
    try:
        import selenium.webdriver  # noqa: F401
    except ImportError:
        return "no selenium (package python3-selenium)"
    return ""


class Browser:
    """A headless Chromium with one window."""

    def __init__(self, folder, args=()):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
        options = Options()
        options.binary_location = CHROMIUM
        # Chromium runs as root only without its sandbox, and /dev/shm is small in containers. It may reach this machine
        # only.
        for arg in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
                    "--disable-component-update", f"--user-data-dir={folder}", "--window-size=1280,900", *args):
            options.add_argument(arg)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_script_timeout(600)
        self.driver.set_page_load_timeout(600)
        self.expected = []

    def run(self, script, *args):
        return self.driver.execute_script(script, *args)

    def open(self, address):
        self.driver.get(address)

    def text(self, selector="main"):
        """Return the visible text of an element; "" without such an element."""
        return self.run("const e = document.querySelector(arguments[0]); return e ? e.innerText : ''", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", selector)

    def wait(self, condition, what):
        """Wait until a condition, or an expression of JavaScript, is true. A failure shows the text of the page."""
        ask = condition if callable(condition) else lambda: self.run(f"return {condition}")
        try:
            return wait_until(ask, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\nthe page shows:\n{self.text('body')}\nand said:\n{self.driver.get_log('browser')}") from None

    def wait_text(self, text, selector="main"):
        self.wait(lambda: text in self.text(selector), f"{selector} says {text!r}")

    def click(self, text, selector="button"):
        """Click on the element with this text."""
        self.wait(lambda: self.run("""const e = [...document.querySelectorAll(arguments[0])].find(e => e.innerText.trim() === arguments[1]);
                                      if (e) e.click(); return Boolean(e)""", selector, text), f"there is {selector} {text!r}")

    def keys(self, *keys):
        """Send keys to the element with the focus."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def shot(self, name):
        SCREENSHOTS.mkdir(exist_ok=True)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    def requests(self):
        """Return all addresses that pages and workers have requested since the last call."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def look_like(self, width, height, scheme):
        """Give this tab a window of this size, and the preference "light" or "dark"."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def fresh(self):
        """Replace all tabs by a new one without state."""
        old = self.driver.window_handles
        self.driver.switch_to.new_window("tab")
        new = self.driver.current_window_handle
        for handle in old:
            self.driver.switch_to.window(handle)
            self.driver.close()
        self.driver.switch_to.window(new)
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.expected = []

    def judge(self):
        """Assert that the page logged nothing: no exception, and nothing that its policy refused."""
        said = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        said = [message for message in said if not any(part in message for part in self.expected)]
        assert not said, "\n".join(said)


@pytest.fixture(scope="module")
def one_browser(tmp_path_factory):
    one = Browser(tmp_path_factory.mktemp("browser"))
    yield one
    one.driver.quit()


@pytest.fixture
def browser(one_browser):
    """A tab of a shared browser: starting one takes longer than most tests."""
    one_browser.fresh()
    yield one_browser
    one_browser.judge()
