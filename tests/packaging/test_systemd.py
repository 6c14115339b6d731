# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The packages on a system that systemd has booted: units, their sandbox, and what users can do through it.

The tests are one story, in this order: the packages are installed, enabled, used, reloaded, restarted, and removed.
"""
import itertools
import json
import os
import pathlib
import re
import subprocess

import booted
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ["OMPDD_BUILD_DIR"]) / "tests" / "programs"
PACKAGES = pathlib.Path(os.environ["OMPDD_PACKAGES"]) / "debian"
USERS = ("alice", "bob", "prometheus")

pytestmark = pytest.mark.skipif(bool(booted.missing()), reason=str(booted.missing()))


@pytest.fixture(scope="module", name="system")
def system_fixture(tmp_path_factory):
    packages = [path for path in PACKAGES.glob("*.deb") if "-dbgsym" not in path.name]
    one = booted.Booted(tmp_path_factory.mktemp("booted"), [*packages, PROGRAMS])
    try:
        for user in USERS:
            # A package of the machine may have created it.
            if one.run("id", user, check=False).returncode:
                one.run("useradd", "--create-home", user)
                # Neither the daemon nor any other user can enter a home.
                one.run("chmod", "0700", f"/home/{user}")
        one.run("sh", "-c", "dpkg -i /srv/given/*.deb")
        yield one
    finally:
        one.close()


numbers = itertools.count(1)


class Program:
    """A user's test program in the user's home, which runs as a service of its own."""

    def __init__(self, system, user, name, *args):
        self.system, self.unit = system, f"program{next(numbers)}"
        self.path = f"/home/{user}/{self.unit}/{name}"
        system.run("mkdir", f"/home/{user}/{self.unit}")
        system.run("cp", f"/srv/given/programs/{name}", self.path)
        system.run("systemd-run", "--quiet", f"--uid={user}", f"--unit={self.unit}", self.path, *args)
        self.pid = int(system.show(self.unit, "MainPID"))
        booted.wait_until(lambda: self.said(), f"{name} has begun")

    def said(self):
        """Return its output, one value per line."""
        return [json.loads(row["MESSAGE"]) for row in self.system.journal("-u", self.unit, "_TRANSPORT=stdout")]

    def rounds(self):
        before = len(self.said())
        self.system.run("kill", "-USR1", str(self.pid))
        return booted.wait_until(lambda: self.said()[before:], "it says how far it is")[0]["rounds"]

    def assert_goes_on(self):
        """It is not traced, no thread of it is stopped, and it makes progress."""
        def free():
            text = self.system.run("sh", "-c", f"cat /proc/{self.pid}/task/*/status").stdout
            return set(re.findall(r"^TracerPid:\t(\d+)$", text, re.M)) == {"0"} and not re.search(r"^State:\t[tT]", text, re.M)
        booted.wait_until(free, "nobody traces it")
        before = self.rounds()
        booted.wait_until(lambda: self.rounds() > before, "it comes further")
        assert int(self.system.show(self.unit, "MainPID")) == self.pid


def ompdctl(system, user, *argv, check=True):
    return system.run("ompdctl", *argv, user=user, check=check, cwd="/")


def attach(system, user, pid, mode="observe"):
    """With patience: the machine may be busy."""
    return ompdctl(system, user, "attach", "-m", mode, "--max-stop-ms", "60000", "-p", pid).stdout.split(":")[0]


def info(system, user, env=()):
    return json.loads(system.run("ompdctl", "call", "daemon.info", user=user, env=env).stdout)


def main_pid(system):
    return int(system.show("ompdd.service", "MainPID"))


# A client that continues when the daemon is replaced: it prints its state, and reads a line before the next step.
CLIENT = """
import sys, ompdd
def say(text):
    print(text, flush=True)
def attach(client, pid):
    return client.target.attach(pid=pid, max_stop_ms=60000)["target"]
pid, what = int(sys.argv[1]), sys.argv[2]
client = ompdd.connect("unix:/run/ompdd/ompdd.sock", timeout=600)
target = attach(client, pid)
if what == "breakpoint":
    client.breakpoint.set(target=target, function="chore")
    while client.target.info(target=target)["state"] != "breakpoint":
        pass
else:
    client.target.stop(target=target)
