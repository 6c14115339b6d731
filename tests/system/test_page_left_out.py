# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdd without its page (-DOMPDD_WEB=OFF)."""
import http.client
import json
import subprocess

from daemons import Daemon
from targets import BUILD

WITHOUT = BUILD / "tests" / "support" / "without_page"


def ask(daemon, *request, **headers):
    connection = http.client.HTTPConnection(daemon.uris[0].removeprefix("http:"), timeout=600)
    connection.request(*request, headers=headers)
    answer = connection.getresponse()
    return answer, answer.read().decode()


def test_it_says_so_and_serves_all_else(tmp_path):
    daemon = Daemon(tmp_path / "d", "--token-file", tmp_path / "token", listen=["http:127.0.0.1:0"], programs=WITHOUT)
    try:
        answer, text = ask(daemon, "GET", "/")
        assert answer.status == 404 and answer.getheader("Content-Type").startswith("text/plain")
        assert text == "this ompdd was built without its page (-DOMPDD_WEB=OFF)\n"
        token = {"Authorization": f"Bearer {(tmp_path / 'token').read_text().strip()}"}
        for name in ("/main.js", "/style.css", "/hub.js"):
            assert ask(daemon, "GET", name)[0].status == 401
            assert ask(daemon, "GET", name, **token)[0].status == 404
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "daemon.info"})
        answer, text = ask(daemon, "POST", "/rpc", body, **token, **{"Content-Type": "application/json"})
        assert json.loads(text)["result"]["tier"] == "admin"
    finally:
        daemon.close()
    assert b"modulepreload" not in (WITHOUT / "ompdd").read_bytes()


def test_ompdctl_says_so_before_it_starts_anything(tmp_path):
    done = subprocess.run([WITHOUT / "ompdctl", "page", "-p", "1"], env={"XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/nonexistent"}, capture_output=True, text=True)
    assert done.returncode == 3 and not done.stdout
    assert done.stderr.splitlines()[0].endswith("this ompdctl was built without the page (-DOMPDD_WEB=OFF) [no_page]"), done.stderr
    assert not list(tmp_path.iterdir())
