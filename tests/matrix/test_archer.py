# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Archer, a tool of LLVM, on our runtime: no report for programs without a race, a report for each program with a race."""
import os
import subprocess

import pytest

BUILD = os.environ["OMPDD_BUILD_DIR"]
ARCHER = os.path.join(os.environ["OMPDD_LIBOMP_DIR"], "libarcher.so")
REGION = """
#include <sched.h>
#include <stdio.h>
static int n_met;
/* Two threads execute the racing code: neither goes on alone. It orders nothing. */
static void meet(void)
{{
	__atomic_fetch_add(&n_met, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&n_met, __ATOMIC_RELAXED) < 2)
		sched_yield();
}}
int main(void)
{{
	int x = 0, y = 0, n = 0, all[4] = {{0}};
	#pragma omp parallel num_threads(4) firstprivate(x) reduction(+: n)
	{{
		{body}
	}}
	(void)all, (void)y, (void)meet;
	printf("%d\\n", n);
	return 0;
}}
"""
RIGHT = {
    "copyprivate": "for (int i = 0; i < 3; i++) {\n#pragma omp single copyprivate(x)\nx = i;\nn += x; }",
    "copyprivate of an array": "int own[4];\n#pragma omp single copyprivate(own)\nfor (int i = 0; i < 4; i++) own[i] = i;\nn += own[2];",
    "a variable before copyprivate": "#pragma omp single copyprivate(x)\n{ y = 3; x = 1; }\nn += y + x;",
    "single": "#pragma omp single\ny = 5;\nn += y;",
    "tasks": "#pragma omp single\n{\n#pragma omp task shared(y) depend(out: y)\ny = 1;\n#pragma omp task shared(y) depend(in: y)\ny++;\n"
             "#pragma omp taskwait\nn += y; }",
    "ordered": "#pragma omp for ordered schedule(dynamic)\nfor (int i = 0; i < 8; i++) {\n#pragma omp ordered\ny += i;\n}\nn += y;",
    "critical": "#pragma omp critical\ny++;\n",
    "barrier": "#pragma omp for schedule(dynamic)\nfor (int i = 0; i < 4; i++) all[i] = i;\nn += all[1] + all[3];",
}
RIGHT |= {
    "sections": "#pragma omp sections\n{\n#pragma omp section\n{ meet(); all[0] = 1; }\n#pragma omp section\n{ meet(); all[1] = 1; }\n}\n"
                "n += all[0] + all[1];",
    "taskgroup": "#pragma omp single\n{\n#pragma omp taskgroup\n{\n#pragma omp task shared(y)\ny = 1;\n}\ny++; }\nn += y;",
    "taskloop": "#pragma omp single\n#pragma omp taskloop grainsize(1)\nfor (int i = 0; i < 4; i++) all[i] = i;\nn += all[0] + all[3];",
}
TWO_TASKS = "#pragma omp single\n{{\n#pragma omp task shared(y) {clause}\n{{ meet(); y++; }}\n#pragma omp task shared(y) {clause}\n{{ meet(); y++; }}\n}}"
WRONG = {
    "copyprivate": "#pragma omp single copyprivate(x)\nx = 7;\ny += x;",
    "sections": "#pragma omp sections\n{\n#pragma omp section\n{ meet(); y++; }\n#pragma omp section\n{ meet(); y++; }\n}",
    "tasks": TWO_TASKS.format(clause=""),
    "tasks that only read in order": TWO_TASKS.format(clause="depend(in: y)"),
    "a task without taskwait": "#pragma omp single nowait\n{\n#pragma omp task shared(y)\n{ meet(); y++; }\nmeet();\ny++;\n}",
    "for with nowait": "#pragma omp for nowait schedule(static, 1)\nfor (int i = 0; i < 4; i++) all[i] = i;\nmeet();\nn += all[0] + all[3];",
}


@pytest.fixture
def run(tmp_path):
    def run_once(body):
        (tmp_path / "a.c").write_text(REGION.format(body=body))
        subprocess.run(["gcc", "-g", "-O1", "-fopenmp", "-foffload=disable", "-fsanitize=thread", "a.c", "-o", "a.out"], cwd=tmp_path, check=True)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "LD_", "TSAN_"))}
        return subprocess.run([tmp_path / "a.out"], capture_output=True, text=True, timeout=600, check=False,
                              env={**env, "LD_LIBRARY_PATH": os.path.join(BUILD, "lib", "ompdd"), "OMP_TOOL_LIBRARIES": ARCHER,
                                   "TSAN_OPTIONS": "ignore_noninstrumented_modules=1"})
    return run_once


@pytest.mark.parametrize("name", RIGHT)
def test_no_report_without_a_race(run, name):
    done = run(RIGHT[name])
    assert done.returncode == 0 and "WARNING: ThreadSanitizer" not in done.stderr, done.stderr


@pytest.mark.parametrize("name", WRONG)
def test_a_race_is_reported(run, name):
    assert "WARNING: ThreadSanitizer: data race" in run(WRONG[name]).stderr
