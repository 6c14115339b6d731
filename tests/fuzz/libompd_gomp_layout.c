/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libompd's layout proof and its readers of the system's libgomp, overlaid (overlay.h). With the choice CODE, the input
 * behind its first byte is code that is walked instead.
 */
#include <dlfcn.h>

#include "code/walk.h"
#include "fuzz.h"
#include "gomp/gomp.h"
#include "handles.h"
#include "overlay.h"
#include "self_target.h"

#define CODE_AREA 256

enum { ACCESSORS_1, ACCESSORS_2, ACCESSORS_3, BIG_FUNCTIONS, DATA, CODE, CHOICES };

static void (*set_levels)(int);
static void (*gomp_parallel)(void (*)(void *), void *, unsigned, unsigned);
static void (*gomp_task)(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int);

static void in_task(void *unused)
{
	(void)unused;
	gomp_task(overlay_park, NULL, NULL, 0, 1, false, 0, NULL, 0);
}

static void in_region(void *unused)
{
	(void)unused;
	gomp_parallel(in_task, NULL, 2, 0);
}

static void *root_main(void *unused)
{
	set_levels(3);
	gomp_parallel(in_region, NULL, 2, 0);
	return unused;
}

static void start(void)
{
	pthread_t root;

	*(void **)&gomp_parallel = dlsym(RTLD_DEFAULT, "GOMP_parallel");
	*(void **)&gomp_task = dlsym(RTLD_DEFAULT, "GOMP_task");
	*(void **)&set_levels = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
	FUZZ_ASSERT(gomp_parallel && gomp_task && set_levels);
	FUZZ_ASSERT(pthread_create(&root, NULL, root_main, NULL) == 0);
}

static void find(ompd_address_space_handle_t *as)
{
	const struct gomp *g = as->base.process->data;
	static const char *const accessors[] = {
		"omp_get_thread_num",
		"omp_get_level",
		"omp_get_active_level",
		"omp_get_num_threads",
		"omp_get_max_threads",
		"omp_get_team_size",
		"omp_get_ancestor_thread_num",
		"omp_get_dynamic",
		"omp_get_proc_bind",
		"omp_get_thread_limit",
		"omp_get_default_device",
		"omp_get_max_active_levels",
		"omp_in_final",
		"omp_get_schedule",
		"omp_in_explicit_task",
		"GOMP_taskgroup_start",
		"omp_get_num_places",
		"omp_get_partition_num_places",
		"omp_get_place_num",
		"omp_get_place_num_procs",
		"omp_get_default_allocator",
		"omp_get_num_teams",
		"omp_get_team_num",
		"omp_get_cancellation",
		"omp_get_max_task_priority",
		"omp_get_max_teams",
		"omp_get_teams_thread_limit",
		"omp_get_num_procs",
		"omp_get_affinity_format",
		"GOMP_parallel",
		"__errno_location",
	};

	for (size_t i = 0; i < sizeof(accessors) / sizeof(accessors[0]); i++)
		overlay_add(ACCESSORS_1 + (int)(i / 12), overlay_symbol(accessors[i]), CODE_AREA);
	overlay_add(BIG_FUNCTIONS, overlay_symbol("omp_display_env"), 8192);
	overlay_add(BIG_FUNCTIONS, overlay_symbol("GOMP_parallel"), CODE_AREA);
	overlay_add(BIG_FUNCTIONS, overlay_symbol("_thread_db_pthread_tid"), 12);
	for (int i = 0; i < overlay_n_threads && i < 4; i++) {
		uint64_t record = (uint64_t)overlay_threads[i] + (uint64_t)g->tls_base;

		overlay_add(DATA, record, (size_t)-g->tls_base + 24);
		overlay_add(DATA, overlay_word(record + g->layout.th_ts), g->team_span);
		overlay_add(DATA, overlay_word(record + g->layout.th_task), g->task_span);
	}
	uint64_t record = (uint64_t)overlay_threads[0] + (uint64_t)g->tls_base;

	overlay_add(DATA, overlay_word(record + g->layout.th_pool), 16);
}

static bool walk_code(int choice, const uint8_t *code, size_t size)
{
	static struct code_walk walk;
	static const enum code_mode modes[] = {CODE_ALL_PATHS, CODE_ONCE, CODE_LINEAR};

	if (choice != CODE)
		return false;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		code_walk_init(&walk, self_target_context());
		code_walk_run(&walk, code, size, (ompd_addr_t)(uintptr_t)code, modes[i]);
		FUZZ_ASSERT(walk.count <= CODE_MAX_EVENTS);
	}
	return true;
}

const struct overlay overlay = {
	.library = "libgomp.so.1",
	.n_choices = CHOICES,
	.late = DATA,
	.max_areas = 15,
	.max_reads = 400000,
	.max_bytes = 512u << 20,
	.start = start,
	.find = find,
	.try = walk_code,
};
