# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Debian system with its essential packages only: built once per release, used below an overlay."""
import os
import pathlib
import shutil
import subprocess

MIRROR = os.environ.get("OMPDD_MATRIX_MIRROR", "http://deb.debian.org/debian")

# The namespaces end with the command, and all that it started. $1: the release's folder, $2: the overlay's, $3: the
# user, $4: the command.
ENTER = """
set -eu
mount --make-rprivate /
mkdir -p "$2/upper" "$2/work" "$2/root"
mount -t overlay none -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
mount -t proc proc "$2/root/proc"
mount -t sysfs sysfs "$2/root/sys"
mount --rbind /dev "$2/root/dev"
cp -L /etc/resolv.conf "$2/root/etc/resolv.conf"
set -- "$2/root" "$3" "$4"
exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=xterm DEBIAN_FRONTEND=noninteractive \
	HOME=/root ${CMAKE_C_COMPILER_LAUNCHER:+CMAKE_C_COMPILER_LAUNCHER="$CMAKE_C_COMPILER_LAUNCHER"} su "$2" -s /bin/bash -c "$3"
"""


def missing():
    """Return the reason why it cannot run here, or None."""
    if os.geteuid():
        return "needs root"
    return None if shutil.which("debootstrap") else "needs debootstrap"


class CleanSystem:
    """A release below a new overlay. Commands see each other's files, and no process of each other."""

    def __init__(self, folder, release, name):
        self.base = pathlib.Path(folder) / release
        self.overlay = pathlib.Path(folder) / f"{release}-{name}"
        if not (self.base / ".ready").exists():
            shutil.rmtree(self.base, ignore_errors=True)
            self.base.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["debootstrap", "--variant=minbase", release, str(self.base), MIRROR], check=True, stdout=subprocess.DEVNULL)
            # The dates of a frozen mirror expire.
            (self.base / "etc/apt/apt.conf.d/90stock").write_text('Acquire::Check-Valid-Until "false";\n')
            (self.base / ".ready").touch()
        shutil.rmtree(self.overlay, ignore_errors=True)
        self.overlay.mkdir(parents=True)

    def run(self, command, user="root", check=True):
        """Run a command line with bash, as this user. Return the completed process; stderr is part of stdout."""
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "bash", "-c", ENTER, "enter", str(self.base),
                               str(self.overlay), user, command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=30000, check=False)
        assert not check or done.returncode == 0, f"{command}\nexit code {done.returncode}\n{done.stdout[-6000:]}"
        return done

    def path(self, path):
        """Return the path from outside of a file that was written inside."""
        return self.overlay / "upper" / path.lstrip("/")

    def give(self, archive_of, path):
        """Copy the source tree at @archive_of, without ignored files, to a folder inside."""
        target = self.path(path)
        target.mkdir(parents=True, exist_ok=True)
        listed = subprocess.run(["git", "-C", str(archive_of), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True)
        packed = subprocess.run(["tar", "-C", str(archive_of), "-c", "--null", "-T", "-"], input=listed.stdout, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", str(target)], input=packed.stdout, check=True)
