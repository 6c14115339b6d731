/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Common code of the fuzzers of libompd's backends: overlay.h. */
#include "overlay.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "ask_libompd.h"
#include "fuzz.h"
#include "self_target.h"

#define MAX_CHAIN 64
#define N_PARKED  4
#define START_S	  10

struct area {
	uint64_t address;
	size_t size;
};

pthread_t overlay_threads[8];
int overlay_n_threads;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct area areas[OVERLAY_MAX_CHOICES][OVERLAY_MAX_AREAS];
static size_t n_areas[OVERLAY_MAX_CHOICES];
static ompd_address_space_handle_t *known;

static void tell(void)
{
	overlay_threads[overlay_n_threads++] = pthread_self();
	pthread_cond_broadcast(&changed);
}

void overlay_tell(void)
{
	pthread_mutex_lock(&mutex);
	tell();
	pthread_mutex_unlock(&mutex);
}

void overlay_park(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	tell();
	for (;;)
		pthread_cond_wait(&changed, &mutex);
}

void overlay_add(int choice, uint64_t address, size_t size)
{
	if (n_areas[choice] < overlay.max_areas && address && size && size <= OVERLAY_MAX_AREA_SIZE)
		areas[choice][n_areas[choice]++] = (struct area){address, size};
}

size_t overlay_n_areas(int choice)
{
	return n_areas[choice];
}

uint64_t overlay_word(uint64_t address)
{
	uint64_t word = 0;

	if (address)
		memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

uint64_t overlay_symbol(const char *name)
{
	return (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name);
}

static void init(void)
{
	struct timespec until;

	FUZZ_ASSERT(overlay.n_choices <= OVERLAY_MAX_CHOICES && overlay.max_areas <= OVERLAY_MAX_AREAS);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += START_S;
	FUZZ_ASSERT(dlopen(overlay.library, RTLD_NOW | RTLD_GLOBAL) != NULL);
	overlay.start();
	pthread_mutex_lock(&mutex);
	while (overlay_n_threads < N_PARKED) /* libgomp before 11 needs more for nesting: it gives two */
		if (pthread_cond_timedwait(&changed, &mutex, &until))
			break;
	pthread_mutex_unlock(&mutex);
	FUZZ_ASSERT(overlay_n_threads > 0);
	FUZZ_ASSERT(ompd_initialize(202111, self_target_callbacks()) == ompd_rc_ok);
	self_target.is_frozen = true;
	FUZZ_ASSERT(ompd_process_initialize(self_target_context(), &known) == ompd_rc_ok);
	overlay.find(known);
}

/* Returns the copy of an area with the changes of the input. */
static void change(uint8_t (*copies)[OVERLAY_MAX_AREA_SIZE], int choice, const uint8_t *c)
{
	const struct area *a = areas[choice];
	size_t i = c[0] % n_areas[choice], len = a[i].size;
	size_t offset = (size_t)(c[1] | c[2] << 8) % len;
	uint64_t address = a[c[3] % n_areas[choice]].address;

	if (!overlay.has_links || c[0] < 128)
		copies[i][offset] = c[3];
	else if (len >= sizeof(address))
		memcpy(copies[i] + offset / 8 * 8 % (len - 7), &address, sizeof(address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t copies[OVERLAY_MAX_AREAS][OVERLAY_MAX_AREA_SIZE];
	static bool ready;

	if (!ready)
		init();
	ready = true;
	if (!size)
		return 0;
	int choice = data[0] % overlay.n_choices;

	self_target_reset();
	self_target.is_frozen = true;
	int64_t live = self_target.live_blocks;

	if (overlay.try && overlay.try(choice, data + 1, size - 1))
		return 0;
	for (size_t i = 0; i < n_areas[choice]; i++) {
		const struct area *area = &areas[choice][i];

		memcpy(copies[i], (const void *)(uintptr_t)area->address, area->size);
		self_target.patches[i] = (struct self_target_patch){area->address, area->size, copies[i]};
	}
	for (size_t at = 1; n_areas[choice] && at + 4 <= size; at += 4)
		change(copies, choice, data + at);
	if (choice == overlay.late && data[0] / overlay.n_choices % 16 != 15)
		ask_libompd_process(known, overlay_threads, overlay_n_threads, MAX_CHAIN);
	else
		ask_libompd(overlay_threads, overlay_n_threads, MAX_CHAIN);
	FUZZ_ASSERT(self_target.live_blocks == live);
	FUZZ_ASSERT(self_target.reads < overlay.max_reads && self_target.bytes_read < overlay.max_bytes);
	return 0;
}
