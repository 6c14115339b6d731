/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Proofs that threads sleep, and copies that need them. A copy has the data that a view will read, taken in a stop that
 * lasts as long as the copying: the pages and registers that earlier views requested. A request for other data is not
 * answered from the running process, where it may have changed. The copy is void then, and the caller takes another one
 * with more data (worker/capture/capture.c).
 */
#include "target/target.h"

#include "base/helper_thread.h"
#include "target/stop/stopper.h"
#include "target/target_ops.h"

/* The number of void proofs after which all threads are stopped: the program's threads wake all the time. */
#define MAX_VOID 2

bool target_begin_proof(struct target *t, size_t *n_running_ret)
{
	t->needs_registers = t->has_proof = false;
	t->is_proving = t->ops->begin_proof && t->n_void < MAX_VOID && t->ops->begin_proof(t, n_running_ret);
	return t->is_proving;
}

bool target_end_proof(struct target *t)
{
	bool was_proving = t->is_proving, slept = was_proving && t->ops->end_proof(t);

	t->is_proving = false;
	t->has_proof = was_proving;
	t->n_void += was_proving && (!slept || t->needs_registers);
	/* The reads during a void proof show what a copy must contain. */
	t->learned |= was_proving;
	if (slept || !was_proving)
		t->stacks.n = 0;
	return slept;
}

bool target_has_slept(struct target *t, pid_t tid)
{
	return t->has_proof && t->ops->has_slept(t, tid);
}

void target_cancel_proof(struct target *t)
{
	t->is_proving = false;
}

void target_reset_proof(struct target *t)
{
	t->n_void = 0;
	t->needs_registers = false;
	if (t->ops->reset_proof)
		t->ops->reset_proof(t);
}

void target_need_registers(struct target *t, pid_t tid)
{
	if (!t->ops->need_registers)
		return;
	t->ops->need_registers(t, tid);
	t->needs_registers = true;
}

bool target_needs_registers(const struct target *t)
{
	return t->needs_registers;
}

bool target_can_copy(const struct target *t)
{
	return t->mode == TARGET_STOP && t->ops->keep_threads;
}

bool target_has_learned(const struct target *t)
{
	return t->learned;
}

void target_learn(struct target *t, bool begin)
{
	if (begin)
		target_view_begin(t);
	t->learning = begin;
	t->learned = true;
}

void target_warm_up(struct target *t, bool begin)
{
	/* A core's threads do nothing. */
	if (t->mode == TARGET_CORE)
		return;
	t->warming_up = begin;
	/* Data that was read once or during a search would otherwise be copied in many stops. */
	if (!begin)
		cache_begin_last_use(&t->cache);
	/* Invalidate the thread list: the next caller needs a current one. */
	t->threads_valid = false;
}

bool target_is_warming_up(const struct target *t)
{
	return t->warming_up;
}

/* Take the copy while the target is stopped. */
static struct error *copy_memory(struct target *t)
{
	bool changed;
	struct error *err = t->ops->check(t);

	if (!err)
		err = target_prime(t, true);
	if (!err)
		err = t->ops->keep_threads(t, t->wants_registers, &changed);
	if (!err)
		err = target_fetch_stacks(t);
	/* There are new threads: read their data now, while they cannot end. */
	if (!err && changed) {
		const struct target_thread *threads;
		size_t n;

		err = target_threads(t, &threads, &n);
	}
	return err;
}

/* An ompdd-tracer stops all threads: a proof would be void. */
static bool can_leave_sleepers(const struct target *t)
{
	return t->mode == TARGET_STOP && t->ops->begin_proof && t->stopper->ops->takes_list(t->stopper, t->max_stop_ms);
}

struct error *target_stop_running(struct target *t)
{
	size_t n_running;

	t->needs_registers = false;
	if (can_leave_sleepers(t) && !target_begin_proof(t, &n_running))
		target_cancel_proof(t);
	struct error *err = target_stop(t, t->max_stop_ms);
	if (err)
		target_cancel_proof(t);
	return err;
}

struct error *target_resume_running(struct target *t, int64_t *stopped_us_ret, bool *is_void_ret)
{
	bool relies = t->is_proving;
	struct error *err = target_end_stop(t, stopped_us_ret);

	*is_void_ret = relies && (!target_end_proof(t) || t->needs_registers);
	t->needs_registers = false;
	return err;
}

/* Take the copy in one stop, and add its duration to *@stopped_us. */
static struct error *copy_in_stop(struct target *t, int64_t *stopped_us, bool *is_void_ret)
{
	int64_t us = 0;

	helper_thread_hurry(true);
	struct error *err = target_stop_running(t);
	if (err) {
		helper_thread_hurry(false);
		return err;
	}
	err = copy_memory(t);
	struct error *late = target_resume_running(t, &us, is_void_ret);
	helper_thread_hurry(false);
	*stopped_us += us;
	/* After the time limit, the data is useless. */
	if (late) {
		error_destroy(err);
		return late;
	}
	return err;
}

struct error *target_copy(struct target *t, int64_t *stopped_us_ret)
{
	int64_t stopped_us = 0;

	target_view_begin(t);
	t->wants_registers |= t->stacks.n > 0;
	size_t n_prime = t->cache.n_prime;
	for (bool is_void = true; is_void;) {
		/* The copy before was void: take the same pages again. */
		cache_truncate(&t->cache, 0);
		t->cache.n_prime = n_prime;
		struct error *err = copy_in_stop(t, &stopped_us, &is_void);
		if (err)
			return err;
	}
	*stopped_us_ret = stopped_us;
	t->has_copy = true;
	t->copy_missed = false;
	return NULL;
}

bool target_copy_end(struct target *t)
{
	bool is_complete = !t->copy_missed && !t->needs_registers;

	t->has_copy = t->needs_registers = false;
	return is_complete;
}
