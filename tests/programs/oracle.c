/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries libgomp about the calling thread and prints the answers; linked into the OpenMP programs. */
#include "oracle.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_LEVELS 32

static void print_list(char *out, size_t size, const int *values, int n)
{
	size_t len = 0;

	out[0] = '\0';
	for (int i = 0; i < n; i++)
		len += snprintf(out + len, size - len, "%s%d", i ? "," : "", values[i]);
}

void oracle_say_values(const struct oracle *o, const char *by, const char *extra)
{
	char ancestors[512], team_sizes[512];

	print_list(ancestors, sizeof(ancestors), o->ancestors, o->level + 1);
	print_list(team_sizes, sizeof(team_sizes), o->team_sizes, o->level + 1);
	park_say("{\"tid\":%d,\"by\":\"%s\",\"level\":%d,\"active_level\":%d,\"thread_num\":%d,"
		 "\"num_threads\":%d,\"max_threads\":%d,\"dynamic\":%d,\"max_active_levels\":%d,"
		 "\"in_final\":%d,\"in_parallel\":%d,\"schedule\":[%d,%d],\"proc_bind\":%d,"
		 "\"thread_limit\":%d,\"cancellation\":%d,\"default_device\":%d,"
		 "\"max_task_priority\":%d,\"num_procs\":%d,\"ancestors\":[%s],\"team_sizes\":[%s]"
		 "%s%s}",
		 park_tid(), by, o->level, o->active_level, o->thread_num, o->num_threads,
		 o->max_threads, o->dynamic, o->max_active_levels, o->in_final, o->in_parallel,
		 o->schedule, o->chunk, o->proc_bind, o->thread_limit, o->cancellation,
		 o->default_device, o->max_task_priority, o->num_procs, ancestors, team_sizes,
		 extra[0] ? "," : "", extra);
}

void oracle_say(const char *by, const char *extra, ...)
{
	struct oracle o = {
		.level = omp_get_level(),
		.active_level = omp_get_active_level(),
		.thread_num = omp_get_thread_num(),
		.num_threads = omp_get_num_threads(),
		.max_threads = omp_get_max_threads(),
		.dynamic = omp_get_dynamic(),
		.max_active_levels = omp_get_max_active_levels(),
		.in_final = omp_in_final(),
		.in_parallel = omp_in_parallel(),
		.proc_bind = omp_get_proc_bind(),
		.thread_limit = omp_get_thread_limit(),
		.cancellation = omp_get_cancellation(),
		.default_device = omp_get_default_device(),
		.max_task_priority = omp_get_max_task_priority(),
		.num_procs = omp_get_num_procs(),
	};
	omp_sched_t kind;
	char more[1024];
	va_list ap;

	omp_get_schedule(&kind, &o.chunk);
	o.schedule = (int)kind;
	if (o.level >= MAX_LEVELS)
		abort();
	for (int i = 0; i <= o.level; i++) {
		o.ancestors[i] = omp_get_ancestor_thread_num(i);
		o.team_sizes[i] = omp_get_team_size(i);
	}
	va_start(ap, extra);
	vsnprintf(more, sizeof(more), extra, ap);
	va_end(ap);
	oracle_say_values(&o, by, more);
}

void oracle_park(void)
{
	oracle_say(BY_PAUSE, "%s", "");
	park();
}
