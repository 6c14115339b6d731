/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/target.c on a fake target, for every access method. */
#include "target/target.h"

#include "check_main.h"
#include "fake_target.h"

START_TEST(test_observe_mode_cannot_be_stopped)
{
	struct target *o = fake_target_create(TARGET_OBSERVE);
	int64_t us;

	ck_assert_err(target_stop(o, 10), ERR_MODE_UNSUPPORTED);
	ck_assert_err(target_resume(o, &us), ERR_MODE_UNSUPPORTED);
	target_destroy(o);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_target");
	TCase *tc = tcase_create("stop");

	tcase_add_test(tc, test_observe_mode_cannot_be_stopped);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
