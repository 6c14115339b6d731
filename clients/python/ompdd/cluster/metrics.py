# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metrics of the OpenMP teams of this node in Prometheus' text format. No process is stopped."""
import errno
import json
import os
import tempfile
import time
from typing import Any, Dict, List, Optional, Tuple

from ..client import Client
from ..errors import Error

# Maximum number of processes in the output: series are expensive for the database.
MAX_PROCESSES = 256
_BARRIER = "ompt_state_wait_barrier"

FAMILIES = {
    "ompdd_node_cpus": ("gauge", "Online processors."),
    "ompdd_node_seen_timestamp_seconds": ("gauge", "Time of the measurement of the processes below."),
    "ompdd_node_processes": ("gauge", "OpenMP processes found, including those without further metrics."),
    "ompdd_process_info": ("gauge", "An OpenMP process; always 1."),
    "ompdd_process_cpu_seconds_total": ("counter", "User and system time of the process."),
    "ompdd_process_allowed_cpus": ("gauge", "Processors that its affinity mask allows."),
    "ompdd_process_team_threads": ("gauge", "Its threads in parallel regions with several threads."),
    "ompdd_process_busy_threads": ("gauge", "Those threads that ran, or waited for a processor."),
    "ompdd_process_barrier_threads": ("gauge", "Those threads that have provably arrived at a barrier where others are missing."),
    "ompdd_process_barrier_seconds": ("gauge", "Longest sleep of such a thread there without waking; threads that spin count as 0."),
}

State = Dict[str, Any]
Sample = Tuple[Dict[str, str], float]


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(1 << 16)
    except OSError:
        return ""


def _field(status: str, name: str) -> str:
    return next((line.partition(":")[2].strip() for line in status.split("\n") if line.startswith(f"{name}:")), "")


def _start_and_cpu(pid: int) -> Optional[Tuple[str, float]]:
    """Return the start time from the kernel, which distinguishes the process from others with its id, and its seconds.
    """
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20:
        return None
    return fields[19], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _allowed(pid: int) -> int:
    parts = [part.split("-") for part in _field(_read(f"/proc/{pid}/status"), "Cpus_allowed_list").split(",") if part]
    return sum(int(part[-1]) - int(part[0]) + 1 for part in parts)


def _slept(pid: int, tid: int) -> Optional[int]:
    """Return how often it has gone to sleep: while that number is constant, it sleeps."""
    text = _field(_read(f"/proc/{pid}/task/{tid}/status"), "voluntary_ctxt_switches")
    return int(text) if text.isdecimal() else None


class _Look:
    """The facts of one snapshot, and its common part with the previous one."""

    def __init__(self, pid: int, snapshot: Dict[str, Any], before: Dict[str, List[float]], now: float) -> None:
        threads = {thread["tid"]: thread for thread in snapshot["threads"]}
        teams = [team for team in snapshot["parallels"] if isinstance(team.get("team_size"), int) and team["team_size"] > 1]
        members = {tid for team in teams for tid in team.get("threads", [])}
        self.team_threads = len(members)
        self.busy = sum(threads.get(tid, {}).get("kernel", {}).get("state") == "running" for tid in members)
        self.at_barrier = 0
        self.slept: Dict[str, List[float]] = {}
        for team in teams:
            arrived = team.get("arrived", {}).get("threads", 0)
            if not 0 < arrived < team["team_size"]:
                continue
            self.at_barrier += arrived
            for tid in team.get("threads", []):
                self._sleeper(pid, threads.get(tid, {}), before, now)
        self.seconds = max((now - since for _, since in self.slept.values()), default=0.0)

    def _sleeper(self, pid: int, thread: Dict[str, Any], before: Dict[str, List[float]], now: float) -> None:
        state = thread.get("state")
        if not isinstance(state, dict) or not str(state.get("name")).startswith(_BARRIER):
            return
        count = _slept(pid, thread["tid"]) if thread.get("kernel", {}).get("state") == "asleep" else None
        if count is None:
            return
        last = before.get(str(thread["tid"]))
        self.slept[str(thread["tid"])] = [count, last[1] if last and last[0] == count else now]


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _info(process: Dict[str, Any]) -> Dict[str, str]:
    job = process.get("slurm") or process.get("flux") or {}
    labels = {"program": os.path.basename(process["program"]) or process["name"], "user": process.get("user", str(process["uid"])),
              "runtime": "+".join(sorted({one["kind"] for one in process["runtimes"]})),
              "job": str(job.get("job", "")), "rank": str(process.get("rank", {}).get("number", ""))}
    return {name: value[:128] for name, value in labels.items()}


