/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/runtimes/runtime over a fake target. */
#include "check_main.h"

#include <string.h>

#include "base/error.h"
#include "fake_target.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"

static struct target *t;

static void setup(void)
{
	t = fake_target_create(TARGET_OBSERVE);
	fake_target_add_module(t, "/fake/program", 0x400000, 0x500000, "aa", "GCC: (GNU) 11.1.0");
	target_view_begin(t);
}

static void teardown(void)
{
	target_destroy(t);
}

static void assert_runtime(const struct runtime_descriptor *descriptor, const char *path, const char *version)
{
	struct runtime r;

	ck_assert_no_err(runtime_find(t, &r));
	ck_assert_ptr_eq(r.descriptor, descriptor);
	ck_assert_str_eq(r.path, path);
	ck_assert_str_eq(r.version, version);
	runtime_deinit(&r);
}

START_TEST(test_none)
{
	struct runtime r;

	fake_target_add_symbol(t, 0, "main", 0x401000, 16, false);
	struct error *err = runtime_find(t, &r);

	ck_assert_ptr_nonnull(strstr(err->message, "GOMP_parallel"));
	ck_assert_err(err, ERR_NO_OPENMP_RUNTIME);
}
END_TEST

START_TEST(test_none_in_a_stripped_program)
{
	struct runtime r;
	struct error *err = runtime_find(t, &r);

	ck_assert_ptr_nonnull(strstr(err->message, "is stripped"));
	ck_assert_err(err, ERR_PROGRAM_STRIPPED);
}
END_TEST

START_TEST(test_llvm_in_the_place_of_libgomp)
{
	fake_target_add_module(t, "/opt/llvm/libgomp.so.1", 0x1000, 0x2000, NULL, "clang version 19.1.7");
	fake_target_add_symbol(t, 1, "GOMP_parallel", 0x1100, 16, false);
	fake_target_add_symbol(t, 1, "__kmpc_fork_call", 0x1200, 16, false);
	assert_runtime(&descriptor_libomp, "/opt/llvm/libgomp.so.1", "19");
}
END_TEST

START_TEST(test_libgomp)
{
	fake_target_add_module(t, "/lib/libgomp.so.1", 0x1000, 0x2000, "bb", "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0");
	assert_runtime(&descriptor_libgomp, "/lib/libgomp.so.1", "12");
}
END_TEST

START_TEST(test_libgomp_of_a_python_wheel)
{
	fake_target_add_module(t, "/x/libgomp-a34b3233.so.1.0.0", 0x1000, 0x2000, NULL, NULL);
	assert_runtime(&descriptor_libgomp, "/x/libgomp-a34b3233.so.1.0.0", "");
}
END_TEST

START_TEST(test_offload_plugin_is_no_runtime)
{
	struct runtime r;

	fake_target_add_symbol(t, 0, "main", 0x401000, 16, false);
	fake_target_add_module(t, "/lib/libgomp-plugin-nvptx.so.1", 0x1000, 0x2000, NULL, NULL);
	ck_assert_err(runtime_find(t, &r), ERR_NO_OPENMP_RUNTIME);
}
END_TEST

START_TEST(test_libomp)
{
	fake_target_add_module(t, "/lib/libomp.so.5", 0x1000, 0x2000, NULL, "Debian clang version 16.0.6");
	assert_runtime(&descriptor_libomp, "/lib/libomp.so.5", "16");
}
END_TEST

START_TEST(test_libgomp_in_the_program_itself)
{
	fake_target_add_symbol(t, 0, "GOMP_parallel", 0x401000, 16, false);
	assert_runtime(&descriptor_libgomp, "/fake/program", "11");
}
END_TEST

/* It has libgomp's functions, too. */
START_TEST(test_llvm_in_the_program_itself)
{
	fake_target_add_symbol(t, 0, "GOMP_parallel", 0x401000, 16, false);
	fake_target_add_symbol(t, 0, "__kmpc_fork_call", 0x402000, 16, false);
	assert_runtime(&descriptor_libomp, "/fake/program", "");
}
END_TEST

START_TEST(test_ours_in_the_place_of_libgomp)
{
	fake_target_add_module(t, "/opt/lib/ompdd/libgomp.so.1", 0x1000, 0x2000, NULL, NULL);
	fake_target_add_symbol(t, 1, "ompd_layout", 0x1800, 64, false);
	assert_runtime(&descriptor_omprt, "/opt/lib/ompdd/libgomp.so.1", "");
}
END_TEST

/* The table must be the runtime's own. */
START_TEST(test_table_of_another_module)
{
	fake_target_add_module(t, "/lib/libgomp.so.1", 0x1000, 0x2000, NULL, NULL);
	fake_target_add_symbol(t, 0, "ompd_layout", 0x401000, 64, false);
	assert_runtime(&descriptor_libgomp, "/lib/libgomp.so.1", "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime");
	TCase *c = tcase_create("runtime_find");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_none);
	tcase_add_test(c, test_none_in_a_stripped_program);
	tcase_add_test(c, test_llvm_in_the_place_of_libgomp);
	tcase_add_test(c, test_libgomp);
	tcase_add_test(c, test_libgomp_of_a_python_wheel);
	tcase_add_test(c, test_offload_plugin_is_no_runtime);
	tcase_add_test(c, test_libomp);
	tcase_add_test(c, test_libgomp_in_the_program_itself);
	tcase_add_test(c, test_llvm_in_the_program_itself);
	tcase_add_test(c, test_ours_in_the_place_of_libgomp);
	tcase_add_test(c, test_table_of_another_module);
	suite_add_tcase(s, c);
	return check_main(s);
}
