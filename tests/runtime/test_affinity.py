# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places, binding policies and the display of affinity, against the system's libgomp."""
import re
import subprocess

import pytest

from support import OURS, SYSTEM, environment

# Places and partitions of all members of many teams, and of teams within them.
PLACES = r"""
#include <omp.h>
#include <stdio.h>

static void show(const char *what, int n)
{
	static int place[64], first[64], length[64];
	int numbers[64], me = omp_get_thread_num();

	place[me] = omp_get_place_num();
	length[me] = omp_get_partition_num_places();
	omp_get_partition_place_nums(numbers);
	first[me] = numbers[0];
	#pragma omp barrier
	#pragma omp master
	{
		printf("%s %d:", what, n);
		for (int i = 0; i < omp_get_num_threads(); i++)
			printf(" %d[%d:%d]", place[i], first[i], length[i]);
		printf("\n");
	}
	#pragma omp barrier
}

int main(void)
{
	omp_set_max_active_levels(3);
	for (int n = 1; n <= 12; n++) {
		#pragma omp parallel num_threads(n) proc_bind(close)
		show("close", n);
		#pragma omp parallel num_threads(n) proc_bind(spread)
		show("spread", n);
		#pragma omp parallel num_threads(n) proc_bind(master)
		show("master", n);
		#pragma omp parallel num_threads(n)
		show("none", n);
	}
	for (int n = 1; n <= 5; n++)
		for (int k = 0; k < n; k++)
			#pragma omp parallel num_threads(n) proc_bind(spread)
			if (omp_get_thread_num() == k) {
				#pragma omp parallel num_threads(4) proc_bind(close)
				show(" spread/close", k);
				#pragma omp parallel num_threads(2) proc_bind(spread)
				show(" spread/spread", k);
				#pragma omp parallel num_threads(3)
				show(" spread/none", k);
			}
	for (int k = 0; k < 7; k++)
		#pragma omp parallel num_threads(7) proc_bind(close)
		if (omp_get_thread_num() == k) {
			#pragma omp parallel num_threads(4) proc_bind(close)
			show(" close/close", k);
			#pragma omp parallel num_threads(3) proc_bind(spread)
			show(" close/spread", k);
			#pragma omp parallel num_threads(9) proc_bind(spread)
			show(" close/spread9", k);
			#pragma omp parallel num_threads(5) proc_bind(master)
			show(" close/master", k);
		}
	printf("end %d\n", omp_get_place_num());
	return 0;
}
"""

# The effect of policies and clauses on bind-var.
BIND = r"""
#include <omp.h>
#include <stdio.h>
#define SHOW(what) _Pragma("omp single") printf(what " %d\n", omp_get_proc_bind());

int main(void)
{
	omp_set_max_active_levels(3);
	printf("outside %d %d %d %d\n", omp_get_proc_bind(), omp_get_num_places(), omp_get_place_num(), omp_get_num_procs());
	for (int i = -1; i <= omp_get_num_places(); i++) {
		int ids[8] = {-1}, n = omp_get_place_num_procs(i);
		omp_get_place_proc_ids(i, ids);
		printf("place %d: %d, %d\n", i, n, ids[0]);
	}
	#pragma omp parallel num_threads(2)
	{
		SHOW("none")
		#pragma omp single
		#pragma omp parallel num_threads(2) proc_bind(spread)
		{
			SHOW("none spread")
			#pragma omp single
			#pragma omp parallel num_threads(2)
			SHOW("none spread none")
		}
	}
	#pragma omp parallel num_threads(1) proc_bind(spread)
	{
		SHOW("spread")
		#pragma omp parallel num_threads(2)
		SHOW("spread none")
		#pragma omp parallel num_threads(2) proc_bind(close)
		SHOW("spread close")
	}
	return 0;
}
"""

CAPTURE = r"""
#include <omp.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char buffer[200];
	memset(buffer, '#', sizeof(buffer));
	size_t n = omp_capture_affinity(buffer, sizeof(buffer), argv[1]);
	printf("%zu [%s]\n", n, buffer);
	memset(buffer, '#', sizeof(buffer));
	n = omp_capture_affinity(buffer, 5, argv[1]);
	printf("%zu [%s] %c\n", n, buffer, buffer[5]);
	printf("%zu\n", omp_capture_affinity(NULL, 0, argv[1]));
	omp_set_affinity_format(argv[1]);
	memset(buffer, '#', sizeof(buffer));
	n = omp_get_affinity_format(buffer, 4);
	printf("%zu [%s] %c\n", n, buffer, buffer[4]);
	omp_display_affinity(NULL);
	#pragma omp parallel num_threads(2)
	#pragma omp master
	{
		omp_display_affinity("");
		#pragma omp parallel num_threads(1)
		omp_display_affinity(argv[1]);
	}
	return 0;
}
"""

