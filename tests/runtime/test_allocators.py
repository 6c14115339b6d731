# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory allocators: OMP_ALLOCATOR with traits, gcc's own predefined allocators, and handles that are not allocators.
"""
import subprocess

import pytest

from support import OURS, environment

SHOW = r"""
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
int main(void)
{
	int aligned = 0, n = 0;
	for (int i = 0; i < 8; i++) {
		char *p = omp_alloc(40, omp_null_allocator);
		n += p != NULL;
		aligned += p && (uintptr_t)p % 4096 == 0;
	}
	printf("%d %d\n", n, aligned);
	return 0;
}
"""

HANDLES = r"""
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static long locked(void)
{
	char line[100];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof(line), f))
		sscanf(line, "VmLck: %ld", &kb);
	fclose(f);
	return kb;
}

static void try(uintptr_t handle)
{
	char *p = omp_alloc(100, handle), *q = omp_calloc(1, 10, handle), *r = omp_alloc(50, omp_default_mem_alloc), *s;

	strcpy(r, "kept");
	s = omp_realloc(r, 60, handle, omp_default_mem_alloc);
	printf("%d %d %s\n", p != NULL, q && !*q, s ? s : "null");
	omp_free(p, handle);
	omp_free(q, handle);
	omp_free(s ? s : r, omp_null_allocator);
	omp_destroy_allocator(handle);
}

int main(void)
{
	omp_alloctrait_t pinned = {omp_atk_pinned, omp_atv_true}, pool = {omp_atk_pool_size, 100};
	omp_allocator_handle_t a, b, last;
	char *many[64], *p, *q;
	long before;

	for (int i = 0; i < 2; i++)
		try(200 + i);
	for (int i = 0; i < 5; i++)
		try((uintptr_t[]){9, 199, 202, 4096, UINTPTR_MAX}[i]);
	a = omp_init_allocator(omp_default_mem_space, 1, &pool);
	try(a);
	try(a); /* it is destroyed */
	b = omp_init_allocator(omp_default_mem_space, 0, NULL);
	printf("%d\n", omp_alloc(200, b) != NULL);

	/* Memory that outlives its allocator counts for no other. */
	a = omp_init_allocator(omp_default_mem_space, 1, &pool);
	p = omp_alloc(80, a);
	omp_destroy_allocator(a);
	a = omp_init_allocator(omp_default_mem_space, 1, &pool);
	omp_free(p, omp_null_allocator);
	p = omp_alloc(80, a), q = omp_alloc(80, a);
	printf("%d %d\n", p != NULL, q != NULL);

	/* Small blocks share locked pages, and give them back. */
	a = omp_init_allocator(omp_default_mem_space, 1, &pinned);
	before = locked();
	for (int i = 0; i < 64; i++)
		many[i] = omp_calloc(1, 100, a);
	if (locked() - before > 4 * 64)
		printf("%ld kB are locked for 64 blocks\n", locked() - before);
	for (int i = 0; i < 64; i++) {
		if (many[i][0] || many[i][99])
			printf("block %d is not zeroed\n", i);
		memset(many[i], 0xff, 100);
		omp_free(many[i], a);
	}
	printf("%ld\n", locked() - before);
	return 0;
}
"""

# Memory spaces and handles: 200 and 201 are gcc's own. A handle of no allocator is refused wherever it is given.
REFUSED = r"""
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int has_space(uintptr_t space)
{
	omp_allocator_handle_t a = omp_init_allocator((omp_memspace_handle_t)space, 0, NULL);
	char *p = a ? omp_alloc(10, a) : NULL;

	omp_free(p, a);
	return p != NULL;
}

static int has_fallback(uintptr_t handle)
{
	omp_alloctrait_t traits[] = {{omp_atk_pool_size, 1}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, handle}};
	omp_allocator_handle_t a = omp_init_allocator(omp_default_mem_space, 3, traits);
	char *p = omp_alloc(100, a);

	omp_free(p, a);
	return p != NULL;
}

static int has_default(uintptr_t handle)
{
	char *p, *q;

	omp_set_default_allocator((omp_allocator_handle_t)handle);
	p = omp_alloc(100, omp_null_allocator);
	q = omp_aligned_calloc(64, 2, 50, (omp_allocator_handle_t)handle);
	if (!p != !q || omp_get_default_allocator() != (omp_allocator_handle_t)handle)
		abort();
	omp_free(p, omp_null_allocator);
	omp_free(q, omp_null_allocator);
	omp_set_default_allocator(omp_default_mem_alloc);
	return p != NULL;
}

