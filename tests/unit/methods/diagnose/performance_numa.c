/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of methods/diagnose/performance_numa: memory on one node, and machines that nearly have the finding. */
#include "methods/diagnose/performance.h"

#include <string.h>

#include "check_main.h"
#include "performance_findings.h"

#define N_THREADS  4
#define ELAPSED_US 2000000u

static struct performance_thread threads[N_THREADS];
static struct target_cpus cpus[N_THREADS];
static struct tally tally;
static struct sampler sampler;

/* Two nodes with two CPUs each. A busy thread is bound to each CPU; all memory is on node 0. */
static void setup(void)
{
	memset(threads, 0, sizeof(threads));
	memset(cpus, 0, sizeof(cpus));
	p = (struct performance){.s = &sampler, .t = &tally, .elapsed_us = ELAPSED_US, .threads = threads};
	p.n_threads = N_THREADS;
	p.thread_us = N_THREADS * ELAPSED_US;
	p.has_counters = true;
	p.numa.n_nodes = 2;
	p.numa.nodes[0].cpus.bits[0] = 0x3;
	p.numa.nodes[1].number = 2;
	p.numa.nodes[1].cpus.bits[0] = 0xc;
	p.numa.nodes[0].n_pages = p.numa.n_pages = 1000;
	for (size_t i = 0; i < N_THREADS; i++) {
		cpus[i].bits[0] = 1u << i;
		threads[i] =
			(struct performance_thread){.tid = (pid_t)(100 + i), .cpus = &cpus[i], .cpu_us = ELAPSED_US};
	}
}

static void assert_none(void)
{
	ck_assert_ptr_null(find_by(performance_find_numa, "numa"));
	ck_assert_uint_eq(p.n_findings, 0);
}

START_TEST(test_memory_on_the_node_of_half_of_the_threads)
{
	const struct performance_finding *f = assert_only(find_by(performance_find_numa, "numa"), "numa");

	ck_assert(f->is_candidate);
	ck_assert_uint_eq(f->lost_us, 2 * ELAPSED_US);
	ck_assert_ptr_nonnull(strstr(f->title.text, "100 % of it is on NUMA node 0, and 2 busy threads"));
	/* The numbers of nodes need not be consecutive. */
	p.numa.nodes[0].n_pages = 0;
	p.numa.nodes[1].n_pages = 1000;
	f = assert_only(find_by(performance_find_numa, "numa"), "numa");
	ck_assert_ptr_nonnull(strstr(f->title.text, "NUMA node 2"));
}
END_TEST

START_TEST(test_distributed_memory)
{
	p.numa.nodes[0].n_pages = 700;
	p.numa.nodes[1].n_pages = 300;
	assert_none();
}
END_TEST

START_TEST(test_threads_that_may_run_where_the_memory_is)
{
	for (size_t i = 2; i < N_THREADS; i++)
		cpus[i].bits[0] = 0xf;
	assert_none();
	for (size_t i = 2; i < N_THREADS; i++)
		threads[i].cpus = NULL;
	assert_none();
}
END_TEST

START_TEST(test_threads_that_do_little)
{
	for (size_t i = 2; i < N_THREADS; i++)
		threads[i].cpu_us = ELAPSED_US / 10;
	assert_none();
}
END_TEST

START_TEST(test_few_pages)
{
	p.numa.nodes[0].n_pages = p.numa.n_pages = 100;
	assert_none();
	p.numa.nodes[0].n_pages = p.numa.n_pages = 0;
	assert_none();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("methods/diagnose/performance_numa");
	TCase *tc = tcase_create("numa");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_memory_on_the_node_of_half_of_the_threads);
	tcase_add_test(tc, test_distributed_memory);
	tcase_add_test(tc, test_threads_that_may_run_where_the_memory_is);
	tcase_add_test(tc, test_threads_that_do_little);
	tcase_add_test(tc, test_few_pages);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
