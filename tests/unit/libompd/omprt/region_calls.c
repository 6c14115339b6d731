/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often regions were started, from ompd_get_region_calls(): only our runtime counts them. */
#include <omp.h>
#include <string.h>

#include "check_main.h"
#include "handles.h"
#include "libompd_oracle.h"
#include "ompd-more.h"
#include "omprt/omprt.h"
#include "self_target.h"

#define N 40

__attribute__((noinline)) static void often(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
		__asm__ volatile("" ::: "memory");
	}
}

static void program(void)
{
	oracle_allow_nesting(2);
	often(N);
#pragma omp parallel num_threads(2)
	{
		often(N);
#pragma omp barrier
		oracle_park(omp_get_thread_num());
	}
}

static uint64_t calls_at(const ompd_region_calls_t *regions, ompd_word_t n, ompd_word_t level)
{
	uint64_t sum = 0;

	for (ompd_word_t i = 0; i < n; i++) {
		ck_assert_uint_ne(regions[i].function, 0);
		if (regions[i].level == level)
			sum += regions[i].calls;
	}
	return sum;
}

static void observe(void)
{
	ompd_region_calls_t *regions = NULL;
	ompd_word_t n = -1;
	ompd_rc_t rc = ompd_get_region_calls(oracle_process, &regions, &n);

	ck_assert_int_eq(ompd_get_region_calls(NULL, &regions, &n), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_region_calls(oracle_process, NULL, &n), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_region_calls(oracle_process, &regions, NULL), ompd_rc_bad_input);
	if (!oracle_runtime_is_ours()) {
		ck_assert_int_eq(rc, ompd_rc_unsupported);
		return;
	}
	ck_assert_int_eq(rc, ompd_rc_ok);
	ck_assert_int_eq(n, 3);
	ck_assert_uint_eq(calls_at(regions, n, 1), N + 1);
	ck_assert_uint_eq(calls_at(regions, n, 2), 2 * N);
	self_target_callbacks()->free_memory(regions);
}

/* More than any valid program has. */
#define MAX_BYTES (512u << 20)

/* Endless lists, tables that are too large, and unmapped memory. */
static void observe_lies(void)
{
	static uint8_t large[4u << 20];
	const struct omprt *o = oracle_process->base.process->data;
	ompd_region_calls_t *regions = NULL;
	struct omprt_copy root, table;
	ompd_word_t n;

	ck_assert_int_eq(omprt_read(oracle_process->base.process, LAYOUT_root, o->layout.root, &root), ompd_rc_ok);
	uint64_t first = omprt_field(&root, LAYOUT_root_region_counts);

	ck_assert_int_eq(omprt_read(oracle_process->base.process, LAYOUT_region_counts, first, &table), ompd_rc_ok);
	self_target.patches[0] = (struct self_target_patch){first, o->span[LAYOUT_region_counts], table.bytes};
	omprt_put(&table, LAYOUT_region_counts_next, first);
	ck_assert_int_eq(ompd_get_region_calls(oracle_process, &regions, &n), ompd_rc_incomplete);
	/* The same with a large table: the total number of bytes is limited too. */
	omprt_put(&table, LAYOUT_region_counts_capacity, 65536);
	memcpy(large, table.bytes, o->span[LAYOUT_region_counts]);
	self_target.patches[1] = (struct self_target_patch){first, sizeof(large), large};
	uint64_t before = self_target.bytes_read;
	ck_assert_int_eq(ompd_get_region_calls(oracle_process, &regions, &n), ompd_rc_incomplete);
	ck_assert_uint_gt(self_target.bytes_read, before + sizeof(large) / 4);
	ck_assert_uint_lt(self_target.bytes_read, before + MAX_BYTES);
	omprt_put(&table, LAYOUT_region_counts_next, 8);
	ck_assert_int_eq(ompd_get_region_calls(oracle_process, &regions, &n), ompd_rc_device_read_error);
	omprt_put(&table, LAYOUT_region_counts_next, 0);
	omprt_put(&table, LAYOUT_region_counts_capacity, UINT32_MAX);
	ck_assert_int_eq(ompd_get_region_calls(oracle_process, &regions, &n), ompd_rc_incomplete);
	omprt_put(&table, LAYOUT_region_counts_capacity, 0);
	ck_assert_int_eq(ompd_get_region_calls(oracle_process, &regions, &n), ompd_rc_incomplete);
	ck_assert_ptr_null(regions);
}

START_TEST(test_by_function_and_level)
{
	oracle_run(program, 2, 0, observe);
}
END_TEST

START_TEST(test_lies)
{
	if (oracle_runtime_is_ours())
		oracle_run(program, 2, 0, observe_lies);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("libompd/api/region_calls");
	TCase *tc = tcase_create("region_calls");

	tcase_add_test(tc, test_by_function_and_level);
	tcase_add_test(tc, test_lies);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
