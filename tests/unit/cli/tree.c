/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/tree.c. */
#include "tree.h"

#include "check_main.h"

static struct tree_node *thread(struct tree_node *parent, int64_t num, int64_t tid, const char *state)
{
	struct tree_node *node = tree_node_create("thread");

	if (num >= 0)
		ranges_add(&node->nums, num);
	ranges_add(&node->tids, tid);
	node->state = text_strdup(state);
	ck_assert_int_eq(tree_node_add(parent, node), 1);
	return node;
}

static struct tree_node *region(struct tree_node *parent, const char *text)
{
	struct tree_node *node = tree_node_create("region");

	node->text = text_strdup(text);
	ck_assert_int_eq(tree_node_add(parent, node), 1);
	return node;
}

/* Draws the tree and frees it. */
static void assert_tree(struct tree_node *root, const struct style *style, const char *expected)
{
	struct text out = {0};

	tree_draw(root, style, &out);
	text_add(&out, "");
	ck_assert_str_eq(out.data, expected);
	text_deinit(&out);
	tree_node_destroy(root);
}

START_TEST(test_tree_equal_siblings_become_one_line)
{
	struct tree_node *root = tree_node_create("process");
	struct style style = {0};

	thread(root, 0, 100, "work");
	for (int i = 1; i < 300; i++)
		thread(root, i, 100 + i, "barrier");
	tree_fold(root);
	assert_tree(root, &style,
		    "|- thread 0 (100)  work\n"
		    "`- threads 1-299 (101-399)  barrier\n");
}
END_TEST

START_TEST(test_tree_lines_without_fold_stay_apart_and_follow_the_nesting)
{
	struct tree_node *root = tree_node_create("process");
	struct style style = {.utf8 = 1};
	struct tree_node *outer = region(root, "level 0");

	region(thread(outer, 0, 1, ""), "level 1");
	thread(outer, 1, 2, "idle");
	assert_tree(root, &style,
		    "\342\224\224\342\224\200 region level 0\n"
		    "   \342\224\234\342\224\200 thread 0 (1)\n"
		    "   \342\224\202  \342\224\224\342\224\200 region level 1\n"
		    "   \342\224\224\342\224\200 thread 1 (2)  idle\n");
}
END_TEST

static void team(struct tree_node *parent, int64_t first_tid, int busy)
{
	struct tree_node *node = region(parent, "level 2");

	for (int i = 0; i < 3; i++)
		thread(node, i, first_tid + i, i == busy ? "work" : "barrier");
}

START_TEST(test_tree_equal_teams_fold_with_their_threads)
{
	struct tree_node *root = tree_node_create("process");
	struct style style = {0};

	team(root, 10, 0);
	team(root, 20, 0);
	tree_fold(root);
	assert_tree(root, &style,
		    "`- 2 regions level 2\n"
		    "   |- thread 0 of each (10,20)  work\n"
		    "   `- threads 1-2 of each (11-12,21-22)  barrier\n");
}
END_TEST

START_TEST(test_tree_teams_whose_threads_differ_do_not_fold)
{
	struct tree_node *root = tree_node_create("process");
	struct style style = {0};

	team(root, 10, 0);
	team(root, 20, 1);
	tree_fold(root);
	ck_assert_uint_eq(root->n_children, 2);
	assert_tree(root, &style,
		    "|- region level 2\n"
		    "|  |- thread 0 (10)  work\n"
		    "|  `- threads 1-2 (11-12)  barrier\n"
		    "`- region level 2\n"
		    "   |- threads 0,2 (20,22)  barrier\n"
		    "   `- thread 1 (21)  work\n");
}
END_TEST

START_TEST(test_tree_nodes_without_numbers_are_counted)
{
	struct tree_node *root = tree_node_create("process");
	struct style style = {0};

	thread(root, -1, 7, "idle");
	thread(root, -1, 9, "idle");
	tree_fold(root);
	assert_tree(root, &style, "`- 2 threads (7,9)  idle\n");
}
END_TEST

START_TEST(test_tree_long_lines_are_cut_to_the_terminal)
{
	struct tree_node *root = tree_node_create("process");
	struct style style = {.width = 24};

	region(root, "a_function_with_a_long_name");
	assert_tree(root, &style, "`- region a_function_w..\n");
}
END_TEST

START_TEST(test_tree_a_node_that_only_leads_on_shares_its_line)
{
	struct tree_node *root = tree_node_create("process"), *node = tree_node_create("thread");
	struct style style = {.width = 40};

	ranges_add(&node->nums, 3);
	tree_node_add(root, node);
	thread(region(node, "level 1"), 0, 7, "work");
	assert_tree(root, &style,
		    "`- thread 3 -> region level 1\n"
		    "   `- thread 0 (7)  work\n");
}
END_TEST

START_TEST(test_tree_depth_is_bounded)
{
	struct tree_node *root = tree_node_create("process"), *node = root;
	int added = 1, depth = 0;

	while (added) {
		struct tree_node *child = tree_node_create("region");

		added = tree_node_add(node, child);
		if (added)
			node = child;
		depth++;
		ck_assert_int_le(depth, TREE_MAX_DEPTH);
	}
	tree_fold(root);
	tree_node_destroy(root);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tree");
	TCase *fold = tcase_create("tree_fold");
	TCase *draw = tcase_create("tree_draw");

	tcase_add_test(fold, test_tree_equal_siblings_become_one_line);
	tcase_add_test(fold, test_tree_equal_teams_fold_with_their_threads);
	tcase_add_test(fold, test_tree_teams_whose_threads_differ_do_not_fold);
	tcase_add_test(fold, test_tree_nodes_without_numbers_are_counted);
	tcase_add_test(fold, test_tree_depth_is_bounded);
	suite_add_tcase(suite, fold);
	tcase_add_test(draw, test_tree_lines_without_fold_stay_apart_and_follow_the_nesting);
	tcase_add_test(draw, test_tree_a_node_that_only_leads_on_shares_its_line);
	tcase_add_test(draw, test_tree_long_lines_are_cut_to_the_terminal);
	suite_add_tcase(suite, draw);
	return check_main(suite);
}
