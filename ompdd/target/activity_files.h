/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * /proc/PID/task/TID/syscall of threads that are asked about again and again, kept open: to open one takes several
 * times as long as to read it.
 */
#ifndef OMPDD_TARGET_ACTIVITY_FILES_H
#define OMPDD_TARGET_ACTIVITY_FILES_H

#include <stddef.h>
#include <sys/types.h>

#include "target/target.h"

/* Threads whose files are open at once; of more, all are closed and it begins anew. */
#define ACTIVITY_FILES_MAX 64

/* All zeroes is a valid empty value. */
struct activity_files {
	struct activity_file {
		pid_t tid;
		int fd;
	} files[ACTIVITY_FILES_MAX]; /* in order of tid */
	size_t n;
	size_t found; /* of them, the last time */
};

void activity_files_deinit(struct activity_files *a);

/* What thread @tid below @taskfd, /proc/PID/task, does now; if it runs, or is gone, @ret is left as it is. */
void activity_files_read(struct activity_files *a, int taskfd, pid_t tid, struct target_activity *ret);

#endif
