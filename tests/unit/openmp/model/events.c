/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/events: the functions that stand for an event, on a fake target. */
#include "check_main.h"

#include <string.h>

#include "base/error.h"
#include "fake_target.h"
#include "openmp/model/events.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/plugin/plugin.h"

#define GOMP_START 0x20000
#define GOMP_END   0x30000

static const struct plugin_options options = {.libompd = FAKE_LIBOMPD, .timeout_ms = 1000};
static struct target *t;
static struct handles *handles;
static struct model *m;
static size_t program, gomp;
static struct event_place places[EVENTS_MAX_PLACES];
static size_t n;

static void setup(void)
{
	t = fake_target_create(TARGET_STOP);
	program = fake_target_add_module(t, "/fake/program", 0x400000, 0x500000, "aa", NULL);
	gomp = fake_target_add_module(t, "/lib/libgomp.so.1", GOMP_START, GOMP_END, "ab", NULL);
	fake_target_add_thread(t, 100, 0x7000, "main");
	handles = handles_create(1000);
}

static void begin(void)
{
	ck_assert_no_err(model_create(t, &options, handles, &m));
}

static void teardown(void)
{
	model_destroy(m);
	m = NULL;
	handles_destroy(handles);
	target_destroy(t);
}

START_TEST(test_entry_points)
{
	fake_target_add_symbol(t, gomp, "GOMP_parallel", 0x21000, 64, false);
	fake_target_add_symbol(t, gomp, "GOMP_parallel_start", 0x22000, 64, false);
	fake_target_add_symbol(t, gomp, "GOMP_parallel_end", 0x23000, 64, false);
	begin();
	ck_assert_no_err(events_find(m, EVENT_PARALLEL_BEGIN, places, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(places[0].address, 0x21000);
	ck_assert_str_eq(places[0].symbol, "GOMP_parallel");
	ck_assert_int_eq(places[0].point, EVENT_AT_CALL);
	ck_assert_int_eq(places[0].caller, EVENT_CALLER_NOT_RUNTIME);
	/* One function executes the whole region, the other has a separate end. */
	ck_assert_no_err(events_find(m, EVENT_PARALLEL_END, places, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_int_eq(places[0].point, EVENT_AT_RETURN);
	ck_assert_str_eq(places[1].symbol, "GOMP_parallel_end");
}
END_TEST

/*
 * Events that OMPD does not provide are seen at entry points, also with OMPD present. Constructs that stay unseen are
 * named.
 */
START_TEST(test_constructs)
{
	fake_target_add_symbol(t, gomp, "GOMP_barrier", 0x21000, 64, false);
	fake_target_add_symbol(t, gomp, "GOMP_single_start", 0x22000, 64, false);
	fake_target_add_symbol(t, gomp, "ompd_bp_parallel_begin", 0x25000, 1, false);
	begin();
	ck_assert_no_err(events_find(m, EVENT_BARRIER_EXIT, places, &n));
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(places[0].point, EVENT_AT_RETURN);
	ck_assert_int_eq(places[0].caller, EVENT_CALLER_NOT_RUNTIME);
	ck_assert_int_eq(places[0].result, EVENT_ANY_RESULT);
	ck_assert_no_err(events_find(m, EVENT_SINGLE_BEGIN, places, &n));
	ck_assert_int_eq(places[0].result, EVENT_RESULT_BOOL);
	ck_assert_ptr_nonnull(strstr(events_unseen(m, EVENT_BARRIER_ENTER), "GOMP_barrier()"));
	ck_assert_ptr_null(events_unseen(m, EVENT_TASKWAIT_ENTER));
	struct error *err = events_find(m, EVENT_BARRIER_ALL_ENTERED, places, &n);
	ck_assert(err && err->code == ERR_EVENT_UNAVAILABLE && strstr(err->message, "internal function"));
	error_destroy(err);
}
END_TEST

START_TEST(test_several_names_of_one_function)
{
	fake_target_add_symbol(t, gomp, "GOMP_parallel_loop_dynamic", 0x21000, 64, false);
	fake_target_add_symbol(t, gomp, "GOMP_parallel_loop_guided", 0x21000, 64, false);
	begin();
	ck_assert_no_err(events_find(m, EVENT_PARALLEL_BEGIN, places, &n));
	ck_assert_uint_eq(n, 1);
}
END_TEST

START_TEST(test_functions_of_other_modules)
{
	/* The program's GOMP_parallel only looks like the runtime's. pthread_create belongs to the C library. */
	fake_target_add_symbol(t, program, "GOMP_parallel", 0x401000, 64, false);
	fake_target_add_symbol(t, program, "pthread_create", 0x402000, 64, false);
	begin();
	ck_assert_err(events_find(m, EVENT_PARALLEL_BEGIN, places, &n), ERR_EVENT_UNAVAILABLE);
	ck_assert_no_err(events_find(m, EVENT_THREAD_BEGIN, places, &n));
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(places[0].point, EVENT_AT_ARGUMENT_CALL);
	ck_assert_uint_eq(places[0].argument, 2);
	ck_assert_int_eq(places[0].caller, EVENT_CALLER_RUNTIME);
	ck_assert(places[0].argument_in_runtime);
}
END_TEST

START_TEST(test_runtime_with_ompd)
{
	/* From here on its own functions are enough to recognize it. */
	fake_target_add_symbol(t, gomp, "GOMP_parallel", 0x21000, 64, false);
	fake_target_add_symbol(t, gomp, "ompd_bp_parallel_begin", 0x25000, 1, false);
	begin();
	ck_assert_no_err(events_find(m, EVENT_PARALLEL_BEGIN, places, &n));
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(places[0].address, 0x25000);
	ck_assert_int_eq(places[0].caller, EVENT_ANY_CALLER);
}
END_TEST

/* clang calls libomptarget, whose functions also call each other. */
START_TEST(test_target_regions_of_clang)
{
	target_destroy(t);
	t = fake_target_create(TARGET_STOP);
	program = fake_target_add_module(t, "/fake/program", 0x400000, 0x500000, "aa", NULL);
	size_t libomp = fake_target_add_module(t, "/lib/libomp.so.5", GOMP_START, GOMP_END, "ab", NULL);
	size_t device = fake_target_add_module(t, "/lib/libomptarget.so.19", 0x60000, 0x70000, "ac", NULL);

	fake_target_add_symbol(t, libomp, "__kmpc_fork_call", 0x21000, 64, false);
	fake_target_add_symbol(t, device, "__tgt_target_kernel", 0x61000, 64, false);
	fake_target_add_symbol(t, device, "__tgt_target_nowait_mapper", 0x62000, 64, false);
	begin();
	ck_assert_no_err(events_find(m, EVENT_TARGET_BEGIN, places, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(places[0].address, 0x61000);
	ck_assert(events_caller_counts(&places[0], 0x400100));
	ck_assert(!events_caller_counts(&places[0], 0x62010));
	ck_assert_no_err(events_find(m, EVENT_TARGET_END, places, &n));
	ck_assert_int_eq(places[0].point, EVENT_AT_RETURN);
	ck_assert_ptr_nonnull(strstr(events_unseen(m, EVENT_TARGET_BEGIN), "-fopenmp-targets"));
}
END_TEST

/* Each plugin has the functions that start regions on its devices. */
START_TEST(test_regions_passed_to_plugins)
{
	size_t first = fake_target_add_module(t, "/lib/libgomp-plugin-nvptx.so.1", 0x60000, 0x70000, "ad", NULL);
	size_t second = fake_target_add_module(t, "/lib/libgomp-plugin-gcn.so.1", 0x80000, 0x90000, "ae", NULL);

	fake_target_add_symbol(t, gomp, "GOMP_parallel", 0x21000, 64, false);
	fake_target_add_symbol(t, program, "GOMP_OFFLOAD_run", 0x401000, 64, false);
	begin();
	ck_assert_err(events_find(m, EVENT_TARGET_SUBMIT, places, &n), ERR_EVENT_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(events_unseen(m, EVENT_TARGET_SUBMIT), "plugins"));
	fake_target_add_symbol(t, first, "GOMP_OFFLOAD_run", 0x61000, 64, false);
	fake_target_add_symbol(t, second, "GOMP_OFFLOAD_run", 0x81000, 64, false);
	ck_assert_no_err(events_find(m, EVENT_TARGET_SUBMIT, places, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(places[0].address, 0x61000);
	ck_assert_uint_eq(places[1].address, 0x81000);
	ck_assert_int_eq(places[1].point, EVENT_AT_CALL);
}
END_TEST

START_TEST(test_variables_are_no_functions)
{
	fake_target_add_symbol(t, gomp, "GOMP_task", 0x28, 8, true);
	begin();
	ck_assert_err(events_find(m, EVENT_TASK_BEGIN, places, &n), ERR_EVENT_UNAVAILABLE);
}
END_TEST

START_TEST(test_regions)
{
	/* The entry points get the region's function as an argument, also in a runtime with OMPD. */
	fake_target_add_symbol(t, gomp, "ompd_bp_parallel_begin", 0x25000, 1, false);
	fake_target_add_symbol(t, gomp, "GOMP_parallel", 0x21000, 64, false);
	fake_target_add_symbol(t, gomp, "__kmpc_fork_call", 0x22000, 64, false);
	begin();
	ck_assert_no_err(events_find_regions(m, places, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(places[0].address, 0x21000);
	ck_assert_uint_eq(places[0].argument, 0);
	ck_assert_uint_eq(places[1].address, 0x22000);
	ck_assert_uint_eq(places[1].argument, 2);
}
END_TEST

START_TEST(test_regions_unavailable)
{
	begin();
	ck_assert_err(events_find_regions(m, places, &n), ERR_EVENT_UNAVAILABLE);
}
END_TEST

START_TEST(test_callers)
{
	struct event_place place = {.caller_start = GOMP_START, .caller_end = GOMP_END};

	ck_assert(events_caller_counts(&place, GOMP_START));
	place.caller = EVENT_CALLER_RUNTIME;
	ck_assert(events_caller_counts(&place, GOMP_START));
	ck_assert(!events_caller_counts(&place, GOMP_END));
	place.caller = EVENT_CALLER_NOT_RUNTIME;
	ck_assert(events_caller_counts(&place, GOMP_END));
	ck_assert(!events_caller_counts(&place, GOMP_END - 1));
}
END_TEST

START_TEST(test_names)
{
	ck_assert_str_eq(event_name(EVENT_PARALLEL_BEGIN), "parallel_begin");
	ck_assert_str_eq(event_name(EVENT_DLL_LOCATIONS_VALID), "ompd_dll_locations_valid");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("events");
	TCase *c = tcase_create("events_find");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_entry_points);
	tcase_add_test(c, test_constructs);
	tcase_add_test(c, test_several_names_of_one_function);
	tcase_add_test(c, test_functions_of_other_modules);
	tcase_add_test(c, test_runtime_with_ompd);
	tcase_add_test(c, test_target_regions_of_clang);
	tcase_add_test(c, test_regions_passed_to_plugins);
	tcase_add_test(c, test_variables_are_no_functions);
	tcase_add_test(c, test_regions);
	tcase_add_test(c, test_regions_unavailable);
	tcase_add_test(c, test_callers);
	tcase_add_test(c, test_names);
	suite_add_tcase(s, c);
	return check_main(s);
}
