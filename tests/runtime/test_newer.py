# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The additions of gcc 13 to 17 to the ABI (newer.c), without these compilers.

tests/matrix compares them with each release's own libgomp.
"""
import os
import re
import subprocess

import pytest

from support import OURS, environment

HERE = os.path.dirname(os.path.abspath(__file__))
# The answers of gcc 16's libgomp.
ANSWERS = r"""omp_in_explicit_task(): 0
omp_in_explicit_task(): 0
omp_in_explicit_task(): 1
omp_in_explicit_task_(): 1
omp_in_explicit_task(): 0
omp_in_explicit_task(): 1
omp_in_explicit_task(): 1
omp_in_explicit_task(): 0
omp_in_explicit_task(): 0
went on: 1
seen: 5
all memory: 5 7
all memory: 5 7
omp_target_memcpy_async(to, from, 4, 1, 2, 0, omp_get_initial_device(), 2, objects): 0
omp_target_memcpy_rect_async(rect, from, 1, 2, volume, at, at, size, size, 0, 0, 1, objects): 0
memset: 1
abcdefgh
aX456fgh a2Xde67h zzzdefgh
omp_target_memcpy_async(to, "YY", 2, 0, 0, 0, 0, 0, NULL): 0
YY456fgh
GOMP_is_alloc(memory): 0
GOMP_is_alloc(memory): 1
GOMP_is_alloc(memory): 0
n: 10000
omp_get_uid_from_device(omp_get_initial_device()): OMP_INITIAL_DEVICE
omp_get_uid_from_device(-1): OMP_INITIAL_DEVICE
omp_get_uid_from_device(1): none
omp_get_uid_from_device(-4): none
omp_get_device_from_uid(omp_get_uid_from_device(0)): -1
omp_get_device_from_uid(""): -4
omp_get_device_from_uid("nobody's"): -4
omp_get_device_from_uid_("OMP_INITIAL_DEVICE and more", 18): -1
omp_get_device_from_uid_("OMP_INITIAL_DEVICE", 17): -4
omp_get_device_from_uid_("", 0): -4
18 OMP_INITIAL_DEVICE
0 0
omp_get_num_interop_properties(object): 0
"""
PROPERTIES = ["fr_id", "fr_name", "vendor", "vendor_name", "device_num", "platform", "device", "device_context", "targetsync"]
END = """after 1: 0
other: 0
"""
NODES = {"OMP_5.1.1": {"omp_get_mapped_ptr", "omp_target_is_accessible", "omp_target_memcpy_async", "omp_target_memcpy_rect_async"},
         "OMP_5.2": {"omp_in_explicit_task", "omp_in_explicit_task_"},
         "OMP_6.0": {f"omp_{do}_device_{what}{end}" for do in ("get", "set") for what in ("num_teams", "teams_thread_limit")
                     for end in ("", "_", "_8_")},
         "OMP_6.1": {f"omp_get_device_distances{end}" for end in ("", "_", "_8_")},
         "GOMP_5.1.1": {"GOMP_taskwait_depend_nowait"},
         "GOMP_5.1.2": {"GOMP_add_alloc", "GOMP_is_alloc", "GOMP_target_map_indirect_ptr"},
         "GOMP_5.1.3": {"GOMP_interop", "omp_get_interop_int", "omp_get_interop_ptr", "omp_get_num_interop_properties",
                        *(f"omp_get_interop_{what}{end}" for what in ("str", "name", "type_desc", "rc_desc") for end in ("", "_"))},
         "GOMP_6.0": {"omp_get_device_from_uid", "omp_get_device_from_uid_", "omp_get_uid_from_device", "omp_get_uid_from_device_",
                      "omp_get_uid_from_device_8_"},
         "GOMP_6.0.1": {"omp_target_memset", "omp_target_memset_async"}}


@pytest.fixture(scope="module")
def program(compiled):
    with open(os.path.join(HERE, "newer.c"), encoding="utf-8") as f:
        return compiled(f.read(), "newer", "-DALL", "-L" + OURS)


def properties():
    for number in range(-11, 2):
        name = PROPERTIES[-1 - number] if -9 <= number < 0 else None
        rc = -1 if name else -2
        described = int(-5 <= number <= 1)
        yield (f"property {number}: 0 0 0 0, {rc} {rc} {rc} {rc}, {name or 'none'} {name or ''}, 0 0, "
               f"{described} {described} {described}\n")


def test_answers(program):
    done = subprocess.run([program], env=environment(OURS), capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    # A compiler with the interop construct prints more.
    assert done.stdout.removesuffix("object: 0\n") == ANSWERS + "".join(properties()) + END


@pytest.mark.parametrize("offload", ["default", "mandatory", "disabled"])
@pytest.mark.parametrize("device", [0, -1, -5, 1, -2, -4])
def test_devices(program, device, offload):
    is_host = device in (0, -1) or (device == -5 and offload != "mandatory")  # Then the default device is omp_invalid_device.
    ends = device == -4 or (offload == "mandatory" and not is_host)
    refused = "0\nabcdefgh\n", "22\nabcdefgh\n"
    answers = (["1\nabcdefgh\n"] * 2 + ["0\na3456fgh\n"] * 2 + ["0\n12cd56gh\n"] if is_host
               else [refused[0]] * 2 + [refused[1]] * 3)
    for case, answer in enumerate([*answers, "2147483647\nabcdefgh\n", *["1\nxxxdefgh\n"] * 2, "0 0\n0\nabcdefgh\n"]):
        done = subprocess.run([program, str(device), str(case)], env=environment(OURS, OMP_TARGET_OFFLOAD=offload),
                              capture_output=True, text=True, timeout=600)
        if ends and case not in (5, 8):
            assert done.returncode == 1 and done.stdout == "", case
            assert ("MANDATORY" if offload == "mandatory" else "omp_invalid_device") in done.stderr, case
        else:
            assert (done.returncode, done.stdout, done.stderr) == (0, answer, ""), case


# gcc 17. Its Fortran calls the names with an underscore.
GCC_17 = r"""
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int omp_get_device_num_teams(int), omp_get_device_teams_thread_limit(int);
void omp_set_device_num_teams(int, int), omp_set_device_teams_thread_limit(int, int);
int32_t omp_get_device_num_teams_(int32_t *), omp_get_device_num_teams_8_(int64_t *);
void omp_set_device_num_teams_(int32_t *, int32_t *), omp_set_device_teams_thread_limit_8_(int64_t *, int64_t *);
void omp_get_device_distances(int, const int *, int *);
void omp_get_device_distances_8_(int64_t *, int64_t *, int64_t *);