def _text(samples: Dict[str, List[Sample]]) -> str:
    lines = []
    for name, (kind, text) in FAMILIES.items():
        if not samples.get(name):
            continue
        lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
        for labels, value in samples[name]:
            inner = ",".join(f'{label}="{_escape(what)}"' for label, what in labels.items())
            lines.append(f"{name}{{{inner}}} {value:.15g}" if inner else f"{name} {value:.15g}")
    return "\n".join(lines) + "\n"


def collect(client: Client, filters: Dict[str, str], before: State, timeout: float) -> Tuple[str, State]:
    """Return the metrics as text, and the value of `before` for the next call."""
    processes = client.process.list(regions=False, timeout=timeout, **filters)["processes"]
    samples: Dict[str, List[Sample]] = {name: [] for name in FAMILIES}
    state: State = {}
    now = time.time()
    samples["ompdd_node_cpus"].append(({}, os.cpu_count() or 0))
    samples["ompdd_node_seen_timestamp_seconds"].append(({}, now))
    samples["ompdd_node_processes"].append(({}, len(processes)))
    for process in processes[:MAX_PROCESSES]:
        pid = process["pid"]
        known = _start_and_cpu(pid)
        try:
            target = client.target.attach(pid=pid, mode="observe", timeout=timeout)["target"]
            snapshot = client.call("snapshot.get", target=target, timeout=timeout)
            client.target.detach(target=target, timeout=timeout)
        except Error:
            continue
        if not known:
            continue
        last = before.get(str(pid), {})
        look = _Look(pid, snapshot, last.get("slept", {}) if last.get("start") == known[0] else {}, now)
        state[str(pid)] = {"start": known[0], "slept": look.slept}
        label = {"pid": str(pid)}
        samples["ompdd_process_info"].append(({**label, **_info(process)}, 1))
        for name, value in (("cpu_seconds_total", known[1]), ("allowed_cpus", _allowed(pid)), ("team_threads", look.team_threads),
                            ("busy_threads", look.busy), ("barrier_threads", look.at_barrier), ("barrier_seconds", look.seconds)):
            samples[f"ompdd_process_{name}"].append((label, value))
    return _text(samples), state


def load(path: str) -> State:
    """Return the state of the previous call; empty if it cannot be read."""
    try:
        # Opening a pipe would block.
        if not os.path.isfile(path):
            return {}
        with open(path, encoding="utf-8", errors="replace") as stream:
            found = json.loads(stream.read(1 << 22) or "{}")
        return {str(pid): {"start": str(one["start"]), "slept": {str(tid): [int(n), float(since)] for tid, (n, since) in one["slept"].items()}}
                for pid, one in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _destination(path: str) -> str:
    """Return the file that `path` leads to.

    OSError: a link of another user, or not a regular file, such as /dev/stdout, which a rename would replace.
    """
    if os.path.islink(path):
        if os.lstat(path).st_uid not in (0, os.geteuid()):
            raise OSError(errno.EPERM, "it is a symbolic link of another user")
        path = os.path.realpath(path)
    if os.path.lexists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is not a regular file")
    return path


def save(path: str, text: str) -> None:
    """Write all of it or nothing: a reader gets the old file or the new one."""
    path = _destination(path)
    fd, name = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".ompdd")
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
