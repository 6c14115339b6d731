/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of control groups say. */
#include "target/group.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/proc_line.h"

/* Where version 2 is mounted: alone, or beside version 1. */
static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

/* Where version 1's freezer is. */
static const char freezer[] = "/sys/fs/cgroup/freezer";

/* In the hierarchy that @name begins the line of. */
static bool find_group(pid_t pid, const char *name, char *ret)
{
	char text[PROC_LINE_TEXT], path[64];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	if (proc_line_read(path, text) <= 0)
		return false;
	/* Those of version 1 have numbers before their names, which are not always the same. */
	const char *from = *name == ':' ? strstr(text, name) : text;
	/* A path that leads out of our cgroup namespace says nothing. */
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

/* Of version 2, with those above it. */
static bool says_frozen(const char *group)
{
	char text[PROC_LINE_TEXT] = "", frozen[8];
	/* The uppermost has none. */
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
	/* "FREEZING" while some run still. */
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
