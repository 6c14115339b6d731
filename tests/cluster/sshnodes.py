# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes on this machine: each has its own network, processes, name and sshd, on a bridge of their own."""
import os
import pathlib
import shutil
import signal
import subprocess

from slurm import wait_for

# Nothing of the machine is used: the keys are ours, and so is /run, where sshd needs a folder.
SSHD = """
Port 22
HostKey {dir}/host
AuthorizedKeysFile {dir}/user.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
"""
SSH = """
User root
IdentityFile {dir}/user
UserKnownHostsFile {dir}/known
GlobalKnownHostsFile none
StrictHostKeyChecking no
UpdateHostKeys no
BatchMode yes
LogLevel ERROR
"""
SWITCH = """
ip link set lo up && ip link add br0 type bridge && ip addr add 10.77.0.254/24 dev br0 && ip link set br0 up && echo ready && exec sleep infinity
"""
NODE = """
set -e
echo here
read -r go
hostname "$1"
ip link set lo up
ip addr add "$2/24" dev eth0
ip link set eth0 up
mount -t tmpfs none /run
mkdir -m 755 /run/sshd
conf=$3; shift 3
"$@" >&2 &
exec /usr/sbin/sshd -D -e -f "$conf"
"""


def missing() -> bool:
    return os.geteuid() != 0 or not all(map(shutil.which, ("ip", "ssh", "ssh-keygen", "unshare", "nsenter"))) or not os.path.exists("/usr/sbin/sshd")


class Nodes:
    """n1, n2, … with a program each. They start with the object and end with close()."""

    def __init__(self, folder: pathlib.Path, programs) -> None:
        self.folder = folder
        self.nodes = []
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        (folder / "sshd.conf").write_text(SSHD.format(dir=folder))
        (folder / "ssh.conf").write_text("".join(f"Host n{i}\nHostName {self.address(i)}\n" for i in range(1, len(programs) + 1)) + "Host *\n" +
                                         SSH.format(dir=folder).strip() + "\n")
        # ClusterShell calls ssh by its name.
        (folder / "bin").mkdir()
        (folder / "bin" / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/ssh.conf "$@"\n')
        (folder / "bin" / "ssh").chmod(0o755)
        self.switch = subprocess.Popen(["unshare", "--net", "--fork", "--kill-child", "sh", "-c", SWITCH], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, text=True)
        try:
            assert self.switch.stdout.readline() == "ready\n"
            for i, program in enumerate(programs, 1):
                self._start(i, program)
            for i in range(1, len(programs) + 1):
                wait_for(lambda i=i: "Server listening" in self.said(i) and '"by"' in self.said(i), f"n{i}", 600)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def address(i: int) -> str:
        return f"10.77.0.{i}"

    def said(self, i: int) -> str:
        return (self.folder / f"n{i}.log").read_text(errors="replace")

    def inside(self, *argv):
        """Return a command line that sees the bridge."""
        return ["nsenter", f"--net=/proc/{self.switch.pid}/ns/net", *map(str, argv)]

    def _start(self, i: int, program) -> None:
        with open(self.folder / f"n{i}.log", "wb") as log:
            one = subprocess.Popen(["unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", NODE, "node",
                                    f"n{i}", self.address(i), self.folder / "sshd.conf", *map(str, program)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        self.nodes.append(one)
        assert one.stdout.readline() == "here\n", self.said(i)
        subprocess.run(self.inside("ip", "link", "add", f"v{i}", "master", "br0", "up", "type", "veth", "peer", "name", "eth0", "netns", one.pid),
                       check=True)
        one.stdin.write("go\n")
        one.stdin.flush()

    def kill(self, i: int) -> None:
        """Like a node without power: no machine has its address."""
        self.nodes[i - 1].kill()
        self.nodes[i - 1].wait()

    def freeze(self, i: int) -> None:
        """Its kernel still accepts connections, and no program answers."""
        [child] = pathlib.Path(f"/proc/{self.nodes[i - 1].pid}/task/{self.nodes[i - 1].pid}/children").read_text().split()
        os.kill(int(child), signal.SIGSTOP)

    def close(self) -> None:
        for one in [*self.nodes, self.switch]:
            one.kill()
        for one in [*self.nodes, self.switch]:
            one.wait()
            for stream in (one.stdin, one.stdout):
                if stream:
                    stream.close()
