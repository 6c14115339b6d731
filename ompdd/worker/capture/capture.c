/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Take a view of the target: stop it while reading takes place, or read it without a stop. */
#include "worker/capture/capture.h"

#include "openmp/model/handle/handles.h"
#include "worker/context/emit.h"
#include "worker/worker.h"

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

/* Discard the results of the present view. */
static void discard_view(struct worker *w, struct error *err TAKES)
{
	error_destroy(err);
	handles_epoch_void(w->handles, w->epoch);
	w->epoch--;
}

/* Run @fn within one stop of the threads that run. Discard its results if they are void, or the stop took too long. */
static struct error *capture_one_stop(struct worker *w, capture_fn fn, void *arg, int64_t *stopped_us,
				      bool *is_void_ret)
{
	int64_t us = 0;
	struct error *err = target_stop_running(w->target);

	*is_void_ret = false;
	if (err)
		return or_gone(w, err);
	w->epoch++;
	target_view_begin(w->target);
	/* The target may have called exec() between the check and the complete stop. */
	err = worker_check_target(w);
	if (!err)
		err = fn(w, arg);
	struct error *late = target_resume_running(w->target, &us, is_void_ret);
	*stopped_us += us;
	if (*is_void_ret && !late) {
		discard_view(w, err);
		return NULL;
	}
	handles_epoch_ended(w->handles, w->epoch);
	if (!late)
		return err;
	error_destroy(err);
	return late;
}

/*
 * Run @fn within a stop that lasts until @fn returns. @before_us: the time that the target was stopped in vain before.
 */
static struct error *capture_stop(struct worker *w, capture_fn fn, void *arg, int64_t before_us, struct view *ret)
{
	int64_t stopped_us = before_us;
	struct error *err = NULL;

	for (bool is_void = true; is_void && !err;)
		err = capture_one_stop(w, fn, arg, &stopped_us, &is_void);
	if (err)
		return err;
	*ret = (struct view){
		.epoch = w->epoch,
		.consistency = VIEW_STOPPED,
		.stopped_us = stopped_us,
	};
	return NULL;
}

/* Run @fn without a stop, if all threads sleep until it returns. Return false if they do not: there is no result. */
static bool capture_asleep(struct worker *w, capture_fn fn, void *arg, struct view *ret, struct error **err_ret)
{
	size_t n_running;
	if (!target_begin_proof(w->target, &n_running))
		return false;
	if (n_running) {
		target_cancel_proof(w->target);
		return false;
	}
	w->epoch++;
	target_view_begin(w->target);
	struct error *err = worker_check_target(w);
	if (!err)
		err = fn(w, arg);
	if (!target_end_proof(w->target) || target_needs_registers(w->target)) {
		discard_view(w, err);
		return false;
	}
	handles_epoch_ended(w->handles, w->epoch);
	*ret = (struct view){.epoch = w->epoch, .consistency = VIEW_PROVEN};
	*err_ret = err ? or_gone(w, err) : NULL;
	return true;
}

/* Run @fn on the running target only to learn what it reads. Its result is discarded. */
static void learn_reads(struct worker *w, capture_fn fn, void *arg)
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
			learn_reads(w, fn, arg);
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
	bool stopped, slept;
	size_t n_running;
	int attempt = 0;

	/*
	 * The target never resumes, so the epoch never ends. Handles last until they are released or evicted
	 * (openmp/model/handle/handles).
	 */
	w->epoch++;
	do {
		target_reset_proof(w->target);
		bool proves = target_begin_proof(w->target, &n_running);
		target_view_begin(w->target);
		stopped = target_is_stopped_by_other(w->target);
		err = fn(w, arg);
		slept = proves && target_end_proof(w->target) && !n_running;
	} while (++attempt < OBSERVE_ATTEMPTS && error_catch(&err, ERR_MEMORY_UNREADABLE));
	err = or_gone(w, err);
	if (err)
		return err;
	stopped = stopped && target_is_stopped_by_other(w->target);
	*ret = (struct view){
		.epoch = w->epoch,
		.consistency = stopped ? VIEW_STOPPED
			       : slept ? VIEW_PROVEN
				       : VIEW_RACY,
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
	const struct target_core *core = target_core(w->target);
	*ret = (struct view){
		.epoch = w->epoch,
		.consistency = core && core->is_racy ? VIEW_RACY : VIEW_CORE,
	};
	return NULL;
}

static struct error *run_capture(struct worker *w, capture_fn fn, void *arg, bool stands, struct view *ret)
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
	/* Registers that the last view lacked are requested for this one. */
	if (!target_needs_registers(w->target))
		target_reset_proof(w->target);
	if (capture_asleep(w, fn, arg, ret, &err))
		return err;
	if (!stands && target_can_copy(w->target))
		return capture_copy(w, fn, arg, ret);
	return capture_stop(w, fn, arg, 0, ret);
}

struct error *worker_capture(struct worker *w, capture_fn fn, void *arg, struct view *ret)
{
	return run_capture(w, fn, arg, false, ret);
}

struct error *worker_capture_stopped(struct worker *w, capture_fn fn, void *arg, struct view *ret)
{
	return run_capture(w, fn, arg, true, ret);
}
