/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process's proof that its threads sleep; see process.h. */
#include "target/process/process.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "target/proc/proc.h"
#include "target/stop/stopper.h"

/* The number of attempts to get a list without a thread that has exited. */
#define MAX_LISTS   3
#define STATUS_SIZE 8192

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* Return false if memory is exhausted or a thread is gone. */
static bool begin_sleepers(struct process *p)
{
	size_t n = p->base.n_threads;
	_cleanup_free_ pid_t *tids = malloc((n ? n : 1) * sizeof(*tids));

	if (!tids)
		return false;
	for (size_t i = 0; i < n; i++)
		tids[i] = p->base.threads[i].tid;
	qsort(tids, n, sizeof(*tids), compare_tids);
	return sleepers_begin(&p->sleepers, p->taskfd, tids, n);
}

static size_t count_running(struct process *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->base.n_threads; i++)
		n += !sleepers_rely_on(&p->sleepers, p->base.threads[i].tid);
	return n;
}

/* Return whether another program traces the process: it may write the memory of a thread that sleeps. */
static bool has_other_tracer(struct process *p)
{
	const struct stopper *s = p->base.stopper;
	struct proc_status status;
	char text[STATUS_SIZE];

	if (s && s->ops->is_traced(s))
		return false;
	return proc_read(process_dir(p), "status", text, sizeof(text)) <= 0 || !proc_parse_status(text, &status) ||
	       status.tracer_pid;
}

bool process_begin_proof(struct target *t, size_t *n_running_ret)
{
	struct process *p = process_of(t);

	if (has_other_tracer(p))
		return false;
	for (int i = 0; i < MAX_LISTS; i++) {
		struct error *err = process_need_list(p, i > 0);

		if (err) {
			error_destroy(err);
			return false;
		}
		bool is_current = begin_sleepers(p);
		*n_running_ret = count_running(p);
		/*
		 * The stop of running threads finds new ones. Without it, an equal count excludes them: no sleeping
		 * thread creates one.
		 */
		if (*n_running_ret || (is_current && process_has_list(p)))
			return true;
	}
	return false;
}

bool process_end_proof(struct target *t)
{
	return sleepers_slept(&process_of(t)->sleepers);
}

bool process_has_slept(struct target *t, pid_t tid)
{
	return sleepers_one_slept(&process_of(t)->sleepers, tid);
}

void process_reset_proof(struct target *t)
{
	sleepers_reset(&process_of(t)->sleepers);
}

void process_need_registers(struct target *t, pid_t tid)
{
	sleepers_exclude(&process_of(t)->sleepers, tid);
}
