/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descendants of a process: one pass over /proc for the parents, then the closure. */
#include "offspring.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "processes.h"
#include "text.h"

struct process {
	pid_t pid, parent;
	int is_below;
};

/* Read state and parent. Returns 0 if the process has exited. */
static int read_stat(int proc, const char *pid, char *state_ret, pid_t *parent_ret)
{
	char path[300], text[1024];
	int parent;

	snprintf(path, sizeof(path), "%s/stat", pid);
	const char *fields = processes_read_stat(proc, path, text, sizeof(text));
	if (!fields || sscanf(fields, " %c %d", state_ret, &parent) != 2)
		return 0;
	*parent_ret = parent;
	return 1;
}

static int has_ended(char state)
{
	return state == 'Z' || state == 'X';
}

int offspring_is_alive(pid_t pid)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), is_there = 0;
	char name[16], state = 'X';
	pid_t parent;

	snprintf(name, sizeof(name), "%d", (int)pid);
	if (proc >= 0) {
		is_there = read_stat(proc, name, &state, &parent) && !has_ended(state);
		close(proc);
	}
	return is_there;
}

static struct process *list_processes(size_t *n_ret)
{
	struct process *all = NULL;
	size_t n = 0, cap = 0;
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t parent;
		int64_t pid;
		char state;

		if (!number_parse(entry->d_name, 1, INT_MAX, &pid) ||
		    !read_stat(dirfd(dir), entry->d_name, &state, &parent) || has_ended(state))
			continue;
		TEXT_GROW(all, n, cap);
		all[n++] = (struct process){(pid_t)pid, parent, 0};
	}
	if (dir)
		closedir(dir);
	*n_ret = n;
	return all;
}

size_t offspring_list(pid_t ancestor, pid_t **ret)
{
	size_t n, found = 0, before;
	struct process *all = list_processes(&n);
	pid_t *pids = text_calloc(n + 1, sizeof(*pids));

	/* Search generation by generation: each process found is searched for children in turn. */
	for (size_t i = 0; i < n; i++) {
		if (all[i].parent == ancestor && all[i].pid != ancestor) {
			all[i].is_below = 1;
			pids[found++] = all[i].pid;
		}
	}
	for (before = 0; before < found; before++) {
		for (size_t i = 0; i < n; i++) {
			if (all[i].is_below || all[i].parent != pids[before] || all[i].pid == ancestor)
				continue;
			all[i].is_below = 1;
			pids[found++] = all[i].pid;
		}
	}
	free(all);
	*ret = pids;
	return found;
}
