# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Summaries merge in any order and grouping; their view fits on a screen."""
import json
import os
import pathlib
import random
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from ompdd.errors import Error, Timeout  # noqa: E402
from ompdd.cluster import command, metrics, node, options, sets, view  # noqa: E402
from ompdd.cluster.summary import Summary, parse_line  # noqa: E402


def some_summary(rng, ranks):
    """Return a summary of one node with these ranks."""
    summary = Summary()
    name = f"node{rng.randrange(200):03}"
    summary.nodes.add(name)
    if rng.random() < 0.05:
        summary.add_failure(name, rng.choice(["no answer in time", "exit code 255"]))
        return summary
    if rng.random() < 0.2:
        summary.add_skipped([name], rng.choice(["permission_denied", "stop_timeout"]), rng.randrange(1, 4))
    for rank in ranks:
        summary.n_processes += 1
        stopped = rng.randrange(5000)
        summary.stopped_us += stopped
        summary.stopped_max_us = max(summary.stopped_max_us, stopped)
        left = 0xffff
        for _ in range(3):
            bits = left & rng.getrandbits(16)
            left &= ~bits
            key = ("main() at a.c:1", "parallel region", f"f{rng.randrange(4)}() at a.c:7", rng.choice(["barrier", "work"]))
            if not bits:
                continue
            summary.n_threads += sets.numbers_count(bits)
            if rng.random() < 0.9:
                summary.members(key).add_ranks("7.0", bits, 1 << rank)
            else:
                summary.members(key).add_names("", bits, [f"{name}/{rank}"])
            summary.add_example(key, ("7.0", rank, name, rng.randrange(1 << 20), rng.randrange(1 << 20)))
    return summary


class Sets(unittest.TestCase):
    def test_numbers_come_back(self):
        rng = random.Random(1)
        for _ in range(2000):
            bits = rng.getrandbits(rng.randrange(1, 200))
            self.assertEqual(sets.numbers_parse(sets.numbers_fold(bits)), bits)
        self.assertEqual(sets.numbers_fold(0b10111), "0-2,4")
        self.assertEqual(sets.numbers_fold(0), "")

    def test_large_sets_of_any_order(self):
        numbers = list(range(0, 1 << 18, 2)) + list(range((1 << 18) + 7, 1 << 19))
        random.Random(6).shuffle(numbers)
        text = ",".join(map(str, numbers + numbers[:1000]))
        bits = sets.numbers_parse(text)
        self.assertEqual(sets.numbers_count(bits), len(numbers))
        self.assertEqual(sets.numbers_parse(sets.numbers_fold(bits)), bits)
        self.assertEqual(sets.numbers_parse("3-9,0-4,9,8-12,40"), (1 << 13) - 1 | 1 << 40)
        self.assertEqual(sets.numbers_parse("40013,40003-40021,40001"), ((1 << 19) - 1) << 40003 | 1 << 40001)

    def test_names_come_back(self):
        rng = random.Random(2)
        for _ in range(500):
            names = {rng.choice(["n", "node", "gpu-", ""]) + rng.choice(["%d", "%02d", "%03d"]) % rng.randrange(120) +
                     rng.choice(["", "-ib", "/0", "/12"]) for _ in range(rng.randrange(1, 20))}
            self.assertEqual(set(sets.names_parse(sets.names_fold(names))), names)

    def test_names_are_folded_as_clustershell_folds_them(self):
        self.assertEqual(sets.names_fold(["node1", "node2", "node3", "node10", "login"]), "login,node[1-3,10]")
        self.assertEqual(sets.names_fold(["n08", "n09", "n10"]), "n10,n[08-09]")
        self.assertEqual(sets.names_fold(["a1/0", "a2/0", "a1/1"]), "a[1-2]/0,a1/1")

    def test_what_is_no_set(self):
        for text in ("1-", "a", "2-1", "1,,2", "0-99999999", "-1", " 1", "999999999999"):
            with self.assertRaises(ValueError, msg=text):
                sets.numbers_parse(text)
        for text in ("node[1-", "node]", "a,,b", "node[1-2][3-4]", "node[x]", "node[2-1]", "n[0-999999999]", "n" * 5000 + "[0-9]",
                     "a" * 5000):
            with self.assertRaises(ValueError, msg=text):
                sets.names_parse(text)


