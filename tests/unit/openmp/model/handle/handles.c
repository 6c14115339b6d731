/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/handle/handles with the fake library, whose objects are blocks that start with an id. */
#include "check_main.h"

#include <stdio.h>
#include <string.h>

#include "base/contract.h"
#include "base/error.h"
#include "fake_target.h"
#include "openmp/model/handle/handles.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/guard.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

static struct handles *h;
static struct plugin *p;

static void load(void)
{
	ck_assert_no_err(plugin_load(FAKE_LIBOMPD, -1, &p));
	ck_assert_int_eq(plugin_call(p, initialize, 202111, callbacks_table()), 0);
	h = handles_create(1000);
	handles_set_plugin(h, 0, p);
}

static void setup(void)
{
	unsetenv("FAKE_OMPD");
	load();
}

static void teardown(void)
{
	handles_destroy(h);
	ck_assert_uint_eq(blocks_count(), 0);
	plugin_destroy(p);
	blocks_free_all();
}

static void *object(int id)
{
	int *o = blocks_alloc(sizeof(*o));

	*o = id;
	return o;
}

static struct handle *intern(int64_t client, uint64_t epoch, enum handle_kind kind, int id)
{
	struct handle *ret = NULL;

	ck_assert_no_err(handles_intern(h, 0, client, epoch, kind, object(id), &ret));
	return ret;
}

static struct error *find(int64_t client, const char *text, int kind)
{
	struct handle *ret;

	return handles_find(h, client, "t1", text, kind, "/params/handle", &ret);
}

START_TEST(test_same_object_is_the_same_handle)
{
	struct handle *a = intern(1, 1, HANDLE_PARALLEL, 7);

	intern(1, 1, HANDLE_PARALLEL, 8);
	ck_assert_ptr_eq(intern(1, 1, HANDLE_PARALLEL, 7), a);
	ck_assert_uint_eq(a->number, 1);
	/* Another kind, epoch or connection has names of its own. */
	ck_assert_ptr_ne(intern(1, 1, HANDLE_TASK, 7), a);
	ck_assert_ptr_ne(intern(1, 2, HANDLE_PARALLEL, 7), a);
	ck_assert_ptr_ne(intern(2, 1, HANDLE_PARALLEL, 7), a);
	/* Unneeded blocks are freed. */
	ck_assert_uint_eq(blocks_count(), 5);
}
END_TEST

START_TEST(test_many_objects_in_any_order)
{
	enum { N = 5000 };

	for (int i = 0; i < N; i++)
		intern(1, 1, HANDLE_TASK, i * 7919 % N);
	ck_assert_uint_eq(blocks_count(), N);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq((int)intern(1, 1, HANDLE_TASK, i * 7919 % N)->number, i + 1);
	ck_assert_uint_eq(blocks_count(), N);
}
END_TEST

START_TEST(test_name_and_back)
{
	struct handle *a = intern(1, 14, HANDLE_THREAD, 3), *found;
	char name[HANDLE_NAME_SIZE];

	handle_name_write("t1", a->epoch, a->runtime, a->kind, a->number, name);
	ck_assert_str_eq(name, "t1:e14:thr:1");
	ck_assert_no_err(handles_find(h, 1, "t1", name, HANDLE_THREAD, "/params/x", &found));
	ck_assert_ptr_eq(found, a);
	ck_assert_no_err(handles_find(h, 1, "t1", name, -1, "/params/x", &found));
}
END_TEST

START_TEST(test_wrong_kind_names_the_parameter)
{
	struct handle *ret;

	intern(1, 1, HANDLE_TASK, 3);
	struct error *err = handles_find(h, 1, "t1", "t1:e1:task:1", HANDLE_PARALLEL, "/params/parallel", &ret);

	ck_assert(error_is(err, ERR_INVALID_PARAMS));
	ck_assert_str_eq(err->details[0].key, "pointer");
	ck_assert_str_eq(err->details[0].value, "/params/parallel");
	error_destroy(err);
}
END_TEST

