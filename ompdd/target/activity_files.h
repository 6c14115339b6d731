/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Keeps /proc/PID/task/TID/syscall open for threads that are sampled repeatedly: opening a file takes several times as
 * long as reading it.
 */
#ifndef OMPDD_TARGET_ACTIVITY_FILES_H
#define OMPDD_TARGET_ACTIVITY_FILES_H

#include <stddef.h>
#include <sys/types.h>

#include "target/target.h"

/* The largest number of files open at once. When it is exceeded, all files are closed. */
#define ACTIVITY_FILES_MAX 64

/* All zeroes is a valid empty value. */
struct activity_files {
	struct activity_file {
		pid_t tid;
		int fd;
	} files[ACTIVITY_FILES_MAX]; /* sorted by tid */
	size_t n;
	size_t found; /* index of the last file found */
};

void activity_files_deinit(struct activity_files *a);

/*
 * Store what thread @tid below @taskfd (/proc/PID/task) does now in @ret. Leave @ret unchanged if the thread runs or is
 * gone.
 */
void activity_files_read(struct activity_files *a, int taskfd, pid_t tid, struct target_activity *ret);

#endif