int main(void)
{
	static const uintptr_t numbers[] = {1, 4, 8, 200, 201, 5, 9, 199, 202, 4096, 1ull << 47, UINTPTR_MAX};

	for (int i = 0; i < 12; i++)
		printf("%d%d%d ", has_space(numbers[i]), has_fallback(numbers[i]), has_default(numbers[i]));
}
"""

SPACE = "omp_default_mem_space"
CANNOT = "Allocator of environment variable OMP_ALLOCATOR cannot be created, using omp_default_mem_alloc instead"


def show(compiled, value, **variables):
    done = subprocess.run([compiled(SHOW, "show")], env=environment(OURS, OMP_ALLOCATOR=value, **variables), capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0
    return done.stdout, done.stderr


@pytest.mark.parametrize("value,answer", [
    (f"{SPACE}:alignment=4096", "8 8\n"), (f" {SPACE.upper()} : Alignment = 4096 ", "8 8\n"),
    (f"{SPACE}:sync_hint=private,access=cgroup,partition=nearest,pinned=false,alignment=4096", "8 8\n"),
    (f"{SPACE}:pool_size=100,fallback=null_fb", "2 0\n"), (f"{SPACE}:pool_size=100", "8 0\n"),
    (f"{SPACE}:pool_size=100,fallback=allocator_fb,fb_data=omp_low_lat_mem_alloc,alignment=4096", "8 8\n"),
    ("omp_large_cap_mem_space:alignment=4096", "8 8\n"), ("ompx_gnu_managed_mem_space:alignment=4096", "8 8\n"),
    ("omp_const_mem_space", "8 0\n"), ("ompx_gnu_pinned_mem_alloc", "8 0\n"), ("ompx_gnu_managed_mem_alloc", "8 0\n")])
def test_traits(compiled, value, answer):
    assert show(compiled, value) == (answer, "")


@pytest.mark.parametrize("value,message", [
    ("omp_default_mem_alloc:alignment=4096", "Invalid value for environment variable OMP_ALLOCATOR when parsing: :alignment=4096"),
    (f"{SPACE}:alignment=3", CANNOT), (f"{SPACE}:alignment=0,pinned=true", CANNOT),
    (f"{SPACE}:access=none,pinned=false", "Invalid value for environment variable OMP_ALLOCATOR when parsing: none,pinned=false"),
    (f"{SPACE}:alignment=4096,x=5", "Invalid value for environment variable OMP_ALLOCATOR when parsing: x=5"),
    (f"{SPACE}:alignment=8k", "Invalid value for environment variable OMP_ALLOCATOR when parsing: k"),
    (f"{SPACE}:alignment", "Invalid value for environment variable OMP_ALLOCATOR when parsing: alignment"),
    (f"{SPACE}:pinned=", f"Missing value at the end of environment variable OMP_ALLOCATOR={SPACE}:pinned="),
    (f"{SPACE}:pinned=true,", f"Missing value at the end of environment variable OMP_ALLOCATOR={SPACE}:pinned=true,")])
def test_bad_traits(compiled, value, message):
    assert show(compiled, value) == ("8 0\n", f"\nlibgomp: {message}\n")


@pytest.mark.parametrize("value,shown", [("omp_const_mem_space", "omp_const_mem_alloc"), (f"  {SPACE}:pinned=false ", f"  {SPACE}:pinned=false "),
                                         (f"{SPACE}:alignment=3", "omp_default_mem_alloc")])
def test_display(compiled, value, shown):
    assert f"  [host] OMP_ALLOCATOR = '{shown}'\n" in show(compiled, value, OMP_DISPLAY_ENV="true")[1]


def test_handles(compiled):
    done = subprocess.run([compiled(HANDLES, "handles")], env=environment(OURS), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0
    assert done.stdout == "1 1 kept\n" * 2 + "0 0 null\n" * 5 + "1 1 kept\n0 0 null\n1\n1 1\n0\n"


def test_spaces_and_handles_that_do_not_exist(compiled):
    done = subprocess.run([compiled(REFUSED, "refused")], env=environment(OURS), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0
    assert done.stdout.split() == ["111", "111", "011", "111", "011", "011", *["000"] * 6]
