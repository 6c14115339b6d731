/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/unwind/stack.c, source.c and dwarf.c: stacks of forks of the test, whose functions are known by name.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "child_fixture.h"
#include "target/unwind/call.h"
#include "target/modules/modules.h"
#include "target/source/source.h"
#include "target/unwind/stack.h"
#include "target/target.h"

#define DEPTH 3000

/* Bodies of the children. The assignments behind the calls keep them from being jumps. */

static volatile int behind;

__attribute__((noinline)) static void innermost(void)
{
	child_shared->ready = 1;
	/* An endless loop; but a compiler that knew would warn that recurse() never ends. */
	while (child_shared->ready)
		pause();
}

static inline __attribute__((always_inline)) void inlined(void)
{
	innermost();
	behind = 1;
}

__attribute__((noinline)) static void middle(void)
{
	inlined();
	behind = 2;
}

static void outermost(void)
{
	middle();
	behind = 3;
}

__attribute__((noinline)) static void recurse(int n)
{
	volatile char pad[1024];

	pad[0] = (char)n;
	if (n > 0)
		recurse(n - 1);
	else
		innermost();
	behind = pad[0];
}

static void deep(void)
{
	recurse(DEPTH);
}

static void on_signal(int number)
{
	(void)number;
	innermost();
	behind = 6;
}

__attribute__((noinline)) static void interrupted(void)
{
	raise(SIGUSR1);
	behind = 4;
}

static void signalled(void)
{
	signal(SIGUSR1, on_signal);
	interrupted();
	behind = 5;
}

static void spin(void)
{
	child_shared->ready = 1;
	for (;;)
		child_shared->counters[0]++;
}

static void attach(void (*body)(void), enum target_mode mode)
{
	child = child_start(body);
	child_wait_ready(1);
	if (body != spin)
		ck_assert(child_wait_state(child, 'S'));
	ck_assert_no_err(target_attach(child, mode, 60000, &t));
}

/* Returns the stack of the child's only thread. The child runs again before the stack is unwound. */
static void look(size_t max_bytes, size_t max_frames, struct stack *ret)
{
	struct stack_copies copies;
	int64_t us;

	if (target_mode(t) == TARGET_STOP)
		ck_assert_no_err(target_stop(t, 60000));
	target_view_begin(t);
	ck_assert_no_err(stack_copies_take(t, &child, 1, max_bytes, &copies));
	if (target_mode(t) == TARGET_STOP)
		ck_assert_no_err(target_resume(t, &us));
	ck_assert_uint_eq(copies.n, 1);
	stack_unwind(t, &copies.copies[0], max_frames, ret);
	stack_copies_deinit(&copies);
}

/* Returns all functions of the stack, innermost first: "a<b<c"; inlined ones in brackets. */
static const char *names(const struct stack *s)
{
	static char text[4096];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < s->n; i++) {
		struct source source;

		source_find(t, s->frames[i].pc, s->frames[i].is_exact, &source);
		for (int k = 0; k < source.n_places && len < sizeof(text) - 300; k++) {
			const struct source_place *place = &source.places[k];

			len += (size_t)snprintf(text + len, 300, place->is_inlined ? "(%s)<" : "%s<",
						place->function ? place->function : "?");
		}
		source_deinit(&source);
	}
	return text;
}

static void check_nested(void)
{
	struct stack s;

	look(STACK_COPY_MANY, 64, &s);
	ck_assert_int_eq(s.end, STACK_OUTERMOST);
	ck_assert_ptr_nonnull(strstr(names(&s), "innermost<(inlined)<middle<outermost<child_start<"));
	ck_assert_ptr_nonnull(strstr(names(&s), "main<"));
	for (size_t i = 1; i < s.n; i++)
		ck_assert_uint_gt(s.frames[i].sp, s.frames[i - 1].sp);
	ck_assert(s.frames[0].is_exact);
	ck_assert(!s.frames[1].is_exact);
	stack_deinit(&s);
}

START_TEST(test_frames_of_a_stopped_process)
{
	attach(outermost, TARGET_STOP);
	check_nested();
	/* Once more, with everything in the cache. */
	check_nested();
}
END_TEST