class OptionsTest(unittest.TestCase):
    def test_words_and_options_in_any_order(self):
        args = options.parse(["-uroot", "--rank=0-3", "tree", "--nodes", "node[1-2]", "-ja", "-m", "observe", "--timeout", "2.5"])
        self.assertEqual((args.command, args.user, args.rank, args.nodes, args.json, args.all, args.mode, args.timeout),
                         ("tree", "root", "0-3", "node[1-2]", True, True, "observe", 2.5))
        self.assertEqual((args.job, args.width, args.seconds, args.files), (None, None, 2.0, []))
        args = options.parse(["merge", "a", "-", "--view", "why", "--", "--b"])
        self.assertEqual((args.files, args.view, args.json), (["a", "-", "--b"], "why", False))
        # A value may equal a command, or start like an option.
        self.assertEqual(vars(options.parse(["--name", "tree", "node-summary", "--node-name", "-x"]))["node_name"], "-x")
        self.assertEqual(options.parse(["--name", "tree", "node-metrics", "--output="]).output, "")

    def test_what_is_wrong_is_named(self):
        for argv, says in ((["tree", "--nodez", "a"], "--nodez"), (["merge", "--job", "1"], "merge takes no --job"),
                           (["tree", "-m", "never"], "stop, observe"), (["tree", "--timeout", "soon"], "'soon'"),
                           (["why", "--nodes"], "--nodes wants a value"), (["bt", "--json=1"], "--json takes nothing"),
                           (["tree", "x"], "'x'"), (["tree", "-jx"], "-x"), (["hew"], "one of node-summary"), ([], "one of node-summary")):
            with self.subTest(argv=argv), self.assertRaises(options.UsageError) as raised:
                options.parse(argv)
            self.assertIn(says, str(raised.exception))
            self.assertIn(raised.exception.command, (argv or [""])[0])


class Merging(unittest.TestCase):
    def setUp(self):
        rng = random.Random(3)
        self.summaries = [some_summary(rng, range(4 * i, 4 * i + 4)) for i in range(16)]

    @staticmethod
    def merged(summaries):
        total = Summary()
        for one in summaries:
            total.merge(parse_line(one.to_line()))
        return total

    def test_in_any_order(self):
        expected = self.merged(self.summaries).to_json()
        rng = random.Random(4)
        for _ in range(3):
            rng.shuffle(self.summaries)
            self.assertEqual(self.merged(self.summaries).to_json(), expected)

    def test_in_any_grouping(self):
        expected = self.merged(self.summaries).to_json()
        rng = random.Random(5)
        for _ in range(3):
            work = list(self.summaries)
            while len(work) > 1:
                first = rng.randrange(len(work) - 1)
                n = rng.randrange(2, 6)
                work[first:first + n] = [self.merged(work[first:first + n])]
            self.assertEqual(work[0].to_json(), expected)

    def test_nothing_is_lost_or_counted_twice(self):
        total = self.merged(self.summaries)
        self.assertEqual(sum(members.n_threads() for members in total.classes.values()), total.n_threads)
        self.assertEqual(total.n_processes, sum(one.n_processes for one in self.summaries))

    def test_a_line_comes_back(self):
        for one in self.summaries:
            self.assertEqual(parse_line(one.to_line()).to_json(), one.to_json())

    def test_what_is_no_summary(self):
        good = self.summaries[0].to_json()
        for text in ("", "[]", "{}", "nonsense", "[" * 100000, json.dumps({**good, "ompdd_summary": 2}),
                     json.dumps({**good, "n_threads": -1}), json.dumps({**good, "classes": [{"key": [1], "members": []}]}),
                     json.dumps({**good, "classes": [{"key": ["a"], "members": [{"ranks": "0-", "threads": "0"}]}]}),
                     json.dumps({**good, "skipped": [{"why": "x", "nodes": "n1"}]}), json.dumps({**good, "skipped": 7}),
                     json.dumps({**good, "nodes": 7}), json.dumps({**good, "failed": [{}]}),
                     json.dumps({**good, "n_threads": 1 << 80}), json.dumps({**good, "stopped_us": {"total": 10 ** 4000, "max": 0}})):
            with self.assertRaises(ValueError, msg=text[:60]):
                parse_line(text)
        row = next(row for row in good["classes"] if "example" in row)
        for rank in (float("inf"), float("nan"), 1 << 80, "5", None, 0.5, True):
            with self.assertRaises(ValueError, msg=str(rank)):
                parse_line(json.dumps({**good, "classes": [{**row, "example": {**row["example"], "rank": rank}}]}))

    def test_sets_have_a_size_together(self):
        """Each is short in the line, and megabytes in memory."""
        good = self.summaries[0].to_json()
        rows = [{"ranks": str(sets.MAX_NUMBER - 1), "threads": str(i)} for i in range(40)]
        line = json.dumps({**good, "classes": [{"key": [str(i)], "members": [row]} for i, row in enumerate(rows)]})
        self.assertEqual(len(parse_line(line).classes), 40)
        with unittest.mock.patch.object(sets, "MAX_BITS", 32 * sets.MAX_NUMBER), self.assertRaises(ValueError):
            parse_line(line)

    def test_kinds_do_not_mix(self):
        with self.assertRaises(ValueError):
            Summary("why").merge(Summary("stacks"))


