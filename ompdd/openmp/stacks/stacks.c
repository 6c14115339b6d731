/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes stacks and classifies their frames, by their places and by the library's data. */
#include "openmp/stacks/stacks.h"

#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "base/vector.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/body.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stack_names.h"
#include "openmp/stacks/stack_python.h"
#include "target/modules/modules.h"

/* start_thread() and clone(), which also start a thread of the C library's own. */
#define THREAD_START_FRAMES 2

struct stacks_place *stacks_entry(struct stacks *st, const struct stacks_thread *t, uint32_t i)
{
	uint32_t first = t->segments[i].first;

	/* A function that jumped on (a tail call) has no frame. */
	if (first == 0 || first == t->segments[i].end || t->frames[first - 1].kind != FRAME_RUNTIME)
		return NULL;
	struct stacks_place *place = t->frames[first].place;
	stacks_callee(st, place);
	if (!place->callee) {
		/* An indirect call: use the function on the stack, unless the called function reached it by a jump. */
		const char *name = stack_places_function(st, t->frames[first - 1].place);

		place->callee = name ? strdup(name) : NULL;
		place->construct = construct_of(place->callee);
	}
	return place;
}

/* Frames */

/* Names of the frames below main() and below a thread's function, for static programs. */
static bool is_start_name(const char *name)
{
	static const char *const names[] = {"_start",
					    "__libc_start_main",
					    "__libc_start_main_impl",
					    "__libc_start_call_main",
					    "start_thread",
					    "clone",
					    "clone3",
					    "__clone",
					    "__clone3",
					    "__GI___clone3"};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

/* Return the number of outermost frames that are the C library's start of the program or the thread. */
static uint32_t count_start(struct stacks *st, const struct stacks_thread *t, bool is_static)
{
	uint32_t n = 0;

	if (t->end != STACK_OUTERMOST)
		return 0;
	for (; n < t->n_frames; n++) {
		struct stacks_place *place = t->frames[t->n_frames - 1 - n].place;

		if (n && n + 1 < t->n_frames && place->module_kind == PLACE_PROGRAM &&
		    stack_name_is_sanitizer_start(stack_places_function(st, place)))
			continue;
		/* _start is part of the program. */
		bool is_entry = n == 0 && t->n_frames > 1 && place->module_kind == PLACE_PROGRAM &&
				t->frames[t->n_frames - 2].place->module_kind == PLACE_SYSTEM;

		if (is_static ? !is_start_name(stack_places_function(st, place))
			      : place->module_kind != PLACE_SYSTEM && !is_entry)
			return n;
	}
	return n < THREAD_START_FRAMES ? n : THREAD_START_FRAMES;
}

/*
 * Return whether frame @i, of a module of the program, serves the runtime, further out. It is a sanitizer that
 * intercepts the runtime's calls, or an allocator in the C library's place. The runtime calls those by their names, and
 * the program's code through pointers.
 */
static bool is_serving_runtime(struct stacks *st, const struct stacks_thread *t, uint32_t i)
{
	const struct stacks_place *caller = t->frames[i + 1].place;

	bool serves = caller->module_kind == PLACE_RUNTIME
			      ? caller->has_call && caller->call.kind == CALL_DIRECT &&
					target_module_at(st->t, caller->call.address) != caller->source.module
			      : caller->module_kind == PLACE_PROGRAM;

	return serves && !body_is_outlined(stack_places_function(st, t->frames[i].place));
}

static void classify_frames(struct stacks *st, struct stacks_thread *t)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);
	bool is_static = runtime && runtime->is_executable;
	enum frame_kind caller = FRAME_START;
	uint32_t n_start = count_start(st, t, is_static);

	for (uint32_t i = t->n_frames; i-- > 0;) {
		struct stacks_frame *frame = &t->frames[i];
		bool from_runtime = caller == FRAME_RUNTIME && !t->frames[i + 1].calls_program;

		if (t->n_frames - i <= n_start)
			frame->kind = FRAME_START;
		else if (frame->place->module_kind == PLACE_RUNTIME)
			frame->kind = FRAME_RUNTIME;
		else if (frame->place->module_kind == PLACE_PYTHON)
			frame->kind = FRAME_USER;
		else if (frame->place->module_kind == PLACE_SYSTEM)
			frame->kind = from_runtime ? FRAME_RUNTIME : FRAME_USER;
		/*
		 * The runtime calls itself and the C library within one module. Only outlined functions are the
		 * program's.
		 */
		else if (is_static && from_runtime)
			frame->kind =
				body_is_outlined(stack_places_function(st, frame->place)) ? FRAME_USER : FRAME_RUNTIME;
		else if (from_runtime && is_serving_runtime(st, t, i))
			frame->kind = FRAME_RUNTIME;
		else
			frame->kind = FRAME_USER;
		caller = frame->kind;
	}
}

