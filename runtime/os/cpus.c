/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads CPUs from sched_getaffinity() and /sys: their number, and which ones share a core, a cache, a node or a
 * socket.
 */
#include "os/cpus.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE_MAX_BYTES (1 << 16) /* half a million CPUs: more than any kernel knows */
#define LIST_MAX       (1 << 16) /* characters of a list of CPUs in /sys */

void cpus_read(struct cpus *cpus)
{
	*cpus = (struct cpus){.count = 1};
	for (size_t room = 128; room <= SIZE_MAX_BYTES; room *= 2) {
		cpu_set_t *set = calloc(1, room);

		if (!set)
			return;
		long size = syscall(SYS_sched_getaffinity, 0, room, set);
		if (size > 0) {
			cpus->set = set;
			cpus->size = (size_t)size;
			cpus->count = CPU_COUNT_S(cpus->size, set);
			return;
		}
		free(set);
	}
}

/* Clears bits of the kernel's mask for CPUs that this machine cannot have. */
static void trim_mask(struct cpus *cpus)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	size_t n = configured > 0 ? (size_t)configured : 1;

	for (size_t cpu = n; cpu < cpus->size * 8; cpu++) {
		if (CPU_ISSET_S(cpu, cpus->size, cpus->set))
			n = cpu + 1;
	}
	n = (n + 8 * sizeof(long) - 1) / (8 * sizeof(long)) * sizeof(long);
	if (cpus->size > n)
		cpus->size = n;
}

const struct cpus *cpus_initial(void)
{
	static struct cpus initial;
	static bool done;

	/* The library's constructor makes the first call, so there is no race. */
	if (!done) {
		done = true;
		cpus_read(&initial);
		if (initial.set) {
			trim_mask(&initial);
		} else {
			long online = sysconf(_SC_NPROCESSORS_ONLN);
			initial.count = online > 0 ? (int)online : 1;
		}
	}
	return &initial;
}

void cpus_move(void)
{
	struct cpus cpus;
	int here = sched_getcpu();

	cpus_read(&cpus);
	if (cpus.count > 1 && here >= 0) {
		CPU_CLR_S((size_t)here, cpus.size, cpus.set);
		sched_setaffinity(0, cpus.size, cpus.set);
		CPU_SET_S((size_t)here, cpus.size, cpus.set);
		sched_setaffinity(0, cpus.size, cpus.set);
	}
	free(cpus.set);
}

int cpus_available(void)
{
	const struct cpus *initial = cpus_initial();
	char small[128] = {0};
	struct cpus now;

	if (!initial->set)
		return initial->count;
	long size = syscall(SYS_sched_getaffinity, 0, sizeof(small), small);
	if (size > 0) {
		int count = CPU_COUNT_S((size_t)size, (cpu_set_t *)(void *)small);
		return count > 0 ? count : 1;
	}
	/* A machine with more than 1024 CPUs. */
	cpus_read(&now);
	free(now.set);
	return now.count;
}

/* Returns the contents of a small file as a string; NULL: cannot be read. The caller frees it. */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return NULL;
	char *text = malloc(LIST_MAX + 1);
	while (text && n < LIST_MAX && (got = read(fd, text + n, LIST_MAX - n)) > 0)
		n += (size_t)got;
	close(fd);
	if (text)
		text[n] = '\0';
	return text;
}

bool cpus_parse_list(const char *text, cpu_set_t *ret, size_t size)
{
	bool any = false;

	for (;;) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last;

		if (end == text)
			return any;
		last = first;
		if (*end == '-') {
			text = end + 1;
			last = strtoul(text, &end, 10);
			if (end == text)
				return false;
		}
		for (unsigned long cpu = first; cpu <= last && cpu < size * 8; cpu++) {
			CPU_SET_S(cpu, size, ret);
			any = true;
		}
		if (*end != ',')
			return any;
		text = end + 1;
	}
}

static bool read_list(const char *path, cpu_set_t *ret, size_t size)
{
	char *text = read_file(path);

	if (!text)
		return false;
	CPU_ZERO_S(size, ret);
	bool ok = cpus_parse_list(text, ret, size);
	free(text);
	return ok;
}

/* Returns the last-level cache of @cpu. Its index is not always the greatest. */
static bool find_last_level_cache(int cpu, cpu_set_t *ret, size_t size)
{
	char path[96], *text;
	long best = 0, best_index = -1;

	for (int index = 0; index < 16; index++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, index);
		text = read_file(path);
		if (!text)
			break;
		long level = strtol(text, NULL, 10);
		free(text);
		if (level > best) {
			best = level;
			best_index = index;
		}
	}
	if (best_index < 0)
		return false;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%ld/shared_cpu_list", cpu, best_index);
	return read_list(path, ret, size);
}

static bool find_memory_node(int cpu, cpu_set_t *ret, size_t size)
{
	cpu_set_t *nodes = calloc(1, size);
	char path[96];
	bool found = false;

	if (!nodes)
		return false;
	/* Node numbers are bounded like CPU numbers, so the same size is enough. */
	if (read_list("/sys/devices/system/node/online", nodes, size)) {
		for (size_t node = 0; node < size * 8 && !found; node++) {
			if (!CPU_ISSET_S(node, size, nodes))
				continue;
			snprintf(path, sizeof(path), "/sys/devices/system/node/node%zu/cpulist", node);
			found = read_list(path, ret, size) && CPU_ISSET_S(cpu, size, ret);
		}
	}
	free(nodes);
	return found;
}

bool cpus_siblings(int cpu, const char *level, cpu_set_t *ret, size_t size)
{
	/* The newer name comes first. Kernels before 5.2 have the second. */
	static const struct {
		const char *level, *files[2];
	} lists[] = {
		{"core", {"core_cpus_list", "thread_siblings_list"}},
		{"die", {"die_cpus_list", "package_cpus_list"}},
		{"package", {"package_cpus_list", "core_siblings_list"}},
	};
	char path[96];

	if (!strcmp(level, "llc"))
		return find_last_level_cache(cpu, ret, size);
	if (!strcmp(level, "node"))
		return find_memory_node(cpu, ret, size);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		if (strcmp(level, lists[i].level))
			continue;
		for (int j = 0; j < 2; j++) {
			snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu,
				 lists[i].files[j]);
			if (read_list(path, ret, size))
				return true;
		}
	}
	return false;
}
