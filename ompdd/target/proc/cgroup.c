/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the files of control groups. */
#include "target/proc/cgroup.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/proc/proc_line.h"

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
	return from && proc_line_find(from, name, ret, CGROUP_MAX_PATH) && !strstr(ret, "/..");
}

bool cgroup_find(pid_t pid, char *ret)
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

bool cgroup_is_frozen(pid_t tid, char *ret)
{
	char path[PATH_MAX], text[PROC_LINE_TEXT];

	if (cgroup_find(tid, ret) && says_frozen(ret))
		return true;
	if (!find_group(tid, ":freezer:", ret))
		return false;
	snprintf(path, sizeof(path), "%s%s/freezer.state", freezer, ret);
	/* "FREEZING" while some threads still run. */
	return proc_line_read(path, text) > 0 && !strncmp(text, "FROZEN", 6);
}

/* Where a hierarchy with the CPU controller is mounted, and the line of /proc/PID/cgroup that names its group. */
static const struct {
	const char *mount, *line;
	bool is_second; /* of version 2 */
} cpu_mounts[] = {
	{"/sys/fs/cgroup", "0::", true},
	{"/sys/fs/cgroup/unified", "0::", true},
	{"/sys/fs/cgroup/cpu", ":cpu:", false},
	{"/sys/fs/cgroup/cpu,cpuacct", ":cpu,cpuacct:", false},
	{"/sys/fs/cgroup/cpu,cpuacct", ":cpuacct,cpu:", false},
};

static bool read_file(const char *mount, const char *group, const char *name, char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s/%s", mount, group, name);
	return proc_line_read(path, text) > 0;
}

static bool find_number(const char *text, const char *name, uint64_t *ret)
{
	char number[32];

	return proc_line_find(text, name, number, sizeof(number)) && sscanf(number, "%" SCNu64, ret) == 1;
}

/* Read the quota of @ret->group in hierarchy number @i. Return false if the group has none. */
static bool read_quota(size_t i, struct cgroup_quota *ret)
{
	const char *mount = cpu_mounts[i].mount;
	char text[PROC_LINE_TEXT], period[PROC_LINE_TEXT];

	/* Without a quota version 2 has the word "max", version 1 the number -1. */
	if (cpu_mounts[i].is_second) {
		if (!read_file(mount, ret->group, "cpu.max", text) || *text == 'm' ||
		    sscanf(text, "%" SCNu64 " %" SCNu64, &ret->quota_us, &ret->period_us) != 2)
			return false;
	} else if (!read_file(mount, ret->group, "cpu.cfs_quota_us", text) || *text == '-' ||
		   !read_file(mount, ret->group, "cpu.cfs_period_us", period) ||
		   sscanf(text, "%" SCNu64, &ret->quota_us) != 1 || sscanf(period, "%" SCNu64, &ret->period_us) != 1) {
		return false;
	}
	return ret->period_us && read_file(mount, ret->group, "cpu.stat", text) &&
	       find_number(text, "nr_periods ", &ret->n_periods) &&
	       find_number(text, "nr_throttled ", &ret->n_throttled);
}

bool cgroup_quota_read(pid_t pid, struct cgroup_quota *ret)
{
	for (size_t i = 0; i < sizeof(cpu_mounts) / sizeof(cpu_mounts[0]); i++) {
		if (!find_group(pid, cpu_mounts[i].line, ret->group))
			continue;
		for (char *slash; (slash = strrchr(ret->group, '/')); *slash = '\0') {
			if (read_quota(i, ret))
				return true;
		}
	}
	return false;
}

bool cgroup_memory_pressure(pid_t pid, uint64_t *us_ret)
{
	char group[CGROUP_MAX_PATH], text[PROC_LINE_TEXT];

	if (!cgroup_find(pid, group))
		return false;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" */
		const char *total =
			read_file(mounts[i], group, "memory.pressure", text) ? strstr(text, "total=") : NULL;

		if (total && !strncmp(text, "some ", 5))
			return sscanf(total, "total=%" SCNu64, us_ret) == 1;
	}
	return false;
}

bool cgroup_is_open(const char *group)
{
	int fd = open_file(group, "cgroup.procs", O_WRONLY);

	if (fd < 0)
		return false;
	close(fd);
	return !says_frozen(group);
}

void cgroup_enter(const char *group, pid_t pid)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", pid);
	int fd = open_file(group, "cgroup.procs", O_WRONLY);

	if (fd < 0)
		return;
	(void)!write(fd, text, (size_t)n);
	close(fd);
}
