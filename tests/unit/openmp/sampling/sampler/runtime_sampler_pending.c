/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/sampler/runtime_sampler_pending: samples that wait for a stack. */
#include "check_main.h"
#include "openmp/model/snapshot.h"
#include "openmp/sampling/sampler/runtime_sampler.h"

#define N 2

static struct tally tally;
static struct runtime_sampler l;
static struct sampled_thread threads[N];
static bool is_new;

static void setup(void)
{
	ck_assert(tally_init(&tally, true, false));
	for (size_t i = 0; i < N; i++)
		threads[i] = (struct sampled_thread){.tid = 10 * (pid_t)(i + 1)};
	l = (struct runtime_sampler){.tally = &tally, .threads = threads, .n_threads = N};
}

static void teardown(void)
{
	tally_deinit(&tally);
}

/* A thread that waited for a stack which never came was sampled all the same. */
START_TEST(test_what_waits_for_stacks_is_counted_at_the_end)
{
	uint32_t region = tally_region(&tally, 0, 0x10, 1, false, &is_new);

	threads[0].pending[PROFILE_UNKNOWN] = (struct pending_samples){.us = 30, .n = 3};
	threads[0].unknown_region = region;
	threads[1].pending[PROFILE_WORK] = (struct pending_samples){.us = 20, .n = 2};
	tally_begin(&tally);
	runtime_sampler_settle(&l, 1000);
	tally_end(&tally, 1000);
	/* The first thread's state was unknown. The second one's was known, and is in the tally already. */
	ck_assert_uint_eq(tally.samples, 3);
	ck_assert_uint_eq(tally.state_us[PROFILE_UNKNOWN], 30);
	ck_assert_uint_eq(tally.state_us[PROFILE_WORK], 0);
	ck_assert_uint_eq(tally.regions[region].state_us[PROFILE_UNKNOWN], 30);
	ck_assert_uint_eq(l.no_stacks, 5);
	runtime_sampler_settle(&l, 2000);
	ck_assert_uint_eq(l.no_stacks, 5);
	ck_assert_uint_eq(tally.samples, 3);
}
END_TEST

/* Its state becomes known: then it is counted, and waits for its place in the tree. */
START_TEST(test_a_state_that_is_known_later)
{
	uint32_t region = tally_region(&tally, 0, 0x10, 1, false, &is_new);
	struct sampled_thread *t = &threads[0];

	t->unknown_region = region;
	runtime_sampler_add_pending(t, PROFILE_UNKNOWN, 100, 20);
	runtime_sampler_add_pending(t, PROFILE_UNKNOWN, 120, 30);
	ck_assert_uint_eq(t->pending[PROFILE_UNKNOWN].since_us, 100);
	tally_begin(&tally);
	runtime_sampler_add_unknown(&l, t, PROFILE_WORK, TALLY_NONE, 130);
	ck_assert_uint_eq(tally.samples, 2);
	ck_assert_uint_eq(tally.regions[region].state_us[PROFILE_WORK], 50);
	ck_assert_uint_eq(t->pending[PROFILE_UNKNOWN].n, 0);
	ck_assert_uint_eq(t->pending[PROFILE_WORK].n, 2);
	ck_assert_uint_eq(t->pending[PROFILE_WORK].us, 50);
	ck_assert_uint_eq(l.no_stacks, 0);
	/* Only once. */
	runtime_sampler_add_unknown(&l, t, PROFILE_WORK, TALLY_NONE, 140);
	ck_assert_uint_eq(tally.samples, 2);
}
END_TEST

START_TEST(test_old_ones_are_given_up)
{
	struct sampled_thread *t = &threads[0];

	t->unknown_region = TALLY_NONE;
	runtime_sampler_add_pending(t, PROFILE_WORK, 100, 10);
	runtime_sampler_add_pending(t, PROFILE_UNKNOWN, 200, 10);
	tally_begin(&tally);
	runtime_sampler_drop_pending(&l, t, 300, 150);
	ck_assert_uint_eq(l.no_stacks, 1);
	ck_assert_uint_eq(t->pending[PROFILE_WORK].n, 0);
	ck_assert_uint_eq(t->pending[PROFILE_UNKNOWN].n, 1);
	runtime_sampler_drop_pending(&l, t, 400, 250);
	ck_assert_uint_eq(l.no_stacks, 2);
	ck_assert_uint_eq(tally.state_us[PROFILE_UNKNOWN], 10);
}
END_TEST

/* A stack of another region does not get the idle time: an idle thread has no region around it. */
START_TEST(test_idle_is_in_no_region)
{
	uint32_t frame = stack_tree_frame(&tally.tree, &(struct tree_frame){.kind = TREE_USER, .function = 1});
	uint32_t node = stack_tree_child(&tally.tree, STACK_TREE_ROOT, frame);

	runtime_sampler_add_to_tree(&l, node, PROFILE_IDLE, 10);
	runtime_sampler_add_to_tree(&l, node, PROFILE_WORK, 20);
	for (uint32_t i = 0; i < tally.tree.n_nodes; i++) {
		const struct tree_node *n = &tally.tree.nodes[i];

		if (n->self_us)
			ck_assert_uint_eq(n->parent, n->self_us == 10 ? STACK_TREE_ROOT : node);
	}
	ck_assert_uint_eq(tally.tree.n_nodes, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/sampler/runtime_sampler_pending");
	TCase *tc = tcase_create("pending");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_what_waits_for_stacks_is_counted_at_the_end);
	tcase_add_test(tc, test_a_state_that_is_known_later);
	tcase_add_test(tc, test_old_ones_are_given_up);
	tcase_add_test(tc, test_idle_is_in_no_region);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
