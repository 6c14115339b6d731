/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Take a view of the target: stop it while reading takes place, or read it without a stop. */
#include "worker/worker.h"

#include "openmp/model/handles.h"
#include "worker/emit.h"

/* The number of incomplete copies after which the target stays stopped while it is read. */
#define COPY_ATTEMPTS 3
/* The number of attempts for a racy view: a pointer's memory may be freed a moment after the pointer was read. */
#define OBSERVE_ATTEMPTS 3

typedef struct error *(*capture_fn)(struct worker *, void *);

/* Discard the error of @fn if the target has exited or runs another program meanwhile. */
static struct error *or_gone(struct worker *w, struct error *err TAKES)
{
	struct error *gone = worker_check_target(w);

	if (!gone)
		return err;
	error_destroy(err);
	return gone;
}

/* Run @fn within the stop that a client holds. */
static struct error *capture_held(struct worker *w, capture_fn fn, void *arg, struct view *ret)
{
	struct error *err = fn(w, arg);

	if (err)
		return err;
	*ret = (struct view){
		.epoch = w->epoch,
		.consistency = VIEW_STOPPED,
		.stopped_us = target_stopped_us(w->target),
	};
	return NULL;
}

/*
 * Run @fn within a stop that lasts until @fn returns. @before_us: the time that the target was stopped in vain before.
 */
static struct error *capture_stop(struct worker *w, capture_fn fn, void *arg, int64_t before_us, struct view *ret)
{
	int64_t stopped_us;
	struct error *err = target_stop(w->target, target_max_stop_ms(w->target));

	if (err)
		return or_gone(w, err);
	w->epoch++;
	target_view_begin(w->target);
	/* The target may have called exec() between the check and the complete stop. */
	err = worker_check_target(w);
	if (!err)
		err = fn(w, arg);
	struct error *late = target_resume(w->target, &stopped_us);
	handles_epoch_ended(w->handles, w->epoch);
	/* If the stop exceeded its time limit, discard the result of @fn. */
	if (late) {
		error_destroy(err);
		return late;
	}
	if (err)
		return err;
	*ret = (struct view){
		.epoch = w->epoch,
		.consistency = VIEW_STOPPED,
		.stopped_us = before_us + stopped_us,
	};
	return NULL;
}

/* Run @fn on the running target only to learn what it reads. Its result is discarded. */
static void learn(struct worker *w, capture_fn fn, void *arg)
{
	target_learn(w->target, true);
	error_destroy(fn(w, arg));
	target_learn(w->target, false);
	handles_epoch_void(w->handles, w->epoch);
}

/*
 * Run @fn within stops that last only for a copy of the memory that earlier views have read. If @fn keeps reading more,
 * the last attempt uses a stop that lasts until @fn returns.
 */
static struct error *capture_copy(struct worker *w, capture_fn fn, void *arg, struct view *ret)
{
	int64_t all_us = 0, stopped_us;

	w->epoch++;
	for (int attempt = 0; attempt < COPY_ATTEMPTS; attempt++) {
		if (attempt || !target_has_learned(w->target))
			learn(w, fn, arg);
		struct error *err = target_copy(w->target, &stopped_us);
		if (err) {
			w->epoch--;
			return or_gone(w, err);
		}
		all_us += stopped_us;
		err = fn(w, arg);
		if (!target_copy_end(w->target)) {
			error_destroy(err);
			handles_epoch_void(w->handles, w->epoch);
			continue;
		}
		handles_epoch_ended(w->handles, w->epoch);
		if (err)
			return or_gone(w, err);
		*ret = (struct view){
			.epoch = w->epoch,
			.consistency = VIEW_STOPPED,
			.stopped_us = all_us,
		};
		return NULL;
	}
	w->epoch--;
	return capture_stop(w, fn, arg, all_us, ret);
}

static struct error *capture_observe(struct worker *w, capture_fn fn, void *arg, struct view *ret)
{
	struct error *err;
	bool stopped;
	int attempt = 0;

	/*
	 * The target never resumes, so the epoch never ends. Handles last until they are released or evicted
	 * (openmp/model/handles).
	 */
	w->epoch++;
	do {
		target_view_begin(w->target);
		stopped = target_is_stopped_by_other(w->target);
		err = fn(w, arg);
	} while (++attempt < OBSERVE_ATTEMPTS && error_catch(&err, ERR_MEMORY_UNREADABLE));
	err = or_gone(w, err);
	if (err)
		return err;
	stopped = stopped && target_is_stopped_by_other(w->target);
	*ret = (struct view){
		.epoch = w->epoch,
		.consistency = stopped ? VIEW_STOPPED : VIEW_RACY,
	};
	return NULL;
}

/* Run @fn on a core. A core is one permanent view, which the first capture opens. */
static struct error *capture_core(struct worker *w, capture_fn fn, void *arg, struct view *ret)
{
	if (!w->epoch) {
		w->epoch++;
		target_view_begin(w->target);
	}
	struct error *err = fn(w, arg);
	if (err)
		return err;
	*ret = (struct view){.epoch = w->epoch, .consistency = VIEW_CORE};
	return NULL;
}

static struct error *take(struct worker *w, capture_fn fn, void *arg, bool stands, struct view *ret)
{
	struct error *err = worker_need_target(w);

	if (err)
		return err;
	if (target_mode(w->target) == TARGET_CORE)
		return capture_core(w, fn, arg, ret);
	if (target_mode(w->target) == TARGET_OBSERVE)
		return capture_observe(w, fn, arg, ret);
	if (target_is_stopped(w->target))
		return capture_held(w, fn, arg, ret);
	if (!stands && target_can_copy(w->target))
		return capture_copy(w, fn, arg, ret);
	return capture_stop(w, fn, arg, 0, ret);
}

struct error *worker_capture(struct worker *w, capture_fn fn, void *arg, struct view *ret)
{
	return take(w, fn, arg, false, ret);
}

struct error *worker_capture_standing(struct worker *w, capture_fn fn, void *arg, struct view *ret)
{
	return take(w, fn, arg, true, ret);
}
