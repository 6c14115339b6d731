/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Taking a view of the target: stopping it for as long as reading takes, or not at all. */
#include "worker/worker.h"

#include "openmp/model/handles.h"
#include "worker/emit.h"

/* How often a copy may lack something; then the target stands for as long as it is read. */
#define COPY_ATTEMPTS 3
/* A racy view may see a pointer to memory that is gone a moment later: look again, so often. */
#define OBSERVE_ATTEMPTS 3

typedef struct error *(*capture_fn)(struct worker *, void *);

/* What @fn said of a target that is gone, or runs another program meanwhile, is of no use. */
static struct error *or_gone(struct worker *w, struct error *err TAKES)
{
	struct error *gone = worker_check_target(w);

	if (!gone)
		return err;
	error_destroy(err);
	return gone;
}

/* Within the stop that a client holds. */
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

/* Within a stop that lasts until @fn returns. It has been stopped for @before_us in vain. */
static struct error *capture_stop(struct worker *w, capture_fn fn, void *arg, int64_t before_us, struct view *ret)
{
	int64_t stopped_us;
	struct error *err = target_stop(w->target, target_max_stop_ms(w->target));

	if (err)
		return or_gone(w, err);
	w->epoch++;
	target_view_begin(w->target);
	/* It may have called exec() between the check and the complete stop. */
	err = worker_check_target(w);
	if (!err)
		err = fn(w, arg);
	struct error *late = target_resume(w->target, &stopped_us);
	handles_epoch_ended(w->handles, w->epoch);
	/* If the stop's time ran out, the result of @fn is of no use. */
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

/* What @fn says of the running target is worth nothing, but shows what it reads. */
static void learn(struct worker *w, capture_fn fn, void *arg)
{
	target_learn(w->target, true);
	error_destroy(fn(w, arg));
	target_learn(w->target, false);
	handles_epoch_void(w->handles, w->epoch);
}

/*
 * Within stops that last for a copy of what the views before have read. When @fn asks for more, as often as it is
 * tried, within one that lasts until it returns.
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

	/* Nothing resumes, so no epoch ends: handles last until they are released, or make room (openmp/model/handles).
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

/* A core is one view for good: the first look begins it. */
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
