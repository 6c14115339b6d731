/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of openmp/stacks/code/code_held and code_graph on assembler code that is never executed. They check the locks
 * that the code proves to be held behind the call of here(). Each piece of code has the name of its test.
 */
#include "check_main.h"

#include <string.h>

#include "locking_code.h"
#include "openmp/stacks/code/code_held.h"

static struct code_held held[CODE_HELD_MAX];
static size_t n_held;

static size_t read_code(void *arg, uint64_t address, uint8_t *buf, size_t size)
{
	extern const uint8_t end_of_code[];

	(void)arg;
	if (address >= (uint64_t)(uintptr_t)end_of_code)
		return 0;
	uint64_t left = (uint64_t)(uintptr_t)end_of_code - address;
	if (size > left)
		size = left;
	memcpy(buf, (const void *)(uintptr_t)address, size);
	return size;
}

#define IS(function) (insn->target == (uint64_t)(uintptr_t)(function))

static void look_at_call(void *arg, uint64_t address, const struct decode *insn, struct code_call *ret)
{
	(void)arg, (void)address;
	*ret = (struct code_call){.kind = CODE_CALL_FUNCTION, .address = insn->target};
	if (!insn->target || IS(any))
		ret->kind = CODE_CALL_UNKNOWN;
	else if (IS(take))
		*ret = (struct code_call){CODE_CALL_ACQUIRES, HOLDER_LOCK, 0, 0};
	else if (IS(give))
		*ret = (struct code_call){CODE_CALL_RELEASES, HOLDER_LOCK, 0, 0};
	else if (IS(begin))
		*ret = (struct code_call){CODE_CALL_ACQUIRES, HOLDER_CRITICAL, -1, 0};
	else if (IS(end))
		*ret = (struct code_call){CODE_CALL_RELEASES, HOLDER_CRITICAL, -1, 0};
	else if (IS(enter))
		*ret = (struct code_call){CODE_CALL_ACQUIRES, HOLDER_CRITICAL, 2, 0};
	else if (IS(leave))
		*ret = (struct code_call){CODE_CALL_RELEASES, HOLDER_CRITICAL, 2, 0};
	else if (IS(work) || IS(here))
		ret->kind = CODE_CALL_HARMLESS;
	else if (IS(jumps))
		ret->kind = CODE_CALL_RETURNS_TWICE;
	else if (IS(no_return))
		ret->kind = CODE_CALL_NEVER;
}

#define FUNCTIONS(X)                                                                                                   \
	X(callee_harmless)                                                                                             \
	X(callee_gives_a)                                                                                              \
	X(callee_gives_b)                                                                                              \
	X(callee_breakpoint)                                                                                           \
	X(callee_ends_with_give)                                                                                       \
	X(callee_ends_on_one_way)                                                                                      \
	X(callee_ends_with_work)                                                                                       \
	X(callee_ends_with_another)                                                                                    \
	X(callee_locks_again)                                                                                          \
	X(callee_in_a_loop)                                                                                            \
	X(callee_gives_argument) X(callee_ends) X(callee_deep) X(callee_itself) X(callee_jumps) X(callee_ends_with_any)

