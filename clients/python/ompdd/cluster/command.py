# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands: node-summary, merge, and the views of a job. ompdctl starts this with its own command line."""
from __future__ import annotations

import json
import os
import sys
import time

from ..errors import OmpddException
from . import sets, view
from .options import KIND_OF, UsageError, parse
from .summary import Summary, parse_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Callable, Dict, List, Optional, TextIO

# The same as ompdctl's: clients/cli/exit_code.h.
EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 3
# The part of the total time that is reserved for merging the answers.
NODE_SHARE = 0.8


def _fail(message: str, hint: str, code: int = EXIT_FAILED) -> int:
    print(f"ompdctl: {view.safe(message)}\n  hint: {view.safe(hint)}", file=sys.stderr)
    return code


def _columns() -> int:
    told = os.environ.get("COLUMNS", "")
    try:
        return int(told) if told.isdecimal() and int(told) else os.get_terminal_size(1).columns
    except OSError:
        return 100


def _show(summary: Summary, args: SimpleNamespace, name: str, title: str) -> int:
    if args.json:
        print(summary.to_line())
    else:
        width = args.width or _columns()
        print("\n".join(view.VIEWS[name](summary, title, max(width, 40), 1 << 30 if args.all else view.MAX_LINES)))
    return EXIT_OK if summary.n_processes else EXIT_FAILED


def _filters(args: SimpleNamespace) -> Dict[str, str]:
    given = {"job": args.job, "ranks": args.rank, "name": args.name, "user": args.user, "runtime": args.runtime,
             "cgroup": args.cgroup}
    return {name: value for name, value in given.items() if value}


def _ompdctl() -> str:
    named = os.environ.get("OMPDCTL")
    if named:
        return named
    from shutil import which  # pylint: disable=import-outside-toplevel
    return which("ompdctl") or "ompdctl"


def _ompdd(args: SimpleNamespace) -> str:
    folder = os.path.dirname(_ompdctl())
    beside = os.path.join(folder, "ompdd")
    return args.ompdd or (beside if folder and os.path.exists(beside) else "ompdd")


