/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMP_DISPLAY_ENV and omp_display_env(): env_display() of env.h. */
#include "core/icv/env_display.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/alloc/alloc_traits.h"
#include "core/state/icv.h"

static const char *format_bool(bool on)
{
	return on ? "TRUE" : "FALSE";
}

static void display_nthreads(void)
{
	fprintf(stderr, "  [host] OMP_NUM_THREADS = '%" PRIu32, icv_process.initial.nthreads);
	for (uint32_t i = 1; i < icv_process.n_nthreads_list; i++)
		fprintf(stderr, ",%" PRIu32, icv_process.nthreads_list[i]);
	fputs("'\n", stderr);
}

/* Only a static schedule is monotonic by default. The modifier is shown where it differs from that. */
static void display_schedule(void)
{
	static const char *const kinds[] = {"RUNTIME", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
	uint32_t sched = icv_process.initial.run_sched, kind = SCHEDULE_KIND(sched);
	uint32_t chunk = icv_process.initial.run_sched_chunk;
	bool monotonic = sched & SCHEDULE_MONOTONIC;

	fputs("  [host] OMP_SCHEDULE = '", stderr);
	if (monotonic != (kind == SCHEDULE_STATIC))
		fputs(monotonic ? "MONOTONIC:" : "NONMONOTONIC:", stderr);
	fputs(kinds[kind], stderr);
	if (kind != SCHEDULE_AUTO && chunk != (kind == SCHEDULE_STATIC ? 0 : 1))
		fprintf(stderr, ",%" PRIu32, chunk);
	fputs("'\n", stderr);
}

static void display_bind(void)
{
	static const char *const names[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};

	fprintf(stderr, "  [host] OMP_PROC_BIND = '%s", names[icv_process.initial.bind]);
	for (uint32_t i = 1; i < icv_process.n_bind_list; i++)
		fprintf(stderr, ",%s", names[icv_process.bind_list[i]]);
	fputs("'\n", stderr);
}

/* "{0:4,8:2}": ranges of CPUs with their lengths. */
static void display_place(const cpu_set_t *set, size_t size)
{
	const char *comma = "";

	fputc('{', stderr);
	for (size_t cpu = 0; cpu < size * 8; cpu++) {
		size_t n = 1;

		if (!CPU_ISSET_S(cpu, size, set))
			continue;
		while (cpu + n < size * 8 && CPU_ISSET_S(cpu + n, size, set))
			n++;
		fprintf(stderr, "%s%zu", comma, cpu);
		if (n > 1)
			fprintf(stderr, ":%zu", n);
		comma = ",";
		cpu += n;
	}
	fputc('}', stderr);
}

static void display_places(void)
{
	fputs("  [host] OMP_PLACES = '", stderr);
	for (uint32_t i = 0; i < places.n; i++) {
		if (i)
			fputc(',', stderr);
		display_place(place_list_get(&places, i), places.set_size);
	}
	fputs("'\n", stderr);
}

static void display_allocator(void)
{
	const char *text = icv_process.allocator;

	fprintf(stderr, "  [host] OMP_ALLOCATOR = '%s'\n",
		text ? text : alloc_trait_name_of(icv_process.initial.def_allocator));
}

/* Not in libgomp. */
static void display_tools(void)
{
	const char *libraries = icv_process.tool_libraries, *verbose_init = icv_process.tool_verbose_init;

	fprintf(stderr, "  [host] OMP_TOOL = '%s'\n", icv_process.tool ? "enabled" : "disabled");
	fprintf(stderr, "  [host] OMP_TOOL_LIBRARIES = '%s'\n", libraries ? libraries : "");
	fprintf(stderr, "  [host] OMP_TOOL_VERBOSE_INIT = '%s'\n", verbose_init ? verbose_init : "disabled");
	fprintf(stderr, "  [host] OMP_DEBUG = '%s'\n", icv_process.debug ? "enabled" : "disabled");
}

void env_display(int verbose)
{
	static const char *const offload[] = {"DEFAULT", "MANDATORY", "DISABLED"};
	const struct icv *initial = &icv_process.initial;

	flockfile(stderr);
	fputs("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n", stderr);
	/* The value that gcc defines with -fopenmp. */
	fputs("  _OPENMP = '201511'\n", stderr);
	fprintf(stderr, "  [host] OMP_DYNAMIC = '%s'\n", format_bool(initial->dynamic));
	fprintf(stderr, "  [host] OMP_NESTED = '%s'\n", format_bool(initial->max_active_levels > 1));
	display_nthreads();
	display_schedule();
	display_bind();
	display_places();
	fprintf(stderr, "  [host] OMP_STACKSIZE = '%" PRIu64 "'\n", icv_process.stacksize);
	fprintf(stderr, "  [host] OMP_WAIT_POLICY = '%s'\n",
		icv_process.wait_policy == WAIT_ACTIVE ? "ACTIVE" : "PASSIVE");
	fprintf(stderr, "  [host] OMP_THREAD_LIMIT = '%" PRIu32 "'\n", initial->thread_limit);
	fprintf(stderr, "  [host] OMP_MAX_ACTIVE_LEVELS = '%d'\n", initial->max_active_levels);
	fprintf(stderr, "  [host] OMP_NUM_TEAMS = '%" PRIu32 "'\n", icv_process.nteams);
	fprintf(stderr, "  [host] OMP_TEAMS_THREAD_LIMIT = '%" PRIu32 "'\n", icv_process.teams_thread_limit);
	fprintf(stderr, "  [all] OMP_CANCELLATION = '%s'\n", format_bool(icv_process.cancellation));
	fprintf(stderr, "  [all] OMP_DEFAULT_DEVICE = '%" PRId32 "'\n", initial->default_device);
	fprintf(stderr, "  [all] OMP_MAX_TASK_PRIORITY = '%" PRIu32 "'\n", icv_process.max_task_priority);
	fprintf(stderr, "  [all] OMP_DISPLAY_AFFINITY = '%s'\n", format_bool(icv_process.display_affinity));
	fprintf(stderr, "  [host] OMP_AFFINITY_FORMAT = '%s'\n", icv_process.affinity_format);
	display_allocator();
	fprintf(stderr, "  [all] OMP_TARGET_OFFLOAD = '%s'\n", offload[icv_process.target_offload]);
	display_tools();
	if (verbose) {
		/* The places of GOMP_CPU_AFFINITY are shown as OMP_PLACES. */
		fputs("  [host] GOMP_CPU_AFFINITY = ''\n", stderr);
		fprintf(stderr, "  [host] GOMP_STACKSIZE = '%" PRIu64 "'\n", icv_process.stacksize);
		fprintf(stderr, "  [host] GOMP_SPINCOUNT = '%" PRIu64 "'\n", icv_process.spin_count);
	}
	fputs("OPENMP DISPLAY ENVIRONMENT END\n", stderr);
	funlockfile(stderr);
}
