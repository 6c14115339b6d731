/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMP_DISPLAY_ENV and omp_display_env(): env_display() of env.h. */
#include "core/icv/env_display.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/alloc/alloc_traits.h"
#include "core/icv/env_devices.h"
#include "core/icv/env_text.h"
#include "core/state/icv.h"

/* The value of the host, and those of devices that the user has set. */
static void display(const char *name, const char *text)
{
	fprintf(stderr, "  [host] %s = '%s'\n", name, text);
	env_devices_display(name);
}

static void display_number(const char *name, uint64_t number)
{
	char text[sizeof("18446744073709551615")];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	display(name, text);
}

static void display_nthreads(void)
{
	uint32_t n = icv_process.n_nthreads_list;
	char text[ENV_TEXT_MAX];

	env_text_list(text, n ? icv_process.nthreads_list : &icv_process.initial.nthreads, n ? n : 1);
	display("OMP_NUM_THREADS", text);
}

static void display_schedule(void)
{
	char text[ENV_TEXT_MAX];

	env_text_schedule(text, icv_process.initial.run_sched, icv_process.initial.run_sched_chunk);
	display("OMP_SCHEDULE", text);
}

static void display_bind(void)
{
	uint32_t n = icv_process.n_bind_list;
	char text[ENV_TEXT_MAX];

	env_text_bind(text, n ? icv_process.bind_list : &icv_process.initial.bind, n ? n : 1);
	display("OMP_PROC_BIND", text);
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
	/* OpenMP 5.2. */
	fputs("  _OPENMP = '202111'\n", stderr);
	display("OMP_DYNAMIC", env_text_of_bool(initial->dynamic));
	fprintf(stderr, "  [host] OMP_NESTED = '%s'\n", env_text_of_bool(initial->max_active_levels > 1));
	display_nthreads();
	display_schedule();
	display_bind();
	display_places();
	display_number("OMP_STACKSIZE", icv_process.stacksize);
	display("OMP_WAIT_POLICY", icv_process.wait_policy == WAIT_ACTIVE ? "ACTIVE" : "PASSIVE");
	display_number("OMP_THREAD_LIMIT", initial->thread_limit);
	display_number("OMP_MAX_ACTIVE_LEVELS", initial->max_active_levels);
	display_number("OMP_NUM_TEAMS", icv_process.nteams);
	display_number("OMP_TEAMS_THREAD_LIMIT", icv_process.teams_thread_limit);
	fprintf(stderr, "  [all] OMP_CANCELLATION = '%s'\n", env_text_of_bool(icv_process.cancellation));
	fprintf(stderr, "  [all] OMP_DEFAULT_DEVICE = '%" PRId32 "'\n", initial->default_device);
	fprintf(stderr, "  [all] OMP_MAX_TASK_PRIORITY = '%" PRIu32 "'\n", icv_process.max_task_priority);
	fprintf(stderr, "  [all] OMP_DISPLAY_AFFINITY = '%s'\n", env_text_of_bool(icv_process.display_affinity));
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
