/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread that sleeps or is stopped has exact frames. The frames of a running thread may change while they are read:
 * they count if two reads give the same.
 */
#include "openmp/python/python_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "openmp/python/python.h"
#include "openmp/python/python_chain.h"
#include "openmp/python/python_code.h"
#include "openmp/stacks/stack_python.h"

/* How often the frames of a running thread are read again until two reads give the same. */
#define MAX_READS 4

struct taking {
	struct stacks *st;
	const struct python *py;
	struct python_codes codes;
};

/* Return whether no thread can run while the frames are read. */
static bool is_at_rest(struct target *t)
{
	return target_mode(t) == TARGET_CORE || target_is_stopped(t) || target_is_stopped_by_other(t);
}

static bool read_stable(const struct taking *k, const struct python_thread *thread, struct python_chain *ret)
{
	uint32_t max = k->st->max_frames < PYTHON_MAX_FRAMES ? (uint32_t)k->st->max_frames : PYTHON_MAX_FRAMES;
	bool ok = python_chain_read(k->py, thread, max, false, ret);

	if (is_at_rest(k->st->t))
		return ok;
	for (int i = 0; i < MAX_READS; i++) {
		struct python_chain again;
		bool is_read = python_chain_read(k->py, thread, max, true, &again);
		bool is_same = ok && is_read && python_chain_is_same(ret, &again);

		python_chain_deinit(ret);
		*ret = again;
		ok = is_read;
		if (is_same)
			return true;
	}
	python_chain_deinit(ret);
	return false;
}

/* Add @frame to the functions of @t, unless the function has not reached its first line. */
static bool add_frame(struct taking *k, struct stacks_thread *t, uint32_t *cap, const struct python_frame *frame)
{
	const struct python_code *code = python_codes_get(&k->codes, k->py, frame->code);
	bool is_started;

	if (!code) {
		t->python_why = "a Python frame names no readable code";
		return true;
	}
	int line = python_code_line(code, k->py, frame->instruction, &is_started);
	if (!is_started && !frame->is_generator)
		return true;
	uint64_t instruction = python_code_instruction(code, frame->instruction);
	struct stacks_place *place = stack_python_place(k->st, instruction, code->function, code->file, line);
	if (!place || !VECTOR_GROW(t->python, t->n_python, *cap))
		return false;
	t->python[t->n_python++] = (struct stacks_python_frame){.place = place, .entry = frame->entry};
	return true;
}

static struct error *take_thread(struct taking *k, struct stacks_thread *t)
{
	const struct python_thread *thread = NULL;
	uint32_t cap = 0;
	bool ok = true;

	/* A thread has a state for each interpreter that it has called. Without places on the C stack, one counts. */
	while (ok && (thread = python_thread_of(k->py, t->tid, thread)) &&
	       (k->py->layout.version >= PYTHON_VERSION(10) || !t->n_python)) {
		struct python_chain chain;

		if (!read_stable(k, thread, &chain))
			t->python_why = is_at_rest(k->st->t) ? "the links of its Python frames contradict each other"
							     : "its Python frames changed while they were read";
		for (uint32_t i = 0; ok && i < chain.n && !t->python_why; i++)
			ok = add_frame(k, t, &cap, &chain.frames[i]);
		python_chain_deinit(&chain);
	}
	return ok ? NULL : &error_nomem;
}

struct error *python_frames_take(struct stacks *st)
{
	struct python py;
	struct error *err = NULL;

	python_find(st->t, &py);
	struct taking k = {.st = st, .py = &py};
	if (py.status == PYTHON_UNREADABLE) {
		st->python_why = strdup(py.why);
		err = st->python_why ? NULL : &error_nomem;
	}
	for (size_t i = 0; i < st->n_threads && !err && py.status == PYTHON_READABLE; i++)
		err = take_thread(&k, &st->threads[i]);
	python_codes_deinit(&k.codes);
	python_deinit(&py);
	return err;
}
