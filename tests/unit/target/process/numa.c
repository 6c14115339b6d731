/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/process/numa.c: folders as sysfs has them, and the pages of a child. */
#include "target/process/numa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "check_main.h"
#include "child_fixture.h"

#define CHILD_BYTES (64u << 20)

static char folder[] = "/tmp/ompdd-numa-XXXXXX";
static struct numa numa;

static void make_folder(void)
{
	memcpy(strchr(folder, 0) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void add_node(unsigned number, const char *mask)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/node%u", folder, number);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/node%u/cpumap", folder, number);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(mask, f);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(test_nodes)
{
	add_node(0, "00000000,0000000f\n");
	add_node(3, "00000001,000000f0\n");
	add_node(4, "00000000,00000000\n");
	ck_assert(numa_read_nodes(folder, &numa));
	ck_assert_uint_eq(numa.n_nodes, 3);
	ck_assert_uint_eq(numa.nodes[0].number, 0);
	ck_assert_uint_eq(numa.nodes[1].number, 3);
	ck_assert_uint_eq(numa.nodes[0].cpus.bits[0], 0xf);
	ck_assert_uint_eq(numa.nodes[1].cpus.bits[0], 0x1000000f0);
	ck_assert_uint_eq(target_cpus_count(&numa.nodes[2].cpus), 0);
}
END_TEST

START_TEST(test_no_nodes)
{
	ck_assert(!numa_read_nodes("/nonexistent", &numa));
	ck_assert(!numa_read_nodes(folder, &numa));
	add_node(0, "nonsense\n");
	ck_assert(!numa_read_nodes(folder, &numa));
}
END_TEST

START_TEST(test_a_machine_with_more_nodes)
{
	add_node(0, "1\n");
	ck_assert(numa_read_nodes(folder, &numa));
	add_node(NUMA_MAX_NODES, "2\n");
	ck_assert(!numa_read_nodes(folder, &numa));
}
END_TEST

static void child_with_memory(void)
{
	char *bytes = mmap(NULL, 2 * CHILD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		abort();
	/* The second half stays without pages. */
	memset(bytes, 1, CHILD_BYTES);
	child_sleeper();
}

START_TEST(test_pages_of_a_process)
{
	if (!numa_read_nodes(NUMA_FOLDER, &numa))
		CHECK_SKIP("this kernel has no NUMA nodes");
	attach_child(child_with_memory, 1, TARGET_OBSERVE, 1000);
	ck_assert(numa_count_pages(t, &numa));
	/* About half of the sample is in memory; less with a sanitizer, which reserves terabytes. */
	ck_assert_uint_ge(numa.n_pages, NUMA_MAX_SAMPLES / 32);
	ck_assert_uint_le(numa.n_pages, NUMA_MAX_SAMPLES * 3 / 4);
	uint64_t sum = 0;
	for (size_t i = 0; i < numa.n_nodes; i++)
		sum += numa.nodes[i].n_pages;
	ck_assert_uint_eq(sum, numa.n_pages);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/process/numa");
	TCase *tc = tcase_create("nodes"), *of_process = tcase_create("pages");

	tcase_add_checked_fixture(tc, make_folder, remove_folder);
	tcase_add_test(tc, test_nodes);
	tcase_add_test(tc, test_no_nodes);
	tcase_add_test(tc, test_a_machine_with_more_nodes);
	tcase_add_checked_fixture(of_process, NULL, teardown);
	tcase_add_test(of_process, test_pages_of_a_process);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, of_process);
	return check_main(suite);
}
