/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The stacks of a target's threads in OpenMP's terms: whether each frame is user code or the runtime's, and the task of
 * each stretch of user code. They are taken within a view, and evaluated after the target runs again.
 */
#ifndef OMPDD_OPENMP_STACKS_H
#define OMPDD_OPENMP_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "openmp/model/snapshot.h"
#include "openmp/runtimes/constructs.h"
#include "target/source/source.h"
#include "target/unwind/call.h"
#include "target/unwind/stack.h"

struct model;

enum frame_kind {
	FRAME_USER,    /* the program, and the functions that it calls */
	FRAME_RUNTIME, /* the OpenMP runtime, and the functions called through it */
	FRAME_START,   /* the C library's start of the program or the thread */
};
#define FRAME_KINDS 3

/* The data of one program counter, shared by all frames that have it. */
struct stacks_place {
	uint64_t pc; /* 0: of Python */
	bool is_exact;
	struct source source; /* complete after stacks_source(); before, only its module */
	bool has_source;
	enum { PLACE_PROGRAM, PLACE_RUNTIME, PLACE_SYSTEM, PLACE_PYTHON } module_kind;
	uint64_t instruction; /* PLACE_PYTHON: identifies the instruction of Python */
	bool has_call;
	struct call_site call; /* the call before pc, if that is in the runtime */
	/* The function that the call before pc goes to, set by stacks_callee(). */
	bool has_callee;
	uint64_t callee_address; /* 0: not known */
	char *callee;		 /* NULL: not known */
	enum construct construct;
	void *user; /* for the code that shows it; stacks_deinit() does not free it */
};

struct stacks_frame {
	struct stacks_place *place;
	uint64_t sp;
	enum frame_kind kind;
	/*
	 * For a frame of the runtime: it called a function of the program, which need not be on the stack. `called` is
	 * the function's address; 0: not known.
	 */
	bool calls_program;
	uint64_t called;
	bool lacks_called; /* the call went through a register or the frame, but its destination is not known */
	/* An inlined task or region splits the frame: places [from, to) of its source; 0, 0: all places. */
	uint8_t from, to;
};

/*
 * Frames [first, end) of user code that execute one task. The range is empty (first == end) if that code left by a
 * jump.
 */
struct stacks_segment {
	uint32_t first;
	uint32_t end;
	uint32_t task; /* index in snapshot.tasks; SNAPSHOT_NONE: not known */
	uint64_t mark; /* for code that walks over segments */
	/*
	 * The construct that its code started by a direct call of the next segment's code: CONSTRUCT_PARALLEL,
	 * CONSTRUCT_TASK.
	 */
	enum construct direct;
};

/* A function of Python that a thread executes. */
struct stacks_python_frame {
	struct stacks_place *place;
	uint64_t entry; /* an address on the C stack, in the frame that executes the function; 0: not known */
};

struct stacks_thread {
	pid_t tid;
	uint32_t thread; /* index in snapshot.threads; SNAPSHOT_NONE */
	bool is_unwound;
	bool lacks_registers;	     /* more would be known with registers that unwinding did not find */
	bool is_elsewhere;	     /* another runtime's stacks show it; here it serves the other threads */
	struct stacks_frame *frames; /* innermost first */
	uint32_t n_frames;
	enum stack_end end;
	struct stacks_segment *segments; /* innermost first */
	uint32_t n_segments;
	/* Its current task has no frames of its own: the thread waits at the end of its region. */
	bool task_is_over;
	/* Functions of Python, innermost first. stacks_thread() puts them between the frames. */
	struct stacks_python_frame *python;
	uint32_t n_python;
	bool is_of_python;	/* its frames are functions of Python only: those of C are not known */
	const char *python_why; /* why they are not known; a literal without its full stop; NULL: they are, or none */
};

struct stacks {
	struct model *m;
	struct target *t;
	const struct snapshot *s; /* NULL: no OpenMP data is known */
	size_t max_frames;
	struct stack_copies copies;
	struct stacks_thread *threads; /* in the order of the copies */
	size_t n_threads;
	struct stacks_place **places;
	uint32_t n_places, cap_places;
	struct hash places_index; /* by pc */
	uint64_t last_mark;
	struct stack_words *words; /* unwinding notes there what it reads; NULL */
	char *python_why; /* why no functions of Python are known; without its full stop; NULL: they are, or none */
};

