/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads counts before states. The kernel reports the system call of a thread only if the thread is off its processor
 * and stays so during the report. A state letter (S, D) would prove less: a thread has it while it still runs, on its
 * way to sleep, and may return from there without a new count.
 */
#include "target/process/sleepers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/by_tid.h"
#include "base/file_limit.h"
#include "base/vector.h"
#include "target/arch/syscalls.h"
#include "target/proc/proc.h"

/* The share of the limit of open files: two files for each thread, and as many for other purposes. */
#define FILES_SHARE 4
#define STATUS_SIZE 8192

static void close_files(struct sleeper *e)
{
	close(e->counts_fd);
	close(e->call_fd);
}

void sleepers_deinit(struct sleepers *s)
{
	for (size_t i = 0; i < s->n; i++)
		close_files(&s->threads[i]);
	free(s->threads);
	*s = (struct sleepers){0};
}

static int open_file(int taskfd, pid_t tid, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/%s", (int)tid, name);
	return openat(taskfd, path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_file(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* Read how often the thread got a processor. Kernels without these statistics write "0 0 0": return 0. */
static bool read_runs(int fd, uint64_t *ret)
{
	char text[128];

	if (read_file(fd, text, sizeof(text)) <= 0)
		return false;
	const char *last = strrchr(text, ' ');
	return last && sscanf(last, "%" SCNu64, ret) == 1;
}

/* Read how often the thread lost a processor. */
static bool read_switches(int fd, uint64_t *ret)
{
	char text[STATUS_SIZE];

	return read_file(fd, text, sizeof(text)) > 0 && proc_parse_switches(text, ret);
}

static bool read_count(const struct sleeper *e, uint64_t *ret)
{
	return e->counts_switches ? read_switches(e->counts_fd, ret) : read_runs(e->counts_fd, ret);
}

/*
 * Return whether the process may change while the thread sleeps in its call: the child of a vfork uses the same
 * memory, and an exec ends the other threads one by one.
 */
static bool changes_in_sleep(const struct target_activity *a)
{
	if (!a->in_syscall)
		return false;
	switch (a->syscall) {
	case SYS_vfork:
	case SYS_clone:
	case SYS_execve:
	case SYS_execveat:
#ifdef SYS_clone3
	case SYS_clone3:
#endif
		return true;
	default:
		return false;
	}
}

/* Return whether the thread sleeps. A thread that is ending has no stack. */
static bool read_call(const struct sleeper *e, struct target_activity *ret)
{
	char text[256];

	return read_file(e->call_fd, text, sizeof(text)) > 0 && proc_parse_syscall(text, ret) && ret->sp;
}

/* Read the count, and the activity unless that is the same. Return false if the thread is gone. */
static bool update(struct sleeper *e)
{
	struct target_activity activity = {0};
	uint64_t count, again;

	if (!read_count(e, &count))
		return false;
	if (e->is_asleep && count == e->count && !e->counts_switches)
		return true;
	bool is_asleep = read_call(e, &activity);
	/* A thread that runs between two sleeps has lost its processor once more. */
	if (is_asleep && e->counts_switches)
		is_asleep = read_count(e, &again) && again == count;
	e->ran |= !e->is_asleep || !is_asleep || count != e->count;
	e->is_asleep = is_asleep;
	e->count = count;
	e->activity = activity;
	return true;
}

/* Open the files of @tid and read them. Return false if the thread is gone, or no more files can be open. */
static bool open_sleeper(struct sleeper *e, int taskfd, pid_t tid)
{
	uint64_t runs = 0;

	*e = (struct sleeper){.tid = tid, .counts_fd = open_file(taskfd, tid, "schedstat")};
	if (e->counts_fd < 0 || (read_runs(e->counts_fd, &runs) && !runs)) {
		if (e->counts_fd >= 0)
			close(e->counts_fd);
		e->counts_switches = true;
		e->counts_fd = open_file(taskfd, tid, "status");
	}
	if (e->counts_fd < 0)
		return false;
	e->call_fd = open_file(taskfd, tid, "syscall");
	if (e->call_fd >= 0 && update(e))
		return true;
	close(e->counts_fd);
	if (e->call_fd >= 0)
		close(e->call_fd);
	return false;
}

static bool has_space(struct sleepers *s)
{
	if (!s->max)
		s->max = file_limit_raise() / FILES_SHARE;
	return s->n < s->max;
}

static struct sleeper *find_sleeper(struct sleepers *s, pid_t tid)
{
	size_t at = BY_TID_PLACE_NEAR(s->threads, s->n, tid, &s->found);

	return at < s->n && s->threads[at].tid == tid ? &s->threads[at] : NULL;
}

static void drop_sleeper(struct sleepers *s, struct sleeper *e)
{
	close_files(e);
	s->n--;
	memmove(e, e + 1, (size_t)(s->threads + s->n - e) * sizeof(*e));
}

/* Return NULL if there is no such thread, or memory is exhausted. */
static struct sleeper *add_sleeper(struct sleepers *s, int taskfd, pid_t tid)
{
	struct sleeper e;

	if (!VECTOR_GROW(s->threads, s->n, s->cap) || !open_sleeper(&e, taskfd, tid))
		return NULL;
	size_t at = BY_TID_PLACE(s->threads, s->n, tid);
	memmove(&s->threads[at + 1], &s->threads[at], (s->n - at) * sizeof(e));
	s->threads[at] = e;
	s->n++;
	return &s->threads[at];
}

/* Forget the threads that are not in @tids. */
static void keep_only(struct sleepers *s, const pid_t *tids, size_t n)
{
	size_t kept = 0, k = 0;

	for (size_t i = 0; i < s->n; i++) {
		while (k < n && tids[k] < s->threads[i].tid)
			k++;
		if (k < n && tids[k] == s->threads[i].tid)
			s->threads[kept++] = s->threads[i];
		else
			close_files(&s->threads[i]);
	}
	s->n = kept;
}

/* Bring the entry of @tid up to date for a new proof. Return false if the thread is gone. */
static bool begin_one(struct sleepers *s, int taskfd, pid_t tid)
{
	struct sleeper *e = find_sleeper(s, tid);

	if (e)
		e->is_excluded |= e->ran;
	if (e && !update(e)) {
		drop_sleeper(s, e);
		return false;
	}
	if (!e) {
		/* The proof does not rely on a thread without space for its files. */
		if (!has_space(s))
			return true;
		e = add_sleeper(s, taskfd, tid);
		if (!e)
			return false;
	}
	e->is_relied_on = e->is_asleep && !e->is_excluded && !changes_in_sleep(&e->activity);
	e->ran = false;
	return true;
}

bool sleepers_begin(struct sleepers *s, int taskfd, const pid_t *tids, size_t n)
{
	bool all = true;

	keep_only(s, tids, n);
	s->is_proving = true;
	s->is_broken = false;
	for (size_t i = 0; i < n; i++)
		all &= begin_one(s, taskfd, tids[i]);
	return all;
}

void sleepers_exclude(struct sleepers *s, pid_t tid)
{
	struct sleeper *e = find_sleeper(s, tid);

	if (e)
		e->is_excluded = true;
}

void sleepers_reset(struct sleepers *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->threads[i].is_excluded = s->threads[i].ran = false;
}

bool sleepers_rely_on(struct sleepers *s, pid_t tid)
{
	const struct sleeper *e = find_sleeper(s, tid);

	return e && e->is_relied_on;
}

bool sleepers_slept(struct sleepers *s)
{
	bool slept = !s->is_broken;

	s->is_proving = false;
	for (size_t i = 0; i < s->n; i++) {
		struct sleeper *e = &s->threads[i];

		if (e->is_relied_on && (!update(e) || e->ran)) {
			e->ran = true;
			slept = false;
		}
	}
	return slept;
}

bool sleepers_one_slept(struct sleepers *s, pid_t tid)
{
	const struct sleeper *e = find_sleeper(s, tid);

	return e && e->is_relied_on && !e->ran;
}

void sleepers_read(struct sleepers *s, int taskfd, pid_t tid, struct target_activity *ret)
{
	struct sleeper once, *e = find_sleeper(s, tid);

	if (e && !update(e)) {
		s->is_broken |= e->is_relied_on;
		drop_sleeper(s, e);
		e = NULL;
	}
	if (!e && !has_space(s) && !s->is_proving)
		sleepers_deinit(s);
	if (!e && has_space(s))
		e = add_sleeper(s, taskfd, tid);
	if (!e && !has_space(s) && open_sleeper(&once, taskfd, tid)) {
		close_files(&once);
		e = &once;
	}
	if (e && e->is_asleep)
		*ret = e->activity;
}

bool sleepers_recall(struct sleepers *s, pid_t tid, struct target_activity *ret)
{
	const struct sleeper *e = find_sleeper(s, tid);

	if (!e || !e->is_relied_on)
		return false;
	*ret = e->activity;
	return true;
}
