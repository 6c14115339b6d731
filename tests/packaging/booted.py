# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A real systemd: this machine's root under a temporary overlay, booted as a container."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

# All mounts are in a namespace of their own: they end with the container, and the machine has none of them. Units that
# are enabled on the machine are not enabled here. Its /home and /root are empty, so that the effect of the service's
# ProtectHome= is visible.
BOOT = """
set -eu
mount --make-rprivate /
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay none -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
root=$1/root; shift
# An image of a machine may forbid packages to start or stop anything.
rm -f "$root/usr/sbin/policy-rc.d"
rm -rf "$root"/etc/systemd/system/*.wants "$root"/etc/systemd/user/*.wants "$root"/etc/machine-id "$root"/run/* "$root"/var/log/journal
systemd-machine-id-setup --root="$root" > /dev/null 2>&1
mkdir -p "$root/srv/given"
cp -r "$@" "$root/srv/given"
exec systemd-nspawn --boot --directory="$root" --machine=ompdd-test --register=no --keep-unit --private-network --link-journal=no --console=pipe systemd.unit=multi-user.target
"""


def missing():
    """Return the reason why it cannot run here, or None."""
    if os.geteuid():
        return "needs root"
    wanted = [name for name in ("systemd-nspawn", "nsenter", "unshare", "runuser") if not shutil.which(name)]
    if wanted or not os.path.exists("/usr/lib/systemd/systemd") or not os.path.exists("/usr/bin/dbus-daemon"):
        return "needs systemd as a container: apt install systemd systemd-container dbus libpam-systemd"
    return None


def wait_until(condition, what, seconds=600):
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.05)


class Booted:
    """Starts with the object, ends with close(). `given`: files and folders that appear in /srv/given there."""

    def __init__(self, folder, given):
        self.log = folder / "console"
        folder.chmod(0o755)
        place = folder / "system"
        place.mkdir()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["unshare", "-m", "sh", "-c", BOOT, "boot", str(place), *map(str, given)],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.leader = wait_until(self._find_leader, "systemd starts")
            wait_until(lambda: self.run("systemctl", "is-system-running", check=False).stdout.strip() in ("running", "degraded"),
                       "the system has booted")
        except BaseException:
            self.close()
            raise

    def _find_leader(self):
        assert self.process.poll() is None, self.log.read_text(errors="replace")
        for path in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            for child in path.read_text().split():
                if pathlib.Path(f"/proc/{child}/comm").read_text() == "systemd\n":
                    return int(child)
        return None

    def run(self, *argv, user=None, check=True, env=(), **more):
        """Run a command there, as root or as that user."""
        words = ["nsenter", "--target", str(self.leader), "--all", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", *env]
        words += ["runuser", "-u", user, "--"] if user else []
        done = subprocess.run([*words, *map(str, argv)], capture_output=True, text=True, timeout=600, check=False, **more)
        assert not check or done.returncode == 0, (argv, done.returncode, done.stdout, done.stderr)
        return done

    def show(self, unit, name):
        return self.run("systemctl", "show", "--property", name, "--value", unit).stdout.strip()

    def journal(self, *match):
        self.run("journalctl", "--sync")
        return [json.loads(line) for line in self.run("journalctl", "-q", "-o", "json", "--no-pager", *match).stdout.splitlines()]

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if not getattr(self, "leader", 0) else signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
