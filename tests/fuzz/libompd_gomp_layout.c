/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libompd's layout proof and its readers against a hostile target: this process with the system's
 * libgomp, in which threads of a nested team are parked, and over whose code and data the input
 * lays its own bytes. The first byte chooses what is overlaid; the rest are changes of four bytes:
 * the area, the offset in it (16 bits), the value. Or, for CODE, the rest is code to be walked.
 */
#include "fuzz.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask_libompd.h"
#include "code/walk.h"
#include "gomp/gomp.h"
#include "handles.h"
#include "self_target.h"

#define CODE_AREA     256
#define MAX_AREAS     15
#define MAX_AREA_SIZE 8192
#define MAX_CHAIN     64
#define MAX_READS     400000

enum { ACCESSORS_1, ACCESSORS_2, ACCESSORS_3, BIG_FUNCTIONS, DATA, CODE, CHOICES };

struct area {
	uint64_t address;
	size_t size;
};

static struct area areas[CHOICES][MAX_AREAS];
static size_t n_areas[CHOICES];

static pthread_t threads[8];
static int n_threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void (*set_levels)(int);
static void (*gomp_parallel)(void (*)(void *), void *, unsigned, unsigned);
static void (*gomp_task)(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int);

/* Park for good: the process is left by exit(). */
static void park(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	threads[n_threads++] = pthread_self();
	pthread_cond_broadcast(&changed);
	for (;;)
		pthread_cond_wait(&changed, &lock);
}

static void in_task(void *unused)
{
	(void)unused;
	gomp_task(park, NULL, NULL, 0, 1, false, 0, NULL, 0);
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

static void area_add(int choice, uint64_t address, size_t size)
{
	if (n_areas[choice] < MAX_AREAS && address)
		areas[choice][n_areas[choice]++] = (struct area){address, size};
}

static void function_add(int choice, const char *name, size_t size)
{
	area_add(choice, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name), size);
}

static uint64_t word_at(uint64_t address)
{
	uint64_t word;

	memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

static void areas_init(const struct gomp *g)
{
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
		function_add(ACCESSORS_1 + (int)(i / 12), accessors[i], CODE_AREA);
	function_add(BIG_FUNCTIONS, "omp_display_env", 8192);
	function_add(BIG_FUNCTIONS, "GOMP_parallel", CODE_AREA);
	area_add(BIG_FUNCTIONS, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid"), 12);
	for (int i = 0; i < n_threads && i < 4; i++) {
		uint64_t record = (uint64_t)threads[i] + (uint64_t)g->tls_base;

		area_add(DATA, record, (size_t)-g->tls_base + 24);
		area_add(DATA, word_at(record + g->layout.th_ts), g->team_span);
		area_add(DATA, word_at(record + g->layout.th_task), g->task_span);
	}
	uint64_t record = (uint64_t)threads[0] + (uint64_t)g->tls_base;

	area_add(DATA, word_at(record + g->layout.th_pool), 16);
}

static void init(void)
{
	ompd_address_space_handle_t *as;
	struct timespec until;
	pthread_t root;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;

	FUZZ_ASSERT(dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL) != NULL);
	*(void **)&gomp_parallel = dlsym(RTLD_DEFAULT, "GOMP_parallel");
	*(void **)&gomp_task = dlsym(RTLD_DEFAULT, "GOMP_task");
	*(void **)&set_levels = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
	FUZZ_ASSERT(gomp_parallel && gomp_task && set_levels);
	FUZZ_ASSERT(pthread_create(&root, NULL, root_main, NULL) == 0);
	pthread_mutex_lock(&lock);
	while (n_threads < 4) /* libgomp before 11 needs more to nest: it gives two in the end */
		if (pthread_cond_timedwait(&changed, &lock, &until))
			break;
	pthread_mutex_unlock(&lock);
	FUZZ_ASSERT(ompd_initialize(202111, self_target_callbacks()) == ompd_rc_ok);
	FUZZ_ASSERT(ompd_process_initialize(self_target_context(), &as) == ompd_rc_ok);
	areas_init(as->base.process->data);
	ompd_rel_address_space_handle(as);
}

static void walk_code(const uint8_t *code, size_t size)
{
	static struct code_walk walk;
	static const enum code_mode modes[] = {CODE_ALL_PATHS, CODE_ONCE, CODE_LINEAR};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		code_walk_init(&walk, self_target_context());
		code_walk_run(&walk, code, size, (ompd_addr_t)(uintptr_t)code, modes[i]);
		FUZZ_ASSERT(walk.count <= CODE_MAX_EVENTS);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t copies[MAX_AREAS][MAX_AREA_SIZE];
	static bool ready;

	if (!ready)
		init();
	ready = true;
	if (!size)
		return 0;
	int choice = data[0] % CHOICES;

	self_target_reset();
	int64_t live = self_target.live_blocks;

	if (choice == CODE) {
		walk_code(data + 1, size - 1);
		return 0;
	}
	for (size_t i = 0; i < n_areas[choice]; i++) {
		const struct area *area = &areas[choice][i];
		struct self_target_patch *patch = &self_target.patches[i];

		memcpy(copies[i], (const void *)(uintptr_t)area->address, area->size);
		*patch = (struct self_target_patch){area->address, area->size, copies[i]};
	}
	for (size_t at = 1; n_areas[choice] && at + 4 <= size; at += 4) {
		size_t i = data[at] % n_areas[choice];
		size_t offset = (size_t)(data[at + 1] | data[at + 2] << 8);

		copies[i][offset % areas[choice][i].size] = data[at + 3];
	}
	ask_libompd(threads, n_threads, MAX_CHAIN);
	FUZZ_ASSERT(self_target.live_blocks == live);
	FUZZ_ASSERT(self_target.reads < MAX_READS);
	return 0;
}
