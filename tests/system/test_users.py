# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A daemon of root serves every user as that user: it lends its own rights to no user."""
import json
import os
import pathlib
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import ompdd
import pytest
import validator
from conftest import TRIALS, fails
from cores import SMALL_STACKS, gcore
from daemons import BIN, SANITIZED, Daemon
from targets import PROGRAMS, Program, read_text, stopped_threads, tracer, wait_until

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="needs a daemon of root")
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
# Reads {"method", "params"} lines, sends them to the daemon at argv[1], and writes the responses.
ASK = """
import json, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile("rw")
for line in sys.stdin:
    f.write(json.dumps({"jsonrpc": "2.0", "id": 1, **json.loads(line)}) + "\\n"); f.flush()
    sys.stdout.write(f.readline()); sys.stdout.flush()
"""


@pytest.fixture
def folder():
    """A folder that user `nobody` can enter: below /tmp, but not below pytest's own."""
    path = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def installed(folder):
    """The programs in a folder where all users may execute them, wherever the build is (in root's home, say)."""
    for name in ("bin/ompdd", "bin/ompdctl", "bin/ompdd-worker", "bin/ompdd-tracer", "lib/libompd.so"):
        place = folder / "installed" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BIN.parent / name, place)
    return folder / "installed" / "bin"


@pytest.fixture
def root_daemon(request, folder, installed):
    """A daemon whose socket its administrator has opened to all users. Its options may be parametrized."""
    one = Daemon(folder / "run", *getattr(request, "param", ()), programs=installed)
    os.chmod(folder / "run", 0o755)
    os.chmod(one.path, 0o666)
    yield one
    one.close()


