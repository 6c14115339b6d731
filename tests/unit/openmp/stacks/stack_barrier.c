/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/stacks/stack_barrier: the functions of a mapped libgomp in which threads wait at barriers. */
#include "openmp/stacks/stack_barrier.h"

#include <dlfcn.h>
#include <sys/wait.h>

#include "base/error.h"
#include "check_main.h"
#include "child_fixture.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stacks.h"

static struct handles *h;
static struct model *m;
static struct stacks st;
static struct stack_barrier barrier;
static struct plugin_options options = {.libompd = FAKE_LIBOMPD};
static void *library;

static void start(const char *file)
{
	setenv("FAKE_OMPD", "", 1);
	library = dlopen(file, RTLD_NOW);
	if (!library)
		return;
	attach_child(child_sleeper, 1, TARGET_OBSERVE, 1000);
	h = handles_create(0);
	ck_assert_no_err(model_create(t, &options, h, &m));
	ck_assert_no_err(model_need_plugin(m));
	target_view_begin(t);
	ck_assert_no_err(model_open(m));
	st = (struct stacks){.m = m, .t = t};
	barrier = (struct stack_barrier){0};
	stack_barrier_find(&barrier, &st);
	ck_assert(barrier.is_known);
}

static void stop(void)
{
	if (!library)
		return;
	model_destroy(m);
	handles_destroy(h);
}

static uint64_t address_of(const char *symbol)
{
	void *address = dlsym(library, symbol);

	ck_assert_ptr_nonnull(address);
	return (uint64_t)(uintptr_t)address;
}

/*
 * Returns whether a thread with these innermost frames is at a barrier. The frames are at the functions' first
 * addresses.
 */
static bool has(enum frame_kind first, uint64_t at, bool in_runtime, uint64_t outer)
{
	struct stacks_place places[] = {
		{.pc = at, .is_exact = true, .module_kind = in_runtime ? PLACE_RUNTIME : PLACE_SYSTEM},
		{.pc = outer + 1, .module_kind = PLACE_RUNTIME},
	};
	struct stacks_frame frames[] = {{.place = &places[0], .kind = first},
					{.place = &places[1], .kind = FRAME_RUNTIME}};
	struct stacks_thread thread = {.frames = frames, .n_frames = 2};

	return stack_barrier_has(&barrier, &st, &thread);
}

START_TEST(test_libgomp)
{
	start("libgomp.so.1");
	ck_assert_ptr_nonnull(library);
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);

	ck_assert_str_eq(runtime->descriptor->name, "libgomp");
	/* The routine itself and the targets of its jumps, which all belong to the runtime. */
	ck_assert_uint_gt(barrier.n, 1);
	ck_assert_uint_eq(barrier.starts[0], address_of("GOMP_barrier"));
	for (size_t i = 0; i < barrier.n; i++) {
		ck_assert(barrier.starts[i] >= runtime->start && barrier.starts[i] < runtime->end);
		for (size_t k = 0; k < i; k++)
			ck_assert_uint_ne(barrier.starts[k], barrier.starts[i]);
	}
	stop();
}
END_TEST

START_TEST(test_who_is_there)
{
	start("libgomp.so.1");
	ck_assert_ptr_nonnull(library);
	uint64_t other = address_of("GOMP_critical_start"), in = barrier.starts[barrier.n - 1];

	ck_assert(has(FRAME_RUNTIME, in, true, other));
	ck_assert(has(FRAME_RUNTIME, other, true, in));
	/* It sleeps: the system call is in the C library. */
	ck_assert(has(FRAME_RUNTIME, address_of("GOMP_critical_start"), false, in));
	ck_assert(!has(FRAME_RUNTIME, other, true, other));
	/* A task that is executed during the wait for others. */
	ck_assert(!has(FRAME_USER, other, true, in));
	/* A return address at the first byte of a function belongs to the function before it. */
	ck_assert(!has(FRAME_RUNTIME, other, true, in - 1));
	stop();
}
END_TEST

/* Without knowledge of the runtime's code, no thread is found at a barrier by it. */
START_TEST(test_another_runtime)
{
	start("libomp.so.5");
	if (library) {
		ck_assert_uint_eq(barrier.n, 0);
		ck_assert(!has(FRAME_RUNTIME, address_of("omp_get_level"), true, address_of("omp_get_level")));
	}
	stop();
}
END_TEST

/* The question is answered once. */
START_TEST(test_is_kept)
{
	start("libgomp.so.1");
	barrier.n = 0;
	stack_barrier_find(&barrier, &st);
	ck_assert_uint_eq(barrier.n, 0);
	barrier.is_known = false;
	stack_barrier_find(&barrier, &st);
	ck_assert_uint_gt(barrier.n, 1);
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/stacks/stack_barrier");
	TCase *tc = tcase_create("stack_barrier");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_libgomp);
	tcase_add_test(tc, test_who_is_there);
	tcase_add_test(tc, test_another_runtime);
	tcase_add_test(tc, test_is_kept);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