START_TEST(test_frames_of_a_sleeping_process)
{
	struct stack s;

	attach(outermost, TARGET_OBSERVE);
	look(STACK_COPY_MANY, 64, &s);
	/* With frame pointers (sanitizers), all frames but the innermost need the frame pointer, which is unknown. */
	if (s.end == STACK_FEW_REGISTERS)
		ck_assert_ptr_nonnull(strstr(names(&s), "innermost<"));
	else
		check_nested();
	stack_deinit(&s);
}
END_TEST

START_TEST(test_running_thread_has_no_frames_unless_stopped)
{
	struct stack s;

	attach(spin, TARGET_OBSERVE);
	look(STACK_COPY_MANY, 64, &s);
	/* It may be between two of the scheduler's system calls, and so not running: then there is a frame. */
	ck_assert(s.n == 0 ? s.end == STACK_NO_REGISTERS : s.end != STACK_CUT);
	stack_deinit(&s);
	target_destroy(t);
	t = NULL;
	ck_assert_no_err(target_attach(child, TARGET_STOP, 10000, &t));
	look(STACK_COPY_MANY, 64, &s);
	ck_assert_int_eq(s.end, STACK_OUTERMOST);
	ck_assert_ptr_nonnull(strstr(names(&s), "spin<child_start<"));
	stack_deinit(&s);
}
END_TEST

START_TEST(test_signal_frame_is_exact)
{
	struct stack s;
	bool found = false;

	attach(signalled, TARGET_STOP);
	look(STACK_COPY_MANY, 64, &s);
	ck_assert_ptr_nonnull(strstr(names(&s), "innermost<on_signal<"));
	ck_assert_msg(strstr(names(&s), "interrupted<signalled<") != NULL, "%s", names(&s));
	for (size_t i = 1; i < s.n; i++)
		found |= s.frames[i].is_exact;
	ck_assert_msg(found, "the interrupted frame's pc is the very instruction");
	stack_deinit(&s);
}
END_TEST

START_TEST(test_deep_stack_is_cut_where_it_was_not_copied)
{
	struct stack s;

	attach(deep, TARGET_STOP);
	look(STACK_COPY_MANY, STACK_MAX_FRAMES, &s);
	ck_assert_int_eq(s.end, STACK_NOT_COPIED);
	ck_assert_uint_gt(s.n, 40);
	ck_assert_uint_lt(s.n, DEPTH);
	stack_deinit(&s);
}
END_TEST

START_TEST(test_deep_stack_of_a_held_process_is_read_on)
{
	struct stack_copies copies;
	struct stack s;
	int64_t us;

	attach(deep, TARGET_STOP);
	ck_assert_no_err(target_stop(t, 0));
	target_view_begin(t);
	ck_assert_no_err(stack_copies_take(t, &child, 1, STACK_COPY_MANY, &copies));
	stack_unwind(t, &copies.copies[0], STACK_MAX_FRAMES, &s);
	ck_assert_int_eq(s.end, STACK_OUTERMOST);
	ck_assert_uint_gt(s.n, DEPTH);
	ck_assert_no_err(target_resume(t, &us));
	stack_copies_deinit(&copies);
	stack_deinit(&s);
}
END_TEST

START_TEST(test_frames_are_limited)
{
	struct stack s;

	attach(deep, TARGET_STOP);
	look(STACK_COPY_ONE, 10, &s);
	ck_assert_int_eq(s.end, STACK_CUT);
	ck_assert_uint_eq(s.n, 10);
	stack_deinit(&s);
}
END_TEST

START_TEST(test_thread_that_is_gone_has_no_frames)
{
	const pid_t nobody = 0x3ffffff;
	struct stack_copies copies;
	struct stack s;

	attach(outermost, TARGET_OBSERVE);
	target_view_begin(t);
	ck_assert_no_err(stack_copies_take(t, &nobody, 1, STACK_COPY_MANY, &copies));
	stack_unwind(t, &copies.copies[0], 64, &s);
	ck_assert_int_eq(s.end, STACK_NO_REGISTERS);
	ck_assert_uint_eq(s.n, 0);
	stack_copies_deinit(&copies);
	stack_deinit(&s);
}
END_TEST

static bool is_in(uint64_t pc, const char *function)
{
	char name[64];
	uint64_t offset;

	return target_symbol_at(t, pc, name, sizeof(name), &offset) && !strcmp(name, function);
}

