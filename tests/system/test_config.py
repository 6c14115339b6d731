# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The configuration file, its reload, and the access of other users of the node to a daemon of root."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import tempfile

import pytest
from daemons import BIN, Daemon

NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root's daemon serves other users")


@pytest.fixture(name="conf")
def conf_fixture(tmp_path):
    return tmp_path / "ompdd.conf"


def check(conf, text=None):
    """Run ompdd --check-config on a file with this text."""
    if text is not None:
        conf.write_text(text)
    return subprocess.run([BIN / "ompdd", "--config", conf, "--check-config"], capture_output=True, text=True, timeout=600, check=False)


class Notified:
    """Return the notifications of a daemon to systemd (sd_notify(3))."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(600)

    def __next__(self):
        return self.socket.recv(4096).decode()


@pytest.fixture(name="notified")
def notified_fixture(tmp_path):
    one = Notified(tmp_path / "notify")
    yield one
    one.socket.close()


def test_a_file_without_mistakes(conf):
    done = check(conf, """
# The node's daemon.
allow = observe
allow=control:user=root
  user-targets   =  3
allow-remote = no
log-level = info
plugin-dir = /opt/with blanks # and this
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{conf}: no mistakes\n", "")


@pytest.mark.parametrize("text, line, why, hint", [
    ("allow = observe\nlisen = stdio\n", 2, 'no such setting: "lisen"', 'did you mean "listen"?'),
    ("frobnicate_everything = 1\n", 1, 'no such setting: "frobnicate_everything"', "lists all settings"),
    ("\n\nuser-targets\n", 3, 'no "="', "NAME = VALUE"),
    ("user-targets = 0\n", 1, "user-targets must be a number from 1 to 64, not '0'", "ompdd.conf(5)"),
    ("user-targets = 3 # three\n", 1, "must be a number from 1 to 64, not '3 # three'", "ompdd.conf(5)"),
    ("libompd =\n", 1, "wrong value", "ompdd.conf(5)"),
    ("allow-remote = perhaps\n", 1, "allow-remote perhaps: wrong value", "ompdd.conf(5)"),
    ("user-targets = 3\nuser-targets = 4\n", 2, "is set in line 1 already", "only lists"),
    ("allow = everything\n", 1, "no such tier", "tiers are"),
    ("listen = udp:80\n", 1, "not an address", "use unix:PATH"),
    ("listen = unix:/x,allow=all\n", 1, '"all" is not a tier', "tiers are"),
    ("metrics-for = root\n", 1, "neither user=NAME nor group=NAME", "--metrics-for user=NAME"),
    ("socket-group = no-such-group\n", 1, "no such group: no-such-group", "getent group"),
    ("socket-mode = 0999\n", 1, "wrong value", "ompdd.conf(5)"),
])
def test_mistakes_are_named_with_their_line(conf, text, line, why, hint):
    done = check(conf, text)
    assert done.returncode == 1 and not done.stdout
    first, second = done.stderr.splitlines()
    assert first.startswith(f"ompdd: {conf}:{line}: ") and why in first
    assert second.startswith("hint: ") and hint in second


def test_a_file_cannot_control_the_terminal(conf):
    for text in ("\x1b[31mred = 1\n", "listen = \x1b]0;title\x07\n", "user-targets = \x1b[2J\n", "allow = \x9b31m\n"):
        done = check(conf, text)
        assert done.returncode == 1 and not set(done.stderr) & set("\x1b\x07\x9b\x7f"), done.stderr
        assert "\\x1b" in done.stderr or "\\x9b" in done.stderr or "\\xc2" in done.stderr, done.stderr