say(client.target.info(target=target)["state"])
sys.stdin.readline()
try:
    client.target.info(target=target)
    say("the old connection answers")
except ompdd.OmpddException:
    say("gone")
client = ompdd.connect("unix:/run/ompdd/ompdd.sock", timeout=600)
say(client.target.info(target=attach(client, pid))["state"])
"""


class Client:
    """Run CLIENT as a user."""

    def __init__(self, system, user, *argv):
        self.process = subprocess.Popen(["nsenter", "--target", str(system.leader), "--all", "runuser", "-u", user, "--", "/usr/bin/python3", "-c",
                                         CLIENT, *map(str, argv)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")

    def hear(self):
        return self.process.stdout.readline().strip()

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(600)
        self.process.stdout.close()


def test_nothing_runs_that_was_not_enabled(system):
    for unit in ("ompdd.socket", "ompdd.service", "ompdd-metrics.timer"):
        assert system.run("systemctl", "is-enabled", unit, check=False).stdout.strip() in ("disabled", "indirect")
        assert system.show(unit, "ActiveState") == "inactive"
    assert system.run("getent", "group", "ompdd").stdout.startswith("ompdd:")
    assert system.run("stat", "-c", "%U %a", "/run/ompdd").stdout == "root 755\n"
    done = ompdctl(system, "alice", "targets", check=False)
    assert done.returncode == 2 and "hint: " in done.stderr


def test_who_connects_first_starts_it(system):
    system.run("systemctl", "enable", "--now", "ompdd.socket")
    assert system.show("ompdd.service", "ActiveState") == "inactive"
    assert "no targets" in ompdctl(system, "alice", "targets").stdout
    assert system.show("ompdd.service", "ActiveState") == "active", "it is ready when it has said so"
    told = info(system, "alice")
    assert told["pid"] == main_pid(system) and told["listeners"] == ["unix:/run/ompdd/ompdd.sock"]


def test_its_sandbox_is_there(system):
    """The kernel's view of the process, not the unit's settings."""
    pid = main_pid(system)
    status = dict(line.split(":\t", 1) for line in system.run("cat", f"/proc/{pid}/status").stdout.splitlines())
    # KILL, SETGID, SETUID, SYS_PTRACE, DAC_READ_SEARCH
    wanted = sum(1 << bit for bit in (5, 6, 7, 19, 2))
    assert int(status["CapBnd"], 16) == int(status["CapEff"], 16) == wanted
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
    assert system.run("readlink", f"/proc/{pid}/ns/net").stdout != system.run("readlink", "/proc/1/ns/net").stdout
    for path in ("/home", "/root"):
        assert system.run("ls", "-A", f"/proc/{pid}/root{path}").stdout == ""
    assert "hidepid=ptraceable" in system.run("cat", f"/proc/{pid}/mountinfo").stdout


@pytest.mark.parametrize("mode", ["observe", "stop"])
def test_each_user_has_what_the_kernel_gives_him(system, mode):
    """A user's program in a home that the daemon does not see, with names and lines; another user's program is refused.
    """
    one = Program(system, "alice", "flat", 4)
    for user in ("alice", "root"):
        target = attach(system, user, one.pid, mode)
        tree = ompdctl(system, user, "-t", target, "tree").stdout
        assert "team of 4: main._omp_fn.0" in tree and "warning" not in tree, tree
        assert re.search(r"main\._omp_fn\.0\(\) at \S*tests/programs/flat\.c:\d", ompdctl(system, user, "-t", target, "bt").stdout)
        assert "sleep in pause()" in ompdctl(system, user, "-t", target, "why").stdout
        rows = json.loads(ompdctl(system, user, "ps", "--json").stdout)["processes"]
        assert [row["runtimes"][0]["kind"] for row in rows if row["pid"] == one.pid] == ["libgomp"]
        ompdctl(system, user, "detach", "-t", target)
    done = ompdctl(system, "bob", "attach", "-m", mode, "-p", one.pid, check=False)
    assert done.returncode == 1 and "[permission_denied]" in done.stderr and "as the user of that process or as root" in done.stderr
    assert str(one.pid) not in ompdctl(system, "bob", "ps").stdout


def test_programs_in_boxes_of_systemd(system):
    """A private /tmp and devices: its files are read at the paths that the program sees."""
    system.run("sh", "-c", "cp /srv/given/programs/flat /tmp/boxed && chmod 755 /tmp/boxed")
    unit = "boxed"
    system.run("systemd-run", "--quiet", "--uid=alice", f"--unit={unit}", "-p", "PrivateDevices=yes", "-p", "ProtectProc=invisible",
               "-p", "BindReadOnlyPaths=/tmp/boxed:/opt/boxed", "-p", "TemporaryFileSystem=/tmp", "sh", "-c", "exec /opt/boxed 3")
    pid = system.show(unit, "MainPID")
    booted.wait_until(lambda: system.journal("-u", unit, "_TRANSPORT=stdout"), "it has begun")
    for user in ("alice", "root"):
        target = attach(system, user, pid, "stop")
        assert "team of 3: main._omp_fn.0" in ompdctl(system, user, "-t", target, "tree").stdout
        ompdctl(system, user, "detach", "-t", target)


def test_the_journal_has_the_audit_as_fields(system):
    one = Program(system, "bob", "flat", 2)
    target = attach(system, "bob", one.pid)
    uid = system.run("id", "-u", "bob").stdout.strip()
    [row] = [row for row in system.journal("-u", "ompdd", "OMPDD_METHOD=target.attach", f"OMPDD_TARGET_PID={one.pid}")]
    assert (row["OMPDD_UID"], row["OMPDD_OUTCOME"], row["OMPDD_PROGRAM"], row["OMPDD_TARGET"]) == (uid, "ok", "ompdctl", target)
    assert row["_SYSTEMD_UNIT"] == "ompdd.service" and row["SYSLOG_IDENTIFIER"] == "ompdd" and "method=target.attach" in row["MESSAGE"]
    assert "not_allowed" in ompdctl(system, "bob", "launch", "--", "/bin/true", check=False).stderr
    [row] = [row for row in system.journal("-u", "ompdd", "OMPDD_METHOD=target.launch")]
    assert (row["OMPDD_UID"], row["OMPDD_OUTCOME"]) == (uid, "not_allowed")


def change(system, before, after):
    path = "/etc/ompdd/ompdd.conf"
    text = system.run("cat", path).stdout
    assert re.search(before, text, re.M), text
    system.run("sh", "-c", f"cat > {path}", input=re.sub(before, lambda _: after, text, flags=re.M))


def test_a_reload_is_all_or_nothing(system):
    pid = main_pid(system)
    assert info(system, "alice")["tier"] == "inspect"
    change(system, "^allow = inspect$", "allow = control\nfrobnicate = 7")
    assert system.run("systemctl", "reload", "ompdd", check=False).returncode
    assert any("frobnicate" in row["MESSAGE"] for row in system.journal("-u", "ompdd"))
    assert info(system, "alice")["tier"] == "inspect" and main_pid(system) == pid
    change(system, "^frobnicate = 7\n", "")
    system.run("systemctl", "reload", "ompdd")
    booted.wait_until(lambda: info(system, "alice")["tier"] == "control", "it has read it")
    assert main_pid(system) == pid and system.show("ompdd.service", "NRestarts") == "0"


@pytest.mark.parametrize("how", ["restart", "crash"])
@pytest.mark.parametrize("what", ["breakpoint", "held"])
def test_a_new_daemon_takes_over(system, what, how):
    """The target continues without a breakpoint or a stop, and the new daemon serves clients that connected meanwhile.
    """
    one = Program(system, "bob", "rounds", 2)
    before = main_pid(system)
    with Client(system, "bob", one.pid, what) as client:
        assert client.hear() == what
        if how == "restart":
            system.run("systemctl", "restart", "ompdd")
        else:
            system.run("kill", "-KILL", str(before))
        one.assert_goes_on()
        client.go_on()
        assert client.hear() == "gone"
        assert client.hear() == "running"
    assert main_pid(system) not in (0, before)
    one.assert_goes_on()


def test_a_daemon_of_ones_own(system):
    """Enabled by the user; found before the node's daemon; launched programs survive its restart."""
    system.run("loginctl", "enable-linger", "alice")
    uid = system.run("id", "-u", "alice").stdout.strip()
    env = [f"XDG_RUNTIME_DIR=/run/user/{uid}"]

    def own(*argv):
        return system.run(*argv, user="alice", env=env).stdout
    booted.wait_until(lambda: system.show(f"user@{uid}.service", "ActiveState") == "active", "alice's systemd")
    own("systemctl", "--user", "enable", "--now", "ompdd.socket")
    told = info(system, "alice", env)
    assert told["listeners"] == [f"unix:/run/user/{uid}/ompdd/ompdd.sock"] and told["tier"] == "admin"
    assert info(system, "bob")["listeners"] == ["unix:/run/ompdd/ompdd.sock"]
    system.run("cp", "/srv/given/programs/rounds", "/home/alice/rounds")
    target, pid = re.match(r"(t\d+): launched (\d+)", own("ompdctl", "launch", "--", "/home/alice/rounds", "2")).groups()
    assert "breakpoint 1, thread" in own("ompdctl", "-t", target, "break", "chore")
    own("systemctl", "--user", "restart", "ompdd")
    assert own("cat", f"/proc/{pid}/comm") == "rounds\n"
    booted.wait_until(lambda: "TracerPid:\t0\n" in own("cat", f"/proc/{pid}/status"), "nobody traces it")
    assert "no targets" in own("ompdctl", "targets")
    own("kill", pid)
    # Then the node's daemon serves the user again.
    own("systemctl", "--user", "stop", "ompdd.socket", "ompdd.service")
    assert info(system, "alice", env)["listeners"] == ["unix:/run/ompdd/ompdd.sock"]


