/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of methods/diagnose/performance_waits: each finding, and samples that nearly have it. */
#include "methods/diagnose/performance.h"

#include <string.h>

#include "check_main.h"
#include "performance_findings.h"
#include "target/arch/syscalls.h"

#define ELAPSED_US 1000000u
#define THREAD_US  (2 * ELAPSED_US)

static struct performance_thread threads[2];
static struct tally_thread seen[2];
static struct tally_region region;
static struct tally_lock lock;
static struct lag_row row;
static struct tally tally, initial;
static struct sampler sampler;
static struct tally_place solve;

/* A team of two that works all the time. No finding. */
static void setup(void)
{
	memset(seen, 0, sizeof(seen));
	ck_assert(tally_init(&tally, false, false));
	initial = tally;
	solve = (struct tally_place){texts_add(&tally.texts, "solve"), texts_add(&tally.texts, "a.c"), 40};
	region = (struct tally_region){.place = solve, .level = 1, .max_threads = 2, .max_team_size = 2};
	row = (struct lag_row){.region = 0, .kind = LAG_REGION_END, .max_waiters = 1};
	p = (struct performance){.s = &sampler, .t = &tally, .elapsed_us = ELAPSED_US, .thread_us = THREAD_US};
	tally.regions = &region;
	tally.n_regions = 1;
	tally.lags.rows = &row;
	tally.lags.n_rows = 1;
	tally.lags.judged_us = THREAD_US;
	tally.threads = seen;
	tally.n_threads = 2;
	p.threads = threads;
	p.n_threads = 2;
	for (int i = 0; i < 2; i++) {
		seen[i].tid = threads[i].tid = 100 + i;
		seen[i].thread_num = i;
		seen[i].state_us[PROFILE_WORK] = ELAPSED_US;
		threads[i].cpu_us = ELAPSED_US;
	}
}

static void teardown(void)
{
	/* The test has put its own rows in place of those of tally_init(). */
	initial.texts = tally.texts;
	tally_deinit(&initial);
}

/* Thread @number is in @state in solve() for @us while the other thread waits. */
static void work(int64_t number, enum profile_state state, uint64_t us)
{
	row.workers[row.n_workers++] =
		(struct lag_worker){.thread_num = number, .state = state, .syscall = SYS_read, .at = solve, .us = us};
	row.wait_us += us;
	row.lone_us += us;
	row.few_us += us;
}

static const struct performance_finding *find(const char *kind)
{
	return find_by(performance_find_waits, kind);
}

static const struct performance_finding *find_only(const char *kind)
{
	return assert_only(find(kind), kind);
}

START_TEST(test_imbalance)
{
	const struct performance_finding *f;

	ck_assert(!find("imbalance"));
	work(1, PROFILE_WORK, ELAPSED_US / 2);
	f = find_only("imbalance");
	ck_assert(!f->is_candidate);
	ck_assert_uint_eq(f->lost_us, ELAPSED_US / 2);
	ck_assert_str_eq(f->title.text, "imbalance: thread 1 works while 1 thread waits at the end of the region of "
					"solve() at a.c:40: 25 % of the time of all threads");
	ck_assert_str_eq(f->claims[0].text.text, "thread 1 was in solve() at a.c:40 for 100 % of that time");
	/* A delay that hits both alike is no imbalance. */
	row.workers[0].us /= 2;
	work(0, PROFILE_WORK, ELAPSED_US / 4);
	ck_assert(!find("imbalance"));
}
END_TEST

/* A thread may come late because it had no CPU. */
START_TEST(test_imbalance_without_cpus)
{
	work(1, PROFILE_WORK, ELAPSED_US / 2);
	p.lacks_cpus = true;
	seen[0].state_us[PROFILE_WORK] = threads[0].cpu_us = ELAPSED_US / 4;
	p.ready_us = ELAPSED_US / 4;
	ck_assert(!find_only("imbalance")->is_candidate);
	/* These waits explain all that is lost. */
	p.ready_us = ELAPSED_US / 2;
	ck_assert(find_only("imbalance")->is_candidate);
	/* It did not use more CPU time than the other. */
	p.ready_us = 0;
	threads[0].cpu_us = threads[1].cpu_us;
	seen[0].state_us[PROFILE_WORK] = ELAPSED_US;
	ck_assert(find_only("imbalance")->is_candidate);
	p.lacks_cpus = false;
	ck_assert(!find_only("imbalance")->is_candidate);
	p.is_sparse = true;
	ck_assert(find_only("imbalance")->is_candidate);
}
END_TEST

