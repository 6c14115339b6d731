# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests can fail: each check of this folder detects the errors that it is for."""
import copy
import json
import os
import pathlib
import signal
import subprocess
import sys

import jsonschema
import pytest
import validator
from daemons import Daemon
from snapshots import ICV_OF, check_oracle, check_structure
from targets import BUILD, Program, alive, stopped_threads, wait_until
from wire import request

GOOD_ERROR = {"code": 1000, "message": "no process 7", "data": {"name": "no_such_process", "hint": "check the pid with ps"}}


@pytest.fixture
def nest(program, client):
    """A (program, snapshot result) pair that agrees."""
    one = program("nested", 2, 3)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    result = client.snapshot.get(target=target)
    snapshot = check_structure(result)
    for line in one.oracle().values():
        check_oracle(snapshot, line)
    return one, result


@pytest.mark.parametrize("key", ["level", "active_level", "thread_num", "in_parallel", "ancestors", "team_sizes", *ICV_OF])
def test_a_wrong_answer_is_noticed(key, nest):
    one, result = nest
    line = dict(one.oracle()[one.pid])
    if key == "in_parallel":
        line[key] = 1 - line[key]
    elif isinstance(line[key], list):
        line[key] = line[key][:-1] + [line[key][-1] + 1]
    else:
        line[key] += 1
    with pytest.raises((AssertionError, KeyError, ValueError)):
        check_oracle(check_structure(result), line)


def change(result, what):
    """A snapshot that is inconsistent in itself."""
    inner = next(region for region in result["parallels"] if region["level"] == 2)
    if what == "team too large":
        inner["team_size"] += 1
    elif what == "a thread twice":
        inner["threads"][1] = inner["threads"][0]
    elif what == "level jumps":
        inner["level"] += 1
    elif what == "region twice":
        result["parallels"].append(copy.deepcopy(inner))
    elif what == "thread in another place":
        inner["threads"][0], inner["threads"][1] = inner["threads"][1], inner["threads"][0]
    elif what == "unknown region":
        result["threads"][0]["parallel"] = "t1:e1:par:9999"
    elif what == "unknown generating task":
        next(task for task in result["tasks"] if task["kind"] == "implicit")["generating"] = "t1:e1:task:9999"
    elif what == "initial task with a parent":
        next(task for task in result["tasks"] if task["kind"] == "initial")["generating"] = result["tasks"][0]["handle"]


@pytest.mark.parametrize("what", ["team too large", "a thread twice", "level jumps", "region twice", "thread in another place",
                                  "unknown region", "unknown generating task", "initial task with a parent"])
def test_an_inconsistent_snapshot_is_noticed(what, nest):
    result = copy.deepcopy(nest[1])
    change(result, what)
    with pytest.raises((AssertionError, KeyError, ValueError)):
        check_structure(result)


@pytest.mark.parametrize("method,params", [("no.such", {}), ("target.attach", {}), ("target.attach", {"pid": "x"}),
                                           ("daemon.info", {"surplus": 1})])
def test_the_validator_refuses_requests(method, params):
    with pytest.raises(validator.Violation):
        validator.check_request(request(method, params))


def test_the_validator_refuses_results(nest):
    good = {"jsonrpc": "2.0", "id": 1, "result": nest[1]}
    validator.check_response(good, "snapshot.get")
    for path, value in ((("surplus",), 1), (("epoch",), "1"), (("consistency",), "perfect"), (("threads", 0, "tid"), 0),
                        (("threads", 0, "pthread"), 140000000000), (("parallels", 0, "handle"), "par:1"), (("tasks", 0, "kind"), "odd")):
        bad = copy.deepcopy(good)
        place = bad["result"]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(validator.Violation):
            validator.check_response(bad, "snapshot.get")


def test_a_validator_of_others_takes_what_is_new(nest):
    """A client of this version accepts unknown members of later versions. Its own messages must be known."""
    document = json.loads((BUILD / "gen" / "openrpc.json").read_text())

    def errors(schema, value):
        return list(jsonschema.Draft7Validator({**schema, "components": document["components"]}).iter_errors(value))

    method = next(method for method in document["methods"] if method["name"] == "snapshot.get")
    later = copy.deepcopy(nest[1])
    later["surplus"] = 1
    later["runtime"]["kind"] = "libnew"
    for part in ("threads", "parallels", "tasks"):
        for one in later[part]:
            one["surplus"] = {"any": "thing"}
    assert not errors(method["result"]["schema"], later)
    del later["epoch"]
    assert errors(method["result"]["schema"], later), "what is promised must still be there"
    event = {"cursor": 1, "target": "t1", "seq": 1, "type": "melted", "degrees": 1}
    assert not errors(document["components"]["schemas"]["event"], event)
    with pytest.raises(validator.Violation):
        validator.check_notification({"jsonrpc": "2.0", "method": "event", "params": event})


@pytest.mark.parametrize("change_", [
    {"code": 1001}, {"message": ""}, {"message": "It failed."}, {"data": {"hint": "x"}}, {"data": {"name": "no_such_process"}},
    {"data": {"name": "invented", "hint": "x"}}, {"data": {"name": "no_such_process", "hint": ""}}, {"surplus": 1},
    {"code": -32603, "data": {"name": "internal_error", "hint": "look at the log"}},
    {"code": 2002, "data": {"name": "ompd_rc_bad_input", "hint": ""}},
    {"code": 1007, "data": {"name": "not_stopped", "hint": "call target.stop first"}},  # Not an error of target.attach.
])
def test_the_validator_refuses_errors(change_):
    validator.check_response({"jsonrpc": "2.0", "id": 1, "error": GOOD_ERROR}, "target.attach")
    with pytest.raises(validator.Violation):
        validator.check_response({"jsonrpc": "2.0", "id": 1, "error": {**GOOD_ERROR, **change_}}, "target.attach")


