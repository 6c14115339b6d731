/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of a region that was reported to a tool: all members of the region wait for each other. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_TOOL_REGION_H
#define OMPDD_RUNTIME_CORE_TEAM_TOOL_REGION_H

struct thread;

/* Waits until all members have arrived and no task is left. Reports the wait to the tool. */
void tool_region_wait(struct thread *t);
/* A member calls this function with @data instead of the region's own. It calls that one, and reports its end. */
void tool_region_run(void *data);

#endif
