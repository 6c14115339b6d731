/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses /proc/PID/smaps line by line, and selects the memory for a core. */
#include "target/dump/dump_maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vector.h"

/* Mappings; the attributes of more are unknown. */
#define MAX_ROWS (1u << 20)

void dump_maps_deinit(struct dump_maps *m)
{
	free(m->rows);
	memset(m, 0, sizeof(*m));
}

/* Return the text after the key @name of a line; NULL: another key. */
static const char *value_of(const char *line, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && !memcmp(line, name, n) ? line + n : NULL;
}

/* Return whether the flags "rd wr mr dd" contain @flag. */
static bool has_flag(const char *flags, const char *end, const char *flag)
{
	for (; end - flags >= 3; flags++) {
		if (flags[0] == ' ' && flags[1] == flag[0] && flags[2] == flag[1])
			return true;
	}
	return false;
}

bool dump_maps_add_line(struct dump_maps *m, const char *line, size_t len)
{
	const char *end = line + len, *at = line, *value;
	struct proc_map map;

	if (proc_next_map(&at, end, &map)) {
		if (m->n == MAX_ROWS)
			return true;
		if (!VECTOR_GROW(m->rows, m->n, m->cap))
			return false;
		m->rows[m->n++] = (struct dump_attributes){.start = map.start, .end = map.end};
		return true;
	}
	if (!m->n)
		return true;
	struct dump_attributes *last = &m->rows[m->n - 1];
	value = value_of(line, len, "Anonymous:");
	for (; value && value < end; value++)
		last->is_changed |= *value >= '1' && *value <= '9';
	value = value_of(line, len, "VmFlags:");
	/* Do not dump, memory of a device, and pages that the kernel does not manage. */
	if (value)
		last->is_excluded =
			has_flag(value, end, "dd") || has_flag(value, end, "io") || has_flag(value, end, "pf");
	return true;
}

struct error *dump_maps_read(struct dump_maps *m, int dirfd)
{
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	bool ok = true;

	int fd = openat(dirfd, "smaps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	FILE *file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return &error_nomem;
	}
	while (ok && (len = getline(&line, &cap, file)) > 0)
		ok = dump_maps_add_line(m, line, (size_t)len - (line[len - 1] == '\n'));
	fclose(file);
	return ok ? NULL : &error_nomem;
}

/* Return the attributes at @addr. A new mapping has none: assume that the process has changed it. */
static struct dump_attributes attributes_at(const struct dump_maps *m, uint64_t addr)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addr < m->rows[mid].start)
			high = mid;
		else if (addr >= m->rows[mid].end)
			low = mid + 1;
		else
			return m->rows[mid];
	}
	return (struct dump_attributes){.is_changed = true};
}

uint64_t dump_maps_size(const struct dump_maps *m, const struct proc_map *map, uint64_t page)
{
	struct dump_attributes a = attributes_at(m, map->start);
	uint64_t size = map->end - map->start;

	if (!map->read || a.is_excluded || size > DUMP_MAX_MAPPING)
		return 0;
	/* Anonymous shared memory is a file without a name. */
	if (map->shared)
		return map->deleted ? size : 0;
	if (!map->inode || map->write || map->deleted || a.is_changed)
		return size;
	/* The ELF header and the build-id of a program or library; the rest is in its file. */
	return map->offset ? 0 : page;
}