def test_files_that_are_not_read(conf, tmp_path):
    assert "No such file" in check(conf).stderr
    assert "has a zero byte" in check(conf, "allow = observe\n\0").stderr
    assert "longer than 65536 bytes" in check(conf, "#" * 65537).stderr
    check(conf, "allow = observe\n")
    conf.chmod(0o666)
    assert "is writable by other users" in check(conf).stderr
    assert "not a regular file" in check(tmp_path).stderr
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file" in check(tmp_path / "fifo").stderr
    done = subprocess.run([BIN / "ompdd", "--check-config"], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2 and "--config FILE" in done.stderr


def test_the_command_line_comes_after_the_file(conf, tmp_path):
    conf.write_text("user-targets = 3\nuser-connections = 5\nallow = observe\n")
    one = Daemon(tmp_path / "run", "--config", conf, "--user-targets", 4, "--allow", "inspect")
    with one.connect() as client:
        info = client.daemon.info()
        assert info["limits"]["max_user_targets"] == 4 and info["limits"]["max_user_connections"] == 5
        assert info["tier"] == "inspect"
    one.close()


def test_reload(conf, tmp_path, notified):
    """New tiers and quotas apply to new connections. A file with an error, or with a fixed setting, changes nothing."""
    conf.write_text("user-targets = 3\nallow = observe\n")
    one = Daemon(tmp_path / "run", "--config", conf, env={"NOTIFY_SOCKET": notified.path})
    one.expect_log = ["nothing is changed", "hint"]
    assert next(notified) == "READY=1"

    def info():
        with one.connect() as client:
            found = client.daemon.info()
            return found["limits"]["max_user_targets"], found["tier"]

    def reload(text):
        conf.write_text(text)
        os.kill(one.pid, signal.SIGHUP)
        said = next(notified)
        assert said.startswith("RELOADING=1\nMONOTONIC_USEC=") and said.split("=")[-1].isdigit()
        assert next(notified) == "READY=1"
        return info()
    assert info() == (3, "observe")
    with one.connect() as before:
        assert reload("user-targets = 7\nallow = control\n") == (7, "control")
        assert before.daemon.info()["tier"] == "observe", "who is there keeps what he was let in with"
    assert reload("user-target = 9\n") == (7, "control")
    assert f'{conf}:1: no such setting: "user-target"' in one.read_log()
    assert reload("user-targets = 9\nsocket-mode = 0600\n") == (7, "control")
    assert "cannot change socket-mode while ompdd runs" in one.read_log()
    conf.unlink()
    os.kill(one.pid, signal.SIGHUP)
    assert next(notified).startswith("RELOADING=1") and next(notified) == "READY=1"
    assert info() == (7, "control")
    one.terminate()
    assert next(notified) == "STOPPING=1"
    one.close()


@pytest.fixture(name="folder")
def folder_fixture():
    """A folder that user `nobody` can enter: below /tmp, but not below pytest's own."""
    path = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def as_nobody(code, *args):
    """Return the output of a Python program that user `nobody` runs."""
    return as_root(code, *args, **NOBODY)


def as_root(code, *args, **user):
    """The same, run by the user of the tests."""
    done = subprocess.run(["/usr/bin/env", "python3", "-B", "-c", code, *map(str, args)], cwd="/", capture_output=True, text=True, timeout=600,
                          check=False, **user)
    return done.stdout + done.stderr


CONNECT = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print('in')"


@needs_root
def test_the_mode_of_the_socket(folder):
    """The mode is 0600 unless configured. With another mode, other users may connect."""
    with contextlib.ExitStack() as stack:
        closed = Daemon(folder / "closed")
        stack.callback(closed.close)
        shared = Daemon(folder / "shared", "--socket-mode", "0660", "--socket-group", "nogroup")
        stack.callback(shared.close)
        for one in (closed, shared):
            one.folder.chmod(0o755)
        found = [os.stat(one.path) for one in (closed, shared)]
        assert [stat.S_IMODE(st.st_mode) for st in found] == [0o600, 0o660]
        assert found[1].st_gid == NOBODY["group"] and stat.S_IMODE(os.stat(shared.path + ".lock").st_mode) == 0o600
        assert "PermissionError" in as_nobody(CONNECT, closed.path)
        assert as_nobody(CONNECT, shared.path) == "in\n"


@needs_root
def test_only_root_shares_a_socket(folder):
    shutil.copy(BIN / "ompdd", folder / "ompdd")
    place = folder / "nobody"
    place.mkdir()
    os.chown(place, 65534, 65534)
    done = subprocess.run([folder / "ompdd", "--listen", f"unix:{place}/s", "--socket-mode", "0666"], capture_output=True, text=True,
                          timeout=600, check=False, cwd="/", **NOBODY)
    assert done.returncode == 1 and "--socket-mode 0666 needs a daemon that runs as root" in done.stderr


GET = """
import http.client, sys
for path in sys.argv[2:]:
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1])); c.request("GET", path); r = c.getresponse()
    print(r.status, r.read().decode().split("\\n")[0][:60])
"""


@needs_root
def test_metrics_for_another_user(folder):
    """/metrics needs no token for named users, and nothing else is open. Other users are refused."""
    one = Daemon(folder / "run", "--token-file", folder / "token", "--metrics-for", "group=nogroup", listen=[f"unix:{folder}/run/s", "http:0"])
    other = Daemon(folder / "other", "--token-file", folder / "token2", listen=[f"unix:{folder}/other/s", "http:0"])
    ports = [each.uris[1].split(":")[-1] for each in (one, other)]
    lines = as_nobody(GET, ports[0], "/metrics", "/", "/openrpc.json", "/events", "/rpc").splitlines()
    assert lines[0].startswith("200 # HELP ompdd_build_info")
    assert lines[1:] == ["403 this user may read /metrics only (--metrics-for)"] * 4
    assert as_nobody(GET, ports[1], "/metrics").startswith("403 this ompdd serves uid 0 only")
    # Root tries Prometheus's request by hand. Every other path needs the token, also from root.
    lines = as_root(GET, ports[0], "/metrics", "/openrpc.json", "/events").splitlines()
    assert lines[0].startswith("200 # HELP ompdd_build_info") and [line[:4] for line in lines[1:]] == ["401 "] * 2, lines
    assert as_root(GET, ports[1], "/metrics").startswith("401 "), "where nobody was named"
    one.path, other.path = f"{folder}/run/s", f"{folder}/other/s"
    one.close()
    other.close()


PYTHON = ["/usr/bin/env", "python3", "-B", "-c", "import ompdd; print(ompdd.connect().daemon.info())"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is told of the folders of others")
@pytest.mark.parametrize("argv", ([str(BIN / "ompdctl"), "call", "daemon.info"], PYTHON), ids=("ompdctl", "python"))
@pytest.mark.parametrize("whose", ("folder", "socket", "link"))
def test_root_trusts_no_socket_of_a_user(whose, argv, tmp_path):
    """sudo -E and su keep the first user's XDG_RUNTIME_DIR, OMPDD_URI and OMPDD_NODE_URI."""
    one = Daemon(tmp_path / "real")
    run = tmp_path / "run"
    (run / "ompdd").mkdir(parents=True)
    path = run / "ompdd" / "ompdd.sock"
    if whose == "link":
        run.chmod(0o1777)
        (run / "ompdd").rmdir()
        (run / "ompdd").symlink_to(tmp_path / "real")
    else:
        path.symlink_to(one.path)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("OMPDD_") or key == "OMPDD_BUILD_DIR"}

    def ask(**env):
        return subprocess.run(argv, env={**clean, **env}, capture_output=True, text=True, timeout=600, check=False)
    for env in ({"XDG_RUNTIME_DIR": str(run)}, {"OMPDD_URI": f"unix:{path}"}, {"OMPDD_URI": f"http+unix:{path}"},
                {"XDG_RUNTIME_DIR": str(tmp_path / "none"), "OMPDD_NODE_URI": f"unix:{path}"}):
        assert ask(**env).returncode == 0, ask(**env).stderr
        if whose == "folder":
            os.chown(run, 65534, 65534)
        elif whose == "socket":
            os.chown(one.path, 65534, 65534)
        else:
            os.chown(run / "ompdd", 65534, 65534, follow_symlinks=False)
        done = ask(**env)
        assert done.returncode and "cannot trust the socket" in done.stderr and "another user" in done.stderr, done.stderr
        for put_back in (run, one.path, run / "ompdd"):
            os.chown(put_back, 0, 0, follow_symlinks=False)
    # ompdctl does connect to a listener that the command line names.
    os.chown(one.path, 65534, 65534)
    done = subprocess.run([BIN / "ompdctl", "-s", f"unix:{path}", "call", "daemon.info"], env=clean, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    os.chown(one.path, 0, 0)
    one.close()


def test_ones_own_daemon_and_then_the_nodes(tmp_path):
    """ompdctl and the Python client use the node's daemon if the user has none."""
    node = Daemon(tmp_path / "node")
    (tmp_path / "run").mkdir()
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run"), "OMPDD_NODE_URI": node.uris[0]}
    env.pop("OMPDD_URI", None)

    def asked():
        """Return the answering daemon: its listener's address."""
        done = [subprocess.run(argv, env=env, capture_output=True, text=True, timeout=600, check=False)
                for argv in ([BIN / "ompdctl", "call", "daemon.info"],
                             ["/usr/bin/env", "python3", "-B", "-c", "import ompdd, json; print(json.dumps(ompdd.connect().daemon.info()))"])]
        assert not any(one.returncode for one in done), [one.stderr for one in done]
        return [one.stdout for one in done]
    assert all(node.path in text for text in asked())
    (tmp_path / "run" / "ompdd").mkdir(mode=0o700)
    own = Daemon(tmp_path / "run" / "ompdd")
    assert all(own.path in text and node.path not in text for text in asked())
    own.close()
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(own.path)
    assert all(node.path in text for text in asked()), "nobody listens there"
    node.close()
    done = subprocess.run([BIN / "ompdctl", "targets"], env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2 and f"{tmp_path}/run/ompdd/ompdd.sock" in done.stderr
