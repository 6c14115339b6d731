/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of ompdd/view/node.c: folding. */
#include "view/node.h"

#include <inttypes.h>

#include <json-c/json.h>

#include "check_main.h"
#include "rpc/json_read.h"
#include "view/state_name.h"

static struct node *thread(struct node *parent, int64_t num, int64_t tid, const char *state)
{
	struct node *node = node_create("thread", "thread");

	if (num >= 0)
		number_set_add(&node->nums, num);
	number_set_add(&node->tids, tid);
	node->state = state_name_other_json("other", state);
	ck_assert_ptr_eq(node_add(parent, node), node);
	return node;
}

static struct node *region(struct node *parent, const char *text)
{
	struct node *node = node_create("region", "region");

	phrase_add(&node->text, text);
	ck_assert_ptr_eq(node_add(parent, node), node);
	return node;
}

/* Compare lines "DEPTH LABEL (TIDS) STATE TEXT", and free the tree. */
static void assert_tree(struct node *root, const char *expected)
{
	struct json_object *nodes = node_array_json(root);
	struct buf out = {0};

	for (size_t i = 0; i < json_read_length(nodes); i++) {
		struct json_object *node = json_object_array_get_idx(nodes, i);

		phrase_printf(&out, "%" PRId64 " %s (%s) %s%s\n", json_read_int(json_read_member(node, "depth"), -1),
			      json_read_text(node, "label"), json_read_text(node, "tids"),
			      json_read_text(json_read_member(node, "state"), "text"), json_read_text(node, "text"));
	}
	ck_assert_str_eq(phrase_text(&out), expected);
	buf_deinit(&out);
	json_object_put(nodes);
	node_destroy(root);
}

START_TEST(test_node_equal_siblings_become_one)
{
	struct node *root = node_create("process", "process");

	thread(root, 0, 100, "work");
	for (int i = 1; i < 300; i++)
		thread(root, i, 100 + i, "barrier");
	node_fold(root, 0);
	assert_tree(root, "0 thread 0 (100) work\n0 threads 1-299 (101-399) barrier\n");
}
END_TEST

START_TEST(test_node_depths_follow_the_nesting)
{
	struct node *root = node_create("process", "process"), *outer = region(root, "level 0");

	region(thread(outer, 0, 1, "a"), "level 1");
	thread(outer, 1, 2, "idle");
	assert_tree(root, "0 region () level 0\n1 thread 0 (1) a\n2 region () level 1\n1 thread 1 (2) idle\n");
}
END_TEST

static void team(struct node *parent, int64_t first_tid, int busy)
{
	struct node *node = region(parent, "level 2");

	for (int i = 0; i < 3; i++)
		thread(node, i, first_tid + i, i == busy ? "work" : "barrier");
}

START_TEST(test_node_equal_teams_fold_with_their_threads)
{
	struct node *root = node_create("process", "process");

	team(root, 10, 0);
	team(root, 20, 0);
	node_fold(root, 0);
	assert_tree(root, "0 2 regions () level 2\n"
			  "1 thread 0 of each (10,20) work\n"
			  "1 threads 1-2 of each (11-12,21-22) barrier\n");
}
END_TEST

START_TEST(test_node_teams_with_different_threads_do_not_fold)
{
	struct node *root = node_create("process", "process");

	team(root, 10, 0);
	team(root, 20, 1);
	node_fold(root, 0);
	assert_tree(root, "0 region () level 2\n1 thread 0 (10) work\n1 threads 1-2 (11-12) barrier\n"
			  "0 region () level 2\n1 threads 0,2 (20,22) barrier\n1 thread 1 (21) work\n");
}
END_TEST

START_TEST(test_node_without_numbers_are_counted)
{
	struct node *root = node_create("process", "process");

	thread(root, -1, 7, "idle");
	thread(root, -1, 9, "idle");
	node_fold(root, 0);
	assert_tree(root, "0 2 threads (7,9) idle\n");
}
END_TEST

START_TEST(test_node_depth_is_bounded)
{
	struct node *root = node_create("process", "process"), *node = root;
	int depth = 0;

	for (struct node *child; (child = node_add(node, node_create("region", "region"))); node = child)
		ck_assert_int_le(++depth, NODE_MAX_DEPTH);
	node_fold(root, 0);
	node_destroy(root);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("node");
	TCase *fold = tcase_create("node_fold");

	tcase_add_test(fold, test_node_equal_siblings_become_one);
	tcase_add_test(fold, test_node_depths_follow_the_nesting);
	tcase_add_test(fold, test_node_equal_teams_fold_with_their_threads);
	tcase_add_test(fold, test_node_teams_with_different_threads_do_not_fold);
	tcase_add_test(fold, test_node_without_numbers_are_counted);
	tcase_add_test(fold, test_node_depth_is_bounded);
	suite_add_tcase(suite, fold);
	return check_main(suite);
}