static bool look_at_function(void *arg, uint64_t address, struct code_function *ret)
{
	(void)arg;
#define X(name)                                                                                                        \
	if (address == (uint64_t)(uintptr_t)name##_start) {                                                            \
		*ret = (struct code_function){.start = address, .end = (uint64_t)(uintptr_t)name##_end};               \
		return true;                                                                                           \
	}
	FUNCTIONS(X)
#undef X
	return false;
}

static const struct code_world world = {.read = read_code, .call = look_at_call, .function = look_at_function};

/* The address behind call number @n of @callee in [@start, @end). */
static uint64_t behind(const uint8_t *start, const uint8_t *end_of, const void *callee, unsigned n)
{
	struct decode insn;

	for (const uint8_t *at = start; at < end_of; at += insn.length) {
		ck_assert(decode_next(at, 16, (uint64_t)(uintptr_t)at, &insn));
		if (insn.kind == DECODE_CALL && insn.target == (uint64_t)(uintptr_t)callee && !n--)
			return (uint64_t)(uintptr_t)at + insn.length;
	}
	ck_abort_msg("no such call");
	return 0;
}

static void look(const uint8_t *start, const uint8_t *end_of, const uint8_t *pad, const void *callee, unsigned n)
{
	struct code_function f = {.start = (uint64_t)(uintptr_t)start, .end = (uint64_t)(uintptr_t)end_of};
	struct code_releases h = {.world = &world};

	if (pad)
		f.entries[f.n_entries++] = (uint64_t)(uintptr_t)pad;
	n_held = code_held_find(&h, &f, behind(start, end_of, callee, n), false, held);
	code_releases_deinit(&h);
}

static bool holds(enum holder_kind what, bool is_only, int64_t address)
{
	for (size_t i = 0; i < n_held; i++) {
		if (held[i].what == what && held[i].is_only == is_only && held[i].reg < 0 &&
		    held[i].address.offset == address && !held[i].address.base)
			return true;
	}
	return false;
}

#define LOOK(name) look(name##_start, name##_end, NULL, (const void *)here, 0)
#define A	   holds(HOLDER_LOCK, false, LOCK_A)
#define B	   holds(HOLDER_LOCK, false, LOCK_B)
#define ONLY	   holds(HOLDER_CRITICAL, true, 0)

/* EXPECT(name, locks held behind here(), their number). */
#define EXPECT(name, what, count)                                                                                      \
	START_TEST(test_##name)                                                                                        \
	{                                                                                                              \
		LOOK(name);                                                                                            \
		ck_assert_uint_eq(n_held, count);                                                                      \
		ck_assert(what);                                                                                       \
	}                                                                                                              \
	END_TEST

#define CASES(X)                                                                                                       \
	X(straight, A, 1)                                                                                              \
	X(released, true, 0)                                                                                           \
	X(not_yet, true, 0)                                                                                            \
	X(both, A &&B, 2)                                                                                              \
	X(one_left, B, 1)                                                                                              \
	X(one_way, true, 0)                                                                                            \
	X(both_ways, A, 1)                                                                                             \
	X(other_way_another, true, 0)                                                                                  \
	X(released_on_one_way, true, 0)                                                                                \
	X(early_return, A, 1)                                                                                          \
	X(in_a_loop, A, 1)                                                                                             \
	X(before_a_loop, A, 1)                                                                                         \
	X(released_in_a_loop, true, 0)                                                                                 \
	X(taken_at_the_end_of_a_loop, true, 0)                                                                         \
	X(saved_register, held[0].reg == 3 && held[0].offset == 0, 1)                                                  \
	X(lost_register, true, 0)                                                                                      \
	X(offset_of_register, held[0].reg == 12 && held[0].offset == -8, 1)                                            \
	X(register_of_an_array, held[0].reg == 3 && held[0].offset == 0, 1)                                            \
	X(register_that_went_on, held[0].reg == 3 && held[0].offset == -4, 1)                                          \
	X(register_loaded_again, held[0].reg == 3 && held[0].offset == 0, 1)                                           \
	X(register_loaded_once_more, true, 0)                                                                          \
	X(other_register_given, true, 0)                                                                               \
	X(neighbour_given, held[0].reg == 3 && held[0].offset == 0, 1)                                                 \
	X(unknown_given, true, 0)                                                                                      \
	X(other_number_given, A, 1)                                                                                    \
	X(chosen, true, 0)                                                                                             \
	X(one_of_two, held[0].reg == 3 && held[0].offset == 0, 1)                                                      \
	X(one_of_two_kept_elsewhere, true, 0)                                                                          \
	X(local_variable, held[0].reg == 4 && held[0].offset == 12, 1)                                                 \
	X(of_the_frame, held[0].reg == 5 && held[0].offset == -20, 1)                                                  \
	X(relative, holds(HOLDER_LOCK, false, (int64_t)(uintptr_t)straight_start), 1)                                  \
	X(only_one, ONLY, 1)                                                                                           \
	X(only_one_ended, true, 0)                                                                                     \
	X(jump_table, true, 0)                                                                                         \
	X(indirect_call, ONLY, 1)                                                                                      \
	X(any_call, ONLY, 1)                                                                                           \
	X(returns_twice, true, 0)                                                                                      \
	X(never_returns, A, 1)                                                                                         \
	X(work_between, A, 1)                                                                                          \
	X(no_code, true, 0)                                                                                            \
	X(breakpoint, true, 0)                                                                                         \
	X(calls_breakpoint, true, 0)                                                                                   \
	X(tail_call, A, 1)                                                                                             \
	X(with_a_part, true, 0)                                                                                        \
	X(calls_harmless, A &&ONLY, 2)                                                                                 \
	X(calls_gives_a, B, 1)                                                                                         \
	X(calls_gives_b, A, 1)                                                                                         \
	X(calls_gives_argument, true, 0)                                                                               \
	X(calls_ends, A, 1)                                                                                            \
	X(calls_ends_with_give, B, 1)                                                                                  \
	X(calls_ends_on_one_way, B, 1)                                                                                 \
	X(calls_ends_with_work, A, 1)                                                                                  \
	X(calls_ends_with_another, true, 0)                                                                            \
	X(calls_deep, true, 0)                                                                                         \
	X(calls_itself, true, 0)                                                                                       \
	X(ends_with_any, A, 1)                                                                                         \
	X(table_behind_a_pop, true, 0)                                                                                 \
	X(calls_ends_with_any, ONLY, 1)                                                                                \
	X(calls_jumps, true, 0)

CASES(EXPECT)

START_TEST(test_call_that_goes_on)
{
	look(within_gives_a_start, within_gives_a_end, NULL, callee_gives_a_start, 0);
	ck_assert_uint_eq(n_held, 1);
	ck_assert(held[0].is_until_released);
	look(within_locks_again_start, within_locks_again_end, NULL, callee_locks_again_start, 0);
	ck_assert_uint_eq(n_held, 1);
	ck_assert(A && held[0].is_until_released);
	look(within_harmless_start, within_harmless_end, NULL, callee_harmless_start, 0);
	ck_assert_uint_eq(n_held, 1);
	ck_assert(!held[0].is_until_released);
	/* A lock that the pending call acquires does not count as held. */
	look(straight_start, straight_end, NULL, (const void *)take, 0);
	ck_assert_uint_eq(n_held, 0);
	look(both_start, both_end, NULL, (const void *)take, 1);
	ck_assert_uint_eq(n_held, 1);
	look(straight_start, straight_end, NULL, (const void *)give, 0);
	ck_assert_uint_eq(n_held, 0);
}
END_TEST

#define PASSED(name, callee, n, address)                                                                               \
	has_passed(name##_start, name##_end, (const void *)(callee), n, HOLDER_LOCK, address)
static struct code_passed passed;

/* Whether the lock at @address may have been released behind call number @n of @callee, which is still pending. */
static bool has_passed(const uint8_t *start, const uint8_t *end_of, const void *callee, unsigned n,
		       enum holder_kind what, uint64_t address)
{
	struct code_function f = {.start = (uint64_t)(uintptr_t)start, .end = (uint64_t)(uintptr_t)end_of};
	struct code_releases h = {.world = &world};

	code_held_passed(&h, &f, behind(start, end_of, callee, n), false, &passed);
	code_releases_deinit(&h);
	return code_summary_has(&passed.released, what, false, (struct code_value){.offset = (int64_t)address});
}

START_TEST(test_what_is_released_so_far)
{
	/* The last function called is not the program's: its effect is immediate. */
	ck_assert(!PASSED(straight, here, 0, LOCK_A));
	ck_assert(!passed.goes_on);
	ck_assert(PASSED(released, here, 0, LOCK_A));
	ck_assert(!PASSED(released, here, 0, LOCK_B));
	ck_assert(PASSED(released_on_one_way, here, 0, LOCK_A));
	ck_assert(PASSED(straight, give, 0, LOCK_A));
	/* It waits for the lock a second time, before it has released it. */
	ck_assert(!PASSED(callee_locks_again, take, 0, LOCK_A));
	/* After one round it has released the lock. */
	ck_assert(PASSED(callee_in_a_loop, take, 0, LOCK_A));
	ck_assert(!PASSED(callee_in_a_loop, take, 0, LOCK_B));
	ck_assert(PASSED(in_a_loop, here, 0, LOCK_A));
	/* A function of the program shows its effects itself. */
	ck_assert(!PASSED(within_gives_a, callee_gives_a_start, 0, LOCK_A));
	ck_assert(passed.goes_on);
	ck_assert(PASSED(calls_gives_a, here, 0, LOCK_A));
	ck_assert(!PASSED(calls_gives_a, here, 0, LOCK_B));
	/* A lock with a lost address may be any lock, and so may one after code that cannot be followed. */
	ck_assert(PASSED(saved_register, give, 0, LOCK_A));
	ck_assert(PASSED(jump_table, here, 0, LOCK_A));
	ck_assert(PASSED(returns_twice, here, 0, LOCK_A));
	ck_assert(!PASSED(not_yet, here, 0, LOCK_A));
}
END_TEST

START_TEST(test_landing_pads_are_ways_into_a_function)
{
	look(landing_pad_start, landing_pad_end, NULL, (const void *)here, 0);
	ck_assert_uint_eq(n_held, 1);
	/* Without the landing pad, no path leads there. */
	look(landing_pad_start, landing_pad_end, NULL, (const void *)here, 1);
	ck_assert_uint_eq(n_held, 0);
	look(landing_pad_start, landing_pad_end, landing, (const void *)here, 1);
	ck_assert_uint_eq(n_held, 0);
}
END_TEST

START_TEST(test_exact_place)
{
	struct code_function f = {.start = (uint64_t)(uintptr_t)straight_start,
				  .end = (uint64_t)(uintptr_t)straight_end};
	struct code_releases h = {.world = &world};
	uint64_t taken = behind(straight_start, straight_end, (const void *)take, 0);

	ck_assert_uint_eq(code_held_find(&h, &f, taken, true, held), 1);
	/* In the call of take(), which has not returned. */
	ck_assert_uint_eq(code_held_find(&h, &f, taken, false, held), 0);
	ck_assert_uint_eq(code_held_find(&h, &f, f.start, true, held), 0);
	/* No instruction starts there. */
	ck_assert_uint_eq(code_held_find(&h, &f, taken + 1, true, held), 0);
	ck_assert_uint_eq(code_held_find(&h, &f, taken + 1, false, held), 0);
	code_releases_deinit(&h);
}
END_TEST

START_TEST(test_last_call_of_a_function)
{
	look(last_call_start, end_of_last_call, NULL, (const void *)here, 0);
	ck_assert_uint_eq(n_held, 1);
	ck_assert(A);
}
END_TEST

START_TEST(test_other_argument)
{
	LOOK(third_argument);
	ck_assert_uint_eq(n_held, 1);
	ck_assert_int_eq(held[0].what, HOLDER_CRITICAL);
	ck_assert_int_eq(held[0].reg, 3);
	ck_assert_int_eq(held[0].offset, 4);
}
END_TEST

static bool look_for_wanted(const uint8_t *start, const uint8_t *end_of, const void *callee, unsigned n)
{
	struct code_function f = {.start = (uint64_t)(uintptr_t)start, .end = (uint64_t)(uintptr_t)end_of};
	struct code_releases h = {.world = &world};
	bool found = code_held_find_wanted(&h, &f, behind(start, end_of, callee, n), held);

	code_releases_deinit(&h);
	return found;
}

START_TEST(test_what_a_call_is_to_acquire)
{
	ck_assert(look_for_wanted(both_start, both_end, (const void *)take, 1));
	ck_assert(held[0].what == HOLDER_LOCK && !held[0].is_only && held[0].reg < 0);
	ck_assert_int_eq(held[0].address.offset, LOCK_B);
	ck_assert(look_for_wanted(saved_register_start, saved_register_end, (const void *)take, 0));
	ck_assert(held[0].reg == 3 && held[0].offset == 0);
	ck_assert(look_for_wanted(third_argument_start, third_argument_end, (const void *)enter, 0));
	ck_assert(held[0].what == HOLDER_CRITICAL && held[0].reg == 3 && held[0].offset == 4);
	ck_assert(look_for_wanted(only_one_start, only_one_end, (const void *)begin, 0));
	ck_assert(held[0].what == HOLDER_CRITICAL && held[0].is_only);
	/* By then no register has the address. */
	ck_assert(!look_for_wanted(lost_register_start, lost_register_end, (const void *)take, 0));
	ck_assert(!look_for_wanted(both_start, both_end, (const void *)here, 0));
	ck_assert(!look_for_wanted(straight_start, straight_end, (const void *)give, 0));
}
END_TEST

/* Random bytes: the analysis ends, and stays within its bounds. */
static uint8_t noise[8192];
static size_t read_noise(void *arg, uint64_t address, uint8_t *buf, size_t size)
{
	(void)arg;
	if (address < 0x1000 || address >= 0x1000 + sizeof(noise))
		return 0;
	if (size > 0x1000 + sizeof(noise) - address)
		size = 0x1000 + sizeof(noise) - address;
	memcpy(buf, noise + (address - 0x1000), size);
	return size;
}

START_TEST(test_any_bytes)
{
	static const uint8_t pieces[] = {0xe8, 0x75, 0x74, 0xeb, 0x90, 0x48, 0x89, 0xc3, 0xff, 0x50, 0x0f, 0x84};
	const struct code_world noisy = {.read = read_noise, .call = look_at_call, .function = look_at_function};
	struct code_function f = {.start = 0x1000, .end = 0x1000 + sizeof(noise)};

	srand((unsigned)_i);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = rand() % 3 ? pieces[(size_t)rand() % sizeof(pieces)] : (uint8_t)(rand() % 64);
	for (uint64_t pc = 0x1000; pc < 0x1400; pc += 37) {
		struct code_releases h = {.world = &noisy};

		ck_assert_uint_le(code_held_find(&h, &f, pc, pc & 1, held), CODE_HELD_MAX);
		code_held_find_wanted(&h, &f, pc, held);
		code_releases_deinit(&h);
	}
}
END_TEST

__asm__(".text\n.globl end_of_code\nend_of_code: nop\n");

int main(void)
{
	Suite *suite = suite_create("openmp/stacks/code/code_held");
	TCase *tc = tcase_create("code_held");

#define ADD(name, what, count) tcase_add_test(tc, test_##name);
	CASES(ADD)
	tcase_add_test(tc, test_call_that_goes_on);
	tcase_add_test(tc, test_what_is_released_so_far);
	tcase_add_test(tc, test_landing_pads_are_ways_into_a_function);
	tcase_add_test(tc, test_exact_place);
	tcase_add_test(tc, test_last_call_of_a_function);
	tcase_add_test(tc, test_other_argument);
	tcase_add_test(tc, test_what_a_call_is_to_acquire);
	tcase_add_loop_test(tc, test_any_bytes, 0, 20);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
