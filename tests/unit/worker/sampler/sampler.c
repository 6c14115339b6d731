/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of worker/sampler/sampler.c on a target without a process: the course of a worker's profile, and its end. */
#include "worker/sampler/sampler.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/timerfd.h>

#include "base/clock.h"
#include "check_main.h"
#include "fake_worker.h"

static const struct sampler_options plain = {
	.rate_hz = 1000, .max_overhead_permille = 10, .duration_s = 3600, .keeps_timeline = true};

static void start(enum target_mode mode, const struct sampler_options *options)
{
	fake_worker_begin(mode, "");
	ck_assert_no_err(sampler_start(&w, options));
	ck_assert_int_eq(w.sampler->end, SAMPLER_RECORDING);
}

/* Waits until the time has come. */
static void tick(void)
{
	struct pollfd fd = {.fd = sampler_fd(&w), .events = POLLIN};

	ck_assert_int_ge(fd.fd, 0);
	ck_assert_int_eq(poll(&fd, 1, 60000), 1);
	sampler_tick(&w);
}

START_TEST(test_samples)
{
	start(TARGET_OBSERVE, &plain);
	for (int i = 1; i <= 5; i++) {
		tick();
		ck_assert_uint_eq(w.sampler->tally.samplings, i);
	}
	/* The fake library knows three threads, and reports the state of each. */
	ck_assert_uint_eq(w.sampler->tally.n_threads, 3);
	ck_assert_uint_eq(w.sampler->tally.samples, 15);
	ck_assert_uint_eq(w.sampler->failed, 0);
	ck_assert_uint_eq(fake_target_n_stops(w.target), 0);
}
END_TEST

/* A tick before its time does nothing. */
START_TEST(test_not_before_its_time)
{
	struct sampler_options slow = plain;

	slow.rate_hz = 1;
	start(TARGET_OBSERVE, &slow);
	sampler_tick(&w);
	ck_assert_uint_eq(w.sampler->tally.samplings, 0);
	ck_assert_int_eq(w.sampler->end, SAMPLER_RECORDING);
}
END_TEST

START_TEST(test_one_at_a_time)
{
	start(TARGET_OBSERVE, &plain);
	ck_assert_err(sampler_start(&w, &plain), ERR_PROFILE_RUNNING);
	tick();
	sampler_finish(&w, SAMPLER_STOPPED);
	ck_assert_int_eq(sampler_fd(&w), -1);
	/* The recorded samples stay until the next recording starts. */
	ck_assert_uint_eq(w.sampler->tally.samplings, 1);
	sampler_finish(&w, SAMPLER_EXITED);
	ck_assert_int_eq(w.sampler->end, SAMPLER_STOPPED);
	ck_assert_no_err(sampler_start(&w, &plain));
	ck_assert_uint_eq(w.sampler->tally.samplings, 0);
}
END_TEST

START_TEST(test_not_of_a_core)
{
	fake_worker_begin(TARGET_CORE, "");
	ck_assert_err(sampler_start(&w, &plain), ERR_MODE_UNSUPPORTED);
	ck_assert_ptr_null(w.sampler);
	ck_assert_int_eq(sampler_fd(&w), -1);
}
END_TEST

START_TEST(test_its_time_is_over)
{
	start(TARGET_OBSERVE, &plain);
	w.sampler->begun_us -= INT64_C(3601) * 1000000;
	tick();
	ck_assert_int_eq(w.sampler->end, SAMPLER_DURATION);
	ck_assert_uint_eq(w.sampler->tally.samplings, 0);
}
END_TEST

START_TEST(test_its_connection_is_gone)
{
	struct sampler_options kept = plain;

	kept.keep = true;
	start(TARGET_OBSERVE, &kept);
	sampler_client_gone(&w, w.client);
	ck_assert_int_eq(w.sampler->end, SAMPLER_RECORDING);
	sampler_finish(&w, SAMPLER_STOPPED);
	ck_assert_no_err(sampler_start(&w, &plain));
	sampler_client_gone(&w, w.client + 1);
	ck_assert_int_eq(w.sampler->end, SAMPLER_RECORDING);
	sampler_client_gone(&w, w.client);
	ck_assert_int_eq(w.sampler->end, SAMPLER_DISCONNECTED);
}
END_TEST

