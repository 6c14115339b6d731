/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An open file refers to one thread: once that has ended, reads fail, even if its id is reused. */
#include "target/activity_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/by_tid.h"
#include "target/proc.h"

void activity_files_deinit(struct activity_files *a)
{
	while (a->n)
		close(a->files[--a->n].fd);
}

static void drop(struct activity_files *a, size_t at)
{
	close(a->files[at].fd);
	a->n--;
	memmove(&a->files[at], &a->files[at + 1], (a->n - at) * sizeof(*a->files));
}

/* Return false if the thread is gone. */
static bool read_file(int fd, struct target_activity *ret)
{
	struct target_activity activity;
	char text[256];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (proc_parse_syscall(text, &activity))
		*ret = activity;
	return true;
}

void activity_files_read(struct activity_files *a, int taskfd, pid_t tid, struct target_activity *ret)
{
	size_t at = BY_TID_PLACE_NEAR(a->files, a->n, tid, &a->found);
	char path[32];

	if (at < a->n && a->files[at].tid == tid) {
		if (read_file(a->files[at].fd, ret))
			return;
		drop(a, at);
	}
	snprintf(path, sizeof(path), "%d/syscall", (int)tid);
	int fd = openat(taskfd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!read_file(fd, ret)) {
		close(fd);
		return;
	}
	if (a->n == ACTIVITY_FILES_MAX) {
		activity_files_deinit(a);
		at = 0;
	}
	memmove(&a->files[at + 1], &a->files[at], (a->n - at) * sizeof(*a->files));
	a->files[at] = (struct activity_file){tid, fd};
	a->n++;
}
