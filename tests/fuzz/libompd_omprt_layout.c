/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libompd's readers of our own runtime against a hostile target: this process with that runtime, in which threads of a
 * nested team are parked within tasks, and over whose table of offsets and structures the input lays its own bytes. The
 * first byte chooses what is overlaid; the rest are changes of four bytes: the area, the offset in it (16 bits), the
 * value. From area 128 on the value is another area, whose address is put there: so lists lead into themselves.
 */
#include "fuzz.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ask_libompd.h"
#include "handles.h"
#include "layout/layout.h"
#include "self_target.h"

#define MAX_AREAS     16
#define MAX_AREA_SIZE 8192
#define MAX_CHAIN     64
/* Lists of tasks are followed for up to 65536 links, for several questions about each thread. */
#define MAX_READS 4000000

enum { TABLE, DATA, BOTH, CHOICES };

struct area {
	uint64_t address;
	size_t size;
};

static struct area areas[CHOICES][MAX_AREAS];
static size_t n_areas[CHOICES];

static pthread_t threads[8];
static int n_threads;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void (*set_levels)(int);
static void (*gomp_parallel)(void (*)(void *), void *, unsigned, unsigned);
static void (*gomp_task)(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int);

/* The threads that are parked in the runtime are no leaks, as in libompd_libomp_layout.c. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

/* Park for good: the process is left by exit(). */
static void park(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	threads[n_threads++] = pthread_self();
	pthread_cond_broadcast(&changed);
	for (;;)
		pthread_cond_wait(&changed, &mutex);
}

/* One that is executed at once, behind one that stays ready. */
static void in_task(void *unused)
{
	(void)unused;
	gomp_task(park, NULL, NULL, 0, 1, true, 0, NULL, 0);
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
	if (n_areas[choice] < MAX_AREAS && address && size && size <= MAX_AREA_SIZE)
		areas[choice][n_areas[choice]++] = (struct area){address, size};
}

static uint64_t word_at(uint64_t address)
{
	uint64_t word = 0;

	if (address)
		memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

static void data_add(uint64_t address, size_t size)
{
	area_add(DATA, address, size);
	area_add(BOTH, address, size);
}

static void areas_init(void)
{
	const struct layout *l = dlsym(RTLD_DEFAULT, "ompd_layout");
	const struct layout_entry *e = l->entries;

	FUZZ_ASSERT(l->magic == LAYOUT_MAGIC && l->version == LAYOUT_VERSION);
	area_add(TABLE, (uint64_t)(uintptr_t)l, sizeof(*l));
	area_add(BOTH, (uint64_t)(uintptr_t)l, sizeof(*l));
	data_add(l->root, e[LAYOUT_root].size);
	data_add(l->icv_process, e[LAYOUT_icv_process].size);
	for (int i = 0; i < n_threads && i < 3; i++) {
		uint64_t thread = (uint64_t)threads[i] + (uint64_t)l->thread_offset;
		uint64_t team = word_at(thread + e[LAYOUT_thread_team].offset);

		data_add(thread, e[LAYOUT_thread].size);
		data_add(team, e[LAYOUT_team].size);
		data_add(word_at(thread + e[LAYOUT_thread_task].offset), e[LAYOUT_task].size);
		if (team)
			data_add(team + e[LAYOUT_team_members].offset, e[LAYOUT_member].size);
	}
}

static void init(void)
{
	ompd_address_space_handle_t *as;
	struct timespec until;
	pthread_t root;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	FUZZ_ASSERT(dlopen(OMPRT, RTLD_NOW | RTLD_GLOBAL) != NULL);
	*(void **)&gomp_parallel = dlsym(RTLD_DEFAULT, "GOMP_parallel");
	*(void **)&gomp_task = dlsym(RTLD_DEFAULT, "GOMP_task");
	*(void **)&set_levels = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
	FUZZ_ASSERT(gomp_parallel && gomp_task && set_levels);
	FUZZ_ASSERT(pthread_create(&root, NULL, root_main, NULL) == 0);
	pthread_mutex_lock(&mutex);
	while (n_threads < 4)
		if (pthread_cond_timedwait(&changed, &mutex, &until))
			break;
	pthread_mutex_unlock(&mutex);
	FUZZ_ASSERT(n_threads > 0);
	FUZZ_ASSERT(ompd_initialize(202111, self_target_callbacks()) == ompd_rc_ok);
	FUZZ_ASSERT(ompd_process_initialize(self_target_context(), &as) == ompd_rc_ok);
	areas_init();
	FUZZ_ASSERT(n_areas[DATA] >= 5);
	ompd_rel_address_space_handle(as);
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

	for (size_t i = 0; i < n_areas[choice]; i++) {
		const struct area *area = &areas[choice][i];

		memcpy(copies[i], (const void *)(uintptr_t)area->address, area->size);
		self_target.patches[i] = (struct self_target_patch){area->address, area->size, copies[i]};
	}
	for (size_t at = 1; at + 4 <= size; at += 4) {
		size_t i = data[at] % n_areas[choice], len = areas[choice][i].size;
		size_t offset = (size_t)(data[at + 1] | data[at + 2] << 8) % len;
		uint64_t address = areas[choice][data[at + 3] % n_areas[choice]].address;

		if (data[at] < 128)
			copies[i][offset] = data[at + 3];
		else if (len >= sizeof(address))
			memcpy(copies[i] + offset / 8 * 8 % (len - 7), &address, sizeof(address));
	}
	ask_libompd(threads, n_threads, MAX_CHAIN);
	FUZZ_ASSERT(self_target.live_blocks == live);
	FUZZ_ASSERT(self_target.reads < MAX_READS);
	return 0;
}
