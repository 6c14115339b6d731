/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/profile_state: the profile's state for each of OMPT's states, and the states' names. */
#include "check_main.h"

#include <omp-tools.h>
#include <string.h>

#include "openmp/sampling/profile_state.h"

START_TEST(test_each_has_a_name_of_its_own)
{
	for (int i = 0; i < PROFILE_N_STATES; i++) {
		const char *name = profile_state_name((enum profile_state)i);

		ck_assert_ptr_nonnull(name);
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(name, profile_state_name((enum profile_state)k));
	}
}
END_TEST

START_TEST(test_what_waits_in_ompt_waits_here)
{
	/* ompt_state_wait_* are numbered from 0x010 to 0x0ff. */
	for (int64_t state = 0; state < 0x300; state++) {
		enum profile_state is = profile_state_of(state);

		if (is == PROFILE_UNKNOWN)
			continue;
		ck_assert_msg(profile_state_waits(is) == (state >= 0x010 && state < 0x100), "state %#lx",
			      (unsigned long)state);
	}
	ck_assert_int_eq(profile_state_of(ompt_state_work_serial), PROFILE_SERIAL);
	ck_assert_int_eq(profile_state_of(ompt_state_work_parallel), PROFILE_WORK);
	ck_assert_int_eq(profile_state_of(ompt_state_idle), PROFILE_IDLE);
	ck_assert_int_eq(profile_state_of(ompt_state_overhead), PROFILE_OVERHEAD);
}
END_TEST

START_TEST(test_what_no_table_has_is_unknown)
{
	ck_assert_int_eq(profile_state_of(-1), PROFILE_UNKNOWN);
	ck_assert_int_eq(profile_state_of(ompt_state_undefined), PROFILE_UNKNOWN);
	ck_assert_int_eq(profile_state_of(INT64_MAX), PROFILE_UNKNOWN);
	ck_assert_int_eq(profile_state_of(((int64_t)1 << 32) + ompt_state_idle), PROFILE_UNKNOWN);
}
END_TEST

START_TEST(test_locks)
{
	static const enum profile_state locks[] = {PROFILE_CRITICAL, PROFILE_LOCK, PROFILE_ATOMIC, PROFILE_MUTEX};
	unsigned n = 0;

	for (int i = 0; i < PROFILE_N_STATES; i++)
		n += profile_state_at_lock((enum profile_state)i);
	ck_assert_uint_eq(n, sizeof(locks) / sizeof(locks[0]));
	for (unsigned i = 0; i < n; i++)
		ck_assert(profile_state_at_lock(locks[i]) && profile_state_waits(locks[i]));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/profile_state");
	TCase *tc = tcase_create("profile_state");

	tcase_add_test(tc, test_each_has_a_name_of_its_own);
	tcase_add_test(tc, test_what_waits_in_ompt_waits_here);
	tcase_add_test(tc, test_what_no_table_has_is_unknown);
	tcase_add_test(tc, test_locks);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
