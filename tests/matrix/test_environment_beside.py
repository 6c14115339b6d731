# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our runtime's environment variables beside gcc 16's libgomp: messages, display and values in force."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "runtime"))
from support import environment  # noqa: E402
from test_environment import BAD, GOOD, ONLY_OURS, settings  # noqa: E402

OURS = os.path.join(os.environ["OMPDD_BUILD_DIR"], "lib", "ompdd")
LIBGOMP = os.environ["OMPDD_LIBGOMP_DIR"]

# Prints the values in force, because libgomp displays others in some cases.
SOURCE = """
#include <omp.h>
#include <stdio.h>
int main(void)
{
	omp_sched_t kind;
	int chunk;
	omp_get_schedule(&kind, &chunk);
	printf("%d %d %d %d %d %x %d %d %d %d\\n", omp_get_max_threads(), omp_get_dynamic(), omp_get_max_active_levels(),
	       omp_get_proc_bind(), omp_get_num_places(), (unsigned)kind, chunk, omp_get_thread_limit(), omp_get_default_device(),
	       omp_get_cancellation());
	printf("%d %d %d\\n", omp_get_max_teams(), omp_get_teams_thread_limit(), omp_get_max_task_priority());
	return 0;
}
"""
VALUES = {"OMP_DYNAMIC": "true", "OMP_SCHEDULE": "guided,4", "OMP_PROC_BIND": "spread,close", "OMP_STACKSIZE": "1M",
          "OMP_WAIT_POLICY": "active", "OMP_THREAD_LIMIT": "9", "OMP_MAX_ACTIVE_LEVELS": "7", "OMP_NUM_TEAMS": "3",
          "OMP_TEAMS_THREAD_LIMIT": "2", "OMP_NUM_THREADS": "3,2", "OMP_DEFAULT_DEVICE": "1"}
FORMS = [f"{name}{form}={text}" for name, value in VALUES.items() for form in ("_ALL", "_DEV", "_DEV_1") for text in (value, "?")]
FORMS += [line for name, value in VALUES.items() for line in (f"{name}=? {name}_ALL={value}", f"{name}={value} {name}_ALL=?")]
MORE = """
OMP_NUM_THREADS=2 OMP_NUM_THREADS_ALL=3 OMP_NUM_THREADS_DEV=4 OMP_NUM_THREADS_DEV_0=5 OMP_NUM_THREADS_DEV_1=6,7
OMP_NUM_THREADS_DEV_1=3 OMP_NUM_THREADS_DEV_0=3
OMP_NUM_THREADS=x OMP_NUM_THREADS_ALL=y OMP_NUM_THREADS_DEV=z OMP_NUM_THREADS_DEV_1=w
OMP_NUM_THREADS_DEV_x=3
OMP_NUM_THREADS_DEV_=3
OMP_NUM_THREADS_DEV_01=3
OMP_NUM_THREADS_DEV_0x=3
OMP_NUM_THREADS_DEV_-1=3
OMP_NUM_THREADS_DEV_2147483647=3
OMP_NUM_THREADS_DEV_2147483648=3
OMP_NUM_THREADSX=3
OMP_NUM_THREADS_=3
OMP_NUM_THREADS_FOO=3
OMP_NUM_THREADS_ALL_0=3
OMP_CANCELLATION_ALL=true
OMP_MAX_TASK_PRIORITY_DEV=1
OMP_TARGET_OFFLOAD_DEV_1=disabled
OMP_DISPLAY_AFFINITY_X=true
OMP_DEFAULT_DEVICE_X=2
OMP_NESTED_ALL=true
OMP_MAX_ACTIVE_LEVELS_DEV=1000 OMP_MAX_ACTIVE_LEVELS_DEV_3=7 OMP_NUM_TEAMS_DEV_2=4
OMP_SCHEDULE_DEV=monotonic:dynamic,5 OMP_SCHEDULE_DEV_0=static,x
OMP_STACKSIZE_ALL=1M GOMP_STACKSIZE=3M
OMP_STACKSIZE_ALL=1M GOMP_STACKSIZE=x
OMP_STACKSIZE_ALL=x GOMP_STACKSIZE=y
OMP_STACKSIZE=x OMP_STACKSIZE_ALL=1M GOMP_STACKSIZE=2M
OMP_WAIT_POLICY_DEV= ACTIVE 
OMP_NUM_TEAMS_DEV=0 OMP_NUM_TEAMS_DEV_3=2147483648
""".strip("\n").split("\n")

# libgomp displays its default for these unless the variable itself is set and valid.
FOLLOWING = ("OMP_NUM_THREADS", "OMP_NESTED", "OMP_MAX_ACTIVE_LEVELS", "OMP_PROC_BIND", "OMP_DEFAULT_DEVICE")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """shown(runtime, variables): the values in force, the messages and the display."""
    program = tmp_path_factory.mktemp("programs") / "values"
    subprocess.run(["gcc", "-fopenmp", "-x", "c", "-", "-o", program], input=SOURCE, text=True, check=True, timeout=600)

    def run(runtime, variables):
        done = subprocess.run([program], env=environment(runtime, OMP_DISPLAY_ENV="verbose", **variables), capture_output=True,
                              text=True, timeout=600)
        assert done.returncode == 0
        lines = ONLY_OURS.sub("", done.stderr).replace("enviroment", "environment").split("\n")
        messages = [line for line in lines if line.startswith("libgomp: ")]
        return done.stdout, sorted(messages), [line for line in lines if line.startswith("  ")]
    return run


def without_errors_of_libgomp(ours, libgomps):
    """libgomp cuts the values of Boolean variables and lists wrongly: compare such a message up to the variable's name."""
    assert len(ours) == len(libgomps)
    for mine, its in zip(ours, libgomps):
        wrong = re.match(r"(.*environment variable \w+)(=.*: .*|: X| when parsing: .*)$", its)
        if wrong:
            assert re.match(re.escape(wrong[1]) + "(: | when parsing: )", mine), (mine, its)
        else:
            assert mine == its


def is_comparable(line, variables, messages):
    """Return whether libgomp displays the host's value of @line."""
    scope, name = re.match(r"  \[(\w+)\] (\w+) = ", line).groups()
    its_own = name in variables and not any(re.search(rf"variable {name}\b", message) for message in messages)
    if its_own or scope != "host" and name != "OMP_DEFAULT_DEVICE":
        return name != "OMP_NESTED"
    return name not in FOLLOWING and name + "_ALL" not in variables


@pytest.mark.parametrize("line", [line for line in GOOD + BAD if line] + FORMS + MORE)
def test_same_as_libgomp_16(shown, line):
    variables = settings(line)
    values, messages, display = shown(OURS, variables)
    its_values, its_messages, its_display = shown(LIBGOMP, variables)
    assert values == its_values
    without_errors_of_libgomp(messages, its_messages)
    assert display[0] == its_display[0] == "  _OPENMP = '202111'"
    # The same names and scopes in the same order.
    assert [one.split(" = ")[0] for one in display] == [one.split(" = ")[0] for one in its_display]
    for mine, its in zip(display[1:], its_display[1:]):
        if is_comparable(its, variables, its_messages):
            assert mine == its