/* Classification by the library */

/* Return the frame around stack address @address: the innermost frame whose CFA is not below it. */
static uint32_t find_frame(const struct stacks_thread *t, uint64_t address)
{
	for (uint32_t i = 0; i + 1 < t->n_frames; i++) {
		if (address > t->frames[i].sp && address <= t->frames[i + 1].sp)
			return i;
	}
	return SNAPSHOT_NONE;
}

/*
 * Find the user code of @task on this stack, if the library knows its frames. It starts behind the frame that entered
 * the runtime, and ends before the frame of the runtime that called it.
 */
static bool find_task_frames(const struct stacks_thread *t, const struct snapshot_task *task, uint32_t *first,
			     uint32_t *end)
{
	uint32_t enter = SNAPSHOT_NONE, leave = SNAPSHOT_NONE;

	if (task->frames_rc != ompd_rc_ok)
		return false;
	if (task->enter_frame)
		enter = find_frame(t, task->enter_frame);
	if (task->exit_frame)
		leave = find_frame(t, task->exit_frame);
	if ((task->enter_frame && enter == SNAPSHOT_NONE) || (task->exit_frame && leave == SNAPSHOT_NONE) ||
	    (!task->enter_frame && !task->exit_frame))
		return false;
	*first = enter == SNAPSHOT_NONE ? 0 : enter + (task->enter_flags & ompt_frame_application ? 0 : 1);
	*end = leave == SNAPSHOT_NONE ? t->n_frames : leave + (task->exit_flags & ompt_frame_application ? 1 : 0);
	return *first < *end;
}

/*
 * Return whether frames [0, @end) count as the program's although none of them is. The library reports that the thread
 * works in it. So the runtime called the program, which left by a jump into another library.
 */
static bool is_jump(const struct stacks *st, const struct stacks_thread *t, uint32_t end)
{
	const struct snapshot_word *state = &st->s->threads[t->thread].state;

	if (state->rc != ompd_rc_ok ||
	    (state->value != ompt_state_work_serial && state->value != ompt_state_work_parallel))
		return false;
	for (uint32_t i = 0; i < end; i++) {
		if (t->frames[i].place->module_kind == PLACE_RUNTIME)
			return false;
	}
	return true;
}

static void classify_by_library(struct stacks *st, struct stacks_thread *t)
{
	const struct snapshot *s = st->s;
	uint32_t task = s->threads[t->thread].task.index, first, end, last = 0;

	/* cut_cycles() has processed the snapshot: chains end. */
	while (task != SNAPSHOT_NONE && find_task_frames(t, &s->tasks[task], &first, &end)) {
		if (first < last)
			return;
		bool jumped = first == 0 && is_jump(st, t, end);

		for (uint32_t i = last; i < first; i++)
			t->frames[i].kind = FRAME_RUNTIME;
		/*
		 * The library reports no entry into some routines: the runtime's code stays the runtime's.
		 */
		for (uint32_t i = first; i < end; i++) {
			if ((t->frames[i].place->module_kind == PLACE_PROGRAM || jumped) &&
			    t->frames[i].kind == FRAME_RUNTIME)
				t->frames[i].kind = FRAME_USER;
		}
		last = end;
		task = s->tasks[task].scheduling.index != SNAPSHOT_NONE ? s->tasks[task].scheduling.index
									: s->tasks[task].generating.index;
	}
}

/* Return the function of the outermost, or innermost, part of a frame. */
static const char *get_function(struct stacks *st, const struct stacks_frame *frame, bool outermost)
{
	const struct source *source = stacks_source(st, frame->place);
	int to = frame->to ? frame->to : source->n_places;

	return source->places[outermost ? to - 1 : frame->from].function;
}

