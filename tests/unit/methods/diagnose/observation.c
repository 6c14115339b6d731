/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of methods/diagnose/observation: how a thread moved, from two samples and the reads behind the second one. */
#include "methods/diagnose/observation.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "check_main.h"

#define TID  200
#define SP   0x7000
#define WORD 0x5000

static const struct target_activity asleep = {
	.known = true, .in_syscall = true, .syscall = SYS_futex, .args = {WORD, FUTEX_WAIT, 1}, .pc = 0x4000, .sp = SP};

/* The main thread, and TID. */
static pid_t tids[] = {100, TID};
static struct target_progress first[2], second[2], last[2];
static struct observations observations;
static struct target_activity found; /* behind the second sample */

static void setup(void)
{
	const struct target_progress pulse = {
		.known = true, .is_asleep = true, .cpu_ns = 500, .n_runs = 7, .activity = asleep};

	first[1] = second[1] = last[1] = pulse;
	observations = (struct observations){
		.origin = {.tids = tids, .pulses = first, .n = 2, .at_us = 1},
		.first = {.tids = tids, .pulses = first, .n = 2, .at_us = 1},
		.second = {.tids = tids, .pulses = second, .n = 2, .at_us = 1001},
	};
	found = asleep;
}

static enum waits_motion motion(void)
{
	return observations_motion(&observations, TID, &found);
}

START_TEST(test_asleep_all_the_time)
{
	uint64_t cpu_ns = 1, wanted_ns = 1;

	ck_assert_int_eq(motion(), MOTION_ASLEEP);
	observations_cpu(&observations, TID, &cpu_ns, &wanted_ns);
	ck_assert(cpu_ns == 0 && wanted_ns == 0);
	second[1].n_runs++;
	second[1].cpu_ns += 30;
	second[1].ready_ns += 12;
	ck_assert_int_eq(motion(), MOTION_RAN);
	observations_cpu(&observations, TID, &cpu_ns, &wanted_ns);
	ck_assert(cpu_ns == 30 && wanted_ns == 42);
}
END_TEST

START_TEST(test_woken_but_not_given_a_cpu_yet)
{
	found.in_syscall = false;
	ck_assert_int_eq(motion(), MOTION_RAN);
	/* A call with a time limit that continued after an earlier stop. */
	second[1].activity.syscall = first[1].activity.syscall = SYS_restart_syscall;
	ck_assert_int_eq(motion(), MOTION_RAN);
	/* A stop ends this call. */
	second[1].activity.syscall = first[1].activity.syscall = SYS_epoll_pwait;
	ck_assert_int_eq(motion(), MOTION_ASLEEP);
	found.sp += 8;
	ck_assert_int_eq(motion(), MOTION_RAN);
}
END_TEST

START_TEST(test_a_running_target_is_observed_once_more)
{
	observations.last = (struct observation){.tids = tids, .pulses = last, .n = 2, .at_us = 1500};
	ck_assert_int_eq(motion(), MOTION_ASLEEP);
	last[1].n_runs++;
	ck_assert_int_eq(motion(), MOTION_RAN);
	observations.last.n = 1;
	ck_assert_int_eq(motion(), MOTION_RAN);
}
END_TEST

START_TEST(test_who_has_begun_since_the_first_observation_ran)
{
	observations.first.n = 1;
	ck_assert_int_eq(motion(), MOTION_RAN);
	observations.second.n = 1;
	ck_assert_int_eq(motion(), MOTION_RAN);
	observations.first.n = 2;
	ck_assert_int_eq(motion(), MOTION_UNKNOWN);
}
END_TEST

START_TEST(test_what_is_not_known)
{
	second[1].known = false;
	ck_assert_int_eq(motion(), MOTION_UNKNOWN);
	observations = (struct observations){0};
	ck_assert_int_eq(motion(), MOTION_UNKNOWN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("methods_diagnose_look");
	TCase *tc = tcase_create("motion");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_asleep_all_the_time);
	tcase_add_test(tc, test_woken_but_not_given_a_cpu_yet);
	tcase_add_test(tc, test_a_running_target_is_observed_once_more);
	tcase_add_test(tc, test_who_has_begun_since_the_first_observation_ran);
	tcase_add_test(tc, test_what_is_not_known);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
