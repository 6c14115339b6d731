/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/slice: the settings that the kernel reports afterwards. */
#include "base/slice.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check_main.h"

/* The layout of the manual page: size, policy, flags, nice, priority, runtime and more. */
struct said {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static struct said said(void)
{
	struct said s;

	ck_assert_int_eq(syscall(SYS_sched_getattr, 0, &s, sizeof(s), 0), 0);
	return s;
}

/* Each test runs in its own process, so that a changed slice affects no other test. */
START_TEST(test_set_and_as_it_was)
{
	struct said before = said();

	if (!slice_set(SLICE_SHORTEST_NS)) {
		/* An older kernel does not report it. */
		ck_assert_uint_eq(before.runtime, 0);
		CHECK_SKIP("this kernel has no time slices to set");
	}
	struct said set = said();
	ck_assert_uint_eq(set.runtime, SLICE_SHORTEST_NS);
	ck_assert_uint_eq(set.policy, SCHED_OTHER);
	ck_assert(slice_set(SLICE_DEFAULT));
	ck_assert_uint_eq(said().runtime, before.runtime);
}
END_TEST

START_TEST(test_the_rest_stays)
{
	ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, 7), 0);
	struct said before = said();
	slice_set(SLICE_SHORTEST_NS);
	struct said after = said();
	ck_assert_int_eq(after.nice, before.nice);
	ck_assert_uint_eq(after.flags, before.flags);
	ck_assert_uint_eq(after.policy, before.policy);
}
END_TEST

START_TEST(test_another_policy_is_left_alone)
{
	struct sched_param none = {0};

	ck_assert_int_eq(sched_setscheduler(0, SCHED_IDLE, &none), 0);
	ck_assert(!slice_set(SLICE_SHORTEST_NS));
	ck_assert_uint_eq(said().policy, SCHED_IDLE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/slice");
	TCase *tc = tcase_create("slice");

	tcase_add_test(tc, test_set_and_as_it_was);
	tcase_add_test(tc, test_the_rest_stays);
	tcase_add_test(tc, test_another_policy_is_left_alone);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