/* Split the frames of @t where a task or region was inlined. Return false if memory is out. */
static bool split_frames(struct stacks *st, struct stacks_thread *t)
{
	struct stacks_frame *frames = NULL;
	uint32_t n = 0, cap = 0;

	for (uint32_t i = 0; i < t->n_frames; i++) {
		struct stacks_frame frame = t->frames[i];
		const struct source *source = frame.kind == FRAME_USER ? stacks_source(st, frame.place) : NULL;

		if (!VECTOR_RESERVE(frames, n + SOURCE_MAX_INLINED, cap)) {
			free(frames);
			return false;
		}
		for (int k = 0; source && k + 1 < source->n_places; k++) {
			if (body_direct_construct(source->places[k].function, source->places[k + 1].function) ==
			    CONSTRUCT_UNKNOWN)
				continue;
			frame.to = (uint8_t)(k + 1);
			frames[n++] = frame;
			frame.from = frame.to;
		}
		frame.to = frame.from ? (uint8_t)source->n_places : 0;
		frames[n++] = frame;
	}
	free(t->frames);
	t->frames = frames;
	t->n_frames = n;
	return true;
}

/*
 * Note in segments[].direct where stretches of user code are to be split. The index is that of their first frame
 * further out.
 */
static void find_direct(struct stacks *st, struct stacks_thread *t)
{
	uint32_t n = 0, n_regions = 0;

	for (uint32_t i = 0; i < t->n_frames; i++) {
		if (t->frames[i].kind != FRAME_USER)
			continue;
		n += i == 0 || t->frames[i - 1].kind != FRAME_USER;
		if (i + 1 == t->n_frames || t->frames[i + 1].kind != FRAME_USER)
			continue;
		t->segments[i + 1].direct = body_direct_construct(get_function(st, &t->frames[i], true),
								  get_function(st, &t->frames[i + 1], false));
		n += t->segments[i + 1].direct != CONSTRUCT_UNKNOWN;
		n_regions += t->segments[i + 1].direct == CONSTRUCT_PARALLEL;
	}
	/* Without OMP_DEBUG=enabled these regions have no records: their code counts as the code around them. */
	if (n_regions && stack_tasks_count(st, t) < n) {
		for (uint32_t i = 0; i < t->n_frames; i++) {
			if (t->segments[i].direct == CONSTRUCT_PARALLEL)
				t->segments[i].direct = CONSTRUCT_UNKNOWN;
		}
	}
}

/*
 * Return whether @frame, of the runtime, called a function of the program that then left by a jump. Then the frame
 * further in is the runtime's, too. A runtime with known frames also calls other code through pointers: there the
 * function must be known.
 */
static bool is_left_by_jump(const struct runtime *runtime, const struct stacks_frame *frame)
{
	return runtime && frame->calls_program && (runtime->descriptor->has_no_frames || frame->called) &&
	       frame[-1].kind == FRAME_RUNTIME;
}

static bool find_segments(struct stacks *st, struct stacks_thread *t, bool is_openmp)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);

	bool has_direct = is_openmp && runtime && runtime->descriptor->has_direct_calls;

	if (has_direct && !split_frames(st, t))
		return false;
	t->segments = calloc(t->n_frames ? t->n_frames : 1, sizeof(*t->segments));
	if (!t->segments)
		return false;
	/* The functions of Python may lie around a region or in it. */
	if (is_openmp && t->is_of_python)
		return true;
	if (has_direct)
		find_direct(st, t);
	for (uint32_t i = 0; i < t->n_frames; i++) {
		enum construct direct = t->segments[i].direct;

		/* Did a function of the program jump back into the runtime? */
		t->lacks_registers |= i > 0 && t->frames[i].lacks_called && !t->frames[i].calls_program &&
				      t->frames[i - 1].kind == FRAME_RUNTIME;
		if (is_openmp && i > 0 && is_left_by_jump(runtime, &t->frames[i]))
			t->segments[t->n_segments++] =
				(struct stacks_segment){.first = i, .end = i, .task = SNAPSHOT_NONE};
		if (t->frames[i].kind != FRAME_USER)
			continue;
		/* So far there are no more segments than frames: notes for later frames remain. */
		if (i > 0 && t->frames[i - 1].kind == FRAME_USER && direct == CONSTRUCT_UNKNOWN)
			t->segments[t->n_segments - 1].end = i + 1;
		else
			t->segments[t->n_segments++] = (struct stacks_segment){
				.first = i, .end = i + 1, .task = SNAPSHOT_NONE, .direct = direct};
	}
	return true;
}

/* Taking stacks */

