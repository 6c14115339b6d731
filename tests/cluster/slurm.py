# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A real Slurm on this machine: munge, slurmctld, and a slurmd for each of four nodes."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

N_NODES = 4

CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool-%n
SlurmdPidFile={dir}/slurmd-%n.pid
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdLogFile={dir}/slurmd-%n.log
SlurmctldLogFile={dir}/slurmctld.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
TmpFS={dir}/tmp-%n
MpiDefault=pmi2
NodeName=node[1-4] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=8 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(condition, what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not come in {seconds} s"
        time.sleep(0.1)


class Slurm:
    """Starts with the object, ends with close()."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.processes = []
        first = 20000 + os.getpid() % 20000
        for name in ["state", *(f"{kind}-node{i}" for kind in ("spool", "tmp") for i in range(1, N_NODES + 1))]:
            (folder / name).mkdir()
        self.conf = folder / "slurm.conf"
        self.conf.write_text(CONF.format(host=socket.gethostname(), dir=folder, port=free_port(), first=first, last=first + N_NODES - 1))
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        self.env = {**os.environ, "SLURM_CONF": str(self.conf)}
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        munge = self.folder / "munge"
        munge.mkdir()
        key = munge / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        munge.chmod(0o700)
        for path in (munge, key):
            shutil.chown(path, "munge", "munge")
        self.folder.chmod(0o755)
        # Its socket is in a folder that all users can enter.
        self.spawn(["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground", "--force",
                    f"--socket={munge}/socket", f"--key-file={key}", f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                    f"--seed-file={munge}/seed"])
        wait_for(lambda: (munge / "socket").exists() or self.processes[0].poll() is not None, "munged")
        assert self.processes[0].poll() is None, (self.folder / "munged-0.out").read_text()
        munge.chmod(0o711)
        (self.folder / "munge.socket").symlink_to(munge / "socket")
        self.spawn(["slurmctld", "-D", "-f", str(self.conf)])
        for i in range(1, N_NODES + 1):
            self.spawn(["slurmd", "-D", "-N", f"node{i}", "-f", str(self.conf)])
        wait_for(lambda: self.run("sinfo", "-h", "-o", "%T %D").stdout.strip() == f"idle {N_NODES}", "Slurm's nodes")

    def spawn(self, argv) -> None:
        log = open(self.folder / f"{pathlib.Path(argv[0]).name}-{len(self.processes)}.out", "wb")
        self.processes.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env,
                                               start_new_session=True))

    def run(self, *argv, **options) -> subprocess.CompletedProcess:
        return subprocess.run(argv, env=self.env, capture_output=True, text=True, timeout=120, check=False, **options)

    def submit(self, *command) -> str:
        """Return the id of a job of eight tasks."""
        done = self.run("sbatch", "--parsable", "-N4", "-n8", "--ntasks-per-node=2", f"--output={self.folder}/job.out",
                        "--wrap", "srun --overlap " + " ".join(command))
        assert not done.returncode, done.stderr
        return done.stdout.strip()

    def close(self) -> None:
        if len(self.processes) > N_NODES:
            # Steps outlive their slurmd: end them first.
            self.run("scancel", "--user=root")
            wait_for(lambda: not self.run("squeue", "-h").stdout.strip(), "the end of all jobs")
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
