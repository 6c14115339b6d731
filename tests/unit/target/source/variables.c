/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/source/variables and location: variables of a fork of the test, whose addresses the fork reports. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "child_fixture.h"
#include "target/modules/modules.h"
#include "target/source/variables.h"

#define N_VARYING 7

/* Addresses that the child stores. */
enum { LOCAL, VARYING, RECORD, PLACE, HELD };

struct record {
	int first;
	double rest[4];
};

static int *global_pointer;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla"
/* A sanitizer would move the variables to memory of its own. */
__attribute__((noinline, no_sanitize_address)) static void hold(int n)
{
	int local[10], varying[n];
	struct record record;
	int *volatile pointer = malloc(64);

	global_pointer = pointer;
	__asm__ volatile("" : : "r"(local), "r"(varying), "r"(&record), "r"(&global_pointer) : "memory");
	child_shared->counters[LOCAL] = (uintptr_t)local;
	child_shared->counters[VARYING] = (uintptr_t)varying;
	child_shared->counters[RECORD] = (uintptr_t)&record;
	child_shared->counters[PLACE] = (uintptr_t)&pointer;
	child_shared->counters[HELD] = (uintptr_t)pointer;
	child_shared->ready = 1;
	while (child_shared->ready)
		pause();
	__asm__ volatile("" : : "r"(local), "r"(varying), "r"(&record), "r"(n) : "memory");
}
#pragma GCC diagnostic pop

static void body(void)
{
	hold(N_VARYING);
}

/* Debug information of a variable "circular", whose type is a name for itself. */
__asm__(".pushsection .debug_abbrev,\"\",%progbits\n"
	".Lcircle_abbrev:\n"
	".byte 1, 0x11, 1, 0x13, 0x0b, 0, 0\n"
	".byte 2, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0, 0\n"
	".byte 3, 0x16, 0, 0x49, 0x13, 0, 0\n"
	".byte 0\n"
	".popsection\n"
	".pushsection .debug_info,\"\",%progbits\n"
	".Lcircle:\n"
	".4byte .Lcircle_end - .Lcircle_start\n"
	".Lcircle_start:\n"
	".2byte 4\n"
	".4byte .Lcircle_abbrev\n"
	".byte 8\n"
	".byte 1, 0x0c\n"
	".byte 2\n"
	".string \"circular\"\n"
	".4byte .Lcircle_type - .Lcircle\n"
	".byte 9, 3\n"
	".8byte 0x1000\n"
	".Lcircle_type:\n"
	".byte 3\n"
	".4byte .Lcircle_type - .Lcircle\n"
	".byte 0\n"
	".Lcircle_end:\n"
	".popsection\n");

/* The variable that a visit searches. */
struct wanted {
	const char *name;
	struct variable found;
	size_t n;
};

static bool take_wanted(const struct variable *v, void *arg)
{
	struct wanted *wanted = arg;

	if (!strcmp(v->name, wanted->name) && (!v->function || !strcmp(v->function, "hold"))) {
		ck_assert_ptr_nonnull(strstr(v->file, "variables.c"));
		ck_assert_int_gt(v->line, 0);
		wanted->found = *v;
		wanted->n++;
	}
	return true;
}

/* Visits the frames of the child's thread. */
static void find_local(const char *name, struct wanted *ret)
{
	struct stack_copies copies;
	struct stack stack;
	int64_t us;

	*ret = (struct wanted){.name = name};
	ck_assert_no_err(target_stop(t, 60000));
	target_view_begin(t);
	ck_assert_no_err(stack_copies_take(t, &child, 1, STACK_COPY_ONE, &copies));
	ck_assert_no_err(target_resume(t, &us));
	stack_unwind(t, &copies.copies[0], STACK_MAX_FRAMES, &stack);
	for (size_t k = 0; k < stack.n; k++)
		variables_visit_frame(t, &copies.copies[0], &stack, k, take_wanted, ret);
	stack_deinit(&stack);
	stack_copies_deinit(&copies);
}

START_TEST(test_variables_of_a_frame)
{
	struct wanted local, varying, record, pointer;

	attach_child(body, 1, TARGET_STOP, 60000);
	ck_assert(child_wait_state(child, 'S'));
	find_local("local", &local);
	find_local("varying", &varying);
	find_local("record", &record);
	find_local("pointer", &pointer);
	ck_assert_uint_eq(local.n, 1);
	ck_assert_uint_eq(local.found.address, child_shared->counters[LOCAL]);
	ck_assert_uint_eq(local.found.size, 10 * sizeof(int));
	ck_assert_uint_eq(record.n, 1);
	ck_assert_uint_eq(record.found.address, child_shared->counters[RECORD]);
	ck_assert_uint_eq(record.found.size, sizeof(struct record));
	ck_assert_uint_eq(varying.n, 1);
	ck_assert_uint_eq(varying.found.address, child_shared->counters[VARYING]);
	/* The compiler may drop the bound. */
	ck_assert(varying.found.size == N_VARYING * sizeof(int) || varying.found.has_open_end);
	ck_assert_uint_eq(pointer.n, 1);
	ck_assert(pointer.found.is_pointer && pointer.found.has_target);
	ck_assert_uint_eq(pointer.found.address, child_shared->counters[PLACE]);
	ck_assert_uint_eq(pointer.found.target, child_shared->counters[HELD]);
}
END_TEST

START_TEST(test_global_pointers)
{
	struct wanted wanted = {.name = "global_pointer"}, circular = {.name = "circular"};

	attach_child(body, 1, TARGET_STOP, 60000);
	target_view_begin(t);
	variables_visit_global_pointers(t, take_wanted, &wanted);
	variables_visit_global_pointers(t, take_wanted, &circular);
	ck_assert_uint_eq(wanted.n, 1);
	ck_assert_uint_eq(wanted.found.address, (uintptr_t)&global_pointer);
	ck_assert(wanted.found.is_pointer && !wanted.found.has_target);
	ck_assert_uint_eq(circular.n, 0);
}
END_TEST

static bool stop_at_once(const struct variable *v, void *arg)
{
	size_t *n = arg;

	ck_assert_ptr_nonnull(v->name);
	++*n;
	return false;
}

START_TEST(test_a_visit_ends_on_request)
{
	size_t n = 0;

	attach_child(body, 1, TARGET_STOP, 60000);
	target_view_begin(t);
	variables_visit_global_pointers(t, stop_at_once, &n);
	ck_assert_uint_eq(n, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/source/variables");
	TCase *tc = tcase_create("variables_visit");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_test(tc, test_variables_of_a_frame);
	tcase_add_test(tc, test_global_pointers);
	tcase_add_test(tc, test_a_visit_ends_on_request);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
