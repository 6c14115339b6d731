/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of names of foreign functions and modules, and of names that look like them. */
#include "openmp/stacks/stack_names.h"

#include <check.h>
#include <stdlib.h>

#include "check_main.h"

START_TEST(test_sanitizers)
{
	ck_assert(stack_name_is_sanitizer("__interceptor_pause"));
	ck_assert(stack_name_is_sanitizer("___interceptor_pause"));
	ck_assert(stack_name_is_sanitizer("_ZN6__tsan32call_pthread_cancel_with_cleanupEPFiPvEPFvS0_ES0_"));
	ck_assert(stack_name_is_sanitizer("_ZN11__sanitizer15internal_usleepEy"));
	ck_assert(!stack_name_is_sanitizer("_ZN4work5pauseEv"));
	ck_assert(!stack_name_is_sanitizer("_Z3runSt8functionIFvvEE"));
	ck_assert(!stack_name_is_sanitizer("pause"));
	ck_assert(!stack_name_is_sanitizer(NULL));
	ck_assert(stack_name_is_sanitizer_start("__tsan_thread_start_func"));
	ck_assert(stack_name_is_sanitizer_start(
		"_ZN6__asan10AsanThread11ThreadStartEyPN11__sanitizer16atomic_uintptr_tE"));
	ck_assert(!stack_name_is_sanitizer_start("_ZN6__tsan16BackgroundThreadEPv"));
	ck_assert(!stack_name_is_sanitizer_start("thread_start"));
}
END_TEST

START_TEST(test_names_of_libraries)
{
	ck_assert(stack_name_is_reserved("__libc_pause", false));
	ck_assert(stack_name_is_reserved("_IO_getc", false));
	ck_assert(stack_name_is_reserved("_ZSt16__introsort_loopIPiEvT_", false));
	ck_assert(stack_name_is_reserved("_ZNSt6thread11_State_implIiE6_M_runEv", false));
	ck_assert(!stack_name_is_reserved("_ZN3app4stepEv", false));
	ck_assert(!stack_name_is_reserved("__solver_MOD_step", false));
	ck_assert(!stack_name_is_reserved("_start_of_mine", false));
	ck_assert(!stack_name_is_reserved(NULL, true));
}
END_TEST

START_TEST(test_names_of_the_c_library_in_static_programs)
{
	ck_assert(stack_name_is_reserved("usleep", true));
	ck_assert(stack_name_is_reserved("qsort", true));
	ck_assert(!stack_name_is_reserved("usleep", false));
	ck_assert(!stack_name_is_reserved("never", true));
	ck_assert(!stack_name_is_reserved("main", true));
	ck_assert(!stack_name_is_reserved("main._omp_fn.0", true));
}
END_TEST

START_TEST(test_public_names)
{
	ck_assert_str_eq(stack_name_public("__interceptor_pause"), "pause");
	ck_assert_str_eq(stack_name_public("___interceptor_pthread_mutex_lock"), "pthread_mutex_lock");
	ck_assert_str_eq(stack_name_public("__interceptor_trampoline_read"), "read");
	ck_assert_str_eq(stack_name_public("__libc_pause"), "pause");
	ck_assert_str_eq(stack_name_public("__GI___poll"), "poll");
	ck_assert_str_eq(stack_name_public("___pthread_cond_wait"), "pthread_cond_wait");
	ck_assert_str_eq(stack_name_public("_Z4workv"), "_Z4workv");
	ck_assert_str_eq(stack_name_public("my__libc_pause"), "my__libc_pause");
	ck_assert_str_eq(stack_name_public("__"), "__");
}
END_TEST

START_TEST(test_modules)
{
	ck_assert(stack_name_is_support_module("/usr/lib/x86_64-linux-gnu/libtsan.so.2"));
	ck_assert(stack_name_is_support_module("/opt/conda/bin/python3.11"));
	ck_assert(stack_name_is_support_module("libstdc++.so.6"));
	ck_assert(!stack_name_is_support_module("/home/u/python/solver"));
	ck_assert(!stack_name_is_support_module("/home/u/libsolver.so"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_stack_names");
	TCase *tc = tcase_create("stack_names");

	tcase_add_test(tc, test_sanitizers);
	tcase_add_test(tc, test_names_of_libraries);
	tcase_add_test(tc, test_names_of_the_c_library_in_static_programs);
	tcase_add_test(tc, test_public_names);
	tcase_add_test(tc, test_modules);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
