/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/handle/handle_tree in the order of the fake library, whose objects start with an id. */
#include "openmp/model/handle/handle_tree.h"

#include "check_main.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

#define N 300

static struct plugin *plugin;
static struct handle handles[N], *root;
static int ids[N];

/* The fake library reads its faults when it is initialised. */
static void initialize(void)
{
	ck_assert_int_eq(plugin_call(plugin, initialize, 202111, callbacks_table()), 0);
}

/* From now on the library cannot compare. */
static void break_library(void)
{
	setenv("FAKE_OMPD", "cannot_compare", 1);
	initialize();
}

static void setup(void)
{
	uint32_t seed = 1;

	unsetenv("FAKE_OMPD");
	ck_assert_no_err(plugin_load(FAKE_LIBOMPD, -1, &plugin));
	initialize();
	for (int i = 0; i < N; i++) {
		ids[i] = i * 7 % N; /* each once, in mixed order */
		seed = seed * 1664525 + 1013904223;
		handles[i] = (struct handle){.kind = HANDLE_TASK, .object = &ids[i], .priority = seed >> 8};
	}
	root = NULL;
}

static void teardown(void)
{
	plugin_destroy(plugin);
}

static void insert(int n)
{
	for (int i = 0; i < n; i++)
		ck_assert_no_err(handle_tree_insert(plugin, &root, &handles[i]));
}

static struct handle *find(int id)
{
	struct handle *ret = &handles[0];

	ck_assert_no_err(handle_tree_find(plugin, root, HANDLE_TASK, &id, &ret));
	return ret;
}

/* Returns the number of nodes below @at. Checks their order, and that no child comes before its parent in priority. */
static int check(const struct handle *at, int above, int below)
{
	if (!at)
		return 0;
	int id = *(int *)at->object;

	ck_assert_int_gt(id, above);
	ck_assert_int_lt(id, below);
	ck_assert(!at->left || at->left->priority <= at->priority);
	ck_assert(!at->right || at->right->priority <= at->priority);
	return 1 + check(at->left, above, id) + check(at->right, id, below);
}

/* The result does not depend on the order. */
static int count(const struct handle *at)
{
	return at ? 1 + count(at->left) + count(at->right) : 0;
}

START_TEST(test_what_is_in_is_found)
{
	insert(N);
	ck_assert_int_eq(check(root, -1, N), N);
	for (int i = 0; i < N; i++)
		ck_assert_ptr_eq(find(ids[i]), &handles[i]);
	ck_assert_ptr_null(find(-1));
	ck_assert_ptr_null(find(N));
	root = NULL;
	ck_assert_ptr_null(find(0));
}
END_TEST

START_TEST(test_what_is_taken_out_is_gone)
{
	insert(N);
	for (int i = 0; i < N; i++) {
		/* With the library, and without it. */
		handle_tree_remove(i % 2 ? plugin : NULL, &root, &handles[i]);
		ck_assert_int_eq(check(root, -1, N), N - 1 - i);
		ck_assert_ptr_null(find(ids[i]));
	}
	ck_assert_ptr_null(root);
	/* An object that is not in the tree. */
	handle_tree_remove(plugin, &root, &handles[0]);
	handle_tree_remove(NULL, &root, &handles[0]);
}
END_TEST

START_TEST(test_a_library_that_cannot_compare)
{
	struct handle *ret;

	insert(N - 1);
	break_library();
	ck_assert_err(handle_tree_find(plugin, root, HANDLE_TASK, &ids[0], &ret), ERR_PLUGIN_MISBEHAVED);
	handles[N - 1].right = &handles[0];	       /* of an earlier place */
	handles[N - 1].priority = _i ? UINT32_MAX : 0; /* above all, or below them */
	ck_assert_err(handle_tree_insert(plugin, &root, &handles[N - 1]), ERR_PLUGIN_MISBEHAVED);
	/* The handles that were in the tree are still there, and can be removed. */
	ck_assert_int_eq(count(root), _i ? N : N - 1);
	for (int i = 0; i < N - 1; i++)
		handle_tree_remove(plugin, &root, &handles[i]);
	ck_assert_int_eq(count(root), _i);
	if (_i)
		handle_tree_remove(plugin, &root, &handles[N - 1]);
	ck_assert_ptr_null(root);
}
END_TEST

START_TEST(test_address_spaces_are_compared_without_the_library)
{
	int value;

	break_library();
	ck_assert_no_err(handle_tree_compare(plugin, HANDLE_ASPACE, &ids[0], &ids[1], &value));
	ck_assert_int_eq(value, -1);
	ck_assert_no_err(handle_tree_compare(plugin, HANDLE_ASPACE, &ids[1], &ids[0], &value));
	ck_assert_int_eq(value, 1);
	ck_assert_no_err(handle_tree_compare(plugin, HANDLE_ASPACE, &ids[1], &ids[1], &value));
	ck_assert_int_eq(value, 0);
}
END_TEST

START_TEST(test_each_kind_is_compared_by_its_routine)
{
	static const enum handle_kind kinds[] = {HANDLE_THREAD, HANDLE_PARALLEL, HANDLE_TASK};
	int small = 1, large = 2, value = 7;

	ck_assert_no_err(handle_tree_compare(plugin, kinds[_i], &large, &small, &value));
	ck_assert_int_eq(value, 1);
	break_library();
	ck_assert_err(handle_tree_compare(plugin, kinds[_i], &large, &small, &value), ERR_PLUGIN_MISBEHAVED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_handle_tree");
	TCase *tc = tcase_create("handle_tree");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_what_is_in_is_found);
	tcase_add_test(tc, test_what_is_taken_out_is_gone);
	tcase_add_loop_test(tc, test_a_library_that_cannot_compare, 0, 2);
	tcase_add_test(tc, test_address_spaces_are_compared_without_the_library);
	tcase_add_loop_test(tc, test_each_kind_is_compared_by_its_routine, 0, 3);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
