/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/quota: which user may have one more. */
#include "check_main.h"

#include <string.h>
#include <unistd.h>

#include "error_detail.h"
#include "session/quota.h"

#define STRANGER (geteuid() + 1)

static void check(size_t all, size_t own, uid_t uid, const char *limit)
{
	const struct quota_use use = {.all = all, .own = own, .limit = 64};
	struct error *err = quota_check(&use, 16, "targets", uid);

	if (!limit)
		ck_assert_msg(!err, "%s", err ? err->message : "");
	else
		ck_assert_str_eq(error_detail_of(err, "limit"), limit);
	error_destroy(err);
}

START_TEST(test_one_user_does_not_get_all)
{
	check(0, 0, STRANGER, NULL);
	check(15, 15, STRANGER, NULL);
	check(16, 16, STRANGER, "user_targets");
}
END_TEST

START_TEST(test_some_is_kept_for_the_owner)
{
	check(64 - QUOTA_KEPT - 1, 0, STRANGER, NULL);
	check(64 - QUOTA_KEPT, 0, STRANGER, "targets");
	check(63, 63, geteuid(), NULL);
	check(63, 63, 0, NULL);
	check(64, 0, geteuid(), "targets");
}
END_TEST

START_TEST(test_defaults)
{
	struct quota q = quota_complete((struct quota){.targets = 3});

	ck_assert_uint_eq(q.targets, 3);
	ck_assert_uint_eq(q.connections, QUOTA_CONNECTIONS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session/quota");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, test_one_user_does_not_get_all);
	tcase_add_test(tcase, test_some_is_kept_for_the_owner);
	tcase_add_test(tcase, test_defaults);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
