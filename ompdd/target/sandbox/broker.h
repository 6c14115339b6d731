/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The broker: a process that does for a worker what the worker's sandbox refuses (target/sandbox/sandbox.h). The worker
 * forks it before it enters the sandbox. It runs our own code only, shares no memory with the worker, and ends with the
 * worker's socket. It answers the requests below and takes each of them for hostile: an OMPD library can write to the
 * socket.
 *
 * Without broker_start() the same requests are served by the calling process itself.
 */
#ifndef OMPDD_TARGET_BROKER_H
#define OMPDD_TARGET_BROKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/trace/tracer_spawn.h"

/* The requests that the broker serves for this worker. */
struct broker_rights {
	pid_t pid;	    /* the target; 0: none */
	bool traces;	    /* starts tracers, for the target only */
	bool creates_files; /* creates a file for an unpacked core */
};

/* Once, while the calling process has all its rights. ERR_INTERNAL_ERROR. */
MUST_USE struct error *broker_start(const struct broker_rights *rights);
/* Order the broker to leave. Its tracers leave when their sockets close. */
void broker_end(void);

/* openat2() of @path with O_PATH and RESOLVE_IN_ROOT below @dirfd. Returns a descriptor, or -1 with errno. */
int broker_open_in_root(int dirfd, const char *path);

/*
 * Create a file without a name for an unpacked core, in $TMPDIR or else /var/tmp. Returns a descriptor for reading and
 * writing, or -1 with errno. @dir gets the folder's name.
 */
int broker_create_file(char *dir, size_t size);

/* Create a memory file of @size bytes, which cannot grow. Returns a descriptor, or -1 with errno: ENOMEM past a limit
 * for all of them together. */
int broker_create_memory(size_t size);

/* perf_event_create() of thread @tid of the target. Returns a descriptor, or -1 with errno. */
int broker_open_perf(pid_t tid, unsigned period_us);

/* Start an ompdd-tracer for the target @pid. ERR_TRACER_FAILED. */
MUST_USE struct error *broker_start_tracer(pid_t pid, struct tracer_ends *ret);

/* Write @len instruction bytes back to @address of the target @pid without a tracer. Return whether it succeeded. */
bool broker_restore(pid_t pid, uint64_t address, const void *bytes, size_t len);

/* Store the name of user @uid in @name; "" if it has none. */
void broker_user_name(uid_t uid, char *name, size_t size);

#endif
