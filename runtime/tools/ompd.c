/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The list of OMPD library names, and the breakpoint functions. These are empty on purpose: a debugger stops in them.
 */
#include "tools/ompd.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/state/icv.h"
#include "core/state/thread.h"

#define EXPORT __attribute__((visibility("default")))

/* Where libompd is relative to this library: in the parent folder when installed, one folder higher in a build. */
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

/* The compiler must not inline or merge these functions. Each needs an address of its own and real calls. */
#define EMPTY(name)                                                                                                    \
	EXPORT __attribute__((noinline, noclone, noipa)) void name(void)                                               \
	{                                                                                                              \
		__asm__ volatile(FIRST ::: "memory"); /* a debugger needs no single step past this */                  \
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

/* The 2016 draft's way to enable OMPD from within the program. */
EXPORT void omp_debug_enable(void)
{
	icv_process.debug = 1;
	__atomic_fetch_or(&ompd_breakpoints, OMPD_ENABLED, __ATOMIC_RELAXED);
}

/* Returns the absolute path of libompd. NULL: the file does not exist, or the loader cannot name this library. */
static const char *find_libompd(void)
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
		/* A canonical path, because tools compare it with their lists of trusted folders. */
		found = realpath(path, NULL);
		free(path);
	}
	free(full);
	return found;
}

void ompd_init(void)
{
	size_t n = 0;
	const char *path = find_libompd();

	if (path)
		dll_locations[n++] = path;
	dll_locations[n] = LIBOMPD_NAME;
	__atomic_store_n(&ompd_dll_locations, dll_locations, __ATOMIC_RELEASE);
	ompd_dll_locations_valid();
}
