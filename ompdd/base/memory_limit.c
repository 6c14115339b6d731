/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sets, narrows and lifts RLIMIT_AS. Only the soft limit changes, so that a program started from here gets the original
 * limit back; memory_limit_harden() ends that. A library does not report a failed allocation. This file therefore wraps
 * the C library's malloc() and records failures.
 */
#include "base/memory_limit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_LIMIT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define CAN_LIMIT 0
#endif
#endif
#ifndef CAN_LIMIT
#define CAN_LIMIT 1
#endif

static struct rlimit found;
static rlim_t limit; /* 0: not set by us */
static bool is_narrow;
static volatile bool was_hit;

static void apply_limit(rlim_t soft)
{
	struct rlimit r = {soft < found.rlim_max ? soft : found.rlim_max, found.rlim_max};

	setrlimit(RLIMIT_AS, &r);
}

void memory_limit_set(size_t bytes)
{
	if (!CAN_LIMIT || !bytes || getrlimit(RLIMIT_AS, &found) || found.rlim_cur <= bytes)
		return;
	limit = bytes;
	apply_limit(limit);
}

/* Return the used address space in bytes; 0: unknown. */
static size_t get_size(void)
{
	char text[64];
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

void memory_limit_narrow(size_t bytes)
{
	size_t now = limit ? get_size() : 0;

	is_narrow = true;
	if (now && now + bytes < limit)
		apply_limit(now + bytes);
}

void memory_limit_widen(void)
{
	is_narrow = false;
	if (limit)
		apply_limit(limit);
}

bool memory_limit_is_near(void)
{
	return limit && (was_hit || get_size() > limit / 2);
}

bool memory_limit_was_hit(void)
{
	return was_hit;
}

void memory_limit_forget(void)
{
	was_hit = false;
}

void memory_limit_harden(void)
{
	if (!limit)
		return;
	found.rlim_cur = found.rlim_max = limit < found.rlim_max ? limit : found.rlim_max;
	apply_limit(limit);
}

void memory_limit_lift(void)
{
	if (limit)
		setrlimit(RLIMIT_AS, &found);
}

#if CAN_LIMIT

/* glibc's internal names of these functions. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static void *note_failure(void *p, size_t size)
{
	if (!p && size && limit && size < limit && !is_narrow)
		was_hit = true;
	return p;
}

/* The linker searches executables before libraries, so all libraries use these functions. */
__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return note_failure(__libc_malloc(size), size);
}

__attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
	size_t all;

	return note_failure(__libc_calloc(n, size), __builtin_mul_overflow(n, size, &all) ? 0 : all);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
	return note_failure(__libc_realloc(old, size), size);
}

#endif
