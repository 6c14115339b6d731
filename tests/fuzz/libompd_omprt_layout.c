/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libompd's readers of our own runtime. The runtime's table of offsets and its structures are overlaid (overlay.h). */
#include <dlfcn.h>

#include "fuzz.h"
#include "handles.h"
#include "layout/layout.h"
#include "overlay.h"

enum { TABLE, DATA, BOTH, CHOICES };

static void (*set_levels)(int);
static void (*gomp_parallel)(void (*)(void *), void *, unsigned, unsigned);
static void (*gomp_task)(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int);

/* One task is executed at once, behind another one that stays ready. */
static void in_task(void *unused)
{
	(void)unused;
	gomp_task(overlay_park, NULL, NULL, 0, 1, true, 0, NULL, 0);
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

static void data_add(uint64_t address, size_t size)
{
	overlay_add(DATA, address, size);
	overlay_add(BOTH, address, size);
}

static void find(ompd_address_space_handle_t *as)
{
	const struct layout *l = dlsym(RTLD_DEFAULT, "ompd_layout");
	const struct layout_entry *e = l->entries;

	(void)as;
	FUZZ_ASSERT(l->magic == LAYOUT_MAGIC && l->version == LAYOUT_VERSION);
	overlay_add(TABLE, (uint64_t)(uintptr_t)l, sizeof(*l));
	overlay_add(BOTH, (uint64_t)(uintptr_t)l, sizeof(*l));
	data_add(l->root, e[LAYOUT_root].size);
	data_add(l->icv_process, e[LAYOUT_icv_process].size);
	for (int i = 0; i < overlay_n_threads && i < 3; i++) {
		uint64_t thread = (uint64_t)overlay_threads[i] + (uint64_t)l->thread_offset;
		uint64_t team = overlay_word(thread + e[LAYOUT_thread_team].offset);

		data_add(thread, e[LAYOUT_thread].size);
		data_add(team, e[LAYOUT_team].size);
		data_add(overlay_word(thread + e[LAYOUT_thread_task].offset), e[LAYOUT_task].size);
		if (team)
			data_add(team + e[LAYOUT_team_members].offset, e[LAYOUT_member].size);
	}
	FUZZ_ASSERT(overlay_n_areas(DATA) >= 5);
}

const struct overlay overlay = {
	.library = OMPRT,
	.n_choices = CHOICES,
	.late = DATA,
	.max_areas = 16,
	/* Lists of tasks are followed for up to 65536 links, in several requests for each thread. */
	.max_reads = 4000000,
	.max_bytes = 2ull << 30,
	.has_links = true,
	.start = start,
	.find = find,
};
