/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the files of control groups. */
#include "target/group.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/proc_line.h"

/* The mount points of version 2: alone, or next to version 1. */
static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

/* The mount point of version 1's freezer. */
static const char freezer[] = "/sys/fs/cgroup/freezer";

/* Find the group in the hierarchy whose line starts with @name. */
static bool find_group(pid_t pid, const char *name, char *ret)
{
	char text[PROC_LINE_TEXT], path[64];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	if (proc_line_read(path, text) <= 0)
		return false;
	/* Lines of version 1 start with a variable number. */
	const char *from = *name == ':' ? strstr(text, name) : text;
	/* A path outside of our cgroup namespace is useless. */
	return from && proc_line_find(from, name, ret, GROUP_MAX) && !strstr(ret, "/..");
}

bool group_of(pid_t pid, char *ret)
{
	return find_group(pid, "0::", ret);
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

/* Return whether a group of version 2, or one above it, is frozen. */
static bool says_frozen(const char *group)
{
	char text[PROC_LINE_TEXT] = "", frozen[8];
	/* The root group has no such file. */
	int fd = open_file(group, "cgroup.events", O_RDONLY);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return proc_line_find(text, "frozen ", frozen, sizeof(frozen)) && strcmp(frozen, "0") != 0;
}

bool group_is_frozen(pid_t tid, char *ret)
{
	char path[PATH_MAX], text[PROC_LINE_TEXT];

	if (group_of(tid, ret) && says_frozen(ret))
		return true;
	if (!find_group(tid, ":freezer:", ret))
		return false;
	snprintf(path, sizeof(path), "%s%s/freezer.state", freezer, ret);
	/* "FREEZING" while some threads still run. */
	return proc_line_read(path, text) > 0 && !strncmp(text, "FROZEN", 6);
}

bool group_is_open(const char *group)
{
	int fd = open_file(group, "cgroup.procs", O_WRONLY);

	if (fd < 0)
		return false;
	close(fd);
	return !says_frozen(group);
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