static void __attribute__((noinline)) check_limit(void)
{
	if (omp_get_thread_limit() != 3)
		abort();
}

int main(int argc, char **argv)
{
	int devices[] = {omp_get_initial_device(), 0, -1, -5, 1, -2, -4}, distances[7], seven = 7, host = -1;
	int64_t long_devices[] = {-1, 1ll << 32}, long_distances[2], two = 2, nine = 9, long_host = -1;

	if (argc > 2) {
		(argv[2][0] == 'n' ? omp_set_device_num_teams : omp_set_device_teams_thread_limit)(1, atoi(argv[1]));
		return 0;
	}
	omp_set_device_num_teams(5, omp_get_initial_device());
	omp_set_device_teams_thread_limit(3, -5);
	for (int i = 0; i < 7; i++)
		printf("%d %d, ", omp_get_device_num_teams(devices[i]), omp_get_device_teams_thread_limit(devices[i]));
	printf("%d %d\n", omp_get_max_teams(), omp_get_teams_thread_limit());
#pragma omp teams
	check_limit();
	omp_set_device_num_teams_(&seven, &host);
	omp_set_device_teams_thread_limit_8_(&nine, &long_host);
	printf("%d %d %d\n", omp_get_device_num_teams_(&host), omp_get_device_num_teams_8_(&long_devices[1]),
	       omp_get_device_teams_thread_limit(0));
	omp_get_device_distances(7, devices, distances);
	for (int i = 0; i < 7; i++)
		printf("%d ", distances[i]);
	omp_get_device_distances_8_(&two, long_devices, long_distances);
	printf("%ld %ld\n", (long)long_distances[0], (long)long_distances[1]);
}
"""


def test_routines_of_gcc_17(compiled):
    program = compiled(GCC_17, "gcc17", "-foffload=disable", "-L" + OURS)

    def run(*args):
        return subprocess.run([program, *args], env=environment(OURS), capture_output=True, text=True, timeout=600)
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "5 3, 5 3, 5 3, 5 3, 0 0, 0 0, 0 0, 5 3\n7 0 9\n0 0 0 0 -1 -1 -1 0 -1\n"
    for which, name in (("n", "omp_set_device_num_teams"), ("t", "omp_set_device_teams_thread_limit")):
        assert run("-1", which).returncode == 0
        for device in ("1", "-2", "-4"):
            done = run(device, which)
            assert done.returncode == 1
            assert f"{name}: device {device} does not exist: the only device is the host" in done.stderr


def test_names_are_in_their_nodes():
    """ld.so searches for the node that the program was linked with."""
    text = subprocess.run(["readelf", "-W", "--dyn-syms", os.path.join(OURS, "libgomp.so.1")], capture_output=True, text=True,
                          check=True).stdout
    found = {}
    for name, node in re.findall(r" (\w+)@@([\w.]+)$", text, re.M):
        found.setdefault(node, set()).add(name)
    assert {node: found.get(node) for node in NODES} == NODES
