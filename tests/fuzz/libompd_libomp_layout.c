/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libompd's proof of libomp's layout and its readers, overlaid (overlay.h). One thread has a lock, the others wait. */
#include <dlfcn.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "handles.h"
#include "libomp/libomp.h"
#include "overlay.h"
#include "self_target.h"

#define CODE_AREA  512
#define WAIT_MS	   10
#define TABLE_CODE 4096

enum { ACCESSORS, TABLE, HEADER, DATA, CHOICES };

static void *locks[2]; /* omp_lock_t */
static void (*set_lock)(void *);
static void (*set_levels)(int);
static void (*gomp_parallel)(void (*)(void *), void *, unsigned, unsigned);

/* One thread keeps the lock and parks for good, the others wait for the lock. */
static void park(void *unused)
{
	(void)unused;
	overlay_tell();
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

static void start(void)
{
	void (*init_lock)(void *);
	pthread_t root;

	*(void **)&gomp_parallel = dlsym(RTLD_DEFAULT, "GOMP_parallel");
	*(void **)&set_levels = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
	*(void **)&set_lock = dlsym(RTLD_DEFAULT, "omp_set_lock");
	*(void **)&init_lock = dlsym(RTLD_DEFAULT, "omp_init_lock");
	FUZZ_ASSERT(gomp_parallel && set_levels && set_lock && init_lock);
	init_lock(&locks[0]);
	FUZZ_ASSERT(pthread_create(&root, NULL, root_main, NULL) == 0);
}

static void stay(int number)
{
	(void)number;
	for (;;)
		pause();
}

static int64_t used_ms(pthread_t thread)
{
	struct timespec time;
	clockid_t clock;

	FUZZ_ASSERT(!pthread_getcpuclockid(thread, &clock) && !clock_gettime(clock, &time));
	return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Threads that wait for a lock of libomp spin, and would take the CPUs from the fuzzer. */
static void stop_spinning(void)
{
	const struct sigaction action = {.sa_handler = stay};
	const struct timespec moment = {.tv_nsec = 1000000};
	int n_spinning;

	sigaction(SIGUSR1, &action, NULL);
	do {
		nanosleep(&moment, NULL);
		n_spinning = 0;
		for (int i = 0; i < overlay_n_threads; i++)
			n_spinning += used_ms(overlay_threads[i]) > WAIT_MS;
	} while (n_spinning < overlay_n_threads - 1); /* one thread has the lock */
	for (int i = 0; i < overlay_n_threads; i++)
		pthread_kill(overlay_threads[i], SIGUSR1);
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
		overlay_add(ACCESSORS, overlay_symbol(accessors[i]), CODE_AREA);
	overlay_add(HEADER, libomp->image.segments[0].start, 1024);
	if (image_find(self_target_context(), &libomp->image, "\0OMP_DEBUG", 11, &text) == ompd_rc_ok &&
	    image_find_use(self_target_context(), &libomp->image, 0, text + 1, &use) == ompd_rc_ok)
		overlay_add(TABLE, use - TABLE_CODE, TABLE_CODE);
	if (libomp_table_read(self_target_context(), &libomp->image, &walk, &table, &why) == ompd_rc_ok)
		overlay_add(TABLE, table.address, sizeof(table.words));
}

static void find(ompd_address_space_handle_t *as)
{
	const struct libomp *libomp = as->base.process->data;
	const struct libomp_layout *l = &libomp->layout;

	stop_spinning();
	code_areas_init(libomp);
	overlay_add(DATA, libomp->threads - 256, 512);
	overlay_add(DATA, overlay_word(libomp->threads), 256);
	if (libomp->locks) {
		overlay_add(DATA, libomp->locks, 24);
		overlay_add(DATA, overlay_word(overlay_word(libomp->locks)), 64);
		overlay_add(DATA, overlay_word(overlay_word(overlay_word(libomp->locks))), 64);
	}
	for (int i = 0; i < overlay_n_threads && i < 3; i++) {
		ompd_thread_handle_t *thread;

		if (ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(overlay_threads[i]), &overlay_threads[i],
					   &thread))
			continue;
		ompd_addr_t record = thread->ref.thread;

		overlay_add(DATA, record, l->th_size);
		overlay_add(DATA, overlay_word(record + l->th_team), 2048);
		overlay_add(DATA, overlay_word(record + l->th_current_task), l->td_size);
		ompd_rel_thread_handle(thread);
	}
}

const struct overlay overlay = {
	.library = LIBOMP,
	.n_choices = CHOICES,
	.late = DATA,
	.max_areas = 16,
	.max_reads = 400000,
	.max_bytes = 512u << 20,
	.start = start,
	.find = find,
};
