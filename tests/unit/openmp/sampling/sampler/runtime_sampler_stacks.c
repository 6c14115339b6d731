/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/sampler/runtime_sampler_stacks: the stacks of a child that sleeps, runs or is stopped. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check_main.h"
#include "child_fixture.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/plugin/plugin.h"
#include "openmp/sampling/sampler/runtime_sampler.h"

static struct handles *h;
static struct model *m;
static struct tally tally;
static struct perf *perf;
static struct runtime_sampler l;
static struct sampled_thread *lt;
static struct snapshot_thread thread;
static const struct snapshot s = {.threads = &thread, .n_threads = 1};
static struct plugin_options options = {.libompd = FAKE_LIBOMPD};
static volatile uint64_t turns;

/* Each function writes behind its loop, so that it has a frame of its own. */
__attribute__((noinline)) static void runs(void)
{
	child_shared->ready = 1;
	while (!child_shared->go)
		turns++;
	turns = 0;
}

__attribute__((noinline)) static void sleeps(void)
{
	child_shared->ready = 1;
	while (!child_shared->go)
		pause();
	turns = 0;
}

/* A frame that is found by the frame pointer, and has saved registers of its caller. */
__attribute__((noinline)) static void saves(size_t n)
{
	volatile char *room = __builtin_alloca(n);

#ifdef __x86_64__
	__asm__ volatile("" : : : "rbx", "r12");
#else
	__asm__ volatile("" : : : "x19", "x20");
#endif
	room[0] = 1;
	runs();
	turns = (uint64_t)room[0];
}

static void saved(void)
{
	saves(turns + 64);
	turns = 0;
}

static void start(void (*body)(void), enum target_mode mode)
{
	setenv("FAKE_OMPD", "", 1);
	/* The library is only mapped, so that there is a runtime. */
	ck_assert(dlopen("libgomp.so.1", RTLD_NOW) || dlopen("libomp.so.5", RTLD_NOW));
	attach_child(body, 1, mode, 60000);
	h = handles_create(0);
	ck_assert_no_err(model_create(t, &options, h, &m));
	ck_assert_no_err(model_need_plugin(m));
	ck_assert(tally_init(&tally, true, false));
	ck_assert_no_err(perf_create(1000, &perf));
	ck_assert_no_err(runtime_sampler_init(&l, &tally, perf, 0));
	ck_assert(runtime_sampler_list(&l, &child, 1));
	lt = runtime_sampler_find_thread(&l, child);
	ck_assert_ptr_nonnull(lt);
	thread = (struct snapshot_thread){.tid = child, .openmp = true};
	target_view_begin(t);
	ck_assert_no_err(model_open(m));
	runtime_sampler_begin(&l, m);
}

static void stop(void)
{
	runtime_sampler_deinit(&l);
	perf_destroy(perf);
	tally_deinit(&tally);
	model_destroy(m);
	handles_destroy(h);
}

/* It sleeps now, as the walk of a sample has found out. */
static void find_asleep(void)
{
	do {
		target_view_begin(t);
		target_activity(t, child, &lt->activity);
	} while (!lt->activity.known || !lt->activity.in_syscall);
	lt->is_asleep = lt->is_fresh = true;
}

static const char *where(const struct call_chain *chain)
{
	return chain ? texts_get(&tally.texts, chain->at.function) : NULL;
}

START_TEST(test_a_thread_that_sleeps)
{
	start(sleeps, TARGET_OBSERVE);
	find_asleep();
	runtime_sampler_take_stacks(&l, &s);
	ck_assert(lt->is_current && !lt->is_fresh);
	ck_assert_str_eq(where(lt->chain), "sleeps");
	ck_assert_uint_eq(l.torn, 0);
	/* No sample shows it running since, so its known stack is still valid. */
	const struct call_chain *chain = lt->chain;
	runtime_sampler_take_stacks(&l, &s);
	ck_assert(lt->is_current);
	ck_assert_ptr_eq(lt->chain, chain);
	ck_assert(!child_any_stopped(child));
	stop();
}
END_TEST

/* It may have fallen asleep after memory was read: that memory says nothing about a sleeping thread. */
START_TEST(test_what_is_known_of_a_thread_that_sleeps)
{
	bool slept = true;

	start(sleeps, TARGET_OBSERVE);
	struct error *err = perf_watch(perf, child);
	if (!error_catch(&err, ERR_PERF_REFUSED)) {
		ck_assert_no_err(err);
		find_asleep();
		lt->asleep_runs = perf_runs(perf, child);
		ck_assert_ptr_eq(runtime_sampler_get_known(&l, &thread, &slept), &lt->known);
		ck_assert(!slept);
		runtime_sampler_take_stacks(&l, &s);
		runtime_sampler_get_known(&l, &thread, &slept);
		ck_assert(!slept);
		runtime_sampler_get_known(&l, &thread, &slept);
		ck_assert(slept);
		/* It has run. */
		lt->asleep_runs--;
		runtime_sampler_get_known(&l, &thread, &slept);
		ck_assert(!slept);
	}
	stop();
}
END_TEST

/* It has moved: its stack may be from two moments. */
START_TEST(test_a_thread_that_has_moved)
{
	start(sleeps, TARGET_OBSERVE);
	find_asleep();
	lt->activity.syscall++;
	runtime_sampler_take_stacks(&l, &s);
	ck_assert(!lt->is_current);
	ck_assert_ptr_null(lt->chain);
	ck_assert(!lt->is_asleep);
	ck_assert_uint_eq(l.torn, 1);
	stop();
}
END_TEST