REGIONS = r"""
#include <omp.h>
#include <stdio.h>

static void region(int n)
{
	fprintf(stderr, "region of %d\n", n);
	#pragma omp parallel num_threads(n)
	{ }
}

int main(void)
{
	int sizes[] = {2, 2, 3, 2, 1, 1, 2, 4, 4};
	for (int i = 0; i < 9; i++)
		region(sizes[i]);
	omp_set_affinity_format("other %n of %N");
	region(4);
	region(4);
	return 0;
}
"""


def run(program, runtime, *args, **variables):
    result = subprocess.run([program, *args], env=environment(runtime, **variables), capture_output=True, text=True, timeout=600)
    thread = re.compile(r"0x[0-9a-f]{8,}")
    # libgomp names a missing letter with a zero byte.
    return result.returncode, thread.sub("<thread>", result.stdout), thread.sub("<thread>", result.stderr).replace("\0", " ")


# CPUs again and again: the test's own places, on any machine.
@pytest.mark.parametrize("places", ["0 1 0 1 0 1 0 1", "0 1 0 1 0 1 1", "0 1 0 1 0", "0 1 0", "0 1", "0"])
@pytest.mark.parametrize("bind", ["true", "close", "spread", "master", "spread,close", "close,master,spread"])
def test_assignment(compiled, places, bind):
    program = compiled(PLACES, "places")
    ours, libgomps = (run(program, runtime, GOMP_CPU_AFFINITY=places, OMP_PROC_BIND=bind) for runtime in (OURS, SYSTEM))
    assert ours[0] == libgomps[0] == 0
    n_places = len(places.split())
    for our, libgomp in zip(ours[1].splitlines(), libgomps[1].splitlines()):
        # With close and a multiple of the number of places, libgomp puts the last thread on the first place. The
        # specification requires the same number on each.
        size = re.match(r" ?\S*close (\d+)", our)
        if our != libgomp and size:
            threads = our.split(":", 1)[1].split()
            assert len(threads) % n_places == 0 and len(threads) > n_places, (our, libgomp)
            assert our.rsplit(" ", 1)[0] == libgomp.rsplit(" ", 1)[0]
            assert threads[-1] == threads[-2]
        else:
            assert our == libgomp
    assert len(ours[1].splitlines()) == len(libgomps[1].splitlines())


@pytest.mark.parametrize("variables", [{}, {"OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "close"}, {"OMP_PROC_BIND": "false"},
                                       {"OMP_PROC_BIND": "spread,close,master"}, {"OMP_PLACES": "{0:2}"},
                                       {"OMP_PLACES": "{1},{0:2}", "OMP_PROC_BIND": "spread"},
                                       {"OMP_PLACES": "cores", "OMP_PROC_BIND": "false"}])
def test_bind_var(compiled, variables):
    program = compiled(BIND, "bind")
    ours = run(program, OURS, **variables)
    assert ours[0] == 0
    assert ours == run(program, SYSTEM, **variables)


@pytest.mark.parametrize("format", ["%t %T %L %n %N %a %P|%H", "%{team_num} %{num_teams} %{nesting_level} %{thread_num}",
                                    "%{num_threads} %{ancestor_tnum} %{host} %{thread_affinity}", "%5n|%.5n|%0.5n|%1n",
                                    "%.10A|%10A|%0.10A", "%4H|%10H|%.10H|%0.10H", "%%|a%%b", "%.40L|%4a|%0.4a|%.4a|%0.1a",
                                    "%20i|%.20i", "%5{thread_num}|%0.5{thread_num}", "%2A|%.2A", "plain", "%A%",
                                    "%Z", "%", "%{foo}", "%{thread_num", "%5", "%0", "%.", "%0n", "%0.n", "%.0n", "%-n", "%{}",
                                    "% n", "%5.5n", "%..5n", "%05n", "a%"])
def test_format(compiled, format):
    program = compiled(CAPTURE, "capture")
    ours, libgomps = run(program, OURS, format), run(program, SYSTEM, format)
    if "%P" in format:
        assert re.sub(r"\d{2,}", "<pid>", ours[1]) == re.sub(r"\d{2,}", "<pid>", libgomps[1])
    elif "i" not in format:
        assert ours == libgomps
    else:
        # The first digits of a thread's address remain when the buffer cuts it, and differ between two processes.
        assert ours[0] == libgomps[0]
        assert re.sub(r"0x7[0-9a-f]", "0x7?", ours[1]) == re.sub(r"0x7[0-9a-f]", "0x7?", libgomps[1])


@pytest.mark.parametrize("variables", [{}, {"OMP_PLACES": "threads"}, {"OMP_DISPLAY_AFFINITY": "false"}])
def test_display_at_regions(compiled, variables):
    """Members print it in any order, but between the same regions."""
    program = compiled(REGIONS, "regions")
    outputs = []
    for runtime in (OURS, SYSTEM):
        settings = {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "%L %n %N %A", **variables}
        code, _, text = run(program, runtime, **settings)
        assert code == 0
        outputs.append([sorted(part.splitlines()) for part in re.split("(?m)^region", text)])
    assert outputs[0] == outputs[1]
