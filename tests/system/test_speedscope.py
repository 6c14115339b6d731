# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The speedscope files of `ompdctl record`, opened by speedscope itself in a browser.

It comes from npm; without it, the tests are skipped.
"""
import contextlib
import functools
import http.server
import json
import shutil
import subprocess
import threading

import pytest
from targets import wait_until


@pytest.fixture(scope="module")
def speedscope(tmp_path_factory):
    """The folder with its page and its schema."""
    folder = tmp_path_factory.mktemp("speedscope")
    if not shutil.which("npm"):
        pytest.skip("npm is not here: apt install npm")
    try:
        subprocess.run(["npm", "pack", "--silent", "--fetch-retries=0", "speedscope"], cwd=folder, capture_output=True, timeout=120, check=True)
    except subprocess.SubprocessError:
        pytest.skip("npm has no speedscope: is there a network?")
    subprocess.run(["tar", "xzf", next(folder.glob("speedscope-*.tgz")), "-C", folder], check=True)
    return folder / "package" / "dist" / "release"


@pytest.fixture
def profile(program, ompdctl, tmp_path):
    """A file with names of the program, and its name."""
    one = program("turns")

    def written():
        ompdctl("-p", one.pid, "record", "-d", "0.3", "-o", tmp_path / "x.json")
        names = {frame["name"] for frame in json.loads((tmp_path / "x.json").read_text())["shared"]["frames"]}
        # The function that encounters the region is rarely on a sampled stack; its outlined function often is.
        return names >= {"turns_solve._omp_fn.0", "[work]"}
    wait_until(written, "a profile with the program's functions")
    return tmp_path / "x.json"


def test_its_schema(speedscope, profile):
    import jsonschema
    schema = json.loads((speedscope / "file-format-schema.json").read_text())
    jsonschema.validate(json.loads(profile.read_text()), schema)


@contextlib.contextmanager
def served(folder):
    """The URL of a server of @folder, and the list of the requested paths."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format, *args):
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_opened_in_a_browser(speedscope, profile, tmp_path):
    """The sandwich view is a table of the functions, as text."""
    browser = shutil.which("chromium")
    if not browser:
        pytest.skip("chromium is not here: apt install chromium")
    shutil.copytree(speedscope, tmp_path / "page")
    shutil.copy(profile, tmp_path / "page")
    with served(tmp_path / "page") as (url, asked):
        def page():
            # Its clock runs ahead while nothing is pending, however slow the machine is.
            args = ["--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--user-data-dir={tmp_path / 'browser'}",
                    "--virtual-time-budget=20000", "--dump-dom", f"{url}/index.html#view=sandwich&profileURL={url}/x.json"]
            text = subprocess.run([browser, *args], capture_output=True, text=True, timeout=300, check=True).stdout
            return text if "turns_solve" in text else None
        text = wait_until(page, "the page with the functions")
    file = json.loads(profile.read_text())
    assert f"<title>{file['profiles'][0]['name']}" in text and "[work]" in text
    assert "/x.json" in asked