START_TEST(test_call_is_followed_to_the_function)
{
	char name[64] = "";
	struct stack s;
	uint64_t to, offset = 1;
	size_t i = 0;

	attach(outermost, TARGET_STOP);
	look(STACK_COPY_MANY, 64, &s);
	/* Below pause(), which has frames of its own from glibc 2.41 on. */
	while (i < s.n && !is_in(s.frames[i].pc, "innermost"))
		i++;
	ck_assert_uint_lt(i + 1, s.n);
	/* innermost() calls pause() through the PLT, child_start() calls its argument. */
	ck_assert(call_target(t, s.frames[i].pc, &to));
	ck_assert(target_symbol_at(t, to, name, sizeof(name), &offset));
	ck_assert_uint_eq(offset, 0);
	ck_assert_ptr_nonnull(strstr(name, "pause"));
	/* middle() calls innermost() directly. */
	ck_assert(call_target(t, s.frames[i + 1].pc, &to));
	ck_assert_uint_eq(to, (uint64_t)(uintptr_t)innermost);
	stack_deinit(&s);
}
END_TEST

START_TEST(test_call_before_nothing_is_none)
{
	uint64_t to;

	attach(outermost, TARGET_OBSERVE);
	target_view_begin(t);
	ck_assert(!call_target(t, 0, &to));
	ck_assert(!call_target(t, 3, &to));
	ck_assert(!call_target(t, 4096, &to));
	/* The marker is not code, and contains no call. */
	ck_assert(!call_target(t, (uint64_t)(uintptr_t)&child_marker + 7, &to));
}
END_TEST

START_TEST(test_place_has_file_and_line)
{
	struct source source;
	struct target_symbol symbol;

	attach(outermost, TARGET_OBSERVE);
	target_view_begin(t);
	ck_assert_no_err(target_symbol(t, "child_start", NULL, &symbol));
	source_find(t, symbol.address, true, &source);
	ck_assert_int_eq(source.n_places, 1);
	ck_assert_str_eq(source.places[0].function, "child_start");
	ck_assert_uint_eq(source.function_start, symbol.address);
	ck_assert_ptr_nonnull(source.module);
	ck_assert_ptr_nonnull(source.places[0].file);
	ck_assert_ptr_nonnull(strstr(source.places[0].file, "child.c"));
	ck_assert_int_gt(source.places[0].line, 0);
	source_deinit(&source);
}
END_TEST

START_TEST(test_place_of_nowhere_is_empty)
{
	struct source source;

	attach(outermost, TARGET_OBSERVE);
	target_view_begin(t);
	source_find(t, 16, true, &source);
	ck_assert_int_eq(source.n_places, 1);
	ck_assert_ptr_null(source.module);
	ck_assert_ptr_null(source.places[0].function);
	ck_assert_ptr_null(source.places[0].file);
	source_deinit(&source);
	source_find(t, 0, false, &source);
	ck_assert_ptr_null(source.module);
	source_deinit(&source);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_set_timeout(tc, 30);
	suite_add_tcase(suite, tc);
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("target/unwind/stack");
	TCase *tc = add_case(suite, "stack_unwind");

	tcase_add_test(tc, test_frames_of_a_stopped_process);
	tcase_add_test(tc, test_frames_of_a_sleeping_process);
	tcase_add_test(tc, test_running_thread_has_no_frames_unless_stopped);
	tcase_add_test(tc, test_signal_frame_is_exact);
	tcase_add_test(tc, test_frames_are_limited);
	tc = add_case(suite, "stack_copies_take");
	tcase_add_test(tc, test_deep_stack_is_cut_where_it_was_not_copied);
	tcase_add_test(tc, test_deep_stack_of_a_held_process_is_read_on);
	tcase_add_test(tc, test_thread_that_is_gone_has_no_frames);
	tc = add_case(suite, "source_find");
	tcase_add_test(tc, test_place_has_file_and_line);
	tcase_add_test(tc, test_place_of_nowhere_is_empty);
	tc = add_case(suite, "call_target");
	tcase_add_test(tc, test_call_is_followed_to_the_function);
	tcase_add_test(tc, test_call_before_nothing_is_none);
	return check_main(suite);
}
