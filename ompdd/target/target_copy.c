/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A copy of the data that a view will read, taken in a stop that lasts as long as the copying: the pages and registers
 * that earlier views requested. A request for other data is not answered from the running process, where it may have
 * changed. The copy is void then, and the caller takes another one with more data (worker/capture.c).
 */
#include "target/target.h"

#include "target/aside.h"
#include "target/target_ops.h"

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
static struct error *copy(struct target *t)
{
	bool changed;
	struct error *err = t->ops->check(t);

	if (!err)
		err = target_prime(t, true);
	if (!err)
		err = t->ops->keep_threads(t, t->wants_registers, &changed);
	/* There are new threads: read their data now, while they cannot end. */
	if (!err && changed) {
		const struct target_thread *threads;
		size_t n;

		err = target_threads(t, &threads, &n);
	}
	return err;
}

struct error *target_copy(struct target *t, int64_t *stopped_us_ret)
{
	target_view_begin(t);
	aside_hurry(true);
	struct error *err = target_stop(t, t->max_stop_ms);
	if (err) {
		aside_hurry(false);
		return err;
	}
	err = copy(t);
	struct error *late = target_end_stop(t, stopped_us_ret);
	aside_hurry(false);
	/* After the time limit, the data is useless. */
	if (late) {
		error_destroy(err);
		return late;
	}
	if (err)
		return err;
	t->has_copy = true;
	t->copy_missed = false;
	return NULL;
}

bool target_copy_end(struct target *t)
{
	t->has_copy = false;
	return !t->copy_missed;
}

struct error *target_not_copied(struct target *t)
{
	t->copy_missed = true;
	return error_create(ERR_STOP_TIMEOUT, "the target runs again, and the copy of it lacks what is asked for");
}
