/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/state/barrier_arrivals: how many threads have arrived at a barrier, by the library's count and
 * by states. */
#include "openmp/model/state/barrier_arrivals.h"

#include <string.h>

#include <omp-tools.h>

#include "check_main.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

#define N 3

static struct snapshot_parallel regions[2]; /* 0: the initial task's region; 1: the team */
static struct snapshot_thread threads[N + 1];
static uint32_t members[N] = {0, 1, 2};
static struct snapshot s;

static void set_state(int i, int64_t state)
{
	threads[i].state = (struct snapshot_word){ompd_rc_ok, state};
}

static void setup(void)
{
	memset(threads, 0, sizeof(threads));
	memset(regions, 0, sizeof(regions));
	regions[1].level.value = 1;
	regions[1].team_size.value = N;
	regions[1].members = members;
	regions[1].n_members = N;
	for (int i = 0; i < 2; i++)
		regions[i].n_arrived.rc = ompd_rc_unsupported;
	for (int i = 0; i < N; i++) {
		threads[i].parallel = (struct snapshot_ref){ompd_rc_ok, 1, 1};
		set_state(i, ompt_state_work_parallel);
	}
	threads[N].parallel = (struct snapshot_ref){ompd_rc_unavailable, SNAPSHOT_NONE, 0};
	set_state(N, ompt_state_wait_barrier);
	s = (struct snapshot){
		.parts = SNAPSHOT_STATES,
		.parallels = regions,
		.n_parallels = 2,
		.threads = threads,
		.n_threads = N + 1,
	};
}

static void assert_arrived(int64_t n, bool is_exact)
{
	barrier_arrivals_count(&s);
	ck_assert_int_eq(regions[1].n_arrived.rc, ompd_rc_ok);
	ck_assert_int_eq(regions[1].n_arrived.value, n);
	ck_assert_int_eq(regions[1].arrived_is_exact, is_exact);
	/* An initial task has no barrier. */
	ck_assert_int_eq(regions[0].n_arrived.rc, ompd_rc_unsupported);
}

START_TEST(test_nobody)
{
	assert_arrived(0, true);
}
END_TEST

START_TEST(test_barriers_of_each_kind)
{
	set_state(0, ompt_state_wait_barrier);
	set_state(1, ompt_state_wait_barrier_teams);
	set_state(2, ompt_state_wait_taskwait);
	assert_arrived(2, true);
}
END_TEST

START_TEST(test_a_state_that_is_not_known)
{
	set_state(0, ompt_state_wait_barrier_explicit);
	threads[1].state.rc = ompd_rc_unavailable;
	assert_arrived(1, false);
}
END_TEST

/* The thread would be counted twice: by the state it is inferred from, and by the conclusion. */
START_TEST(test_an_inferred_state_counts_nothing)
{
	set_state(0, ompt_state_wait_barrier_explicit);
	threads[0].state_is_inferred = true;
	assert_arrived(0, true);
}
END_TEST

/* It is in a nested region: its state there says that it is not at this region's barrier. */
START_TEST(test_a_member_that_is_in_another_region)
{
	set_state(0, ompt_state_wait_barrier_explicit);
	threads[0].parallel.index = 0;
	threads[1].parallel.index = 0;
	threads[1].state.rc = ompd_rc_unavailable;
	assert_arrived(0, true);
}
END_TEST

START_TEST(test_members_that_were_not_found)
{
	set_state(1, ompt_state_wait_barrier);
	regions[1].n_members = 2;
	assert_arrived(1, false);
	regions[1].n_members = N;
	regions[1].n_arrived.rc = ompd_rc_unsupported;
	regions[1].team_size.rc = ompd_rc_error;
	assert_arrived(1, false);
}
END_TEST

START_TEST(test_what_the_library_said_stays)
{
	set_state(0, ompt_state_wait_barrier);
	regions[1].n_arrived = (struct snapshot_word){ompd_rc_ok, 3};
	regions[1].arrived_is_exact = true;
	assert_arrived(3, true);
	/* The runtime counts arrivals, but the counter is unavailable now. */
	regions[1].n_arrived = (struct snapshot_word){ompd_rc_unavailable, 0};
	barrier_arrivals_count(&s);
	ck_assert_int_eq(regions[1].n_arrived.rc, ompd_rc_unavailable);
}
END_TEST

START_TEST(test_without_states_nothing_is_said)
{
	s.parts = 0;
	barrier_arrivals_count(&s);
	ck_assert_int_eq(regions[1].n_arrived.rc, ompd_rc_unsupported);
}
END_TEST

START_TEST(test_a_level_that_is_not_known)
{
	regions[1].level.rc = ompd_rc_error;
	barrier_arrivals_count(&s);
	ck_assert_int_eq(regions[1].n_arrived.rc, ompd_rc_unsupported);
}
END_TEST

static const struct {
	const char *fault;
	int rc; /* -1: the library misbehaves */
} answers[] = {{"", ompd_rc_unsupported}, {"arrived", ompd_rc_ok}, {"arrived_wild", -1}, {"arrived_negative", -1}};

START_TEST(test_what_the_library_says)
{
	struct plugin *p;

	setenv("FAKE_OMPD", answers[_i].fault, 1);
	ck_assert_no_err(plugin_load(FAKE_LIBOMPD, -1, &p));
	struct error *err = barrier_arrivals_request(p, &s);

	plugin_destroy(p);
	if (answers[_i].rc < 0) {
		ck_assert_err(err, ERR_PLUGIN_MISBEHAVED);
		return;
	}
	ck_assert_no_err(err);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(regions[i].n_arrived.rc, answers[_i].rc);
		ck_assert_int_eq(regions[i].arrived_is_exact, answers[_i].rc == ompd_rc_ok);
		ck_assert_int_eq(regions[i].n_arrived.value, answers[_i].rc == ompd_rc_ok ? 2 : 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_arrived");
	TCase *tc = tcase_create("arrived");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_nobody);
	tcase_add_test(tc, test_barriers_of_each_kind);
	tcase_add_test(tc, test_a_state_that_is_not_known);
	tcase_add_test(tc, test_an_inferred_state_counts_nothing);
	tcase_add_test(tc, test_a_member_that_is_in_another_region);
	tcase_add_test(tc, test_members_that_were_not_found);
	tcase_add_test(tc, test_what_the_library_said_stays);
	tcase_add_test(tc, test_without_states_nothing_is_said);
	tcase_add_test(tc, test_a_level_that_is_not_known);
	tcase_add_loop_test(tc, test_what_the_library_says, 0, sizeof(answers) / sizeof(answers[0]));
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
