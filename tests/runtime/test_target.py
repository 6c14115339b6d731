# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Target constructs as gcc 16 compiles them, without that compiler; and devices that do not exist."""
import subprocess

import pytest

from support import OURS, SYSTEM, environment

FIRSTPRIVATE = r"""
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FIRSTPRIVATE = 0x30c, ATTACH = 0x50, NOWAIT = 1 };
struct descriptor { int *data; size_t offset, n; };

void GOMP_target_ext(int, void (*)(void *), size_t, void **, size_t *, unsigned short *, unsigned, void **, void **);

static struct descriptor *original;
static int *its_data;

static void region(void *args)
{
	struct descriptor *d = ((struct descriptor **)args)[0];

	printf("%d copied, ", d != original);
	if (!d->data) {
		printf("not allocated\n");
		return;
	}
	printf("%d copied, %d %zu\n", d->data < its_data || d->data >= its_data + 4, d->data[1], d->n);
	d->data[1] = 5;
	d->n = 9;
}

/* A descriptor, its data and their connection, as in "!$omp target firstprivate(b)" of an allocatable b. */
static void target(struct descriptor *d, int *data, size_t size, unsigned flags)
{
	void *args[3] = {d, data, args};
	size_t sizes[3] = {sizeof(*d), size, 0};
	unsigned short kinds[3] = {FIRSTPRIVATE, FIRSTPRIVATE, ATTACH};
	void *depend[] = {(void *)1, (void *)1, d};

	GOMP_target_ext(-5, region, 3, args, sizes, kinds, flags, flags ? depend : NULL, NULL);
}

int main(void)
{
	int a[4] = {1, 2, 3, 4}, b[4] = {0, 1, 2, 3};
	struct descriptor d = {a, 0, 4}, inner = {b + 1, 1, 3}, none = {NULL, 0, 0};

	original = &d, its_data = a;
	target(&d, a, sizeof(a), 0);
#pragma omp parallel num_threads(2)
#pragma omp single
	target(&d, a, sizeof(a), NOWAIT);
	printf("%d %d %zu\n", d.data == a, a[1], d.n);
	original = &inner, its_data = b; /* it points into the data, not to its start */
	target(&inner, b, sizeof(b), 0);
	printf("%d %d %zu\n", inner.data == b + 1, b[2], inner.n);
	original = &none;
	target(&none, NULL, 0, 0);

	/* An optional argument that is absent; and the attach of a variable that is mapped, not copied. */
	void *absent[3] = {NULL, NULL, NULL}, *mapped[3] = {&d, a, &d.data};
	size_t sizes[3] = {sizeof(d), sizeof(a), 0};
	unsigned short kinds[3] = {FIRSTPRIVATE, FIRSTPRIVATE, ATTACH}, maps[3] = {3, FIRSTPRIVATE, ATTACH};

	GOMP_target_ext(-1, (void (*)(void *))omp_get_num_devices, 3, absent, sizes, kinds, 0, NULL, NULL);
	GOMP_target_ext(-1, (void (*)(void *))omp_get_num_devices, 3, mapped, sizes, maps, 0, NULL, NULL);
	printf("%d\n", d.data == a);
	return 0;
}
"""

DEVICES = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int omp_get_device_from_uid(const char *);
int omp_get_device_from_uid_(const char *, size_t);

int main(int argc, char **argv)
{
	static const int values[] = {0, 1, -1, -2, -4, -5, -100};

	printf("%d\n", omp_get_default_device());
	for (int i = 0; i < 7; i++) {
		omp_set_default_device(values[i]);
		printf("%d ", omp_get_default_device());
	}
	printf("\n%d %d\n", omp_get_device_from_uid(NULL), omp_get_device_from_uid_(NULL, 0));
	printf("%d %d\n", omp_target_memcpy(NULL, &argc, 4, 0, 0, 0, 0), omp_target_memcpy(&argc, NULL, 4, 0, 0, 0, 0));
	printf("%d\n", omp_init_allocator(omp_default_mem_space, 1, NULL) != omp_null_allocator);
	printf("%d %d\n", omp_pause_resource(omp_pause_soft, -1), omp_target_is_present(NULL, 0));
	if (argc < 2)
		return 0;
	if (argv[1][0] != 'd')
		omp_set_default_device(atoi(argv[1]));
	fflush(stdout);
	int ran = 0;
#pragma omp target map(tofrom: ran)
	ran = 1;
	printf("ran %d\n", ran);
	return 0;
}
"""

# One argument of each kind that a byte can have, among them all kinds of gcc 16's gomp-constants.h. On the host only
# firstprivate differs: the region gets a copy, and the attached pointer of a copy.
KINDS = r"""
#include <stddef.h>
#include <stdio.h>

enum { NOWAIT = 1, EXIT_DATA = 2, FIRSTPRIVATE = 12 };
void GOMP_target_ext(int, void (*)(void *), size_t, void **, size_t *, unsigned short *, unsigned, void **, void **);
void GOMP_target_data_ext(int, size_t, void **, size_t *, unsigned short *);
void GOMP_target_end_data(void);
void GOMP_target_update_ext(int, size_t, void **, size_t *, unsigned short *, unsigned, void **);
void GOMP_target_enter_exit_data(int, size_t, void **, size_t *, unsigned short *, unsigned, void **);

static long value, n_regions, n_copies, n_wrong;
static unsigned kind;

