/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The stacks of a target's threads in OpenMP's terms: each frame user code or runtime, and which task each stretch of
 * user code executes. They are taken within a view, looked at when the target runs again.
 */
#ifndef OMPDD_OPENMP_STACKS_H
#define OMPDD_OPENMP_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/runtimes/constructs.h"
#include "openmp/model/snapshot.h"
#include "target/call.h"
#include "target/source.h"
#include "target/stack.h"

struct model;

enum frame_kind {
	FRAME_USER,    /* the program, and what it calls */
	FRAME_RUNTIME, /* the OpenMP runtime, and what is called through it */
	FRAME_START,   /* the C library's start of the program or the thread */
};
#define FRAME_KINDS 3

/* What is known of one program counter; shared by all frames that have it. */
struct stacks_place {
	uint64_t pc;
	bool is_exact;
	struct source source; /* after stacks_source(); before, only its module */
	bool has_source;
	enum { PLACE_PROGRAM, PLACE_RUNTIME, PLACE_SYSTEM } module_kind;
	bool has_call;
	struct call_site call; /* the call before pc, when that is in the runtime */
	/* The function that the call before pc goes to, by stacks_callee(). */
	bool has_callee;
	uint64_t callee_address; /* 0: not known */
	char *callee;		 /* NULL: not known */
	enum construct construct;
	void *user; /* for who shows it; stacks_deinit() leaves it alone */
};

struct stacks_frame {
	struct stacks_place *place;
	uint64_t sp;
	enum frame_kind kind;
	/* Of a frame of the runtime: it called a function of the program, which need not be on the stack; its address,
	 * 0: not known. */
	bool calls_program;
	uint64_t called;
	/* A task or region that was inlined parts the frame: places [from, to) of its source; 0, 0: all. */
	uint8_t from, to;
};

/* Frames [first, end) of user code that execute one task; none (first == end) when that code left by a jump. */
struct stacks_segment {
	uint32_t first;
	uint32_t end;
	uint32_t task; /* in snapshot.tasks; SNAPSHOT_NONE: not known */
	uint64_t mark; /* for who walks over segments */
	/* What its code began by calling the next segment's itself: CONSTRUCT_PARALLEL, CONSTRUCT_TASK. */
	enum construct direct;
};

struct stacks_thread {
	pid_t tid;
	uint32_t thread; /* in snapshot.threads; SNAPSHOT_NONE */
	bool is_unwound;
	bool is_elsewhere;	     /* another runtime's stacks show it; here it is for the others */
	struct stacks_frame *frames; /* innermost first */
	uint32_t n_frames;
	enum stack_end end;
	struct stacks_segment *segments; /* innermost first */
	uint32_t n_segments;
	/* Its current task has no frames of its own: it waits at the end of its region. */
	bool task_is_over;
};

struct stacks {
	struct model *m;
	struct target *t;
	const struct snapshot *s; /* NULL: nothing is known of OpenMP */
	size_t max_frames;
	struct stack_copies copies;
	struct stacks_thread *threads; /* in the order of the copies */
	size_t n_threads;
	struct stacks_place **places; /* open addressing by pc */
	size_t n_places, cap_places;
	uint64_t last_mark;
	struct stack_words *words; /* what unwinding reads is noted there; NULL */
};

/*
 * Within a view: copy the stacks of @tids, of at most @max_frames frames each. @s, the snapshot of the same view, must
 * outlive the stacks; NULL when there is none.
 */
MUST_USE struct error *stacks_take(struct model *m, const struct snapshot *s, const pid_t *tids, size_t n,
				   size_t max_bytes, size_t max_frames, struct stacks *ret);
/* The same of copies that there are, whose content is taken, after an error, too. */
MUST_USE struct error *stacks_of_copies(struct model *m, const struct snapshot *s, struct stack_copies *copies TAKES,
					size_t max_frames, struct stacks *ret);
/* All zeroes is a valid empty value. */
void stacks_deinit(struct stacks *st);

/* Unwind thread number @i, tell its frames apart and give its segments their tasks; once. NULL when memory is out. */
struct stacks_thread *stacks_thread(struct stacks *st, size_t i);
/* The number of @tid; SIZE_MAX when its stack was not taken. */
size_t stacks_find(const struct stacks *st, pid_t tid);

/* Function, file and line of a place. openmp/stacks/stack_places.c */
const struct source *stacks_source(struct stacks *st, struct stacks_place *place);
/* Which function the call at this place calls: fills callee and construct. openmp/stacks/stack_places.c */
void stacks_callee(struct stacks *st, struct stacks_place *place);

/*
 * Which functions of the program the runtime's frames of thread number @i called, by the call instructions and by what
 * the frames keep: fills `calls_program` and `called`. @stack has the same frames. Part of stacks_thread().
 * openmp/stacks/stack_calls.c
 */
void stack_calls_find(struct stacks *st, size_t i, const struct stack *stack);
/* The function that segment @i of @t began with, if that is proven; 0: it is not. openmp/stacks/stack_calls.c */
uint64_t stack_calls_function(struct stacks *st, const struct stacks_thread *t, uint32_t i);

/* The call through which user code of segment @i of @t entered the runtime; NULL when it did not. */
struct stacks_place *stacks_entry(struct stacks *st, const struct stacks_thread *t, uint32_t i);
/* The place of @pc, made when it is first met; NULL when memory is out. Parts of stacks_thread(), as the next.
 * openmp/stacks/stack_places.c */
struct stacks_place *stack_places_find(struct stacks *st, uint64_t pc, bool is_exact);
/* Whether the module at @path is a library that OpenMP runtimes call for themselves, or one that starts programs and
 * threads. */
bool stack_places_is_system(const char *path);
/* The function whose code it is: of those that are inlined there the outermost. NULL: not known. */
const char *stack_places_function(struct stacks *st, struct stacks_place *place);
void stack_places_deinit(struct stacks *st);

/* How many tasks the library says to be on the stack of @t. openmp/stacks/stack_tasks.c */
uint32_t stack_tasks_count(const struct stacks *st, const struct stacks_thread *t);

/* Give the segments of @t their tasks; part of stacks_thread(). openmp/stacks/stack_tasks.c */
void stack_tasks_assign(struct stacks *st, struct stacks_thread *t);

/*
 * Fill in what stock libgomp does not store: function and call site of regions, functions of implicit tasks, the
 * construct that a thread is in. @s is the snapshot that @st was taken with. openmp/stacks/stack_fill.c
 */
void stack_fill_snapshot(struct stacks *st, struct snapshot *s);

/*
 * Fill the `helds` of @s with what the code on the stacks proves; part of stack_fill_snapshot().
 * openmp/stacks/stack_held.c
 */
void stack_held_find(struct stacks *st, struct snapshot *s);

#endif