def documented(first):
    """Return the block of docs/cluster.md that starts with this text."""
    text = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    blocks = [re.sub(r"^ {3}", "", block, flags=re.M) for block in re.findall(r"^ {3}```\n(.*?)^ {3}```$", text, re.M | re.S)]
    return next(block for block in blocks if block.startswith(first))


def get(system, user):
    done = system.run("curl", "-s", "-o", "-", "-w", "\n%{http_code}", "http://127.0.0.1:9464/metrics", user=user)
    text, _, code = done.stdout.rpartition("\n")
    return int(code), text


def test_metrics_as_documented(system):
    one = Program(system, "bob", "flat", 2)
    system.run("systemctl", "enable", "--now", "ompdd-metrics.timer")
    system.run("systemctl", "start", "ompdd-metrics.service")
    assert system.show("ompdd-metrics.service", "Result") == "success"
    change(system, r"\Z", documented("metrics-file"))
    system.run("mkdir", "-p", "/etc/systemd/system/ompdd.service.d")
    system.run("sh", "-c", "cat > /etc/systemd/system/ompdd.service.d/override.conf", input=documented("[Service]"))
    system.run("systemctl", "daemon-reload")
    system.run("systemctl", "restart", "ompdd")
    code, text = get(system, "prometheus")
    assert code == 200
    assert f'ompdd_process_info{{pid="{one.pid}",program="flat",user="bob",runtime="libgomp"' in text
    assert get(system, "alice")[0] == 403
    assert get(system, None)[0] == 200, "who tries it by hand"
    assert "no targets" in ompdctl(system, "alice", "targets").stdout


