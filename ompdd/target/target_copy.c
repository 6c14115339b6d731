/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A copy of what a view will read, taken within a stop that lasts no longer than the copying: the pages and registers
 * that the views before it asked for. What asks for more is not answered from the running process, as that would be of
 * another moment: the copy is void then, and the caller takes another one, of more (worker/capture.c).
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
	/* What was looked up once, or searched, would be copied in many a stop. */
	if (!begin)
		cache_begin_last_use(&t->cache);
	/* Who asks for the threads from now on wants to know. */
	t->threads_valid = false;
}

bool target_is_warming_up(const struct target *t)
{
	return t->warming_up;
}

/* While it stands. */
static struct error *copy(struct target *t)
{
	bool changed;
	struct error *err = t->ops->check(t);

	if (!err)
		err = target_prime(t, true);
	if (!err)
		err = t->ops->keep_threads(t, t->wants_registers, &changed);
	/* There are new threads: ask the kernel about them now, while they cannot end. */
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
	/* When the time was over, what was read or not read after that is of no use. */
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
