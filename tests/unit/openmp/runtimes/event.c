/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/runtimes/event: names of events. */
#include "openmp/runtimes/event.h"

#include <stdio.h>
#include <string.h>

#include "check_main.h"

/* The names are part of the protocol: an event without a name, or with another's name, could not be requested. */
START_TEST(test_each_kind_has_a_name_of_its_own)
{
	for (int a = 0; a < EVENT_KINDS; a++) {
		const char *name = event_name(a);

		ck_assert_msg(name, "event %d has no name", a);
		ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		for (int b = 0; b < a; b++)
			ck_assert_str_ne(name, event_name(b));
	}
}
END_TEST

START_TEST(test_functions_of_ompd_are_called_like_their_event)
{
	char name[64];
	int n = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const char *function = event_ompd_function(kind);

		if (!function)
			continue;
		n++;
		snprintf(name, sizeof(name), kind == EVENT_DLL_LOCATIONS_VALID ? "%s" : "ompd_bp_%s", event_name(kind));
		ck_assert_str_eq(function, name);
	}
	/* The twelve events of OpenMP 5.2, 20.6, the one that announces the libraries, and one of our own runtime. */
	ck_assert_int_eq(n, 14);
	ck_assert_ptr_null(event_ompd_function(EVENT_LOCK_ACQUIRE));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_event");
	TCase *tc = tcase_create("names");

	tcase_add_test(tc, test_each_kind_has_a_name_of_its_own);
	tcase_add_test(tc, test_functions_of_ompd_are_called_like_their_event);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
