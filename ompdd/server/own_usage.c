/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the process's own usage from /proc/self and getrusage(), for GET /metrics. */
#include "server/own_usage.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static void get_memory(struct own_usage *u)
{
	FILE *f = fopen("/proc/self/statm", "re");
	int64_t size, resident;

	if (!f)
		return;
	if (fscanf(f, "%" SCNd64 " %" SCNd64, &size, &resident) == 2) {
		u->virtual_bytes = size * sysconf(_SC_PAGESIZE);
		u->resident_bytes = resident * sysconf(_SC_PAGESIZE);
	}
	fclose(f);
}

static void get_fds(struct own_usage *u)
{
	DIR *dir = opendir("/proc/self/fd");
	struct rlimit limit;

	if (dir) {
		u->open_fds = -1; /* the fd of the folder itself */
		while (readdir(dir))
			u->open_fds++;
		u->open_fds -= 2; /* . and .. */
		closedir(dir);
	}
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		u->max_fds = (int64_t)limit.rlim_cur;
}

/* The kernel counts in ticks since boot. */
static void get_start(struct own_usage *u)
{
	FILE *f = fopen("/proc/self/stat", "re");
	char text[1024];
	long long ticks;

	if (!f)
		return;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	/* Field 22. The name in parentheses may contain any character. */
	const char *at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at && sscanf(at, " %lld", &ticks) == 1)
		u->started_s = (double)(clock_read_us(CLOCK_REALTIME) - clock_read_us(CLOCK_BOOTTIME)) / 1e6 +
			       (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double convert_timeval(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

void own_usage_get(struct own_usage *ret)
{
	struct rusage usage;

	*ret = (struct own_usage){.resident_bytes = -1, .virtual_bytes = -1, .open_fds = -1, .max_fds = -1};
	if (!getrusage(RUSAGE_SELF, &usage))
		ret->cpu_s = convert_timeval(usage.ru_utime) + convert_timeval(usage.ru_stime);
	get_memory(ret);
	get_fds(ret);
	get_start(ret);
}
