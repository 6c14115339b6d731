/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The runtime's part of OMPD (OpenMP 5.2, 20.5.1 and 20.6): the list of library names, and the breakpoint functions.
 * All of it is exported in the version node OMPD_1.0.
 */
#ifndef OMPDD_RUNTIME_TOOLS_OMPD_H
#define OMPDD_RUNTIME_TOOLS_OMPD_H

#include <stdint.h>

#include "omp-tools.h"
#include "os/spin.h"

/*
 * Nonzero: an observer wants events. The lowest byte belongs to OMP_DEBUG and omp_debug_enable(). A debugger writes
 * the second byte. Either one enables the breakpoint functions. OMPD_TOOL: the program has an OMPT tool
 * (tools/ompt.h). OMPD_TOOL_PENDING: the program may have one, and the first use of OpenMP will look for it.
 */
#define OMPD_ENABLED	  1u
#define OMPD_TOOL	  0x10000u
#define OMPD_TOOL_PENDING 0x20000u
#define OMPD_TOOLS	  (OMPD_TOOL | OMPD_TOOL_PENDING)
extern uint32_t ompd_breakpoints __attribute__((visibility("protected")));
/* The same word. gcc loads the address of an exported variable before each read; this one is hidden. */
extern uint32_t ompd_breakpoints_here __attribute__((visibility("hidden")));

/*
 * Written by a debugger: the next regions that would get several threads get a team of one. Low half: how many
 * regions. Each such region decrements it, so it ends at 0. High half: the gettid() of the only thread whose regions
 * count; 0: the regions of all threads.
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
/* Not in OpenMP: the last thread of a team has arrived at the barrier of a directive or construct. */
void ompd_bp_barrier_all_entered(void);

/* tests/bench builds a runtime without points, to measure their cost while unused. */
#ifndef RUNTIME_POINTS
#define RUNTIME_POINTS 1
#endif

/* OMPD_POINT(parallel_begin) calls ompd_bp_parallel_begin() if a debugger wants it. */
#define OMPD_POINT(event)                                                                                              \
	do {                                                                                                           \
		if (RUNTIME_POINTS && unlikely(__atomic_load_n(&ompd_breakpoints, __ATOMIC_RELAXED) & ~OMPD_TOOLS))    \
			ompd_bp_##event();                                                                             \
	} while (0)

/*
 * Fills ompd_dll_locations, then calls ompd_dll_locations_valid(). Called once, by the library's constructor, after
 * env_read().
 */
void ompd_init(void);

#endif