START_TEST(test_serial_part)
{
	const struct performance_finding *f;

	row.kind = LAG_IDLE;
	region.is_outside = true;
	region.state_us[PROFILE_SERIAL] = ELAPSED_US / 2;
	work(0, PROFILE_SERIAL, ELAPSED_US / 2);
	f = find_only("serial");
	ck_assert_str_eq(f->title.text,
			 "serial part: one thread works outside of parallel regions for 50 % of the time, "
			 "most in solve() at a.c:40");
	ck_assert_uint_eq(f->place.line, 40);
	region.state_us[PROFILE_SERIAL] = ELAPSED_US * 19 / 100;
	ck_assert(!find("serial"));
}
END_TEST

START_TEST(test_a_system_call)
{
	const struct performance_finding *f;

	work(0, PROFILE_ASLEEP, ELAPSED_US / 2);
	f = find_only("system_call");
	ck_assert_str_eq(f->title.text,
			 "system call: thread 0 sleeps in read(), called in solve() at a.c:40, while 1 thread "
			 "waits at the end of the region of solve() at a.c:40: 25 % of the time of all threads");
	row.workers[0].us = THREAD_US / 10 - 1;
	ck_assert(!find("system_call"));
}
END_TEST

START_TEST(test_contention)
{
	const struct performance_finding *f;

	lock = (struct tally_lock){.state = PROFILE_LOCK, .name = TEXTS_NONE, .address = 0xa0, .max_waiters = 2};
	lock.wait_us = THREAD_US / 10;
	lock.n_places = lock.n_holders = 1;
	lock.places[0].place = lock.holders[0].place = solve;
	lock.name = texts_add(&tally.texts, "total");
	tally.locks = &lock;
	tally.n_locks = 1;
	f = find_only("contention");
	ck_assert_str_eq(f->title.text,
			 "contention: threads waited for lock total in solve() at a.c:40 for 10 % of the time "
			 "of all threads");
	ck_assert_str_eq(f->claims[1].text.text, "a holder was in solve() at a.c:40");
	/* A candidate for the holder is no evidence. */
	lock.holders[0].is_inferred = true;
	ck_assert_uint_eq(find_only("contention")->n_claims, 1);
	lock.wait_us--;
	ck_assert(!find("contention"));
}
END_TEST

START_TEST(test_short_regions)
{
	const struct performance_finding *f;

	tally.lags.idle_us = THREAD_US / 2;
	ck_assert(find_only("synchronization")->is_candidate);
	/* The runtime counts them. */
	region.has_calls = true;
	region.calls = 1000;
	region.state_us[PROFILE_WORK] = 5000;
	f = find_only("synchronization");
	ck_assert(!f->is_candidate);
	ck_assert_str_eq(f->title.text,
			 "short regions: no thread works for 50 % of the time: all start or end regions");
	ck_assert_str_eq(f->claims[0].text.text,
			 "the region solve() at a.c:40 started 1000 times per second, with 5.00 µs of "
			 "work of all its members each");
	/* A region in each thousandth of a second is not short. */
	region.calls = 999;
	ck_assert(!find("synchronization"));
	region.calls = 1000;
	tally.lags.idle_us = THREAD_US * 19 / 100;
	ck_assert(!find("synchronization"));
	/* Few samplings show all threads. */
	tally.lags.judged_us = THREAD_US / 10 - 1;
	tally.lags.idle_us = tally.lags.judged_us;
	ck_assert(!find("synchronization"));
}
END_TEST

START_TEST(test_barriers)
{
	const struct performance_finding *f;

	row.kind = LAG_BARRIER;
	row.at = solve;
	row.wait_us = row.all_wait_us = tally.lags.idle_us = THREAD_US / 2;
	f = find("synchronization");
	ck_assert(f && f->is_candidate);
	ck_assert_str_eq(f->title.text,
			 "synchronization: no thread works for 50 % of the time, all wait at a barrier in solve() "
			 "at a.c:40");
	/* A released thread without a CPU seems to wait. */
	p.lacks_cpus = true;
	tally.lags.idle_us = THREAD_US * 49 / 100;
	ck_assert(!find("synchronization"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("methods/diagnose/performance_waits");
	TCase *tc = tcase_create("performance_waits");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_imbalance);
	tcase_add_test(tc, test_imbalance_without_cpus);
	tcase_add_test(tc, test_serial_part);
	tcase_add_test(tc, test_a_system_call);
	tcase_add_test(tc, test_contention);
	tcase_add_test(tc, test_short_regions);
	tcase_add_test(tc, test_barriers);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