/*
 * Copies the stacks of @tids within a view, at most @max_frames frames each. @s is the snapshot of the same view and
 * must outlive the stacks; NULL: no snapshot.
 */
MUST_USE struct error *stacks_take(struct model *m, const struct snapshot *s, const pid_t *tids, size_t n,
				   size_t max_bytes, size_t max_frames, struct stacks *ret);
/* Creates the stacks from existing copies. Takes the content of @copies, also after an error. */
MUST_USE struct error *stacks_of_copies(struct model *m, const struct snapshot *s, struct stack_copies *copies TAKES,
					size_t max_frames, struct stacks *ret);
/* All zeroes is a valid empty value. */
void stacks_deinit(struct stacks *st);

/*
 * Requests the registers of the threads that were left asleep, if more would be known with them. Returns whether there
 * are such threads: the next view stops them. Call it after the stacks were evaluated, and before the next view.
 */
bool stacks_need_registers(const struct stacks *st);

/*
 * Unwinds thread number @i, classifies its frames and assigns tasks to its segments, once. Returns NULL if memory is
 * out.
 */
struct stacks_thread *stacks_thread(struct stacks *st, size_t i);
/* Returns the number of @tid; SIZE_MAX if its stack was not taken. */
size_t stacks_find(const struct stacks *st, pid_t tid);

/* Returns function, file and line of a place. openmp/stacks/stack_places.c */
const struct source *stacks_source(struct stacks *st, struct stacks_place *place);
/* Finds the function that the call at this place calls: fills callee and construct. openmp/stacks/stack_places.c */
void stacks_callee(struct stacks *st, struct stacks_place *place);

/*
 * Finds the functions of the program that the runtime's frames of thread number @i called, by the call instructions and
 * the frames' content. Fills `calls_program` and `called`. @stack has the same frames. Part of stacks_thread().
 * openmp/stacks/stack_calls.c
 */
void stack_calls_find(struct stacks *st, size_t i, const struct stack *stack);
/* Returns the first function of segment @i of @t, if it is proven; else 0. openmp/stacks/stack_calls.c */
uint64_t stack_calls_function(struct stacks *st, const struct stacks_thread *t, uint32_t i);

/* Returns the call through which user code of segment @i of @t entered the runtime; NULL: it did not. */
struct stacks_place *stacks_entry(struct stacks *st, const struct stacks_thread *t, uint32_t i);
/*
 * Returns the place of @pc, created at the first use; NULL if memory is out. This and the next are parts of
 * stacks_thread(). openmp/stacks/stack_places.c
 */
struct stacks_place *stack_places_find(struct stacks *st, uint64_t pc, bool is_exact);
/*
 * Returns whether the module at @path is a library that OpenMP runtimes call for themselves, or one that starts
 * programs and threads.
 */
bool stack_places_is_system(const char *path);
/* Returns the function of the code at the place: the outermost if functions are inlined there. NULL: not known. */
const char *stack_places_function(struct stacks *st, struct stacks_place *place);
void stack_places_deinit(struct stacks *st);

/* Returns the number of tasks that the library reports on the stack of @t. openmp/stacks/stack_tasks.c */
uint32_t stack_tasks_count(const struct stacks *st, const struct stacks_thread *t);

/*
 * Returns whether a device plugin, called by segment @segment of @t, called the segment before it: code of a target
 * region. The runtime has no task of its own for that region.
 */
bool stack_tasks_is_at_plugin(const struct stacks_thread *t, uint32_t segment);

/* Assigns tasks to the segments of @t; part of stacks_thread(). openmp/stacks/stack_tasks.c */
void stack_tasks_assign(struct stacks *st, struct stacks_thread *t);

/*
 * Fills in data that the runtime may not store: function and call site of regions, functions of implicit tasks, the
 * construct of each thread. @st was taken with the snapshot @s. openmp/stacks/stack_fill.c
 */
void stack_fill_snapshot(struct stacks *st, struct snapshot *s);

/*
 * Fills the `helds` of @s with the locks that the code on the stacks proves; part of stack_fill_snapshot().
 * openmp/stacks/stack_held.c
 */
void stack_held_find(struct stacks *st, struct snapshot *s);

#endif
