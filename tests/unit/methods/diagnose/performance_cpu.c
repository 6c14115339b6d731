/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of methods/diagnose/performance_cpu: each finding, and counters that nearly have it. */
#include "methods/diagnose/performance.h"

#include <string.h>

#include "check_main.h"
#include "performance_findings.h"

#define N_THREADS  4
#define SECOND_US  1000000u
#define ELAPSED_US (2 * SECOND_US)

static struct performance_thread threads[N_THREADS];
static struct target_cpus cpus[N_THREADS];
static struct tally tally;
static struct sampler sampler;

/* Four threads that used two CPUs all the time. No finding. */
static void setup(void)
{
	memset(threads, 0, sizeof(threads));
	memset(cpus, 0, sizeof(cpus));
	memset(&tally, 0, sizeof(tally));
	memset(&sampler, 0, sizeof(sampler));
	p = (struct performance){.s = &sampler, .t = &tally, .elapsed_us = ELAPSED_US, .threads = threads};
	p.n_threads = N_THREADS;
	p.thread_us = N_THREADS * ELAPSED_US;
	p.has_counters = true;
	p.cpus.bits[0] = 0x3;
	p.n_cpus = 2;
	for (size_t i = 0; i < N_THREADS; i++) {
		cpus[i].bits[0] = 0x3;
		threads[i] = (struct performance_thread){.tid = (pid_t)(100 + i), .cpus = &cpus[i]};
		threads[i].cpu_us = i < 2 ? ELAPSED_US : 0;
	}
}

/* Let each of the first @n threads have a CPU for @cpu_us, and be ready for one for @ready_us. */
static void use(size_t n, uint64_t cpu_us, uint64_t ready_us)
{
	p.cpu_us = p.ready_us = 0;
	for (size_t i = 0; i < N_THREADS; i++) {
		threads[i].cpu_us = i < n ? cpu_us : 0;
		threads[i].ready_us = i < n ? ready_us : 0;
		p.cpu_us += threads[i].cpu_us;
		p.ready_us += threads[i].ready_us;
	}
}

static const struct performance_finding *find(const char *kind)
{
	p.lacks_cpus = p.is_throttled = false;
	return find_by(performance_find_cpu, kind);
}

static const struct performance_finding *find_only(const char *kind)
{
	return assert_only(find(kind), kind);
}

static void assert_none(void)
{
	find("");
	ck_assert_msg(p.n_findings == 0, "%s was found", p.findings[0].kind);
	ck_assert(!p.lacks_cpus);
}

START_TEST(test_a_thread_for_each_cpu)
{
	assert_none();
	/* Ready threads always wait a little. */
	use(2, ELAPSED_US * 95 / 100, ELAPSED_US * 5 / 100);
	assert_none();
}
END_TEST

START_TEST(test_too_many_threads)
{
	const struct performance_finding *f;

	use(4, ELAPSED_US / 2, ELAPSED_US / 2);
	f = find_only("oversubscribed");
	ck_assert(p.lacks_cpus && !f->is_candidate);
	ck_assert_uint_eq(f->lost_us, 4 * ELAPSED_US / 2);
	ck_assert_str_eq(f->title.text,
			 "oversubscribed: 4 busy threads on 2 CPUs: they waited for a CPU for 50 % of their time");
	ck_assert_str_eq(f->advice.text, "use at most 2 threads: OMP_NUM_THREADS=2");
	/* Two of them want a CPU for less than half of the time. */
	threads[2].cpu_us = threads[3].cpu_us = threads[2].ready_us = threads[3].ready_us = ELAPSED_US / 5;
	ck_assert(!find("oversubscribed"));
}
END_TEST

START_TEST(test_teams_at_once)
{
	const struct performance_finding *f;

	use(4, ELAPSED_US / 2, ELAPSED_US / 2);
	tally.lags = (struct lags){.n_region_samplings = 100, .teams = 199, .team_threads = 401};
	f = find_only("pools");
	ck_assert_str_eq(f->title.text,
			 "pools: 2 teams at once, with 4 threads together, on 2 CPUs: they waited for a CPU for "
			 "50 % of their time");
	/* The mean is below one and a half. */
	tally.lags.teams = 149;
	ck_assert(find("oversubscribed"));
}
END_TEST

START_TEST(test_threads_that_share_a_cpu)
{
	const struct performance_finding *f;

	use(2, ELAPSED_US / 2, ELAPSED_US / 2);
	cpus[0].bits[0] = cpus[1].bits[0] = 0x2;
	f = find_only("bound");
	ck_assert(strstr(f->title.text, "bound: 2 busy threads share CPU 1 by their own affinity"));
	/* Each has its own. Other programs use these CPUs. */
	cpus[0].bits[0] = 0x1;
	ck_assert(find_only("other_load")->is_candidate);
}
END_TEST

