# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The systemd units, checked by systemd-analyze, and their sandbox, as far as it can be created without systemd."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest
from daemons import BIN, PATIENT_STOP_MS
from targets import PROGRAMS, Program

UNITS = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "systemd"
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
needs_analyze = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze: apt install systemd")


@pytest.fixture(name="units")
def units_fixture(tmp_path):
    """Copies that name the program in the build folder."""
    def copy(*names):
        for name in names:
            text = (UNITS / name).read_text(encoding="ascii")
            (tmp_path / pathlib.Path(name).name).write_text(re.sub(r"^(Exec\w+)=(ompdd|ompdctl) ", rf"\1={BIN}/\2 ", text, flags=re.M), encoding="ascii")
        return [tmp_path / pathlib.Path(name).name for name in names]
    return copy


def analyze(*argv):
    return subprocess.run(["systemd-analyze", *argv], capture_output=True, text=True, timeout=600, check=False)


@needs_analyze
@pytest.mark.parametrize("folder, how", [("", "--system"), ("user/", "--user")])
def test_verify_says_nothing(units, tmp_path, folder, how):
    paths = units(f"{folder}ompdd.service", f"{folder}ompdd.socket", *(() if folder else ("ompdd-metrics.service", "ompdd-metrics.timer")))
    os.environ["XDG_RUNTIME_DIR"], before = str(tmp_path), os.environ.get("XDG_RUNTIME_DIR")
    try:
        done = analyze("verify", how, "--man=no", *paths)
    finally:
        os.environ.pop("XDG_RUNTIME_DIR")
        if before:
            os.environ["XDG_RUNTIME_DIR"] = before
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_analyze
@pytest.mark.parametrize("unit", ["ompdd.service", "ompdd-metrics.service"])
def test_exposure(unit, units):
    """Not for the user's own daemon: its launched programs would be in its sandbox."""
    done = analyze("security", "--offline=true", "--threshold=19", "--no-pager", *units(unit))
    assert done.returncode == 0, done.stdout
    assert f"exposure level for {unit}: 1." in done.stdout


def test_the_nodes_configuration_has_no_mistakes(tmp_path):
    shutil.copy(UNITS / "ompdd.conf", tmp_path)
    done = subprocess.run([BIN / "ompdd", "--config", tmp_path / "ompdd.conf", "--check-config"], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


def setting(name):
    return re.findall(rf"^{name}=(.*)$", (UNITS / "ompdd.service").read_text(encoding="ascii"), re.M)


@pytest.fixture(name="place")
def place_fixture():
    """Not in /tmp: the service has a private one, and all users can write there."""
    for parent in ("/srv", "/var/lib", "/opt"):
        if os.access(parent, os.W_OK):
            break
    path = pathlib.Path(tempfile.mkdtemp(dir=parent))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


SANDBOX = """
mount --make-rprivate / && mount -t tmpfs none /tmp && mount -t tmpfs none /root || exit 77
mount -t proc -o hidepid=ptraceable proc /proc
caps=$1; shift
exec setpriv --bounding-set="$caps" --no-new-privs "$@"
"""


@pytest.mark.skipif(os.geteuid() != 0 or not all(map(shutil.which, ("unshare", "setpriv"))), reason="needs root, unshare and setpriv")
def test_the_service_looks_from_its_sandbox(place):
    """Own mounts without homes, a private /tmp and network, and the capabilities of the unit: a user examines a program
    in the real /tmp in both modes, and so does root.
    """
    (place / "bin").mkdir()
    (place / "lib").mkdir()
    for name in ("ompdd", "ompdd-worker", "ompdd-tracer", "ompdctl"):
        shutil.copy(BIN / name, place / "bin" / name)
    shutil.copy(BIN.parent / "lib" / "libompd.so", place / "lib" / "libompd.so")
    shutil.copy(UNITS / "ompdd.conf", place / "ompdd.conf")
    capabilities = ",".join(["-all", *("+" + name.removeprefix("CAP_").lower() for name in setting("CapabilityBoundingSet")[0].split())])
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))
        folder.chmod(0o755)
        shutil.copy(PROGRAMS / "nested", folder / "nested")
        one = stack.enter_context(Program("nested", 2, 2, path=folder / "nested", **NOBODY))
        daemon = subprocess.Popen(["unshare", "-m", "-n", "sh", "-c", SANDBOX, "sandbox", capabilities, place / "bin" / "ompdd", "--config",
                                   place / "ompdd.conf", "--socket-mode", "0666", "--listen", f"unix:{place}/s"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/")
        stack.callback(daemon.communicate)
        stack.callback(daemon.send_signal, signal.SIGTERM)
        if not daemon.stdout.readline():
            daemon.wait(600)
            pytest.skip(f"no mount namespaces here: {daemon.stderr.read()}")

        def ask(user, *argv):
            return subprocess.run([place / "bin" / "ompdctl", "-s", f"unix:{place}/s", *map(str, argv)], capture_output=True, text=True,
                                  timeout=600, check=False, cwd="/", **user)
        for user in (NOBODY, {}):
            for mode in ("observe", "stop"):
                done = ask(user, "attach", "-m", mode, "--max-stop-ms", PATIENT_STOP_MS, "-p", one.pid)
                assert done.returncode == 0, done.stderr
                target = done.stdout.split(":")[0]
                done = ask(user, "-t", target, "tree")
                assert done.returncode == 0 and "parallel region" in done.stdout and "open_level" in done.stdout, done.stdout + done.stderr
                assert ask(user, "detach", "-t", target).returncode == 0
        done = ask(NOBODY, "launch", "--", "/bin/true")
        assert "not_allowed" in done.stderr, "programs would be in the sandbox"
        assert one.alive()
