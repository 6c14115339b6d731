/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/stack_tree: stacks share their common outer frames. Samples without room are counted. */
#include "check_main.h"

#include "openmp/sampling/stack_tree.h"

static uint32_t push(struct stack_tree *t, uint32_t parent, uint32_t function, int line)
{
	struct tree_frame frame = {.kind = TREE_USER, .function = function, .line = line};

	return stack_tree_child(t, parent, stack_tree_frame(t, &frame));
}

START_TEST(test_outer_frames_are_shared)
{
	struct stack_tree t = {0};
	uint32_t outer = push(&t, STACK_TREE_ROOT, 1, 10);
	uint32_t a = push(&t, outer, 2, 20), b = push(&t, outer, 2, 21);

	ck_assert_uint_ne(a, b);
	ck_assert_uint_eq(push(&t, STACK_TREE_ROOT, 1, 10), outer);
	ck_assert_uint_eq(push(&t, outer, 2, 20), a);
	/* The same frame with another caller is another node. */
	ck_assert_uint_ne(push(&t, a, 2, 20), a);
	ck_assert_uint_eq(t.n_frames, 3);
	ck_assert_uint_eq(t.n_nodes, 4);
	for (uint32_t i = 0; i < t.n_nodes; i++)
		ck_assert(t.nodes[i].parent == STACK_TREE_ROOT || t.nodes[i].parent < i);
	stack_tree_deinit(&t);
}
END_TEST

START_TEST(test_samples_are_told_apart_by_state)
{
	struct stack_tree t = {0};
	uint32_t outer = push(&t, STACK_TREE_ROOT, 1, 10);

	stack_tree_add(&t, outer, PROFILE_WORK, 100);
	stack_tree_add(&t, outer, PROFILE_CRITICAL, 30);
	stack_tree_add(&t, outer, PROFILE_WORK, 7);
	ck_assert_uint_eq(t.n_nodes, 3);
	ck_assert_uint_eq(t.nodes[outer].self_us, 0);
	ck_assert_uint_eq(t.nodes[1].self_us, 107);
	ck_assert_uint_eq(t.nodes[1].samples, 2);
	ck_assert_uint_eq(t.nodes[2].self_us, 30);
	ck_assert_int_eq(t.frames[t.nodes[2].frame].kind, TREE_STATE);
	ck_assert_int_eq(t.frames[t.nodes[2].frame].state, PROFILE_CRITICAL);
	stack_tree_deinit(&t);
}
END_TEST

START_TEST(test_a_full_tree_counts_for_outer_frames)
{
	struct stack_tree t = {0};
	uint32_t outer = push(&t, STACK_TREE_ROOT, 1, 0), last = outer;

	for (uint32_t i = 0; t.n_nodes < STACK_TREE_MAX_NODES; i++)
		last = push(&t, last, i & 1023, 0);
	ck_assert_uint_eq(push(&t, last, 1, 1), UINT32_MAX);
	ck_assert_uint_eq(push(&t, STACK_TREE_ROOT, 1, 0), outer);
	stack_tree_add(&t, outer, PROFILE_WORK, 5);
	ck_assert_uint_eq(t.refused, 1);
	ck_assert_uint_eq(t.nodes[outer].self_us, 5);
	ck_assert_uint_eq(t.n_nodes, STACK_TREE_MAX_NODES);
	/* An empty stack adds no node. */
	stack_tree_add(&t, STACK_TREE_ROOT, PROFILE_IDLE, 5);
	stack_tree_deinit(&t);
}
END_TEST

START_TEST(test_frames_are_bounded)
{
	struct stack_tree t = {0};

	for (int i = 0; i < STACK_TREE_MAX_FRAMES; i++)
		ck_assert_uint_eq(stack_tree_frame(&t, &(struct tree_frame){.line = i}), (uint32_t)i);
	ck_assert_uint_eq(stack_tree_frame(&t, &(struct tree_frame){.line = -1}), UINT32_MAX);
	ck_assert_uint_eq(stack_tree_child(&t, STACK_TREE_ROOT, UINT32_MAX), UINT32_MAX);
	ck_assert_uint_eq(stack_tree_frame(&t, &(struct tree_frame){.line = 77}), 77);
	stack_tree_deinit(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/stack_tree");
	TCase *tc = tcase_create("stack_tree");

	tcase_add_test(tc, test_outer_frames_are_shared);
	tcase_add_test(tc, test_samples_are_told_apart_by_state);
	tcase_add_test(tc, test_a_full_tree_counts_for_outer_frames);
	tcase_add_test(tc, test_frames_are_bounded);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
