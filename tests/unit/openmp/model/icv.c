/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/icv: the variables of the fake library, and their values. */
#include "openmp/model/icv.h"

#include <string.h>

#include "check_main.h"
#include "openmp/model/arena.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

static struct plugin *p;
static struct arena arena;
static struct icv_table table;
static int object = 2; /* the fake library's objects start with an id */

static void load(const char *fault)
{
	setenv("FAKE_OMPD", fault, 1);
	ck_assert_no_err(plugin_load(FAKE_LIBOMPD, -1, &p));
	ck_assert_int_eq(plugin_call(p, initialize, 202111, callbacks_table()), 0);
}

static void teardown(void)
{
	/* All strings of the library were freed. */
	ck_assert_uint_eq(blocks_count(), 0);
	plugin_destroy(p);
	arena_deinit(&arena);
}

static struct icv_def *def(const char *name)
{
	struct icv_def *ret = icv_find(&table, name);

	ck_assert_msg(ret, "no %s", name);
	return ret;
}

static struct icv_value value_of(struct icv_def *of)
{
	struct icv_value ret;

	ck_assert_no_err(icv_read(p, &object, of, &arena, &ret));
	return ret;
}

START_TEST(test_variables_are_listed_with_scope_and_kind)
{
	load(_i ? "constants" : ""); /* also for names that are not in our blocks */
	ck_assert_no_err(icv_enumerate(p, NULL, &table));
	ck_assert_uint_eq(table.n, 11);
	ck_assert_int_eq(def("levels-var")->scope, ompd_scope_parallel);
	ck_assert_int_eq(def("num-procs-var")->scope, ompd_scope_address_space);
	ck_assert_int_eq(def("levels-var")->kind, ICV_NUMBER);
	ck_assert_int_eq(def("run-sched-var")->kind, ICV_TEXT);
	ck_assert_int_eq(def("place-partition-var")->kind, ICV_LIST);
	ck_assert(!def("thread-num-var")->is_alias);
	ck_assert(def("ompd-thread-num-var")->is_alias);
	ck_assert_int_eq(def("ompd-thread-num-var")->kind, ICV_NUMBER);
	ck_assert_ptr_null(icv_find(&table, "thread-num"));
}
END_TEST

START_TEST(test_an_enumeration_that_leads_back)
{
	load("cyclic_icvs");
	ck_assert_err(icv_enumerate(p, NULL, &table), ERR_PLUGIN_MISBEHAVED);
	/* The failure comes at once. */
	ck_assert_uint_eq(table.n, 1);
}
END_TEST

START_TEST(test_values)
{
	load("");
	ck_assert_no_err(icv_enumerate(p, NULL, &table));
	/* The number is the complete value. */
	struct icv_value v = value_of(def("num-procs-var"));
	ck_assert_int_eq(v.rc, ompd_rc_ok);
	ck_assert(v.has_number);
	ck_assert_int_eq(v.number, 2);
	ck_assert_ptr_null(v.text);
	/* The first element, and the complete list. */
	v = value_of(def("nthreads-var"));
	ck_assert_int_eq(v.rc, ompd_rc_ok);
	ck_assert_int_eq(v.number, 3);
	ck_assert_str_eq(v.text, "3,5");
	/* A number with a longer text. */
	v = value_of(def("run-sched-var"));
	ck_assert_int_eq(v.number, 1);
	ck_assert_str_eq(v.text, "static,7");
	/* The text is fetched each time, because it may change, */
	ck_assert(!def("run-sched-var")->has_word);
	/* but never for a plain number. */
	def("run-sched-var")->kind = ICV_NUMBER;
	ck_assert_ptr_null(value_of(def("run-sched-var")).text);
	/* A number stays a number without a text. */
	def("num-procs-var")->kind = ICV_TEXT;
	v = value_of(def("num-procs-var"));
	ck_assert_int_eq(v.rc, ompd_rc_ok);
	ck_assert_int_eq(v.number, 2);
	ck_assert_ptr_null(v.text);
	/* A text without a number. */
	v = value_of(def("wait-policy-var"));
	ck_assert_int_eq(v.rc, ompd_rc_ok);
	ck_assert(!v.has_number);
	ck_assert_str_eq(v.text, "passive");
	/* Neither a number nor a text. */
	v = value_of(def("place-partition-var"));
	ck_assert_int_eq(v.rc, ompd_rc_unavailable);
	ck_assert(!v.has_number);
	ck_assert_ptr_null(v.text);
	/* A variable that the library does not know. */
	struct icv_def unknown = {.id = 4711, .scope = ompd_scope_task, .kind = ICV_NUMBER};
	ck_assert_int_eq(value_of(&unknown).rc, ompd_rc_unavailable);
}
END_TEST

START_TEST(test_the_word_for_a_number_is_asked_once)
{
	load("");
	ck_assert_no_err(icv_enumerate(p, NULL, &table));
	struct icv_def *word = def("run-sched-var");
	word->kind = ICV_WORD;
	ck_assert_str_eq(value_of(word).text, "static,7");
	ck_assert_ptr_eq(value_of(word).text, word->word);
	ck_assert_str_eq(word->word, "static,7");
	/* A word with another number says nothing about this ICV. */
	word->word_number = 5;
	ck_assert_ptr_ne(value_of(word).text, word->word);
}
END_TEST

START_TEST(test_scopes_have_names)
{
	for (int a = 1; a < ICV_SCOPES; a++) {
		ck_assert_ptr_nonnull(icv_scope_name(a));
		for (int b = 1; b < a; b++)
			ck_assert_str_ne(icv_scope_name(a), icv_scope_name(b));
	}
	ck_assert_str_eq(icv_scope_name(ompd_scope_implicit_task), "implicit_task");
	ck_assert_ptr_null(icv_scope_name(0));
	ck_assert_ptr_null(icv_scope_name(ICV_SCOPES));
	ck_assert_ptr_null(icv_scope_name((ompd_scope_t)-1));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_icv");
	TCase *tc = tcase_create("icv");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_variables_are_listed_with_scope_and_kind, 0, 2);
	tcase_add_test(tc, test_an_enumeration_that_leads_back);
	tcase_add_test(tc, test_values);
	tcase_add_test(tc, test_the_word_for_a_number_is_asked_once);
	suite_add_tcase(suite, tc);
	tc = tcase_create("icv_scope_name");
	tcase_add_test(tc, test_scopes_have_names);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
