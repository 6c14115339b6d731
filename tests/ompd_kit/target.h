/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The examined process: it is started or attached, then stopped until the kit ends. */
#ifndef OMPD_KIT_TARGET_H
#define OMPD_KIT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct target_thread {
	pid_t tid;
	uint64_t pointer; /* the thread pointer */
};

struct target {
	pid_t pid;
	bool is_started; /* by the kit, which ends it */
	int memory;	 /* /proc/PID/mem: children of the kit read it, too */
	struct target_thread *threads;
	size_t n_threads;
};

/*
 * Start the program @argv with the environment of the kit and OMP_DEBUG=enabled, and wait for the
 * first line of its output. All failures in this header end the kit with a message.
 */
void target_start(char **argv, struct target *ret);

/* Use the running process @pid. */
void target_attach(pid_t pid, struct target *ret);

/* Stop all threads, and read their thread pointers. The first one in the list is the initial thread. */
void target_stop(struct target *target);

/* Detach from the target. End it if the kit has started it. */
void target_end(struct target *target);

/* Read @n bytes at @address. Returns false unless all of them can be read. */
bool target_read(const struct target *target, uint64_t address, void *to, size_t n);

/* Print a message and end the kit with status 2. */
_Noreturn void target_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