struct error *stacks_of_copies(struct model *m, const struct snapshot *s, struct stack_copies *copies TAKES,
			       size_t max_frames, struct stacks *ret)
{
	size_t n = copies->n;
	struct stacks st = {
		.m = m,
		.t = model_target(m),
		.s = s,
		.max_frames = max_frames,
		.threads = calloc(n ? n : 1, sizeof(*st.threads)),
		.n_threads = n,
		.copies = *copies,
	};

	if (!st.threads) {
		stack_copies_deinit(copies);
		return &error_nomem;
	}
	for (size_t i = 0; i < n; i++) {
		pid_t tid = copies->copies[i].tid;
		uint32_t same = (uint32_t)i;

		st.threads[i].tid = tid;
		/* Usually the threads are those of the snapshot, in its order. */
		st.threads[i].thread = !s ? SNAPSHOT_NONE
				       : same < s->n_threads && s->threads[same].tid == tid
					       ? same
					       : snapshot_find_thread(s, tid);
	}
	*ret = st;
	return NULL;
}

/*
 * Find the threads that must be stopped for their registers: they slept, so that only the stack pointer and the program
 * counter are known, and unwinding needs other registers.
 */
static void need_registers(struct target *t, const struct stack_copies *copies, size_t max_frames)
{
	if (target_mode(t) != TARGET_STOP)
		return;
	for (size_t i = 0; i < copies->n; i++) {
		const struct stack_copy *copy = &copies->copies[i];
		struct stack stack;

		if (!copy->registers.known || copy->registers.known == TARGET_ALL_REGISTERS)
			continue;
		stack_unwind(t, copy, max_frames, &stack);
		if (stack.end == STACK_FEW_REGISTERS)
			target_need_registers(t, copy->tid);
		stack_deinit(&stack);
	}
}

struct error *stacks_take(struct model *m, const struct snapshot *s, const pid_t *tids, size_t n, size_t max_bytes,
			  size_t max_frames, struct stacks *ret)
{
	struct stack_copies copies;
	struct error *err = stack_copies_take(model_target(m), tids, n, max_bytes, &copies);

	if (err)
		return err;
	need_registers(model_target(m), &copies, max_frames);
	return stacks_of_copies(m, s, &copies, max_frames, ret);
}

bool stacks_need_registers(const struct stacks *st)
{
	bool is_needed = false;

	if (!st->t || target_mode(st->t) != TARGET_STOP)
		return false;
	for (size_t i = 0; i < st->n_threads; i++) {
		const struct target_registers *registers = &st->copies.copies[i].registers;

		if (!st->threads[i].lacks_registers || !registers->known || registers->known == TARGET_ALL_REGISTERS)
			continue;
		target_need_registers(st->t, st->threads[i].tid);
		is_needed = true;
	}
	return is_needed;
}

void stacks_deinit(struct stacks *st)
{
	for (size_t i = 0; i < st->n_threads; i++) {
		free(st->threads[i].frames);
		free(st->threads[i].segments);
		free(st->threads[i].python);
	}
	free(st->threads);
	free(st->python_why);
	stack_places_deinit(st);
	stack_copies_deinit(&st->copies);
	*st = (struct stacks){0};
}

size_t stacks_find(const struct stacks *st, pid_t tid)
{
	for (size_t i = 0; i < st->n_threads; i++) {
		if (st->threads[i].tid == tid)
			return i;
	}
	return SIZE_MAX;
}

struct stacks_thread *stacks_thread(struct stacks *st, size_t i)
{
	struct stacks_thread *t = &st->threads[i];
	struct stack stack;

	if (t->is_unwound)
		return t;
	stack_unwind_noting(st->t, &st->copies.copies[i], st->max_frames, &stack, st->words);
	t->frames = calloc(stack.n ? stack.n : 1, sizeof(*t->frames));
	for (size_t k = 0; t->frames && k < stack.n; k++) {
		struct stacks_place *place = stack_places_find(st, stack.frames[k].pc, stack.frames[k].is_exact);

		if (!place) {
			free(t->frames);
			t->frames = NULL;
			break;
		}
		t->frames[k] = (struct stacks_frame){.place = place, .sp = stack.frames[k].sp};
	}
	t->n_frames = t->frames ? (uint32_t)stack.n : 0;
	t->end = stack.end;
	if (t->frames)
		stack_calls_find(st, i, &stack);
	stack_deinit(&stack);
	if (!t->frames || (t->n_python && !stack_python_insert(st, t)))
		return NULL;
	classify_frames(st, t);
	bool is_openmp = t->thread != SNAPSHOT_NONE && st->s->threads[t->thread].openmp;
	if (is_openmp)
		classify_by_library(st, t);
	if (!find_segments(st, t, is_openmp))
		return NULL;
	t->is_unwound = true;
	if (is_openmp)
		stack_tasks_assign(st, t);
	return t;
}