@pytest.fixture
def nobody(root_daemon):
    """Send requests as user `nobody`: the call with (method, **params) returns the validated response."""
    process = subprocess.Popen([sys.executable, "-B", "-c", ASK, root_daemon.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True, cwd="/", **NOBODY)

    def ask(method, **params):
        process.stdin.write(json.dumps({"method": method, "params": params}) + "\n")
        process.stdin.flush()
        response = json.loads(process.stdout.readline())
        validator.check_response(response, method)
        return response
    yield ask
    process.stdin.close()
    process.wait(600)
    process.stdout.close()


@pytest.fixture
def nobodys_program(folder):
    """A nest of user `nobody`, from a copy that this user can read wherever the build is."""
    shutil.copy(PROGRAMS / "nested", folder / "nested")
    with Program("nested", 2, 2, path=folder / "nested", **NOBODY) as one:
        yield one
        assert one.alive() and not stopped_threads(one.pid) and not tracer(one.pid)


def test_command_without_a_process_takes_the_users_only_one(installed, nobodys_program, folder, program):
    """Another user's program does not count. Of several, none is taken."""
    program("flat", 2)

    def ask(*args, user=NOBODY["user"]):
        return subprocess.run([str(installed / "ompdctl"), "--max-stop-ms", "60000", *args], capture_output=True, text=True, timeout=600,
                              cwd="/", stdin=subprocess.DEVNULL, **{**NOBODY, "user": user})
    assert f"(pid {nobodys_program.pid})" in ask("threads").stdout
    assert json.loads(ask("tree", "--json").stdout)["pid"] == nobodys_program.pid
    with Program("nested", 2, 2, path=folder / "nested", **NOBODY) as other:
        done = ask("threads")
        assert done.returncode == 3 and not done.stdout
        assert "no process given, and 2 OpenMP processes are yours" in done.stderr and "hint: ompdctl threads PID" in done.stderr
        assert {str(nobodys_program.pid), str(other.pid)} <= set(done.stderr.split())
    assert f"(pid {nobodys_program.pid})" in ask("threads", str(nobodys_program.pid)).stdout
    done = ask("why", "--json", user=65533)
    assert done.returncode == 3 and "no OpenMP process is yours" in json.loads(done.stderr)["message"]


def error_name(response):
    return response["error"]["data"]["name"]


@pytest.mark.parametrize("mode", ["observe", "stop"])
def test_process_of_root_is_none_of_nobodys_business(mode, nobody, program):
    one = program("flat", 2)
    response = nobody("target.attach", pid=one.pid, mode=mode)
    assert error_name(response) == "permission_denied", response
    assert nobody("target.list")["result"]["targets"] == []


@pytest.mark.parametrize("mode", ["observe", "stop"])
def test_nobodys_own_process_is_looked_at_as_nobody(mode, root_daemon, nobody, nobodys_program):
    target = nobody("target.attach", pid=nobodys_program.pid, mode=mode)["result"]["target"]
    ids = [line.split()[1:] for line in read_text(f"/proc/{root_daemon.worker()}/status").splitlines()
           if line.startswith(("Uid:", "Gid:"))]
    assert ids == [["65534"] * 4] * 2, "the worker has given up all that is root's"
    groups = next(line for line in read_text(f"/proc/{root_daemon.worker()}/status").splitlines() if line.startswith("Groups:"))
    assert set(groups.split()[1:]) <= {"65534"}
    threads = nobody("snapshot.get", target=target)["result"]["threads"]
    assert {thread["tid"] for thread in threads} == set(nobodys_program.lines)


def test_targets_of_others_are_invisible(root_daemon, nobody, nobodys_program, program):
    with root_daemon.connect() as root:
        roots = root.target.attach(pid=program("flat", 2).pid, mode="observe")["target"]
        assert nobody("target.list")["result"]["targets"] == []
        assert nobody("daemon.info")["result"]["targets"] == 0
        for method in ("snapshot.get", "target.info", "target.detach"):
            assert error_name(nobody(method, target=roots)) == "no_such_target"
        # In the other direction nothing needs protection: root sees everything.
        mine = nobody("target.attach", pid=nobodys_program.pid, mode="observe")["result"]["target"]
        assert [target["target"] for target in nobody("target.list")["result"]["targets"]] == [mine]
        assert len(root.snapshot.get(target=mine)["threads"]) == len(nobodys_program.lines)
        assert len(root.snapshot.get(target=roots)["threads"]) == 2


@pytest.mark.parametrize("root_daemon", [("--user-targets", 1, "--user-connections", 1)], indirect=True)
def test_each_user_has_a_share(root_daemon, nobody, nobodys_program):
    """Another user keeps its targets. A released slot can be used again."""
    attach = {"pid": nobodys_program.pid, "mode": "observe"}
    first = nobody("target.attach", **attach)["result"]["target"]
    data = nobody("target.attach", **attach)["error"]["data"]
    assert (data["name"], data["limit"]) == ("limit_exceeded", "user_targets") and "--user-targets" in data["hint"]
    with root_daemon.connect() as root, root_daemon.connect():
        assert len({root.target.attach(**attach)["target"] for _ in range(2)}) == 2
        assert len(root.target.list()["targets"]) == 3
    # The fixture's connection is the only one of user `nobody`.
    done = subprocess.run([sys.executable, "-B", "-c", ASK, root_daemon.path], input='{"method": "daemon.info"}\n', capture_output=True, text=True, cwd="/",
                          timeout=600, check=False, **NOBODY)
    assert "limit_exceeded" in done.stdout and "user_connections" in done.stdout, done.stdout + done.stderr
    nobody("target.detach", target=first)
    assert "result" in nobody("target.attach", **attach)


@pytest.mark.parametrize("owner", ["root", "nobody"])
def test_why_a_target_is_gone_is_its_owners_business(owner, root_daemon, nobody, nobodys_program, program):
    """The owner, and root, get an event about the end of its worker. For other users it has never existed."""
    root_daemon.expect_log.append("worker")
    with root_daemon.connect() as root:
        if owner == "root":
            target = root.target.attach(pid=program("flat", 2).pid, mode="observe")["target"]
        else:
            target = nobody("target.attach", pid=nobodys_program.pid, mode="observe")["result"]["target"]
        os.kill(root_daemon.worker(), signal.SIGKILL)
        wait_until(lambda: not root.target.list()["targets"], "the worker's end is known")
        with fails("no_such_target") as failure:
            root.snapshot.get(target=target)
        assert "died" in failure.error.data["reason"]
        told = nobody("snapshot.get", target=target)["error"]
        never = nobody("snapshot.get", target="t999")["error"]
        if owner == "nobody":
            assert "died" in told["data"]["reason"]
        else:
            assert json.dumps(told).replace(target, "t999") == json.dumps(never), "as if it had never been"


# In any process that loads it, the name service hangs until a file exists.
SLOW_NAMES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>
struct passwd *getpwuid(uid_t uid)
{
	if (close(creat(getenv("ASKED"), 0600)))
		abort();
	while (access(getenv("GO_ON"), F_OK))
		usleep(1000);
	return ((struct passwd *(*)(uid_t))dlsym(RTLD_NEXT, "getpwuid"))(uid);
}
"""


@pytest.mark.skipif(SANITIZED, reason="a sanitizer wants to be loaded first")
def test_a_name_service_that_hangs_holds_up_nobody_else(folder, installed, nobodys_program):
    (folder / "slow.c").write_text(SLOW_NAMES)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "slow.so", folder / "slow.c"], check=True)
    one = Daemon(folder / "run", programs=installed, env={"LD_PRELOAD": str(folder / "slow.so"), "ASKED": str(folder / "asked"), "GO_ON": str(folder / "go_on")})
    try:
        os.chmod(folder / "run", 0o755)
        os.chmod(one.path, 0o666)
        request = json.dumps({"method": "target.attach", "params": {"pid": nobodys_program.pid, "mode": "observe"}}) + "\n"
        with subprocess.Popen([sys.executable, "-B", "-c", ASK, one.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/", **NOBODY) as waits:
            waits.stdin.write(request)
            waits.stdin.flush()
            wait_until((folder / "asked").exists, "somebody asks who nobody is")
            with one.connect() as root:
                for _ in range(20):
                    assert root.target.list()["targets"][0]["state"] == "attaching"
            (folder / "go_on").touch()
            assert "result" in json.loads(waits.stdout.readline())
            waits.stdin.close()
    finally:
        (folder / "go_on").touch()
        one.close()


# Two processes, which open this many sockets to themselves, and then connect to these ports again and again.
CROWD = """
import os, resource, socket, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
os.fork()
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(128)
kept = []
for i in range(int(sys.argv[1]) // 4):
    one = socket.create_connection(s.getsockname(), 600)
    kept += [one, s.accept()[0]]
os.write(1, b"ready\\n")
turn = 0
while True:
    turn += 1
    try:
        one = socket.create_connection(("127.0.0.1", int(sys.argv[2 + turn % 2])), 600)
        while one.recv(4096):
            pass
        one.close()
    except OSError:
        pass
"""


def test_sockets_by_the_thousand_do_not_slow_the_owner(net_daemon, folder):
    """The kernel returns the owner of this one connection: ompdd reads no list of all sockets, however long another
    user makes it. 25 sockets for each of OMPDD_TRIALS: a thousand in the suite; 1040 trials make 26000.
    """
    def read_bytes():
        return int(re.search(r"^rchar: (\d+)", read_text(f"/proc/{net_daemon.pid}/io"), re.M)[1])

    def refused():
        return sum(map(int, re.findall(r"audit: n=(\d+)", net_daemon.read_log())[-1:]))
    sockets = 25 * TRIALS
    ports = [uri.split(":")[-1] for uri in net_daemon.uris]
    crowd = subprocess.Popen([sys.executable, "-B", "-c", CROWD, str(sockets), *ports], stdout=subprocess.PIPE, cwd="/", start_new_session=True, **NOBODY)
    try:
        assert [crowd.stdout.readline() for _ in range(2)] == [b"ready\n"] * 2
        with net_daemon.connect(net_daemon.uris[0], token=net_daemon.token) as owner:
            before, earlier = read_bytes(), refused()
            wait_until(lambda: owner.daemon.info() and refused() > earlier + 100, "a hundred have been refused")
            # /proc/net/tcp has a line of 150 bytes for each end of a connection.
            assert (read_bytes() - before) / (refused() - earlier) < 150 * sockets / 2
    finally:
        os.killpg(crowd.pid, signal.SIGKILL)
        crowd.communicate()


def test_cores_are_read_with_the_rights_of_who_asks(nobody, folder, program):
    """A core that only root may read is refused to user `nobody`.

    That user's own core is read by a worker that runs as that user.
    """
    core = gcore(program("flat", 2, env=SMALL_STACKS), folder)
    core.chmod(0o600)
    assert error_name(nobody("target.open_core", core=str(core))) == "core_unreadable"
    os.chown(core, 65534, 65534)
    result = nobody("target.open_core", core=str(core))["result"]
    assert nobody("snapshot.get", target=result["target"])["result"]["consistency"] == "core"


def test_programs_are_launched_as_who_asks(root_daemon, nobody, folder):
    """With that user's rights and environment, and none of root's."""
    said = folder / "said"
    said.mkdir()
    os.chown(said, 65534, 65534)
    for name, argv in (("ids", ["cat", "/proc/self/status"]), ("env", ["env"])):
        result = nobody("target.launch", argv=argv, env={"OWN": "1"}, cwd="/", stdout=str(said / name))["result"]
        wait_until(lambda: nobody("target.info", target=result["target"])["result"]["state"] == "exited", "it ends")
    status = dict(line.split(":\t", 1) for line in (said / "ids").read_text().splitlines() if ":\t" in line)
    assert set(status["Uid"].split()) == set(status["Gid"].split()) == {"65534"} and int(status["CapEff"], 16) == 0
    env = dict(line.split("=", 1) for line in (said / "env").read_text().splitlines())
    assert env.pop("OWN") == "1" and env["USER"] == env["LOGNAME"] == "nobody" and "HOME" in env
    assert set(env) <= {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "_", "SHLVL"}
    response = nobody("target.launch", argv=["true"], stdout=str(folder / "forbidden"))
    assert error_name(response) == "launch_failed" and response["error"]["data"]["step"] == "stdout"
    assert error_name(nobody("target.launch", argv=["true"], cwd=str(folder / "run" / "no"))) == "launch_failed"


@pytest.fixture
def lent(folder, installed, monkeypatch):
    """Properties that a daemon started now would lend: a folder that user `nobody` may not enter, a umask, and limits.
    """
    (folder / "private").mkdir(mode=0o700)
    (folder / "private" / "note").write_text("root's\n")
    monkeypatch.chdir(folder / "private")
    before = os.umask(0o077)
    limits = {which: resource.getrlimit(which) for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)}
    resource.setrlimit(resource.RLIMIT_NOFILE, (1100, limits[resource.RLIMIT_NOFILE][1]))
    resource.setrlimit(resource.RLIMIT_CORE, (limits[resource.RLIMIT_CORE][1],) * 2)
    yield
    os.umask(before)
    for which, was in limits.items():
        resource.setrlimit(which, was)


def test_nothing_is_lent_to_launched_programs(lent, root_daemon, nobody, folder):
    """The daemon's folder is open to a process in it, whatever the folders above allow."""
    (folder / "said").mkdir()
    os.chown(folder / "said", 65534, 65534)
    script = f"exec >{folder}/said/it 2>&1; pwd; umask; ulimit -n; ulimit -c; cat note; echo end"
    nobody("target.launch", argv=["sh", "-c", script])
    said = wait_until(lambda: (folder / "said" / "it").exists() and "end" in (text := (folder / "said" / "it").read_text()) and text.splitlines(), "it has said all")
    home = pwd.getpwuid(65534).pw_dir
    assert said[:4] == [home if os.path.isdir(home) else "/", "0022", "1024", "0"] and "root's" not in said, said


# Sockets of the network, whose token another user has obtained.

CONNECT = """
import os, socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 600)
s.sendall(sys.stdin.buffer.read()); s.shutdown(socket.SHUT_WR)
while data := s.recv(65536):
    sys.stdout.buffer.write(data)
"""


@pytest.fixture
def net_daemon(folder):
    """A daemon of root on tcp and http of this machine; .token is its token."""
    (folder / "net").mkdir(mode=0o700)
    one = Daemon(folder / "net", "--token-file", folder / "net" / "token", "--log-level", "info",
                 listen=["tcp:127.0.0.1:0", "http:127.0.0.1:0"])
    one.token = (folder / "net" / "token").read_text().strip()
    yield one
    one.close()


def say(uri, data, **user):
    """Return the answer to a process of that user that connects and sends @data."""
    host, port = uri.split(":")[1:]
    return subprocess.run([sys.executable, "-B", "-c", CONNECT, host, port], input=data, capture_output=True, timeout=600, cwd="/",
                          check=True, **user).stdout


def asking(daemon):
    """The right token and a request, for tcp and for http."""
    body = b'{"jsonrpc":"2.0","id":2,"method":"daemon.info"}'
    return ((daemon.uris[0], b'{"jsonrpc":"2.0","id":1,"method":"rpc.authenticate","params":{"token":"%s"}}\n' % daemon.token.encode()
             + body + b"\n"),
            (daemon.uris[1], b"POST /rpc HTTP/1.1\r\nHost: localhost:%s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
             b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (daemon.uris[1].split(":")[-1].encode(), daemon.token.encode(), len(body), body)))


def test_loopback_is_for_one_user(net_daemon):
    """The kernel identifies the owner of a connection; the token alone is not enough."""
    for uri, data in asking(net_daemon):
        assert b'"version"' in say(uri, data)
        refused = say(uri, data, **NOBODY)
        assert b'"version"' not in refused and b"serves uid 0 only" in refused
    error = json.loads(say(net_daemon.uris[0], b"", **NOBODY))
    validator.check_response(error)
    assert error_name(error) == "unauthorized" and "of your own" in error["error"]["data"]["hint"]
    assert say(net_daemon.uris[1], b"", **NOBODY).startswith(b"HTTP/1.1 403 ")


def test_loopback_is_open_to_root(folder, installed):
    """Users who may examine everything anyway."""
    place = folder / "net"
    place.mkdir(mode=0o700)
    os.chown(place, NOBODY["user"], NOBODY["group"])
    process = subprocess.Popen([str(installed / "ompdd"), "--token-file", str(place / "token"), "--listen", "tcp:127.0.0.1:0"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd="/", **NOBODY)
    try:
        uri = process.stdout.readline().removeprefix("listening on ").strip()
        request = (b'{"jsonrpc":"2.0","id":1,"method":"rpc.authenticate","params":{"token":"' + (place / "token").read_bytes().strip()
                   + b'"}}\n{"jsonrpc":"2.0","id":2,"method":"daemon.info"}\n')
        assert b'"version"' in say(uri, request, **NOBODY)
        assert b'"version"' in say(uri, request)
        other = {"user": 1, "group": 1, "extra_groups": []}
        assert b"serves uid 65534 only" in say(uri, request, **other)
    finally:
        process.terminate()
        process.wait(600)
        process.stdout.close()


# The daemon's own folder, and its memory.

def start(runtime, program=BIN / "ompdd"):
    return subprocess.Popen([str(program)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})


def test_the_default_folder_is_private(tmp_path):
    """Created with mode 0700. A folder that other users may enter, or a link, is refused."""
    one = start(tmp_path)
    assert one.stdout.readline().strip() == f"listening on unix:{tmp_path}/ompdd/ompdd.sock"
    assert os.stat(tmp_path / "ompdd").st_mode & 0o777 == 0o700
    assert os.stat(tmp_path / "ompdd" / "ompdd.sock").st_mode & 0o777 == 0o600
    one.terminate()
    assert one.wait(600) == 0
    os.chmod(tmp_path / "ompdd", 0o755)
    for wrong in (tmp_path, tmp_path / "linked"):
        if wrong != tmp_path:
            (wrong / "own").mkdir(parents=True, mode=0o700)
            (wrong / "ompdd").symlink_to("own")
        two = start(wrong)
        assert two.wait(600) != 0 and "is not a directory that belongs to us" in two.communicate()[1]


def test_user_without_a_login_has_a_private_folder(installed, folder, monkeypatch):
    """su, containers and batch nodes: neither XDG_RUNTIME_DIR nor /run/user/UID. Another user cannot prepare the folder."""
    env = {**{k: v for k, v in os.environ.items() if k != "XDG_RUNTIME_DIR"}, "TMPDIR": str(folder)}
    os.chmod(folder, 0o1777)
    private = folder / "ompdd-65534"
    options = {"stdin": subprocess.DEVNULL, "text": True, "env": env, "cwd": "/", **NOBODY}

    def ask(*command):
        return subprocess.run([str(word) for word in command], capture_output=True, timeout=600, **options)
    with subprocess.Popen([str(installed / "ompdd")], stdout=subprocess.PIPE, **options) as one:
        try:
            assert one.stdout.readline().strip() == f"listening on unix:{private}/ompdd.sock"
            assert os.stat(private).st_mode & 0o777 == 0o700
            assert ask(installed / "ompdctl", "targets").returncode == 0
            monkeypatch.setattr(os, "environ", env)
            monkeypatch.setattr(os, "geteuid", lambda: NOBODY["user"])
            assert ompdd.client.default_uri() == f"unix:{private}/ompdd.sock"
            monkeypatch.undo()
        finally:
            one.terminate()
    shutil.rmtree(private)
    private.mkdir(mode=0o700)
    done = ask(installed / "ompdd")
    assert done.returncode and "is not a directory that belongs to us" in done.stderr


@pytest.mark.parametrize("which", ["socket", "token", "configuration"])
def test_links_that_others_may_exchange_are_not_followed(which, folder):
    """Links of other users are refused in a folder like /tmp, even if they lead to a good place now.

    Root's own links are accepted.
    """
    (folder / "shared").mkdir()
    (folder / "shared").chmod(0o1777)
    (folder / "good").mkdir(mode=0o700)
    (folder / "good" / "conf").write_text("allow = observe\n")
    link = folder / "shared" / "link"
    link.symlink_to(folder / "good")
    argv = {"socket": ("--listen", f"unix:{link}/s"), "token": ("--listen", "tcp:0", "--token-file", link / "t"),
            "configuration": ("--listen", f"unix:{folder}/good/s", "--config", link / "conf")}[which]
    for uid in (0, 65534):
        os.lchown(link, uid, uid)
        with subprocess.Popen([str(BIN / "ompdd"), *map(str, argv)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
            listens = one.stdout.readline()
            one.terminate()
            assert bool(listens) == (uid == 0), one.stderr.read()
            # Where the kernel protects links itself (fs.protected_symlinks), the refusal still comes from us.
            assert not uid or f"{link} is a symbolic link of another user (uid 65534)" in one.stderr.read()


def test_nobody_looks_into_the_daemon(installed):
    """It holds tokens, and data of other users: no debugger of the same user, no core."""
    look = "import os, sys\ntry:\n    print(os.readlink(f'/proc/{sys.argv[1]}/exe'))\nexcept PermissionError:\n    print('no')"

    def ask(pid):
        return subprocess.run([sys.executable, "-c", look, str(pid)], capture_output=True, text=True, timeout=600, cwd="/", check=True,
                              **NOBODY).stdout.strip()
    with subprocess.Popen([str(installed / "ompdd"), "--listen", "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/",
                          **NOBODY) as one, subprocess.Popen(["sleep", "1000"], cwd="/", **NOBODY) as other:
        try:
            one.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"daemon.info"}\n')
            one.stdin.flush()
            assert b'"version"' in one.stdout.readline()
            assert ask(other.pid) != "no" and ask(one.pid) == "no"
        finally:
            other.kill()
            one.stdin.close()
