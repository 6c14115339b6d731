/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A target's list of threads, and searches in it. */
#include "target/target.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/by_tid.h"
#include "base/cleanup.h"
#include "base/vector.h"
#include "target/target_ops.h"

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a;
	pid_t y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* The first entry is the main thread, wherever its tid sorts. */
struct target_thread *target_find_thread(struct target *t, pid_t tid)
{
	if (!t->n_threads)
		return NULL;
	size_t first = t->threads[0].tid == t->pid;

	if (first && tid == t->pid)
		return &t->threads[0];
	size_t n = t->n_threads - first, i = BY_TID_PLACE(t->threads + first, n, tid) + first;

	return i < t->n_threads && t->threads[i].tid == tid ? &t->threads[i] : NULL;
}

struct error *target_set_threads(struct target *t, const pid_t *tids, size_t n, bool *changed_ret)
{
	_cleanup_free_ pid_t *sorted = malloc((n ? n : 1) * sizeof(*sorted));
	struct target_thread *threads = calloc(n ? n : 1, sizeof(*threads));

	if (!sorted || !threads) {
		free(threads);
		return &error_nomem;
	}
	memcpy(sorted, tids, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_tids);
	size_t k = 0, kept = 0;
	bool has_main = bsearch(&t->pid, sorted, n, sizeof(*sorted), compare_tids) != NULL;
	if (has_main)
		threads[k++].tid = t->pid;
	for (size_t i = 0; i < n; i++) {
		if (sorted[i] != t->pid && (i == 0 || sorted[i] != sorted[i - 1]))
			threads[k++].tid = sorted[i];
	}
	for (size_t i = 0; i < k; i++) {
		const struct target_thread *old = target_find_thread(t, threads[i].tid);

		if (old) {
			threads[i] = *old;
			kept++;
		}
	}
	*changed_ret = kept != k || kept != t->n_threads;
	if (*changed_ret)
		t->threads_generation++;
	free(t->threads);
	t->threads = threads;
	t->n_threads = k;
	t->by_pthread_valid = false;
	return NULL;
}

bool target_count_threads(struct target *t, size_t *ret)
{
	const struct target_thread *threads;
	char path[64];
	struct stat st;

	if (t->mode == TARGET_CORE) {
		struct error *err = target_threads(t, &threads, ret);

		error_destroy(err);
		return !err;
	}
	if (t->task_dir < 0) {
		snprintf(path, sizeof(path), "/proc/%d/task", (int)t->pid);
		t->task_dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	/* procfs counts a link for each thread in addition to "." and ".."; for an exited process it counts none. */
	if (t->task_dir < 0 || fstat(t->task_dir, &st) < 0 || st.st_nlink <= 2)
		return false;
	*ret = st.st_nlink - 2;
	return true;
}

static struct error *need_threads(struct target *t)
{
	if (!t->threads_valid) {
		struct error *err = t->ops->list_threads(t);

		if (err)
			return err;
		t->threads_valid = true;
	}
	if (!t->pthreads_valid) {
		/* Set first: filling reads memory, which may call this function. */
		t->pthreads_valid = true;
		if (t->ops->fill_pthreads)
			t->ops->fill_pthreads(t);
	}
	return NULL;
}

struct error *target_threads(struct target *t, const struct target_thread **ret, size_t *n_ret)
{
	struct error *err = need_threads(t);

	if (err)
		return err;
	*ret = t->threads;
	*n_ret = t->n_threads;
	return NULL;
}

const struct target_thread *target_thread_by_tid(struct target *t, pid_t tid)
{
	struct error *err = need_threads(t);

	if (err) {
		error_destroy(err);
		return NULL;
	}
	return target_find_thread(t, tid);
}

static int compare_pthreads(const void *a, const void *b)
{
	const struct target_thread *x = *(const struct target_thread *const *)a;
	const struct target_thread *y = *(const struct target_thread *const *)b;

	return x->pthread < y->pthread ? -1 : x->pthread > y->pthread;
}

static bool index_pthreads(struct target *t)
{
	if (!VECTOR_RESERVE(t->by_pthread, t->n_threads, t->cap_by_pthread))
		return false;
	t->n_by_pthread = 0;
	for (size_t i = 0; i < t->n_threads; i++) {
		if (t->threads[i].pthread)
			t->by_pthread[t->n_by_pthread++] = &t->threads[i];
	}
	qsort(t->by_pthread, t->n_by_pthread, sizeof(*t->by_pthread), compare_pthreads);
	t->by_pthread_valid = true;
	return true;
}

const struct target_thread *target_thread_by_pthread(struct target *t, uint64_t pthread)
{
	struct target_thread key = {.pthread = pthread};
	const struct target_thread *keyp = &key;
	struct error *err = need_threads(t);

	if (err) {
		error_destroy(err);
		return NULL;
	}
	if (!pthread || (!t->by_pthread_valid && !index_pthreads(t)))
		return NULL;
	const struct target_thread **found =
		bsearch(&keyp, t->by_pthread, t->n_by_pthread, sizeof(*t->by_pthread), compare_pthreads);
	return found ? *found : NULL;
}
