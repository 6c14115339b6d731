/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds processes by id or by name in /proc. */
#include "processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/path.h"

static const char deleted[] = " (deleted)";

static int compare_pids(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

int processes_has(const struct processes *p, long pid)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->pids[i] == pid)
			return 1;
	}
	return 0;
}

struct error *processes_add(struct processes *p, long pid)
{
	if (processes_has(p, pid))
		return NULL;
	if (p->n == PROCESSES_MAX)
		return failure_usage("give their process ids", "more than %d processes", PROCESSES_MAX);
	p->pids[p->n++] = pid;
	return NULL;
}

void processes_remove(struct processes *p, long pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->pids[i] != pid)
			p->pids[kept++] = p->pids[i];
	}
	p->n = kept;
}

int processes_read(int at, const char *path, char *text, size_t size)
{
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

const char *processes_read_stat(int at, const char *path, char *text, size_t size)
{
	const char *close_paren = processes_read(at, path, text, size) ? strrchr(text, ')') : NULL;

	return close_paren ? close_paren + 1 : NULL;
}

/* Return whether @name is the program that runs in @folder of /proc, or its command name. */
static int is_named(int folder, const char *name)
{
	char text[PATH_MAX];

	if (processes_read(folder, "comm", text, sizeof(text))) {
		text[strcspn(text, "\n")] = 0;
		if (!strcmp(text, name))
			return 1;
	}
	ssize_t n = readlinkat(folder, "exe", text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = 0;
	size_t len = (size_t)n, tail = sizeof(deleted) - 1;
	if (len > tail && !strcmp(text + len - tail, deleted))
		text[len - tail] = 0;
	return !strcmp(path_file_name(text), name);
}

static struct error *find_named_processes(DIR *dir, const char *name, struct processes *p, int *found_ret)
{
	struct error *f = NULL;
	struct dirent *entry;

	while (!f && (entry = readdir(dir))) {
		int64_t pid;
		struct stat st;

		if (!number_parse(entry->d_name, 1, INT_MAX, &pid) || pid == getpid())
			continue;
		int folder = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (folder < 0)
			continue;
		if (fstat(folder, &st) == 0 && (geteuid() == 0 || st.st_uid == geteuid()) && is_named(folder, name)) {
			f = processes_add(p, pid);
			*found_ret = 1;
		}
		close(folder);
	}
	return f;
}

struct error *processes_find(const char *proc, const char *word, struct processes *ret)
{
	size_t before = ret->n;
	int found = 0;
	int64_t pid;

	if (number_parse(word, 1, INT_MAX, &pid))
		return processes_add(ret, pid);
	DIR *dir = opendir(proc);
	if (!dir)
		return failure_usage("give the process id", "cannot read %s: %m", proc);
	struct error *f = find_named_processes(dir, word, ret, &found);
	closedir(dir);
	if (f)
		return f;
	qsort(ret->pids + before, ret->n - before, sizeof(*ret->pids), compare_pids);
	if (found)
		return NULL;
	return failure_create(ERR_ANSWER, "no_such_process", "ompdctl ps lists OpenMP processes",
			      "no process that you may examine has the name %s", word);
}