START_TEST(test_invented_and_foreign_handles_are_unknown)
{
	intern(1, 1, HANDLE_TASK, 3);
	ck_assert_err(find(1, "t1:e1:task:2", -1), ERR_UNKNOWN_HANDLE);
	ck_assert_err(find(1, "t1:e1:task:0", -1), ERR_UNKNOWN_HANDLE);
	ck_assert_err(find(1, "t1:e9:task:1", -1), ERR_UNKNOWN_HANDLE);
	ck_assert_err(find(1, "t2:e1:task:1", -1), ERR_UNKNOWN_HANDLE);
	ck_assert_err(find(1, "t11:e1:task:1", -1), ERR_UNKNOWN_HANDLE);
	ck_assert_err(find(2, "t1:e1:task:1", -1), ERR_UNKNOWN_HANDLE);
	ck_assert_err(find(1, "t1:e1:task:18446744073709551615", -1), ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_text_that_is_no_handle)
{
	static const char *const bad[] = {
		"",
		"t",
		"t1",
		"t1:",
		"t1:e",
		"t1:e1",
		"t1:e1:",
		"t1:e1:par",
		"t1:e1:par:",
		"t1:e1:par:1x",
		"t1:e01:par:1",
		"t1:e1:nix:1",
		"t1:e1:par:01",
		"x1:e1:par:1",
		"t1:e1:par:-1",
		" t1:e1:par:1",
		"t1:e1:par:1 ",
		"t1:e99999999999999999999:par:1",
	};

	intern(1, 1, HANDLE_PARALLEL, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_err(find(1, bad[i], -1), ERR_INVALID_PARAMS);
}
END_TEST

static void assert_stale(struct error *err)
{
	ck_assert(error_is(err, ERR_OMPD));
	ck_assert_int_eq(err->ompd_rc, ompd_rc_stale_handle);
	ck_assert_ptr_nonnull(strstr(error_hint_text(err), "target.stop"));
	error_destroy(err);
}

START_TEST(test_handles_are_stale_when_their_epoch_has_ended)
{
	struct handle *ret;

	intern(1, 1, HANDLE_TASK, 3);
	intern(2, 1, HANDLE_TASK, 3);
	handles_epoch_ended(h, 1);
	ck_assert_uint_eq(blocks_count(), 0);
	assert_stale(find(1, "t1:e1:task:1", HANDLE_TASK));
	assert_stale(find(2, "t1:e1:task:1", HANDLE_TASK));
	ck_assert_err(find(1, "t1:e1:task:2", HANDLE_TASK), ERR_UNKNOWN_HANDLE);
	ck_assert_err(handles_intern(h, 0, 1, 1, HANDLE_TASK, object(4), &ret), ERR_INTERNAL_ERROR);
	ck_assert_uint_eq(blocks_count(), 0);
}
END_TEST

START_TEST(test_released_handle_is_stale)
{
	struct handle *a = intern(1, 1, HANDLE_TASK, 3);

	intern(1, 1, HANDLE_TASK, 4);
	handles_release(h, 1, a);
	ck_assert_uint_eq(blocks_count(), 1);
	assert_stale(find(1, "t1:e1:task:1", HANDLE_TASK));
	/* The same object gets a new name. */
	ck_assert_uint_eq(intern(1, 1, HANDLE_TASK, 3)->number, 3);
	ck_assert_uint_eq(intern(1, 1, HANDLE_TASK, 4)->number, 2);
}
END_TEST

START_TEST(test_releasing_in_any_order_keeps_the_rest)
{
	enum { N = 300 };
	struct handle *all[N];

	for (int i = 0; i < N; i++)
		all[i] = intern(1, 1, HANDLE_TASK, i);
	for (int i = 0; i < N; i += 2)
		handles_release(h, 1, all[i * 7 % N]);
	ck_assert_uint_eq(blocks_count(), N / 2);
	for (int i = 1; i < N; i += 2)
		ck_assert_ptr_eq(intern(1, 1, HANDLE_TASK, i), all[i]);
}
END_TEST

START_TEST(test_finalized_library_leaves_stale_handles_and_the_epoch_goes_on)
{
	intern(1, 1, HANDLE_TASK, 3);
	handles_end_all(h);
	ck_assert_uint_eq(blocks_count(), 0);
	assert_stale(find(1, "t1:e1:task:1", HANDLE_TASK));
	ck_assert_uint_eq(intern(1, 1, HANDLE_TASK, 3)->number, 2);
}
END_TEST

START_TEST(test_client_that_is_gone)
{
	intern(1, 1, HANDLE_TASK, 3);
	intern(2, 1, HANDLE_TASK, 3);
	handles_client_gone(h, 1);
	handles_client_gone(h, 77);
	ck_assert_uint_eq(blocks_count(), 1);
	ck_assert_err(find(1, "t1:e1:task:1", -1), ERR_UNKNOWN_HANDLE);
	ck_assert_no_err(find(2, "t1:e1:task:1", -1));
}
END_TEST

START_TEST(test_too_many_in_one_epoch)
{
	struct handle *ret;

	for (int i = 0; i < CONTRACT_MAX_HANDLES; i++)
		intern(1, 1, HANDLE_TASK, i);
	ck_assert_err(handles_intern(h, 0, 1, 1, HANDLE_TASK, object(-1), &ret), ERR_LIMIT_EXCEEDED);
	/* An object with a name keeps it. Other epochs are not affected. */
	ck_assert_uint_eq(intern(1, 1, HANDLE_TASK, 5)->number, 6);
	intern(2, 1, HANDLE_TASK, 5);
}
END_TEST

START_TEST(test_oldest_epoch_gives_way)
{
	for (int i = 0; i < CONTRACT_MAX_HANDLES / 2; i++)
		intern(1, 1, HANDLE_TASK, i);
	for (int i = 0; i < CONTRACT_MAX_HANDLES / 2; i++)
		intern(1, 2, HANDLE_TASK, i);
	intern(1, 3, HANDLE_TASK, 0);
	assert_stale(find(1, "t1:e1:task:1", HANDLE_TASK));
	ck_assert_no_err(find(1, "t1:e2:task:1", HANDLE_TASK));
	ck_assert_no_err(find(1, "t1:e3:task:1", HANDLE_TASK));
}
END_TEST

/* Views of observe mode, which are never ended explicitly. */
START_TEST(test_views_that_are_long_past)
{
	for (uint64_t e = 1; e <= HANDLES_MAX_VIEWS; e++)
		intern(1, e, HANDLE_THREAD, 1);
	ck_assert_no_err(find(1, "t1:e1:thr:1", HANDLE_THREAD));
	intern(1, HANDLES_MAX_VIEWS + 1, HANDLE_THREAD, 1);
	assert_stale(find(1, "t1:e1:thr:1", HANDLE_THREAD));
	ck_assert_no_err(find(1, "t1:e2:thr:1", HANDLE_THREAD));
	/* Another connection has names of its own. */
	intern(2, HANDLES_MAX_VIEWS + 1, HANDLE_THREAD, 1);
	ck_assert_no_err(find(1, "t1:e2:thr:1", HANDLE_THREAD));
}
END_TEST

START_TEST(test_ended_epochs_are_forgotten_in_the_end)
{
	char name[HANDLE_NAME_SIZE];

	for (uint64_t e = 1; e <= HANDLES_MAX_ENDED + 10; e++) {
		intern(1, e, HANDLE_TASK, 1);
		handles_epoch_ended(h, e);
	}
	ck_assert_err(find(1, "t1:e1:task:1", HANDLE_TASK), ERR_UNKNOWN_HANDLE);
	handle_name_write("t1", HANDLES_MAX_ENDED + 10, 0, HANDLE_TASK, 1, name);
	assert_stale(find(1, name, HANDLE_TASK));
}
END_TEST

START_TEST(test_library_that_cannot_compare)
{
	struct handle *ret;

	plugin_destroy(p);
	handles_destroy(h);
	setenv("FAKE_OMPD", "cannot_compare", 1);
	load();
	intern(1, 1, HANDLE_TASK, 1);
	ck_assert_err(handles_intern(h, 0, 1, 1, HANDLE_TASK, object(2), &ret), ERR_PLUGIN_MISBEHAVED);
	ck_assert_uint_eq(blocks_count(), 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("handles");
	TCase *t = tcase_create("handles");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_same_object_is_the_same_handle);
	tcase_add_test(t, test_many_objects_in_any_order);
	tcase_add_test(t, test_name_and_back);
	tcase_add_test(t, test_wrong_kind_names_the_parameter);
	tcase_add_test(t, test_invented_and_foreign_handles_are_unknown);
	tcase_add_test(t, test_text_that_is_no_handle);
	tcase_add_test(t, test_handles_are_stale_when_their_epoch_has_ended);
	tcase_add_test(t, test_released_handle_is_stale);
	tcase_add_test(t, test_releasing_in_any_order_keeps_the_rest);
	tcase_add_test(t, test_finalized_library_leaves_stale_handles_and_the_epoch_goes_on);
	tcase_add_test(t, test_client_that_is_gone);
	tcase_add_test(t, test_too_many_in_one_epoch);
	tcase_add_test(t, test_oldest_epoch_gives_way);
	tcase_add_test(t, test_views_that_are_long_past);
	tcase_add_test(t, test_ended_epochs_are_forgotten_in_the_end);
	tcase_add_test(t, test_library_that_cannot_compare);
	suite_add_tcase(s, t);
	return check_main(s);
}
