#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the page is with a thousand threads: the first picture after an attach, looks a second, and what they cost the thread that draws.

`page.py [THREADS SECONDS REPEATS]`, for a machine that does nothing else. Goals: a first picture within 500 ms, ten looks a second, no frame whose work
takes 16 ms. The clock is that of the machine, here as in the browser.
"""
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))

import browsers  # noqa: E402
from daemons import Daemon  # noqa: E402
from targets import Program  # noqa: E402

# Runs in each document before its scripts: records the first paint of strips and regions, the time of each message in
# the thread, and the frames.
PROBE = """
    const bench = window.bench = {work: [], frames: [], first: {}};
    const port = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
    Object.defineProperty(MessagePort.prototype, "onmessage", {set(fn) {
        port.set.call(this, (event) => { const began = performance.now(); fn(event); bench.work.push([event.data.type, performance.now() - began]); });
    }});
    let last = performance.now();
    const frame = () => {
        const now = performance.now(), strips = document.querySelector("ompdd-strips");
        bench.frames.push(now - last);
        last = now;
        if (strips && strips.looks && !bench.first.strips) bench.first.strips = performance.timeOrigin + now;
        if (document.querySelector(".regions .region") && !bench.first.regions) bench.first.regions = performance.timeOrigin + now;
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);"""


def metrics(browser):
    return {one["name"]: one["value"] for one in browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}


def first_pictures(browser, daemon, client, pid, token, repeats):
    """Milliseconds from the answer of target.attach, including the page and its modules."""
    strips, regions = [], []
    for _ in range(repeats):
        browser.open("about:blank")
        target = client.target.attach(pid=pid, mode="observe")["target"]
        attached = time.time()
        browser.open(f"{daemon}/#token={token}&show={target}")
        browser.wait("bench.first.strips && bench.first.regions", "a first picture")
        first = browser.run("return bench.first")
        strips.append(first["strips"] - attached * 1000)
        regions.append(first["regions"] - attached * 1000)
        if len(strips) < repeats:
            client.target.detach(target=target)
    return strips, regions


def say(what, values):
    print(f"{what:<44} median {statistics.median(values):7.1f}  least {min(values):7.1f}  most {max(values):7.1f}  ms")


def main():
    n, seconds, repeats = (int(arg) for arg in (*sys.argv[1:], *("1000", "20", "7")[len(sys.argv) - 1:]))
    if browsers.missing():
        sys.exit(f"page.py: {browsers.missing()}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        one = Program("flat", n)
        daemon = Daemon(folder / "d", "--token-file", folder / "token", listen=[f"unix:{folder}/s", "http:127.0.0.1:0"])
        browser = browsers.Browser(folder / "browser")
        try:
            client = daemon.connect()
            browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": PROBE})
            browser.driver.execute_cdp_cmd("Performance.enable", {})
            strips, regions = first_pictures(browser, "http://" + daemon.uris[1].removeprefix("http:"), client, one.pid, (folder / "token").read_text().strip(), repeats)
            say(f"first strips of {n} threads after the attach", strips)
            say("first regions", regions)
            looks = "document.querySelector('ompdd-strips').looks"
            browser.wait(f"{looks} > 10", "looks")
            browser.run("bench.work.length = bench.frames.length = 0")
            before, began, first = metrics(browser), time.monotonic(), browser.run(f"return {looks}")
            time.sleep(seconds)
            after, spent, last = metrics(browser), time.monotonic() - began, browser.run(f"return {looks}")
            work, frames = browser.run("return [bench.work.map(one => one[1]), bench.frames]")
            print(f"{(last - first) / spent:.1f} looks a second")
            say("work of a message (looks, regions)", work)
            say("from frame to frame", frames)
            print(f"{sum(took >= 16 for took in work)} of {len(work)} messages took 16 ms or more; {sum(took > 25 for took in frames)} of {len(frames)} frames came late (25 ms or more)")
            for name in ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration"):
                print(f"{name:<20} {1000 * (after[name] - before[name]) / spent:6.1f} ms a second, {1000 * (after[name] - before[name]) / max(last - first, 1):6.2f} ms a look")
            client.close()
        finally:
            browser.driver.quit()
            daemon.close()
            one.close()


if __name__ == "__main__":
    main()
