/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libompd's proof of libomp's layout and its readers against a hostile target: this process with the system's libomp,
 * in which threads of a nested team are parked and one waits for a lock, and over whose code and data the input lays
 * its own bytes. The first byte chooses what is overlaid; the rest are changes of four bytes: the area, the offset in
 * it (16 bits), the value.
 */
#include "fuzz.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ask_libompd.h"
#include "handles.h"
#include "libomp/libomp.h"
#include "self_target.h"

#define CODE_AREA     512
#define TABLE_CODE    4096
#define MAX_AREAS     16
#define MAX_AREA_SIZE 8192
#define MAX_CHAIN     64
#define MAX_READS     400000

enum { ACCESSORS, TABLE, HEADER, DATA, CHOICES };

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
static void *locks[2]; /* omp_lock_t */
static void (*set_lock)(void *);
static void (*set_levels)(int);
static void (*gomp_parallel)(void (*)(void *), void *, unsigned, unsigned);

/*
 * At the end LeakSanitizer looks into the threads that are parked in libomp, and faults there. Visible, because gcc's
 * sanitizer is a shared library, which asks for this in the dynamic symbols.
 */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

static void tell(void)
{
	pthread_mutex_lock(&mutex);
	threads[n_threads++] = pthread_self();
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

/* One parks for good with the lock, the others wait for it: the process is left by exit(). */
static void park(void *unused)
{
	(void)unused;
	tell();
	set_lock(&locks[0]);
	for (;;)
		pause();
}

static void in_region(void *unused)
{
	(void)unused;
	gomp_parallel(park, NULL, 2, 0);
}

static void *root_main(void *unused)
{
	set_levels(3);
	gomp_parallel(in_region, NULL, 2, 0);
	return unused;
}

static void area_add(int choice, uint64_t address, size_t size)
{
	if (n_areas[choice] < MAX_AREAS && address && size <= MAX_AREA_SIZE)
		areas[choice][n_areas[choice]++] = (struct area){address, size};
}

static uint64_t word_at(uint64_t address)
{
	uint64_t word;

	memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

static void code_areas_init(const struct libomp *libomp)
{
	static const char *const accessors[] = {
		"omp_get_thread_num", "omp_get_level",	      "omp_get_active_level",	     "omp_get_max_threads",
		"omp_get_dynamic",    "omp_get_proc_bind",    "omp_get_thread_limit",	     "omp_in_final",
		"omp_in_parallel",    "omp_get_num_procs",    "__kmpc_destroy_lock",	     "__kmpc_bound_num_threads",
		"omp_get_team_size",  "omp_get_cancellation", "omp_get_ancestor_thread_num",
	};
	static struct code_walk walk;
	struct libomp_table table;
	ompd_addr_t text, use;
	const char *why;

	for (size_t i = 0; i < sizeof(accessors) / sizeof(accessors[0]); i++)
		area_add(ACCESSORS, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, accessors[i]), CODE_AREA);
	area_add(HEADER, libomp->image.segments[0].start, 1024);
	if (image_find(self_target_context(), &libomp->image, "\0OMP_DEBUG", 11, &text) == ompd_rc_ok &&
	    image_find_use(self_target_context(), &libomp->image, 0, text + 1, &use) == ompd_rc_ok)
		area_add(TABLE, use - TABLE_CODE, TABLE_CODE);
	if (libomp_table_read(self_target_context(), &libomp->image, &walk, &table, &why) == ompd_rc_ok)
		area_add(TABLE, table.address, sizeof(table.words));
}

static void areas_init(ompd_address_space_handle_t *as)
{
	const struct libomp *libomp = as->base.process->data;
	const struct libomp_layout *l = &libomp->layout;

	code_areas_init(libomp);
	area_add(DATA, libomp->threads - 256, 512);
	area_add(DATA, word_at(libomp->threads), 256);
	if (libomp->locks) {
		area_add(DATA, libomp->locks, 24);
		area_add(DATA, word_at(word_at(libomp->locks)), 64);
		area_add(DATA, word_at(word_at(word_at(libomp->locks))), 64);
	}
	for (int i = 0; i < n_threads && i < 3; i++) {
		ompd_thread_handle_t *thread;

		if (ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(threads[i]), &threads[i], &thread))
			continue;
		ompd_addr_t record = thread->ref.thread;

		area_add(DATA, record, l->th_size);
		area_add(DATA, word_at(record + l->th_team), 2048);
		area_add(DATA, word_at(record + l->th_current_task), l->td_size);
		ompd_rel_thread_handle(thread);
	}
}

static void init(void)
{
	void (*init_lock)(void *);
	ompd_address_space_handle_t *as;
	struct timespec until;
	pthread_t root;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;

	FUZZ_ASSERT(dlopen(LIBOMP, RTLD_NOW | RTLD_GLOBAL) != NULL);
	*(void **)&gomp_parallel = dlsym(RTLD_DEFAULT, "GOMP_parallel");
	*(void **)&set_levels = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
	*(void **)&set_lock = dlsym(RTLD_DEFAULT, "omp_set_lock");
	*(void **)&init_lock = dlsym(RTLD_DEFAULT, "omp_init_lock");
	FUZZ_ASSERT(gomp_parallel && set_levels && set_lock && init_lock);
	init_lock(&locks[0]);
	FUZZ_ASSERT(pthread_create(&root, NULL, root_main, NULL) == 0);
	pthread_mutex_lock(&mutex);
	while (n_threads < 4)
		if (pthread_cond_timedwait(&changed, &mutex, &until))
			break;
	pthread_mutex_unlock(&mutex);
	FUZZ_ASSERT(ompd_initialize(202111, self_target_callbacks()) == ompd_rc_ok);
	FUZZ_ASSERT(ompd_process_initialize(self_target_context(), &as) == ompd_rc_ok);
	areas_init(as);
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
