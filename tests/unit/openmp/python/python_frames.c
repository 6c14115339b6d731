/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of functions of Python on stacks, for each version, and of memory that contradicts itself. */
#include "openmp/python/python_frames.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "fake_python.h"
#include "fake_target.h"
#include "openmp/python/python.h"

static struct fake_python fake;
static struct stacks st;
static struct stacks_thread threads[2];

/* Take the Python functions of both threads from the memory. */
static void take(void)
{
	fake.t = fake_python_create(fake.memory);
	ck_assert_ptr_null(target_stop(fake.t, 1000));
	target_view_begin(fake.t);
	memset(threads, 0, sizeof(threads));
	threads[0].tid = 100;
	threads[1].tid = 101;
	st = (struct stacks){.t = fake.t, .max_frames = 64, .threads = threads, .n_threads = 2};
	ck_assert_ptr_null(python_frames_take(&st));
}

static void release(void)
{
	for (size_t i = 0; i < 2; i++)
		free(threads[i].python);
	stack_places_deinit(&st);
	free(st.python_why);
	target_destroy(fake.t);
}

static void check_frame(uint32_t number, const char *function, const char *file, int line)
{
	const struct source_place *place = &threads[0].python[number].place->source.places[0];

	ck_assert_str_eq(place->function, function);
	ck_assert_str_eq(place->file, file);
	ck_assert_int_eq(place->line, line);
}

START_TEST(test_functions)
{
	fake_python_fill(&fake, (unsigned)_i);
	take();
	ck_assert_ptr_null(st.python_why);
	ck_assert_ptr_null(threads[0].python_why);
	ck_assert_uint_eq(threads[0].n_python, 2);
	check_frame(0, "inner", "/x/inner.py", 12);
	check_frame(1, "outer", "/x/outer.py", 22);
	ck_assert_uint_eq(threads[1].n_python, 0);
	for (int i = 0; i < 2; i++) {
		uint64_t entry = threads[0].python[i].entry;

		ck_assert(_i == 9 ? !entry : entry >= FAKE_PYTHON_MEMORY + FAKE_PYTHON_C_STACK);
	}
	release();
}
END_TEST

START_TEST(test_gil)
{
	struct python py;

	fake_python_fill(&fake, (unsigned)_i);
	take();
	python_find(fake.t, &py);
	ck_assert_int_eq(py.status, PYTHON_READABLE);
	ck_assert_uint_eq(py.n_gils, 1);
	ck_assert(py.gils[0].is_held);
	ck_assert_int_eq(py.gils[0].tid, 100);
	ck_assert_uint_eq(py.n_threads, 2);
	ck_assert_int_eq(py.threads[1].tid, 101);
	python_deinit(&py);
	release();
}
END_TEST

/* A list that leads back, a state of another interpreter, an unknown version: the reason is known. */
START_TEST(test_threads_that_contradict)
{
	static const struct {
		uint32_t offset;
		uint64_t value;
	} damages[] = {
		{FAKE_PYTHON_IDLE + 8, FAKE_PYTHON_MEMORY + FAKE_PYTHON_THREAD},
		{FAKE_PYTHON_THREAD + 16, 0x1234},
		{FAKE_PYTHON_IDLE + 0, 0x1234},
		{40, 0x1234},
		{360 + 16, 77},
		{FAKE_PYTHON_VERSION, 0x030800f0},
	};

	fake_python_fill(&fake, 11);
	fake_python_set(&fake, damages[_i].offset, damages[_i].value);
	take();
	ck_assert_ptr_nonnull(st.python_why);
	ck_assert_uint_eq(threads[0].n_python, 0);
	release();
}
END_TEST

/* A frame that leads back, code of another type: no function is shown that is not certain. */
START_TEST(test_frames_that_contradict)
{
	static const struct {
		uint32_t offset;
		uint64_t value;
		uint32_t n;
	} damages[] = {
		{FAKE_PYTHON_OUTER + 48, FAKE_PYTHON_MEMORY + FAKE_PYTHON_INNER, 0},
		{FAKE_PYTHON_C_STACK + 0x100 + 8, FAKE_PYTHON_MEMORY + FAKE_PYTHON_OUTER, 1},
		{FAKE_PYTHON_CODE + 0x400 + 8, 0x1234, 1},
		{0x5000 + 16, 1u << 20, 0},
	};

	fake_python_fill(&fake, 11);
	fake_python_set(&fake, damages[_i].offset, damages[_i].value);
	take();
	ck_assert_ptr_null(st.python_why);
	ck_assert_uint_eq(threads[0].n_python, damages[_i].n);
	ck_assert(damages[_i].n == 1 || threads[0].python_why);
	release();
}
END_TEST

/* A function that has not reached its first line is not shown. */
START_TEST(test_not_started)
{
	fake_python_fill(&fake, 11);
	fake_python_set(&fake, FAKE_PYTHON_CODE + 168, 3);
	take();
	ck_assert_uint_eq(threads[0].n_python, 1);
	check_frame(0, "outer", "/x/outer.py", 22);
	release();
}
END_TEST

START_TEST(test_not_initialised)
{
	fake_python_fill(&fake, 11);
	fake_python_set(&fake, 40, 0);
	take();
	ck_assert_ptr_null(st.python_why);
	ck_assert_uint_eq(threads[0].n_python, 0);
	release();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_python_frames");
	TCase *tc = tcase_create("python_frames");

	tcase_add_loop_test(tc, test_functions, 9, 14);
	tcase_add_loop_test(tc, test_gil, 9, 14);
	tcase_add_loop_test(tc, test_threads_that_contradict, 0, 6);
	tcase_add_loop_test(tc, test_frames_that_contradict, 0, 4);
	tcase_add_test(tc, test_not_started);
	tcase_add_test(tc, test_not_initialised);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
