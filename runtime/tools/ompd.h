/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the runtime does for OMPD (OpenMP 5.2, 20.5.1 and 20.6): the vector of library names, and functions to break on.
 * All of it is exported in the version node OMPD_1.0.
 */
#ifndef OMPDD_RUNTIME_TOOLS_OMPD_H
#define OMPDD_RUNTIME_TOOLS_OMPD_H

#include <stdint.h>

#include "os/spin.h"

/*
 * Nonzero: somebody wants to know what happens. The lowest byte is OMP_DEBUG's and omp_debug_enable()'s, the second is
 * for a debugger to write: then breakpoint functions are called. OMPD_TOOL: there is a tool of the program's own
 * (tools/ompt.h); OMPD_TOOL_PENDING: there may be one, which is looked for as soon as the program uses OpenMP.
 */
#define OMPD_ENABLED	  1u
#define OMPD_TOOL	  0x10000u
#define OMPD_TOOL_PENDING 0x20000u
#define OMPD_TOOLS	  (OMPD_TOOL | OMPD_TOOL_PENDING)
extern uint32_t ompd_breakpoints __attribute__((visibility("protected")));
/* The same word. gcc looks up the address of what is exported before it reads it. */
extern uint32_t ompd_breakpoints_here __attribute__((visibility("hidden")));

/*
 * For a debugger to write: the next regions that would have several threads get a team of one. Low half: how many; each
 * of them takes one off, so it is 0 again behind the last. High half: the only thread whose regions count, by the
 * number that gettid() gives in it; 0: any thread's.
 */
extern uint64_t ompd_serialize __attribute__((visibility("protected")));
extern uint64_t ompd_serialize_here __attribute__((visibility("hidden"))); /* the same word */

void ompd_bp_parallel_begin(void);
void ompd_bp_parallel_end(void);
void ompd_bp_task_begin(void);
void ompd_bp_task_end(void);
void ompd_bp_thread_begin(void);
void ompd_bp_thread_end(void);
void ompd_bp_device_begin(void);
void ompd_bp_device_end(void);
void ompd_bp_teams_begin(void);
void ompd_bp_teams_end(void);
void ompd_bp_target_begin(void);
void ompd_bp_target_end(void);
/* OpenMP has none for it: the last thread of a team has come to a barrier of a directive or construct. */
void ompd_bp_barrier_all_entered(void);

/* tests/bench builds a runtime without them, to measure what they cost while nobody wants them. */
#ifndef RUNTIME_POINTS
#define RUNTIME_POINTS 1
#endif

/* OMPD_POINT(parallel_begin): the debugger's breakpoint, if anybody wants it. */
#define OMPD_POINT(event)                                                                                              \
	do {                                                                                                           \
		if (RUNTIME_POINTS && unlikely(__atomic_load_n(&ompd_breakpoints, __ATOMIC_RELAXED) & ~OMPD_TOOLS))    \
			ompd_bp_##event();                                                                             \
	} while (0)

/* Fill ompd_dll_locations, then say so. Called once, by the library's constructor, after env_read(). */
void ompd_init(void);

#endif
