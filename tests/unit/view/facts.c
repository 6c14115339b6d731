/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of ompdd/view/facts.c. */
#include "view/facts.h"

#include <json-c/json.h>

#include "check_main.h"
#include "two_regions.h"

START_TEST(test_facts_references_are_resolved)
{
	struct json_object *snapshot = json_tokener_parse(two_regions);
	struct facts s;

	ck_assert_no_err(facts_init(&s, snapshot));
	ck_assert_uint_eq(s.n_threads, 3);
	ck_assert_uint_eq(s.threads[0].parallel, 1);
	ck_assert_uint_eq(s.threads[0].task, 0);
	ck_assert_uint_eq(s.threads[1].task, FACTS_NONE);
	ck_assert_int_eq(s.threads[2].openmp, 0);
	ck_assert_uint_eq(s.parallels[0].enclosing, FACTS_NONE);
	ck_assert_uint_eq(s.parallels[1].enclosing, 0);
	ck_assert_uint_eq(s.parallels[1].n_members, 2);
	ck_assert_uint_eq(s.tasks[0].generating, FACTS_NONE);
	ck_assert_uint_eq(s.tasks[0].thread, 0);
	facts_deinit(&s);
	json_object_put(snapshot);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("facts");
	TCase *init = tcase_create("facts_init");

	tcase_add_test(init, test_facts_references_are_resolved);
	suite_add_tcase(suite, init);
	return check_main(suite);
}