class Ranks(unittest.TestCase):
    def test_a_process_may_call_itself_anything(self):
        for number, rank in ((5, 5), (sets.MAX_NUMBER - 1, sets.MAX_NUMBER - 1), (sets.MAX_NUMBER, None), ((1 << 31) - 1, None), (-1, None)):
            said = node._identity("n1", 7, {"rank": {"number": number}})  # pylint: disable=protected-access
            self.assertEqual(said, ("", rank, "n1/7"))


class FakePending:
    def __init__(self, outcome):
        self.outcome = outcome

    def result(self, timeout):
        assert 0 < timeout <= 30
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class FakeDaemon:
    """A daemon with a given answer for each process."""

    def __init__(self, attached, looked_at):
        self.attached, self.looked_at = attached, looked_at
        self.process = self

    def list(self, **_):
        return {"processes": [{"pid": pid} for pid in self.attached]}

    def call(self, method, pid, **_):
        assert method == "target.attach"
        return FakePending(self.attached[pid]).result(1)

    def start(self, _, target, **__):
        return FakePending(self.looked_at[target])


class Nodes(unittest.TestCase):
    def test_one_process_costs_no_other_its_answer(self):
        def error(name):
            return Error({"code": 1, "message": "no", "data": {"name": name}})
        thread = {"tid": 7, "openmp": True, "thread_num": 0}
        good = {"stopped_us": 5, "groups": [{"threads": [thread], "frames": []}]}
        daemon = FakeDaemon({1: {"target": "t1"}, 2: {"target": "t2"}, 3: error("permission_denied"), 4: {"target": "t4"}, 5: Timeout("late")},
                            {"t1": error("stop_timeout"), "t2": good, "t4": Timeout("late")})
        said = node.summarise(daemon, "stacks", "n1", {}).to_json()
        self.assertEqual((said["nodes"], said["n_processes"], said["n_threads"], said["failed"]), ("n1", 1, 1, []))
        self.assertEqual({row["why"]: (row["n_processes"], row["nodes"]) for row in said["skipped"]},
                         {"stop_timeout": (1, "n1"), "permission_denied": (1, "n1"), "no answer in time": (2, "n1")})


class Stacks(unittest.TestCase):
    @staticmethod
    def user(function, line, module="/home/u/a.out"):
        return {"kind": "user", "function": function, "module": module, "pc": hex(line),
                "location": {"file": "/home/u/a.c", "line": line}}

    def test_a_wait_in_a_region(self):
        frames = [{"kind": "construct", "construct": "barrier"}, self.user("main._omp_fn.0", 8), {"kind": "parallel"},
                  self.user("main", 5)]
        self.assertEqual(node.class_of(frames),
                         ("main() at a.c:5", "parallel region", "main._omp_fn.0() at a.c:8", "barrier"))

    def test_mpi_and_the_c_library_are_one_frame(self):
        inner = [self.user(name, 1, "/usr/lib/libmpich.so.12") for name in ("poll_all", "progress", "PMPI_Barrier")]
        self.assertEqual(node.class_of([*inner, self.user("main", 9)]), ("main() at a.c:9", "in PMPI_Barrier()"))
        inner = [self.user(name, 1, "/lib/x86_64-linux-gnu/libc.so.6") for name in ("syscall", "pause")]
        self.assertEqual(node.class_of([*inner, self.user("main", 9)]), ("main() at a.c:9", "in pause()"))

    def test_without_symbols_no_address_is_in_the_class(self):
        frames = [{"kind": "user", "pc": "0x7f0012345678", "module": "/opt/libx.so"}, self.user("main", 9)]
        self.assertEqual(node.class_of(frames), ("main() at a.c:9", "?? in libx.so", "work"))