START_TEST(test_the_target_ends)
{
	start(TARGET_OBSERVE, &plain);
	tick();
	fake_target_fail(w.target, ERR_TARGET_EXITED);
	tick();
	ck_assert_int_eq(w.sampler->end, SAMPLER_EXITED);
	ck_assert_uint_eq(w.sampler->tally.samplings, 1);
}
END_TEST

/* A failed sample does not end the profile, and is counted. */
START_TEST(test_a_sample_that_fails)
{
	start(TARGET_OBSERVE, &plain);
	fake_target_fail(w.target, ERR_STOP_TIMEOUT);
	tick();
	ck_assert_int_eq(w.sampler->end, SAMPLER_RECORDING);
	ck_assert_uint_eq(w.sampler->failed, 1);
	fake_target_recover(w.target);
	tick();
	ck_assert_uint_eq(w.sampler->tally.samplings, 1);
}
END_TEST

/* The time while a request holds the target is not counted. */
START_TEST(test_the_target_is_held)
{
	struct view view;

	start(TARGET_STOP, &plain);
	tick();
	ck_assert_no_err(worker_hold(&w, &view));
	size_t stops = fake_target_n_stops(w.target);
	w.sampler->last_us -= 5000;
	tick();
	ck_assert_uint_eq(w.sampler->tally.samplings, 1);
	ck_assert_uint_ge(w.sampler->held_us, 5000);
	ck_assert_uint_eq(fake_target_n_stops(w.target), stops);
}
END_TEST

/* After a long gap a sample stands for one period: the state during the rest is unknown. */
START_TEST(test_samples_that_came_too_late)
{
	start(TARGET_OBSERVE, &plain);
	tick();
	uint64_t before = 0, after = 0;
	int64_t period = w.sampler->period_us;
	for (unsigned i = 0; i < PROFILE_N_STATES; i++)
		before += w.sampler->tally.state_us[i];
	w.sampler->last_us -= 1000 * period;
	tick();
	for (unsigned i = 0; i < PROFILE_N_STATES; i++)
		after += w.sampler->tally.state_us[i];
	ck_assert_uint_ge(w.sampler->missed, 999);
	ck_assert_uint_eq(after - before, 3 * (uint64_t)period);
}
END_TEST

/* Samples are uneven: half a period to one and a half periods are between them. */
START_TEST(test_samples_are_not_even)
{
	struct sampler_options slow = plain;
	int64_t longest = 0, shortest = INT64_MAX;

	slow.rate_hz = 1;
	fake_worker_begin(TARGET_OBSERVE, "");
	for (int i = 0; i < 64; i++) {
		struct itimerspec left;

		ck_assert_no_err(sampler_start(&w, &slow));
		ck_assert_int_eq(timerfd_gettime(sampler_fd(&w), &left), 0);
		int64_t us = left.it_value.tv_sec * INT64_C(1000000) + left.it_value.tv_nsec / 1000;
		ck_assert_int_le(us, 1500000);
		longest = us > longest ? us : longest;
		shortest = us < shortest ? us : shortest;
		sampler_finish(&w, SAMPLER_STOPPED);
	}
	ck_assert_int_gt(longest, shortest + 100000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker/sampler");
	TCase *tc = tcase_create("sampler");

	tcase_add_checked_fixture(tc, NULL, fake_worker_end);
	tcase_add_test(tc, test_samples);
	tcase_add_test(tc, test_not_before_its_time);
	tcase_add_test(tc, test_one_at_a_time);
	tcase_add_test(tc, test_not_of_a_core);
	tcase_add_test(tc, test_its_time_is_over);
	tcase_add_test(tc, test_its_connection_is_gone);
	tcase_add_test(tc, test_the_target_ends);
	tcase_add_test(tc, test_a_sample_that_fails);
	tcase_add_test(tc, test_the_target_is_held);
	tcase_add_test(tc, test_samples_that_came_too_late);
	tcase_add_test(tc, test_samples_are_not_even);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