START_TEST(test_a_thread_that_runs)
{
	start(runs, TARGET_OBSERVE);
	struct error *err = perf_watch(perf, child);

	if (err) {
		ck_assert_err(err, ERR_PERF_REFUSED);
		stop();
		CHECK_SKIP("this machine does not let us sample stacks");
	}
	/* It may not get a CPU for a while. */
	do {
		usleep(1000);
		runtime_sampler_take_stacks(&l, &s);
	} while (!lt->n_samples);
	ck_assert_uint_le(lt->n_samples, RUNTIME_SAMPLER_MAX_SAMPLES);
	ck_assert_ptr_eq(lt->chain, lt->samples[lt->n_samples - 1]);
	ck_assert_str_eq(where(lt->chain), "runs");
	ck_assert(!lt->is_current);
	stop();
}
END_TEST

/* Threads outside OpenMP, and threads that are counted elsewhere, get no stacks. */
START_TEST(test_a_thread_of_others)
{
	start(sleeps, TARGET_OBSERVE);
	find_asleep();
	thread.openmp = false;
	runtime_sampler_take_stacks(&l, &s);
	ck_assert_ptr_null(lt->chain);
	stop();
}
END_TEST

static void sample_stopped(struct snapshot seen)
{
	l.stands = true;
	l.s = seen;
	ck_assert_no_err(target_stop(t, 60000));
	ck_assert_no_err(runtime_sampler_copy(&l));
	int64_t us;
	ck_assert_no_err(target_resume(t, &us));
	/* The snapshot belongs to the test. */
	l.s = (struct snapshot){0};
	runtime_sampler_take_stacks(&l, &seen);
	ck_assert_uint_eq(l.copies.n, 0);
}

START_TEST(test_a_target_that_stands)
{
	start(runs, TARGET_STOP);
	sample_stopped(s);
	ck_assert(lt->is_current && lt->is_asleep);
	ck_assert_str_eq(where(lt->chain), "runs");
	ck_assert(!child_any_stopped(child));
	stop();
}
END_TEST

START_TEST(test_stacks_that_nobody_wants)
{
	start(runs, TARGET_STOP);
	l.wants_stacks = false;
	sample_stopped(s);
	ck_assert_ptr_null(lt->chain);
	stop();
}
END_TEST

static void copy_stack(struct stack_copies *ret)
{
	int64_t us;

	ck_assert_no_err(target_stop(t, 60000));
	target_view_begin(t);
	ck_assert_no_err(stack_copies_take(t, &child, 1, 1u << 14, ret));
	ck_assert_no_err(target_resume(t, &us));
	ck_assert_uint_eq(ret->n, 1);
}

static bool is_among(const struct stack_words *words, uint64_t address)
{
	for (size_t i = 0; i < words->n; i++) {
		if (words->words[i].address == address)
			return true;
	}
	return false;
}

static void ck_assert_same_frames(const struct stack *a, const struct stack *b)
{
	ck_assert_uint_eq(a->n, b->n);
	ck_assert_int_eq(a->end, b->end);
	for (size_t i = 0; i < a->n; i++) {
		ck_assert_uint_eq(a->frames[i].pc, b->frames[i].pc);
		ck_assert_uint_eq(a->frames[i].sp, b->frames[i].sp);
	}
}

/*
 * Stacks that differ in one word and count as equal have the same frames. A word that a function only keeps for its
 * callers, such as a loop's counter, does not make them different.
 */
START_TEST(test_a_stack_is_known_again)
{
	static struct stack_words words;
	struct stack_copies copies;
	struct stack first, again;
	size_t n_kept = 0, n_other = 0;

	start(saved, TARGET_STOP);
	copy_stack(&copies);
	struct stack_copy *copy = &copies.copies[0];
	const struct call_chain *chain = call_chains_get(l.chains, m, copy, false);
	ck_assert_ptr_nonnull(chain);
	ck_assert_str_eq(where(chain), "runs");
	stack_unwind_noting(t, copy, CALL_CHAIN_MAX_FRAMES, &first, &words);
	ck_assert_uint_ge(first.n, 4);
	/* The copy starts with a whole page, which may lie below the stack pointer completely. */
	size_t begin = copy->registers.value[TARGET_REGISTER_SP] - copy->start;
	for (size_t at = begin; at < begin + 4096 && at + sizeof(uint64_t) <= copy->len; at += sizeof(uint64_t)) {
		uint64_t value, other;

		memcpy(&value, copy->bytes + at, sizeof(value));
		other = value ^ 0x550;
		memcpy(copy->bytes + at, &other, sizeof(other));
		if (call_chains_get(l.chains, m, copy, false) == chain) {
			n_kept += is_among(&words, copy->start + at);
			stack_unwind(t, copy, CALL_CHAIN_MAX_FRAMES, &again);
			ck_assert_same_frames(&first, &again);
			stack_deinit(&again);
		} else {
			n_other++;
		}
		memcpy(copy->bytes + at, &value, sizeof(value));
	}
	ck_assert_ptr_eq(call_chains_get(l.chains, m, copy, false), chain);
	/* Two registers, and return addresses. */
	ck_assert_uint_ge(n_kept, 2);
	ck_assert_uint_ge(n_other, 3);
	stack_deinit(&first);
	stack_copies_deinit(&copies);
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/sampler/runtime_sampler_stacks");
	TCase *tc = tcase_create("stacks");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_a_thread_that_sleeps);
	tcase_add_test(tc, test_what_is_known_of_a_thread_that_sleeps);
	tcase_add_test(tc, test_a_thread_that_has_moved);
	tcase_add_test(tc, test_a_thread_that_runs);
	tcase_add_test(tc, test_a_thread_of_others);
	tcase_add_test(tc, test_a_target_that_stands);
	tcase_add_test(tc, test_stacks_that_nobody_wants);
	tcase_add_test(tc, test_a_stack_is_known_again);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
