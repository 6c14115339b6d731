# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The conformance kit on a deliberately wrong library (wrong_library.c): it must report each fault."""
import json
import os
import pathlib
import re
import subprocess

import pytest

KIT = pathlib.Path(os.environ["OMPDD_BUILD_DIR"]) / "tests" / "ompd_kit"
HEADER = pathlib.Path(__file__).parents[2] / "runtime" / "include" / "omp-tools.h"
# The kit has other lines for this library, which fail in the same ways.
FAULTS = {
    ("ompd_get_api_version", "before ompd_initialize"): "5 is not a value of _OPENMP since 5.0",
    ("ompd_get_version_string", "NULL for string"): "a crash: Segmentation fault",
    ("ompd_initialize", "NULL for callbacks"): "ok",
    ("ompd_initialize", "callbacks without alloc_memory"): "ok",
    ("ompd_finalize", "before ompd_initialize"): "no answer in 1000 ms",
    ("ompd_rel_address_space_handle", "a released space handle"): "ok, but it freed memory twice",
    ("ompd_rel_address_space_handle", "memory that is not a space handle"):
        "ok, but it freed memory that it had not allocated with alloc_memory",
    ("ompd_get_omp_version_string", "the host device"): "not a string in memory that the tool owns",
    ("ompd_get_omp_version", "the host device"): "the library ended the process",
}
RIGHT = [
    ("ompd_initialize", "version 1"), ("ompd_process_initialize", "NULL for context"), ("ompd_process_initialize", "NULL for host_handle"),
    ("ompd_get_omp_version_string", "NULL for the space handle"), ("ompd_rel_address_space_handle", "NULL for the space handle"),
]


# A sanitizer would report a crash itself, and end the process.
CRASHES = {f"{name}_OPTIONS": ":".join(filter(None, [os.environ.get(f"{name}_OPTIONS"), "handle_segv=0"])) for name in ("ASAN", "UBSAN")}


def run_kit(*options):
    return subprocess.run([KIT / "ompd_kit", "--limit", "1000", *options, KIT / "wrong_library.so", KIT / "program"], capture_output=True,
                          text=True, timeout=1200, env={**os.environ, **CRASHES})


@pytest.fixture(scope="module")
def answers():
    done = run_kit("--json")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    counts = {}
    for line in result["lines"]:
        counts[line["verdict"]] = counts.get(line["verdict"], 0) + 1
    assert counts == {name: n for name, n in result["counts"].items() if n}
    return {(line["routine"], line["situation"]): line for line in result["lines"]}


@pytest.mark.parametrize("line", FAULTS)
def test_fault_is_reported(answers, line):
    assert answers[line]["verdict"] == "differs" and answers[line]["answered"] == FAULTS[line], answers[line]


@pytest.mark.parametrize("line", RIGHT)
def test_right_answer_is_accepted(answers, line):
    assert answers[line]["verdict"] == "ok", answers[line]


def test_kit_has_each_routine(answers):
    """For each routine of 5.2, there are a permitted call and a forbidden one."""
    routines = set(re.findall(r"^OMPD_API ompd_rc_t (ompd_\w+)\(", HEADER.read_text(), re.M))
    assert len(routines) == 37
    permitted = {line["routine"] for line in answers.values() if line["required"].split()[0] in ("ok", "unsupported")}
    forbidden = {line["routine"] for line in answers.values() if "ok" not in line["required"].split()}
    assert not routines - permitted and not routines - forbidden, (routines - permitted, routines - forbidden)


def test_missing_routine_is_absent(answers):
    assert answers["ompd_get_icv_from_scope", "NULL for icv_value"]["verdict"] == "absent"
    assert answers["ompd_get_threads", "all threads"]["verdict"] == "absent"


def test_list_of_accepted_lines_must_be_exact(tmp_path, answers):
    """With all its lines in the list, the library passes. One line too few or too many is an error."""
    entries = [f"{line['verdict']} | {routine} | {situation} | a test" for (routine, situation), line in answers.items()
               if line["verdict"] != "ok"]
    accepted = tmp_path / "accepted"
    right = "ok | ompd_initialize | version 1 | a test"
    for lines, status in ((entries, 0), (entries[1:], 1), ([*entries, right], 1)):
        accepted.write_text("# comment\n\n" + "\n".join(lines) + "\n")
        done = run_kit("--summary", "--accept", accepted)
        assert done.returncode == status, done.stderr
    assert "version 1" in done.stderr
    accepted.write_text("differs | ompd_initialize\n")
    assert run_kit("--accept", accepted).returncode == 2
