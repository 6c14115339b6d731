/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The vector of library names and the functions to break on. The functions here are empty on purpose: a debugger stops
 * in them. */
#include "tools/ompd.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/icv.h"
#include "tools/layout.h"

#define EXPORT __attribute__((visibility("default")))

/* Where libompd is from where this library is: beside it when installed, one folder up in a build. */
static const char *const from_here[] = {"libompd.so", "../libompd.so"};
#define LIBOMPD_NAME "libompd.so"

uint32_t ompd_breakpoints;
extern __typeof(ompd_breakpoints) ompd_breakpoints_here __attribute__((alias("ompd_breakpoints")));

uint64_t ompd_serialize;
extern __typeof(ompd_serialize) ompd_serialize_here __attribute__((alias("ompd_serialize")));

static const char *dll_locations[3];
extern const char **ompd_dll_locations;
EXPORT const char **ompd_dll_locations;

extern void ompd_dll_locations_valid(void);
extern void omp_debug_enable(void);

#if defined(__x86_64__)
#define FIRST "endbr64"
#else
#define FIRST "nop"
#endif

/* The compiler must neither inline nor merge them: each needs an address of its own and a call that arrives there. */
#define EMPTY(name)                                                                                                    \
	EXPORT __attribute__((noinline, noclone, noipa)) void name(void)                                               \
	{                                                                                                              \
		__asm__ volatile(FIRST ::: "memory"); /* a debugger needs no single step past it */                    \
	}

EMPTY(ompd_dll_locations_valid)
EMPTY(ompd_bp_parallel_begin)
EMPTY(ompd_bp_parallel_end)
EMPTY(ompd_bp_task_begin)
EMPTY(ompd_bp_task_end)
EMPTY(ompd_bp_thread_begin)
EMPTY(ompd_bp_thread_end)
EMPTY(ompd_bp_device_begin)
EMPTY(ompd_bp_device_end)
EMPTY(ompd_bp_teams_begin)
EMPTY(ompd_bp_teams_end)
EMPTY(ompd_bp_target_begin)
EMPTY(ompd_bp_target_end)
EMPTY(ompd_bp_barrier_all_entered)

/* The 2016 draft's way to ask for OMPD from within the program. */
EXPORT void omp_debug_enable(void)
{
	icv_process.debug = 1;
	__atomic_fetch_or(&ompd_breakpoints, OMPD_ENABLED, __ATOMIC_RELAXED);
}

/* The absolute path of libompd beside this library; NULL when it is not there, or the loader does not know where this
 * is. */
static const char *beside_us(void)
{
	Dl_info here;
	char *slash, *found = NULL;

	if (!dladdr(&ompd_breakpoints, &here) || !here.dli_fname)
		return NULL;
	char *full = realpath(here.dli_fname, NULL);
	if (!full)
		return NULL;
	slash = strrchr(full, '/');
	for (size_t i = 0; i < sizeof(from_here) / sizeof(*from_here) && !found; i++) {
		size_t size = (size_t)(slash - full) + 1 + strlen(from_here[i]) + 1;
		char *path = malloc(size);

		if (!path)
			break;
		snprintf(path, size, "%.*s/%s", (int)(slash - full), full, from_here[i]);
		/* A canonical path: tools compare it with their lists of trusted folders. */
		found = realpath(path, NULL);
		free(path);
	}
	free(full);
	return found;
}

void ompd_init(void)
{
	size_t n = 0;
	const char *path = beside_us();

	layout_init();
	if (path)
		dll_locations[n++] = path;
	dll_locations[n] = LIBOMPD_NAME;
	__atomic_store_n(&ompd_dll_locations, dll_locations, __ATOMIC_RELEASE);
	ompd_dll_locations_valid();
}
