/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Locations that libomp stores (libompd/libomp/location), as texts of an untrusted target. Programs
 * of gcc on libomp have no locations; the test writes them.
 */
#include <omp.h>
#include <string.h>
#include <sys/mman.h>

#include "check_main.h"
#include "handles.h"
#include "libomp/libomp.h"
#include "libompd_oracle.h"
#include "ompd-more.h"
#include "self_target.h"

/* The ident_t that compilers pass to libomp. */
static struct ident {
	int32_t reserved, flags, more[2];
	const char *source;
} ident;

static void program(void)
{
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
}

static void park_alone(void)
{
	oracle_park(0);
}

/* Request the location with the team's ident replaced by @value. */
static ompd_rc_t ask_with(const void *value, const char **ret)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));
	ompd_parallel_handle_t *region;
	const void *old;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	const struct libomp *libomp = libomp_of(region->base.process);
	unsigned char *at = (unsigned char *)(uintptr_t)region->ref.team + libomp->layout.team_ident;

	memcpy(&old, at, sizeof(old));
	memcpy(at, &value, sizeof(value));
	ompd_rc_t rc = ompd_get_construct_location(NULL, region, NULL, ret);

	memcpy(at, &old, sizeof(old));
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);
	return rc;
}

static ompd_rc_t ask_text(const char *text, const char **ret)
{
	ident.source = text;
	return ask_with(&ident, ret);
}

static const char *const texts[][2] = {
	{";a.c;main;7;1;;", "a.c;main;7;1"},
	{";/home/u/a b.c;ns::f;12;0;;", "/home/u/a b.c;ns::f;12;0"},
	{";a;b.c;f;7;1;;", "a;b.c;f;7;1"},
	{";\303\244.c;f;7;1;;", "\303\244.c;f;7;1"},
	{";unknown;unknown;0;0;;", NULL},
	{"", NULL},
	{";", NULL},
	{";;", NULL},
	{";;;", NULL},
	{";;;;;;", NULL},
	{"a.c;main;7;1;;", NULL},
	{";a.c;main;7;1;", NULL},
	{";a.c;main;7;1", NULL},
	{";a.c;main;7;;", NULL},
	{";a.c;7;1;;", NULL},
	{";;main;7;1;;", NULL},
	{";a.c;main;-7;1;;", NULL},
	{";a.c;main;7;x;;", NULL},
	{";a.c;main;0;1;;", NULL},
	{";a.c;main;1234567890;1;;", NULL},
	{";a.c;\033[2Jmain;7;1;;", NULL},
	{";a\n.c;main;7;1;;", NULL},
	{";a.c;main;7;1;;x", NULL},
};

static void observe_texts(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *location = NULL;

		ck_assert_int_eq(ask_text(texts[i][0], &location), texts[i][1] ? ompd_rc_ok : ompd_rc_unavailable);
		if (texts[i][1]) {
			ck_assert_str_eq(location, texts[i][1]);
			self_target_callbacks()->free_memory((void *)(uintptr_t)location);
		}
	}
}

START_TEST(test_texts)
{
	oracle_run(program, 2, 0, observe_texts);
}
END_TEST

/* A text without an end, a text above the limit, and invalid addresses. */
static void observe_addresses(void)
{
	size_t size = 1 << 16;
	char *pages = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *location;

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect(pages, size, PROT_READ | PROT_WRITE), 0);
	memset(pages, 'a', size);
	pages[0] = ';';
	memcpy(pages + size - 12, ";main;7;1;;", 12);
	ck_assert_int_eq(ask_text(pages, &location), ompd_rc_unavailable);
	memset(pages + size - 100, 'a', 100);
	ck_assert_int_eq(ask_text(pages + size - 50, &location), ompd_rc_unavailable);
	ck_assert_int_eq(ask_text(pages + size, &location), ompd_rc_unavailable);
	ck_assert_int_eq(ask_text(NULL, &location), ompd_rc_unavailable);
	ck_assert_int_eq(ask_with(NULL, &location), ompd_rc_unavailable);
	ck_assert_int_ne(ask_with(pages + size, &location), ompd_rc_ok);
	ck_assert_int_ne(ask_with((void *)-4, &location), ompd_rc_ok);
	munmap(pages, 2 * size);
}

START_TEST(test_addresses)
{
	oracle_run(program, 2, 0, observe_addresses);
}
END_TEST

/* Programs of gcc have no locations, and neither has the region of an initial task. */
static void observe_gcc(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
	const char *location;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_construct_location(thread, NULL, NULL, &location), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_construct_location(NULL, region, NULL, &location), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_construct_location(NULL, NULL, task, &location), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_construct_location(NULL, region, task, &location), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_construct_location(thread, NULL, NULL, NULL), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_construct_location(NULL, NULL, NULL, &location), ompd_rc_stale_handle);
	ompd_rel_task_handle(task);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_gccs_program)
{
	oracle_run(_i ? program : park_alone, _i + 1, 0, observe_gcc);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("libompd_libomp_location");
	TCase *tc = tcase_create("location");

	tcase_add_test(tc, test_texts);
	tcase_add_test(tc, test_addresses);
	tcase_add_loop_test(tc, test_gccs_program, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
