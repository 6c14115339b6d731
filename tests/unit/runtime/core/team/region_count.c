/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the number of started regions: no count is lost when tables grow, threads end, or many count at once. */
#include "core/team/region_count.h"

#include <pthread.h>
#include <stdlib.h>

#include "check_main.h"

#define N_FUNCTIONS 1000
#define N_THREADS   4
#define ROUNDS	    20

__thread struct thread thread_tls = {.counted = &region_count_none};
struct region_count region_count_none;
struct root runtime_root;

static void (*function(uintptr_t n))(void *)
{
	return (void (*)(void *))(0x401000 + 16 * n);
}

static uint64_t sum(void (*fn)(void *), uint32_t level, unsigned *n_tables)
{
	uint64_t n = 0;

	*n_tables = 0;
	for (const struct region_counts *table = runtime_root.region_counts; table; table = table->next) {
		++*n_tables;
		for (uint32_t i = 0; i < table->capacity; i++) {
			if (table->entries[i].fn == (uintptr_t)fn && table->entries[i].level == level)
				n += table->entries[i].n;
		}
	}
	return n;
}

START_TEST(each_function_and_level_has_its_own)
{
	struct thread *t = thread_peek();
	unsigned n_tables;

	for (int round = 0; round < 3; round++) {
		for (uintptr_t i = 0; i < N_FUNCTIONS; i++) {
			for (uintptr_t k = 0; k <= i % 3; k++)
				region_count_add(t, function(i), 1);
			region_count_add(t, function(i), 2);
		}
	}
	for (uintptr_t i = 0; i < N_FUNCTIONS; i++) {
		ck_assert_uint_eq(sum(function(i), 1, &n_tables), 3 * (1 + i % 3));
		ck_assert_uint_eq(sum(function(i), 2, &n_tables), 3);
		ck_assert_uint_eq(sum(function(i), 3, &n_tables), 0);
	}
	/* The tables double in size. */
	ck_assert_uint_le(n_tables, 8);
}
END_TEST

static void *run(void *arg)
{
	struct thread *t = thread_peek();

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		for (uintptr_t k = 0; k < N_FUNCTIONS; k++)
			region_count_add(t, function(k), 1);
	}
	region_count_leave(t);
	/* The program's own destructors may still start regions. */
	region_count_add(t, function(0), 1);
	region_count_leave(t);
	return NULL;
}

START_TEST(tables_outlive_their_threads)
{
	pthread_t ids[N_THREADS];
	unsigned n_first, n_tables;

	run(NULL);
	sum(function(0), 1, &n_first);
	for (int i = 0; i < 3; i++)
		run(NULL);
	ck_assert_uint_eq(sum(function(0), 1, &n_tables), 4 * (ROUNDS + 1));
	ck_assert_uint_eq(n_tables, n_first);
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&ids[i], NULL, run, NULL), 0);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(ids[i], NULL);
	ck_assert_uint_eq(sum(function(0), 1, &n_tables), (4 + N_THREADS) * (ROUNDS + 1));
	for (uintptr_t k = 1; k < N_FUNCTIONS; k++)
		ck_assert_uint_eq(sum(function(k), 1, &n_tables), (4 + N_THREADS) * ROUNDS);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/region_count");
	TCase *tc = tcase_create("region_count");

	tcase_add_test(tc, each_function_and_level_has_its_own);
	tcase_add_test(tc, tables_outlive_their_threads);
	suite_add_tcase(s, tc);

	return check_main(s);
}
