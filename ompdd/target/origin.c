/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the flags that the kernel keeps of a main thread, and searches a thread in the parent. */
#include "target/origin.h"

#include <fcntl.h>
#include <stdio.h>

#include "target/core.h"
#include "target/proc.h"
#include "target/process.h"

static bool read_stat(pid_t pid, pid_t tid, struct proc_stat *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	return proc_read_stat(AT_FDCWD, path, ret);
}

enum target_origin target_origin(struct target *t)
{
	struct proc_stat st;

	if (t->mode == TARGET_CORE) {
		uint64_t flags = core_of(t)->notes.flags;

		return !flags			 ? TARGET_ORIGIN_UNKNOWN
		       : flags & PROC_FORKNOEXEC ? TARGET_ORIGIN_FORK
						 : TARGET_ORIGIN_PROGRAM;
	}
	if (t->ops != &process_ops || !read_stat(t->pid, t->pid, &st))
		return TARGET_ORIGIN_UNKNOWN;
	return st.is_fork ? TARGET_ORIGIN_FORK : TARGET_ORIGIN_PROGRAM;
}

pid_t target_forked_beside(struct target *t, pid_t tid)
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
