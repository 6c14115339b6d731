/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of ompdd-tracer: group.h. */
#include "target/group.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/proc_line.h"

/* Where version 2 is mounted: alone, or beside version 1. */
static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

bool group_of(pid_t pid, char *ret)
{
	char text[PROC_LINE_TEXT], path[64];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	/* A path that leads out of our cgroup namespace says nothing. */
	return proc_line_read(path, text) > 0 && proc_line_find(text, "0::", ret, GROUP_MAX) && !strstr(ret, "/..");
}

static int open_file(const char *group, const char *name, int flags)
{
	char path[PATH_MAX];
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/%s", mounts[i], group, name);
		fd = open(path, flags | O_CLOEXEC);
	}
	return fd;
}

bool group_is_open(const char *group)
{
	char text[PROC_LINE_TEXT] = "", frozen[8] = "0";
	int fd = open_file(group, "cgroup.procs", O_WRONLY);

	if (fd < 0)
		return false;
	close(fd);
	/* The uppermost has none. */
	fd = open_file(group, "cgroup.events", O_RDONLY);
	if (fd < 0)
		return true;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return !proc_line_find(text, "frozen ", frozen, sizeof(frozen)) || !strcmp(frozen, "0");
}

void group_enter(const char *group, pid_t pid)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", pid);
	int fd = open_file(group, "cgroup.procs", O_WRONLY);

	if (fd < 0)
		return;
	(void)!write(fd, text, (size_t)n);
	close(fd);
}