static void region(void *args)
{
	long *argument = ((long **)args)[0];

	n_regions++;
	if (argument == &value)
		return;
	n_copies++;
	n_wrong += kind != FIRSTPRIVATE || *argument != value;
	*argument = -1;
}

int main(void)
{
	for (kind = 0; kind < 256; kind++) {
		void *args[1] = {&value}, *depend[] = {(void *)1, (void *)1, &value};
		size_t sizes[1] = {sizeof(value)};
		unsigned short kinds[1] = {(unsigned short)(kind | 3 << 8)};
		long before = value = 100 + kind;

		GOMP_target_ext(-1, region, 1, args, sizes, kinds, 0, NULL, NULL);
		args[0] = &value; /* libgomp may have stored the copy's address */
		GOMP_target_ext(-1, region, 1, args, sizes, kinds, 0, depend, NULL);
		args[0] = &value;
#pragma omp parallel num_threads(2)
#pragma omp single
		GOMP_target_ext(-1, region, 1, args, sizes, kinds, NOWAIT, depend, NULL);
		args[0] = &value;
		GOMP_target_data_ext(-1, 1, args, sizes, kinds);
		GOMP_target_update_ext(-1, 1, args, sizes, kinds, 0, NULL);
		GOMP_target_end_data();
		GOMP_target_enter_exit_data(-1, 1, args, sizes, kinds, 0, NULL);
		GOMP_target_enter_exit_data(-1, 1, args, sizes, kinds, EXIT_DATA, NULL);
		n_wrong += value != before || args[0] != &value || kinds[0] != (kind | 3 << 8);
	}
	printf("%ld regions, %ld copies, %ld wrong\n", n_regions, n_copies, n_wrong);
}
"""

MANDATORY = "MANDATORY, but only the host device is available"


@pytest.fixture
def run(compiled):
    def run_once(name, source, *args, **variables):
        program = compiled(source, name, "-foffload=disable", "-L" + OURS)
        done = subprocess.run([program, *args], env=environment(OURS, **variables), capture_output=True, text=True, timeout=600)
        return done.returncode, done.stdout, done.stderr
    return run_once


def test_a_copied_descriptor_leads_to_the_copied_data(run):
    assert run("firstprivate", FIRSTPRIVATE) == (0, "1 copied, 1 copied, 2 4\n" * 2 + "1 2 4\n1 copied, 1 copied, 2 3\n1 2 3\n"
                                 "1 copied, not allocated\n1\n", "")


@pytest.mark.parametrize("runtime", (OURS, SYSTEM))
def test_every_kind_of_map(compiled, runtime):
    program = compiled(KINDS, "kinds", "-foffload=disable")
    done = subprocess.run([program], env=environment(runtime), capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "768 regions, 3 copies, 0 wrong\n", "")


# With a constructor as gcc's mkoffload adds it to a program for nvptx.
IMAGE = r"""
#include <stdio.h>
void GOMP_offload_register_ver(unsigned, const void *, int, const void *);
enum { NVPTX = 5 };
static const void *table[4] = {table, table, table, table};

__attribute__((constructor)) static void add_image(void)
{
	GOMP_offload_register_ver(1 << 16, table, NVPTX, NULL);
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
#pragma omp target
		puts("ran");
	}
}
"""


@pytest.mark.parametrize("offload", ("default", "disabled", "mandatory"))
def test_code_for_devices_is_not_dropped_silently(run, offload):
    code, out, err = run("image", IMAGE, OMP_TARGET_OFFLOAD=offload)
    if offload == "mandatory":
        assert code == 1 and out == "" and MANDATORY in err
        return
    assert (code, out) == (0, "ran\n" * 3)
    said = "\nlibgomp: this runtime has no devices: the host executes the program's target regions (OMP_TARGET_OFFLOAD=disabled omits this message)\n"
    assert err == (said if offload == "default" else "")


def test_devices_that_do_not_exist(run):
    assert run("devices", DEVICES) == (0, "0\n0 1 -1 -2 -4 -4 -100 \n-4 -4\n22 22\n0\n0 0\n", "")
    assert run("devices", DEVICES, OMP_TARGET_OFFLOAD="mandatory")[1].startswith("-4\n")
    assert run("devices", DEVICES, OMP_TARGET_OFFLOAD="mandatory", OMP_DEFAULT_DEVICE="0")[1].startswith("0\n")


@pytest.mark.parametrize("offload,device,message", [
    ("default", "-4", "omp_invalid_device encountered"), ("disabled", "-4", "omp_invalid_device encountered"),
    ("mandatory", "-4", MANDATORY), ("mandatory", "-100", MANDATORY), ("mandatory", "1", "MANDATORY, but device not found"),
    ("default", "-1", None), ("default", "1", None), ("mandatory", "0", None), ("mandatory", "-1", None)])
def test_a_target_region_on_the_default_device(run, offload, device, message):
    code, out, err = run("devices", DEVICES, device, OMP_TARGET_OFFLOAD=offload)
    if message:
        assert code == 1 and message in err and "ran" not in out
    else:
        assert (code, err) == (0, "") and out.endswith("ran 1\n")


def test_mandatory_offload_has_no_default_device(run):
    code, out, err = run("devices", DEVICES, "-5", OMP_TARGET_OFFLOAD="mandatory")
    assert code == 1 and MANDATORY in err and "ran" not in out