def _own_name(args: SimpleNamespace) -> Optional[str]:
    """Return the requester's name of this node: MPI's launchers start one process on each, in the order of the nodes.
    """
    rank = next((os.environ[name] for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK") if name in os.environ), "")
    names = sets.names_parse(args.node_names) if args.node_names else []
    return names[int(rank)] if rank.isdecimal() and int(rank) < len(names) else args.node_name


def _node_summary(args: SimpleNamespace) -> int:
    from . import node  # pylint: disable=import-outside-toplevel
    summary = node.summarise_here(_ompdd(args), args.kind, _own_name(args), _filters(args), args.mode, args.timeout, args.seconds)
    line = summary.to_line()
    if args.parts:
        from . import parts  # pylint: disable=import-outside-toplevel
        line = "\n".join(parts.split(line))
    print(line, flush=True)
    return EXIT_OK


def _node_metrics(args: SimpleNamespace) -> int:
    from ..daemon import spawn  # pylint: disable=import-outside-toplevel
    from . import metrics  # pylint: disable=import-outside-toplevel
    before = metrics.load(f"{args.output}.state") if args.output else {}
    try:
        with spawn(_ompdd(args), timeout=args.timeout) as client:
            text, state = metrics.collect(client, _filters(args), before, args.timeout)
    except OmpddException as error:
        return _fail(str(error), "ompdctl ps lists the visible processes")
    if not args.output:
        print(text, end="")
        return EXIT_OK
    try:
        metrics.save(args.output, text)
        metrics.save(f"{args.output}.state", json.dumps(state))
    except OSError as error:
        return _fail(f"cannot write {args.output}: {error.strerror}", "name a file in your own folder; without --output, the text goes to standard output")
    return EXIT_OK


def _read(stream: TextIO, summary: Optional[Summary]) -> Optional[Summary]:
    for line in stream:
        if line.strip():
            summary = parse_line(line, summary)
    return summary


def _merge(args: SimpleNamespace) -> int:
    summary: Optional[Summary] = None
    for path in args.files or ["-"]:
        try:
            if path == "-":
                summary = _read(sys.stdin, summary)
            else:
                with open(path, encoding="utf-8", errors="replace") as stream:
                    summary = _read(stream, summary)
        except OSError as error:
            return _fail(f"cannot read {path}: {error.strerror}", "ompdctl node-summary writes what it reads", EXIT_USAGE)
        except ValueError as error:
            return _fail(f"{path}: {error}", "ompdctl node-summary writes what it reads")
    summary = summary or Summary()
    name = args.view or (summary.kind if summary.kind in KIND_OF else "tree")
    if KIND_OF[name] != summary.kind:
        return _fail(f"a summary of {summary.kind} has no view {name}",
                     "node-summary --kind why is for why, --kind top for top, --kind stacks for the others", EXIT_USAGE)
    return _show(summary, args, name, "")


class _Collector:
    """Collects summaries as they arrive, and the missing nodes."""

    def __init__(self, kind: str, nodes: List[str], mixing: bool) -> None:
        self.summary = Summary(kind)
        self.missing = set(nodes)
        self.n = len(nodes)
        self.shown = 0.0
        self._take: Callable[[str], Optional[str]] = str
        if mixing:
            from . import parts  # pylint: disable=import-outside-toplevel
            self._take = parts.Joiner().take

    def line(self, name: Optional[str], text: str) -> bool:
        """Add a line of output. Return whether it was part of a summary."""
        whole = self._take(text)
        if whole is None:
            return True
        try:
            one = parse_line(whole)
            if one.kind != self.summary.kind:
                return False
        except ValueError:
            return False
        if name and len(one.nodes) == 1:
            self._rename(one, name)
        self.missing -= one.nodes
        self.summary.merge(one)
        self.progress()
        return True

    @staticmethod
    def _rename(one: Summary, name: str) -> None:
        """The engine's name of a node counts: a node may have others."""
        old, = one.nodes
        if old == name:
            return
        one.nodes = {name}
        one.failed = {why: {name} for why in one.failed}
        one.skipped = {why: (n, {name}) for why, (n, _) in one.skipped.items()}
        for members in one.classes.values():
            members.names = {key: {f"{name}/{text.rpartition('/')[2]}" for text in names}
                             for key, names in members.names.items()}
        one.examples = {key: (example[0], example[1], name, *example[3:]) for key, example in one.examples.items()}

    def failure(self, name: str, reason: str) -> None:
        if name in self.missing:
            self.missing.discard(name)
            self.summary.add_failure(name, view.safe(reason)[:200])
            self.progress()

    def progress(self) -> None:
        if sys.stderr.isatty() and time.monotonic() - self.shown > 0.1:
            self.shown = time.monotonic()
            print(f"\r{self.n - len(self.missing)} of {self.n} nodes", end="\r", file=sys.stderr, flush=True)

    def end(self, said: str) -> Summary:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        for name in self.missing:
            lines = [line for line in said.split("\n") if line.strip()]
            reason = next((line for line in lines if name in line), lines[0] if lines else "")
            self.summary.add_failure(name, view.safe(reason)[:200] or "no answer in time")
        return self.summary


def _job(args: SimpleNamespace) -> int:
    from . import engines  # pylint: disable=import-outside-toplevel
    if not args.job and not args.nodes:
        return _fail(f"{args.command} of a job needs --job ID or --nodes SET", "ompdctl ps shows jobs of this node", EXIT_USAGE)
    if args.command == "top" and args.seconds >= args.timeout * NODE_SHARE:
        return _fail(f"{args.seconds:g} seconds of top do not fit in {args.timeout:g} seconds for all",
                     f"allow more: --timeout {args.seconds / NODE_SHARE + 10:.0f}", EXIT_USAGE)
    try:
        nodes = sets.names_parse(args.nodes) if args.nodes else []
        engine = engines.choose(args.engine, args.job)
        if not nodes and engine == "slurm":
            nodes = engines.slurm_nodes(args.job, args.timeout)
        if not nodes:
            return _fail(f"which nodes job {args.job} runs on is known to Slurm only",
                         "name them: --nodes node[1-100]", EXIT_USAGE)
        argv = [args.remote_ompdctl or _ompdctl(), "node-summary", "--kind", KIND_OF[args.command],
                "--mode", args.mode, "--timeout", f"{args.timeout * NODE_SHARE:.3f}"]
        argv += ["--seconds", f"{args.seconds:.3f}"] if args.command == "top" else []
        if engine in ("openmpi", "mpich"):
            # In the order in which the other side expands it.
            nodes = sets.names_parse(sets.names_fold(nodes))
            argv += ["--node-names", sets.names_fold(nodes)]
        mixing = engine in engines.MIXING
        argv += ["--parts"] if mixing else []
        for option, value in (("--job", args.job), ("--rank", args.rank), ("--name", args.name), ("--user", args.user),
                              ("--runtime", args.runtime), ("--cgroup", args.cgroup), ("--ompdd", args.ompdd)):
            argv += [option, value] if value else []
        collector = _Collector(KIND_OF[args.command], nodes, mixing)
        collector.progress()
        said = engines.run(engine, nodes, args.job, argv, args.timeout, collector.line, collector.failure)
    except engines.EngineError as error:
        return _fail(str(error), error.hint)
    except ValueError as error:
        return _fail(str(error), "write sets of nodes as node[1-100],login", EXIT_USAGE)
    return _show(collector.end(said), args, args.command, f"job {args.job}: " if args.job else "")


def main(argv: List[str]) -> int:
    """Return the exit status."""
    try:
        args = parse(argv)
    except UsageError as error:
        return _fail(f"{error} [usage]", f"ompdctl help {error.command}".strip() + " shows its options", EXIT_USAGE)
    try:
        if args.command == "node-summary":
            return _node_summary(args)
        if args.command == "node-metrics":
            return _node_metrics(args)
        return _merge(args) if args.command == "merge" else _job(args)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_OK
    except KeyboardInterrupt:
        return 130
