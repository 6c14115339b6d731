/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The runtime's counter word, its two halves, and the connection that requested it. Only the low half changes by
 * itself: it counts down.
 */
#include "worker/control/serialize.h"

#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/runtimes/runtime_symbol.h"
#include "target/control.h"
#include "target/modules/tid_map.h"
#include "worker/context/context.h"

/* Find the address of the word. */
static struct error *find_word(struct worker *w, uint64_t *ret)
{
	const struct error *why;

	model_refresh(worker_model(w));
	const struct runtime *runtime = model_runtime(worker_model(w), &why);
	if (!runtime)
		return error_create(why ? why->code : ERR_NO_OPENMP_RUNTIME, "%s",
				    why ? why->message : "the process has no OpenMP runtime");
	const char *file = runtime->is_executable ? NULL : path_file_name(runtime->path);
	if (!runtime->descriptor->serialize_word ||
	    !runtime_symbol(w->target, runtime->descriptor->serialize_word, file, ret))
		return error_create(ERR_SERIALIZE_UNAVAILABLE, "%s (%s) cannot be instructed to serialize regions",
				    runtime->path, runtime->descriptor->name);
	return NULL;
}

uint32_t serialize_left(struct worker *w)
{
	uint64_t word = 0;

	if (!w->serialize.address || !w->target)
		return 0;
	/* The word changes only while the target runs. */
	if (!target_is_stopped(w->target))
		target_view_begin_memory(w->target);
	error_destroy(target_read(w->target, w->serialize.address, &word, sizeof(word)));
	return (uint32_t)word;
}

/*
 * Find the thread id that the runtime compares with: the thread's own view of it, which differs in a container. 0: all
 * threads.
 */
static struct error *find_own(struct worker *w, pid_t tid, pid_t *ret)
{
	struct tid_map map = {0};

	*ret = 0;
	if (!tid)
		return NULL;
	if (!target_thread_by_tid(w->target, tid))
		return error_create(ERR_NO_SUCH_THREAD, "process %d has no thread %d", (int)target_pid(w->target),
				    (int)tid);
	tid_map_refresh(&map, w->target);
	*ret = tid_map_own(&map, tid);
	tid_map_deinit(&map);
	return *ret ? NULL
		    : error_create(ERR_NO_SUCH_THREAD, "the number of thread %d in its container is not known",
				   (int)tid);
}

/* Clear the word. The target is stopped. */
static struct error *clear_word(struct worker *w)
{
	struct error *err = w->serialize.address ? target_set_word(w->target, w->serialize.address, 0) : NULL;

	w->serialize.address = 0;
	return err;
}

struct error *serialize_set(struct worker *w, uint32_t n, pid_t tid)
{
	uint64_t address = 0;
	pid_t own;
	bool held;
	struct error *err = NULL;

	if (target_mode(w->target) != TARGET_STOP)
		err = error_create(ERR_MODE_UNSUPPORTED, "regions can be serialized in mode \"stop\" only");
	if (!err)
		err = worker_check_holder(w);
	if (!err)
		err = find_word(w, &address);
	if (!err && serialize_left(w) && w->serialize.client != w->client)
		err = error_hint(error_create(ERR_SERIALIZE_UNAVAILABLE,
					      "another connection has requested serialized regions, and %u are pending",
					      serialize_left(w)),
				 "wait until these regions have run, or that connection ends");
	if (!err)
		err = find_own(w, tid, &own);
	if (!err)
		err = target_change_begin(w->target, &held);
	if (err)
		return err;
	err = clear_word(w);
	if (!err && n)
		err = target_set_word(w->target, address, (uint64_t)(uint32_t)own << 32 | n);
	if (!err && n)
		w->serialize = (struct serialize){address, w->client, tid};
	target_view_begin_memory(w->target);
	struct error *late = target_change_end(w->target, held);
	if (!err)
		return late;
	error_destroy(late);
	return err;
}

void serialize_settle(struct worker *w)
{
	if (w->serialize.address && !serialize_left(w))
		error_destroy(clear_word(w));
}

void serialize_client_gone(struct worker *w, int64_t client)
{
	bool held;

	if (!w->serialize.address || w->serialize.client != client)
		return;
	struct error *err = target_change_begin(w->target, &held);
	if (!err) {
		err = clear_word(w);
		struct error *late = target_change_end(w->target, held);
		if (err)
			error_destroy(late);
		else
			err = late;
	}
	if (err)
		log_err(LOG_WARN, err, "no longer serialize regions of target %s", w->target_id);
	error_destroy(err);
}

void serialize_end(struct worker *w)
{
	error_destroy(clear_word(w));
}

void serialize_forget(struct worker *w)
{
	w->serialize.address = 0;
}