class Screens(unittest.TestCase):
    def setUp(self):
        self.total = Summary()
        for i in range(100):
            self.total.nodes.add(f"node{i}")
            self.total.n_processes += 4
            self.total.n_threads += 64
            self.total.members(("main() at a.c:1", "parallel region", "f() at a.c:3", "barrier")).add_ranks(
                "1.0", 0xffff if i != 77 else 0xfffb, 0xf << (4 * i))
            if i == 77:
                key = ("main() at a.c:1", "parallel region", "f() at a.c:3", "solve() at a.c:9", "work")
                self.total.members(key).add_ranks("1.0", 4, 0xf << (4 * i))
                self.total.add_example(key, ("1.0", 4 * i, "node77", 4711, 4713))

    def test_the_fewest_come_first(self):
        lines = view.stacks(self.total, "job 1: ", 100, view.MAX_LINES)
        self.assertIn("100 nodes, 400 processes, 6400 OpenMP threads", lines[0])
        self.assertIn("ranks 308-311 thread 2", lines[1])
        self.assertIn("work, solve() at a.c:9", lines[2])
        self.assertIn("details on node77: ompdctl -p 4711 bt", lines[2])

    def test_no_screen_is_longer_than_it_may_be(self):
        rng = random.Random(6)
        for i in range(200):
            key = tuple(f"f{rng.randrange(9)}()" for _ in range(rng.randrange(1, 30))) + (f"s{i}",)
            self.total.members(key).add_ranks(f"{i % 7}.0", rng.getrandbits(64) | 1, rng.getrandbits(3000) | 1)
            self.total.add_failure(f"node{i}", f"why {i}")
            self.total.add_skipped([f"node{i}"], f"why {i}")
        for name, show in view.VIEWS.items():
            for width in (40, 80, 200):
                lines = show(self.total, "", width, view.MAX_LINES)
                self.assertLessEqual(len(lines), view.MAX_LINES, name)
                self.assertLessEqual(max(map(len, lines)), width, name)

    def test_who_answered_in_part_did_answer(self):
        self.total.add_skipped(["node3", "node4"], "stop_timeout", 3)
        self.total.add_skipped(["node9"], "permission_denied")
        self.total.add_failure("node101", "no answer in time")
        for name, show in view.VIEWS.items():
            lines = show(self.total, "", 120, view.MAX_LINES)
            self.assertIn("100 nodes, 400 processes", lines[0], name)
            self.assertEqual(lines[1:4], ["no answer from 1 node (no answer in time): node101",
                                          "3 processes not examined (their stops would exceed the limit; -m observe stops none): node[3-4]",
                                          "1 process not examined (permission_denied): node9"], name)

    def test_as_wide_as_the_terminal(self):
        for told, terminal, expected in (("66", 77, 66), ("", 77, 77), ("x", 77, 77), ("0", 77, 77), ("", None, 100)):
            size = unittest.mock.Mock(side_effect=[os.terminal_size((terminal, 24))] if terminal else OSError)
            with unittest.mock.patch.dict(os.environ, COLUMNS=told), unittest.mock.patch("os.get_terminal_size", size):
                self.assertEqual(command._columns(), expected)  # pylint: disable=protected-access

    def test_names_are_inert(self):
        self.total.members(("\x1b[31mmain\n()", "\u202ework")).add_ranks("", 1, 1)
        for show in view.VIEWS.values():
            for line in show(self.total, "\x1b", 100, 1000):
                self.assertTrue(line.isprintable(), repr(line))


class Output(unittest.TestCase):
    """The file of `node-metrics --output`."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "x.prom")

    def test_output_is_replaced_as_a_whole(self):
        with open(self.path, "w", encoding="utf-8") as old:
            old.write("old")
        link = os.path.join(self.folder.name, "link")
        os.symlink("x.prom", link)
        metrics.save(link, "new")
        self.assertTrue(os.path.islink(link))
        with open(self.path, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "new")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["link", "x.prom"])

    def test_output_that_is_no_file_is_refused(self):
        """A rename over /dev/stdout would replace it for the whole machine."""
        os.mkfifo(self.path)
        os.symlink("x.prom", self.path + ".link")
        for path in (self.path, self.path + ".link", self.folder.name):
            with self.assertRaisesRegex(OSError, "not a regular file"):
                metrics.save(path, "new")
        self.assertEqual(metrics.load(self.path), {})

    @unittest.skipIf(os.geteuid(), "only root makes links of other users")
    def test_links_of_other_users_are_not_followed(self):
        os.symlink("x.prom", self.path + ".link")
        os.chown(self.path + ".link", 65534, 65534, follow_symlinks=False)
        with self.assertRaisesRegex(OSError, "another user"):
            metrics.save(self.path + ".link", "new")
        self.assertFalse(os.path.exists(self.path))


if __name__ == "__main__":
    unittest.main()
