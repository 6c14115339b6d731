# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engines that run a command on many nodes: Slurm, ClusterShell or an MPI launcher, whichever is installed.

ompdd has no fan-out of its own: trust, transport, tree and user are the engine's.
"""
from __future__ import annotations

import importlib.util
import os
import shlex
import signal
import subprocess
import threading
import time

from . import sets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, Callable, Dict, List, Optional

    # Called with each line of output, and its node if the engine reports it. Returns whether the line was part of a
    # summary.
    OnLine = Callable[[Optional[str], str], bool]
    # Called with nodes without a summary, and the reason.
    OnFailure = Callable[[str, str], None]

# These engines write the output of several nodes into one stream, and may break long lines.
MIXING = ("slurm", "openmpi", "mpich")


class EngineError(Exception):
    """The engine cannot be used: the reason, and a hint."""

    def __init__(self, message: str, hint: str) -> None:
        self.hint = hint
        super().__init__(message)


def _which(name: str) -> Optional[str]:
    # It imports three libraries for archives.
    from shutil import which  # pylint: disable=import-outside-toplevel
    return which(name)


def _output(argv: List[str], timeout: float) -> str:
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                              errors="replace", check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(f"{argv[0]}: {error}", f"try {shlex.join(argv)} by hand") from None
    if done.returncode:
        raise EngineError(f"{argv[0]}: {done.stderr.strip().partition(chr(10))[0][:300] or 'failed'}", f"try {shlex.join(argv)} by hand")
    return done.stdout


def slurm_nodes(job: str, timeout: float) -> List[str]:
    """Return the nodes of a running job."""
    lines = _output(["squeue", "--noheader", "--jobs", job.split(".")[0], "--states", "all", "--format", "%T %N"],
                    timeout).split("\n")
    state, _, nodes = lines[0].partition(" ")
    if state != "RUNNING":
        raise EngineError(f"job {job} is not running" + (f" but {state.lower()}" if state else ""),
                          "squeue --me shows your jobs")
    return sets.names_parse(nodes.strip())


def _openmpi() -> Optional[str]:
    """Return Open MPI's launcher; mpirun may belong to another MPI."""
    found = _which("mpirun.openmpi")
    if found or not _which("mpirun"):
        return found
    try:
        said = subprocess.run(["mpirun", "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return "mpirun" if "Open MPI" in said.stdout or "OpenRTE" in said.stdout else None


def choose(engine: Optional[str], job: Optional[str]) -> str:
    """Return the named engine, or an installed one."""
    if engine:
        return engine
    if job and _which("squeue"):
        return "slurm"
    if importlib.util.find_spec("ClusterShell"):
        return "clustershell"
    if _openmpi():
        return "openmpi"
    if _which("mpiexec.hydra"):
        return "mpich"
    raise EngineError("no engine to run a command on other nodes is installed",
                      "install clustershell (python3-clustershell), or run ompdctl where srun or mpirun is")


def _copy_lines(stream: Optional[IO[str]], on_line: Callable[[str], Any]) -> threading.Thread:
    def copy() -> None:
        for line in stream or ():
            on_line(line.rstrip("\n"))
    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    return thread


def _run(argv: List[str], deadline: float, on_line: OnLine) -> str:
    """Run a launcher until it ends or its time is over. Return its messages about failures."""
    said: List[str] = []
    try:
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", start_new_session=True)
    except OSError as error:
        raise EngineError(f"{argv[0]} does not start: {error.strerror}", f"try {shlex.join(argv)} by hand") from None
    readers = [_copy_lines(process.stdout, lambda line: on_line(None, line)), _copy_lines(process.stderr, said.append)]
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        pass
    finally:
        # Twice: at the first interrupt, srun and mpirun report their state.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if process.poll() is not None:
                break
            os.killpg(process.pid, number)
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                continue
    # Continue to read its output, which takes long on a busy machine. A child of it may hold the pipes open.
    for reader in readers:
        reader.join(max(1.0, deadline - time.monotonic()))
    return "\n".join(said)


def _why(code: int, said: str) -> str:
    """Remove the parts that differ between nodes: "ssh: connect to host n17 port 22: No route to host"."""
    reason = said.rpartition(": ")[2].strip()
    return f"exit code {code}" + (f", {reason}" if reason else "")


def _clustershell(nodes: List[str], argv: List[str], timeout: float, on_line: OnLine, on_failure: OnFailure) -> None:
    """ClusterShell with the workers, the fan-out and the tree of its configuration."""
    import inspect  # pylint: disable=import-outside-toplevel

    handlers: Any = importlib.import_module("ClusterShell.Event")
    task_self = importlib.import_module("ClusterShell.Task").task_self

    # The last output of a node, unless it was its summary: the reason for a missing one.
    last: Dict[str, str] = {}

    class Handler(handlers.EventHandler):  # type: ignore[misc]  # ClusterShell has no types.
        """Receives lines as they arrive."""

        def ev_pickup(self, worker: Any, node: str) -> None:
            pass

        def ev_read(self, worker: Any, node: str, sname: str, msg: bytes) -> None:
            line = msg.decode(errors="replace")
            if not on_line(str(node), line) and line.strip() and not line.startswith("  hint: "):
                last[str(node)] = line

        def ev_hup(self, worker: Any, node: str, rc: int) -> None:
            if rc:
                on_failure(str(node), _why(rc, last.get(str(node), "")))

    # ClusterShell inspects the arguments of each of these methods at each event, which is slower than our own work:
    # provide them.
    methods: List[Callable[..., None]] = [Handler.ev_pickup, Handler.ev_read, Handler.ev_hup]
    for method in methods:
        setattr(method, "__signature__", inspect.signature(method))
    task = task_self()
    # Errors arrive with the output, and nothing is gathered: a pipe and a tree for each node cost more than all our
    # work.
    task.set_default("stderr", False)
    task.set_default("stdout_msgtree", False)
    # ClusterShell's time limit is per node; ours is for all of them.
    worker = task.shell(shlex.join(argv), nodes=sets.names_fold(nodes), handler=Handler(), timeout=timeout, stdin=False)
    try:
        task.run(timeout=timeout)
    except Exception as error:  # pylint: disable=broad-except
        if type(error).__name__ not in ("TimeoutError", "TimeoutException"):
            raise
        task.abort()
    for node in worker.iter_keys_timeout():
        on_failure(str(node), "no answer in time")


def run(engine: str, nodes: List[str], job: Optional[str], argv: List[str], timeout: float, on_line: OnLine,
        on_failure: OnFailure) -> str:
    """Run `argv` once on each node. Return the engine's other messages."""
    deadline = time.monotonic() + timeout
    count = str(len(nodes))
    if engine == "slurm":
        step = ["srun", "--quiet", "--overlap", "--nodes", count, "--ntasks", count, "--ntasks-per-node", "1",
                "--nodelist", sets.names_fold(nodes), "--kill-on-bad-exit=0", "--wait=0", "--input=none"]
        return _run(step + (["--jobid", job.split(".")[0]] if job else []) + argv, deadline, on_line)
    if engine == "clustershell":
        _clustershell(nodes, argv, timeout, on_line, on_failure)
        return ""
    if engine == "openmpi":
        launcher = _openmpi() or "mpirun"
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return _run([launcher, *root, "--map-by", "ppr:1:node", "--host", ",".join(nodes), *argv], deadline, on_line)
    return _run(["mpiexec.hydra", "-ppn", "1", "-hosts", ",".join(nodes), *argv], deadline, on_line)