START_TEST(test_other_programs)
{
	const struct performance_finding *f;

	use(2, ELAPSED_US * 3 / 4, ELAPSED_US / 4);
	threads[2] = threads[3] = (struct performance_thread){.tid = 102, .cpus = &cpus[2]};
	p.thread_us = 2 * ELAPSED_US;
	f = find_only("other_load");
	ck_assert(f->is_candidate && p.lacks_cpus);
	use(2, ELAPSED_US * 17 / 20, ELAPSED_US * 3 / 20);
	assert_none();
	/* The counters of both ends are needed. */
	use(2, ELAPSED_US / 2, ELAPSED_US / 2);
	p.has_counters = false;
	assert_none();
}
END_TEST

START_TEST(test_a_quota)
{
	const struct performance_finding *f;

	use(4, ELAPSED_US / 20, ELAPSED_US * 19 / 20);
	p.has_quota = true;
	p.quota = (struct cgroup_quota){.quota_us = 20000, .period_us = 100000, .n_periods = 20, .n_throttled = 19};
	strcpy(p.quota.group, "/job");
	f = find_only("quota");
	ck_assert(!f->is_candidate && p.is_throttled);
	ck_assert_str_eq(
		f->title.text,
		"quota: the kernel stopped the threads in 19 of 20 periods: the control group may use 0.2 CPUs");
	ck_assert(strstr(f->claims[0].text.text, "/job"));
	ck_assert(strstr(f->advice.text, "at most 1 thread: OMP_NUM_THREADS=1"));
	/* Short peaks are no reason. */
	p.quota.n_throttled = 1;
	ck_assert(!find("quota"));
	ck_assert(!p.is_throttled);
}
END_TEST

START_TEST(test_page_faults)
{
	const struct performance_finding *f;

	tally.fault_us = ELAPSED_US;
	p.major_faults = 1234;
	f = find_only("page_faults");
	ck_assert(!f->is_candidate);
	ck_assert_uint_eq(f->lost_us, ELAPSED_US);
	ck_assert_str_eq(f->title.text, "page faults: threads slept in page faults for 25 % of their time");
	ck_assert_str_eq(f->claims[0].text.text, "1234 pages were read from a device");
	/* Less than a tenth of the time of all threads. */
	tally.fault_us = p.thread_us / 10 - 1;
	assert_none();
}
END_TEST

/* The group may have other processes: it is a candidate. */
START_TEST(test_memory_pressure)
{
	const struct performance_finding *f;

	p.pressure_us = ELAPSED_US * 3 / 4;
	f = find_only("memory_pressure");
	ck_assert(f->is_candidate);
	ck_assert(strstr(f->title.text, "waited for memory for 75 % of the time"));
	ck_assert(strstr(f->claims[0].text.text, "grew by 1.5 s"));
	p.pressure_us = ELAPSED_US * 19 / 100;
	assert_none();
	/* The recording had so many threads that this is little of their time. */
	p.pressure_us = ELAPSED_US * 3 / 4;
	p.thread_us = 100 * ELAPSED_US;
	assert_none();
}
END_TEST

START_TEST(test_limits)
{
	struct performance_finding *f;

	ck_assert(!performance_add(&p, "serial", p.thread_us / 10 - 1));
	for (size_t i = 0; i < PERFORMANCE_MAX_FINDINGS; i++)
		ck_assert(performance_add(&p, "serial", p.thread_us / 10));
	ck_assert(!performance_add(&p, "serial", p.thread_us / 10));
	f = &p.findings[0];
	for (size_t i = 0; i < PERFORMANCE_MAX_CLAIMS + 3; i++)
		sentence_add(performance_claim(f, "kernel"), "%zu", i);
	ck_assert_uint_eq(f->n_claims, PERFORMANCE_MAX_CLAIMS);
	ck_assert_str_eq(f->claims[PERFORMANCE_MAX_CLAIMS - 1].text.text, "10");
	ck_assert_uint_eq(performance_percent(1, 0), 0);
	ck_assert_uint_eq(performance_percent(1, 200), 1);
	ck_assert_uint_eq(performance_percent(1, 201), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("methods/diagnose/performance_cpu");
	TCase *tc = tcase_create("performance_cpu");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_a_thread_for_each_cpu);
	tcase_add_test(tc, test_too_many_threads);
	tcase_add_test(tc, test_teams_at_once);
	tcase_add_test(tc, test_threads_that_share_a_cpu);
	tcase_add_test(tc, test_other_programs);
	tcase_add_test(tc, test_a_quota);
	tcase_add_test(tc, test_page_faults);
	tcase_add_test(tc, test_memory_pressure);
	tcase_add_test(tc, test_limits);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