def test_for_some_users_only(system):
    system.run("mkdir", "-p", "/etc/systemd/system/ompdd.socket.d")
    system.run("sh", "-c", "cat > /etc/systemd/system/ompdd.socket.d/override.conf", input=documented("[Socket]"))
    system.run("gpasswd", "--add", "alice", "ompdd")
    system.run("systemctl", "daemon-reload")
    system.run("systemctl", "stop", "ompdd.socket", "ompdd.service")
    system.run("systemctl", "start", "ompdd.socket")
    assert "no targets" in ompdctl(system, "alice", "targets").stdout
    done = ompdctl(system, "bob", "targets", check=False)
    assert done.returncode == 2 and "Permission denied" in done.stderr


def test_what_is_removed_is_gone(system):
    one = Program(system, "alice", "rounds", 2)
    attach(system, "alice", one.pid, "stop")
    system.run("dpkg", "--purge", "python3-ompdd", "ompdd", "ompdd-runtime", "libompd", "libompdd-client-dev", "libompdd-client0")
    assert system.show("ompdd.service", "ActiveState") in ("inactive", "failed") and system.show("ompdd.socket", "ActiveState") in ("inactive", "failed")
    booted.wait_until(lambda: not system.run("pgrep", "-a", "ompdd", check=False).stdout, "no process of it is left")
    one.assert_goes_on()