@pytest.mark.parametrize("line", ["error: server: it broke", "warn: t1: ==7==ERROR: AddressSanitizer: heap-use-after-free",
                                  "ompdd/rpc/buf.c:7:3: runtime error: signed integer overflow"])
def test_a_daemon_in_trouble_is_noticed(line, tmp_path):
    one = Daemon(tmp_path / "d")
    with open(one.log, "a", encoding="utf-8") as log:
        log.write(f"info: fine\n{line}\n")
    with pytest.raises(AssertionError, match="whole log"):
        one.close()


def test_a_daemon_that_died_is_noticed(tmp_path):
    one = Daemon(tmp_path / "d")
    os.kill(one.pid, signal.SIGKILL)
    one.process.wait()
    with pytest.raises(AssertionError, match="ended with -9"):
        one.close()


def test_a_stopped_program_is_noticed():
    with Program("flat", 3) as one:
        assert not stopped_threads(one.pid)
        one.signal(signal.SIGSTOP)
        wait_until(lambda: len(stopped_threads(one.pid)) == 3, "SIGSTOP")


def test_programs_end_with_the_test_that_started_them():
    """However a test ends: without a process at the other end of its stdin, the program ends."""
    one = Program("waits", "spin")
    one.process.stdin.close()
    assert one.process.wait(600) == -signal.SIGIO
    one.process.stdout.close()


# Skips.

SUPPORT = pathlib.Path(__file__).parents[1] / "support"
RAN, SKIPPED, FAILED = "def test_a(): pass\n", "import pytest\ndef test_b(): pytest.skip('no moon')\n", "def test_c(): assert 0\n"


@pytest.mark.parametrize("source,status", [
    (RAN, 0), (SKIPPED, 77), (RAN + SKIPPED, 0), (FAILED, 1), (FAILED + SKIPPED, 1), ("", 5),
    ("import pytest\npytest.skip('no moon', allow_module_level=True)\n", 77),
    ("import pytest\npytestmark = pytest.mark.skip('no moon')\n" + RAN, 77),
])
def test_a_file_of_which_nothing_ran_did_not_pass(tmp_path, source, status):
    (tmp_path / "test_it.py").write_text(source)
    done = subprocess.run([sys.executable, "-B", SUPPORT / "run_pytest.py", "test_it.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status, done.stdout
    assert ("no moon" in done.stdout) == ("no moon" in source), done.stdout


def test_a_process_that_a_test_leaves_behind_is_ended_and_fails_the_file(tmp_path):
    """Also a daemon of its own session, whose parent has ended, and a stopped one. The runner waits a second here."""
    runner = tmp_path / "runner.py"
    runner.write_text((SUPPORT / "run_pytest.py").read_text().replace("SECONDS_TO_END = 60", "SECONDS_TO_END = 1"))
    (tmp_path / "test_it.py").write_text("""import subprocess
def test_a():
    subprocess.run("setsid sleep 801 & setsid sh -c 'kill -STOP $$; sleep 802' &", shell=True)
def test_b():
    subprocess.run("sleep 0.2 &", shell=True)
""")
    done = subprocess.run([sys.executable, "-B", runner, "test_it.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3 and "2 passed" in done.stdout, done.stdout
    left = [line.split(maxsplit=6)[5:] for line in done.stdout.splitlines() if line.startswith("left behind")]
    assert sorted(words[1].strip() for words in left) == ["sh -c kill -STOP $$; sleep 802", "sleep 801"]
    assert not any(alive(int(words[0])) for words in left)


LISTS = """cmake_minimum_required(VERSION 3.25)
project(it NONE)
enable_testing()
add_test(NAME it.whole COMMAND sh -c "echo first; echo no sun; exit 77")
add_test(NAME it.part COMMAND sh -c "echo 'SKIPPED [2] test_x.py:3: no moon'; echo '1 passed, 2 skipped'")
add_test(NAME it.ran COMMAND true)
set_tests_properties(it.whole PROPERTIES SKIP_RETURN_CODE 77)
"""


def test_ctest_ends_with_what_was_skipped(tmp_path):
    """With the file that CMake creates for our builds. It fails where each skip must be listed."""
    (tmp_path / "CMakeLists.txt").write_text(LISTS)
    build = tmp_path / "build"
    subprocess.run(["cmake", "-S", tmp_path, "-B", build], check=True, capture_output=True)
    (build / "CTestCustom.cmake").write_text((BUILD / "CTestCustom.cmake").read_text().replace(str(BUILD), str(build)))

    def ctest(*args, **env):
        return subprocess.run(["ctest", "--test-dir", build, *args], capture_output=True, text=True, env={**os.environ, "OMPDD_SKIPS": "", **env})
    done = ctest()
    assert done.returncode == 0, done.stdout + done.stderr
    closing, _, listed = done.stdout.partition("\nSkipped, and why:\n")
    assert "100% tests passed, 0 tests failed out of 3" in closing
    assert listed == ("\tit.part: no moon (2 tests) [not in tests/skips.txt]\n"
                      "\tit.whole: no sun [not in tests/skips.txt]\n")
    assert "why:" not in ctest("-R", "ran").stdout
    assert ctest("-R", "ran", OMPDD_SKIPS="listed").returncode == 0
    done = ctest(OMPDD_SKIPS="listed")
    assert done.returncode != 0 and "2 skips are not in tests/skips.txt" in done.stdout
