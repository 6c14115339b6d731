/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads sysfs, and asks for the node of single pages with move_pages(2). /proc/PID/numa_maps would list them all, but
 * the kernel holds the lock of the process's mappings for as long as it counts the pages.
 */
#include "target/process/numa.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/proc/maps.h"
#include "target/process/process.h"

/* A mask of TARGET_MAX_CPUS CPUs in hexadecimal, with commas. */
#define MASK_TEXT (TARGET_MAX_CPUS / 4 + TARGET_MAX_CPUS / 32 + 2)

/* The kernel numbers nodes from 0, and a number may be missing. */
bool numa_read_nodes(const char *folder, struct numa *ret)
{
	_cleanup_close_ int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char path[32], mask[MASK_TEXT];

	ret->n_nodes = 0;
	for (unsigned number = 0; dir >= 0 && number < NUMA_MAX_NODES; number++) {
		struct numa_node *node = &ret->nodes[ret->n_nodes];

		*node = (struct numa_node){.number = number};
		snprintf(path, sizeof(path), "node%u/cpumap", number);
		if (proc_read(dir, path, mask, sizeof(mask)) <= 0)
			continue;
		if (!target_cpus_parse(mask, &node->cpus))
			return false;
		ret->n_nodes++;
	}
	snprintf(path, sizeof(path), "node%u", NUMA_MAX_NODES);
	return ret->n_nodes && faccessat(dir, path, F_OK, 0) != 0;
}

static bool is_sampled(const struct proc_map *map)
{
	return map->read && map->write && map->end > map->start;
}

/*
 * Return the weight of a mapping, in bytes. Reservations of terabytes have few pages: no mapping has more than
 * @resident.
 */
static uint64_t weigh(const struct proc_map *map, uint64_t resident)
{
	uint64_t size = is_sampled(map) ? map->end - map->start : 0;

	return size < resident ? size : resident;
}

/* Read how much memory of the process is present, in bytes. */
static uint64_t read_resident(int dir)
{
	unsigned long all, pages;
	char text[128];

	if (proc_read(dir, "statm", text, sizeof(text)) <= 0 || sscanf(text, "%lu %lu", &all, &pages) != 2)
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Choose pages of the writable mappings of @text, at equal distances within each of them. Return their number. */
static size_t choose_pages(const char *text, const char *end, uint64_t resident, void *ret[NUMA_MAX_SAMPLES])
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), all = 0, passed = 0;
	const char *at = text;
	struct proc_map map;
	size_t n = 0;

	while (proc_next_map(&at, end, &map))
		all += weigh(&map, resident);
	uint64_t distance = all / NUMA_MAX_SAMPLES > page ? all / NUMA_MAX_SAMPLES : page;
	at = text;
	while (proc_next_map(&at, end, &map)) {
		uint64_t weight = weigh(&map, resident);

		for (; n < NUMA_MAX_SAMPLES && n * distance < passed + weight; n++) {
			double part = (double)(n * distance - passed) / (double)weight;

			ret[n] = (void *)(uintptr_t)((map.start + (uint64_t)(part * (double)(map.end - map.start))) /
						     page * page);
		}
		passed += weight;
	}
	return n;
}

bool numa_count_pages(struct target *t, struct numa *n)
{
	_cleanup_free_ char *text = NULL;
	void *pages[NUMA_MAX_SAMPLES];
	int status[NUMA_MAX_SAMPLES];
	size_t len;

	if (t->ops != &process_ops)
		return false;
	struct error *err = proc_read_all(process_dir(process_of(t)), "maps", PROC_MAX_MAPS, &text, &len);
	if (err) {
		error_destroy(err);
		return false;
	}
	size_t n_chosen = choose_pages(text, text + len, read_resident(process_dir(process_of(t))), pages);
	/* Without a list of nodes the kernel only reports where the pages are. */
	if (!n_chosen || syscall(SYS_move_pages, t->pid, n_chosen, pages, NULL, status, 0) != 0)
		return false;
	n->n_pages = 0;
	for (size_t i = 0; i < n->n_nodes; i++)
		n->nodes[i].n_pages = 0;
	for (size_t i = 0; i < n_chosen; i++) {
		for (size_t k = 0; k < n->n_nodes; k++) {
			if (status[i] < 0 || (unsigned)status[i] != n->nodes[k].number)
				continue;
			n->nodes[k].n_pages++;
			n->n_pages++;
		}
	}
	return true;
}
