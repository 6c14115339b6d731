/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the flags that the kernel keeps of a main thread, and searches a thread in the parent. */
#include "target/process/image.h"

#include <fcntl.h>
#include <stdio.h>

#include "target/proc/proc.h"
#include "target/process/process.h"

static bool read_stat(pid_t pid, pid_t tid, struct proc_stat *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	return proc_read_stat(AT_FDCWD, path, ret);
}

enum target_image process_image(struct target *t)
{
	struct proc_stat st;

	if (!read_stat(t->pid, t->pid, &st))
		return TARGET_IMAGE_UNKNOWN;
	return st.is_fork ? TARGET_IMAGE_FORKED : TARGET_IMAGE_EXECUTED;
}

pid_t target_find_fork_parent(struct target *t, pid_t tid)
{
	struct proc_stat own, other;

	if (t->ops != &process_ops || !read_stat(t->pid, t->pid, &own) || !own.is_fork || own.ppid <= 0 ||
	    !read_stat(own.ppid, tid, &other))
		return 0;
	/*
	 * Times are in hundredths of a second. Within one the kernel never reuses an id, because it first assigns all
	 * others.
	 */
	return other.start_time <= own.start_time ? own.ppid : 0;
}
