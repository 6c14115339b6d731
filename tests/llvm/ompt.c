/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompt MODE: regions and tasks that an OMPT tool in this very program has numbered.
 * Each thread prints its omp_get_*() answers, and in "ompt" what OMPT reports about the thread.
 * "regions" and "tasks" have the numbers of the enclosing ones, innermost first, as noted on the way in.
 * OMPT's own ancestors are wrong for explicit tasks in serialized nests.
 * Modes: flat N, if0, one, mixed, task_in_nest, undeferred, final, chain, critical, lock, ordered, taskwait, barrier,
 * teams.
 * In the mode teams, the first of several teams stays.
 */
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#define MAX_NOTES 32

static ompt_get_state_t get_state;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;
static unsigned long last;
static int entered;

/* The regions and tasks encountered on the way in; regions pass them to their threads by value. */
struct notes {
	unsigned long regions[MAX_NOTES], tasks[MAX_NOTES];
	int n_regions, n_tasks;
};

static unsigned long next(void)
{
	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
	(void)type;
	thread->value = next();
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned size,
			      int flags, const void *code)
{
	(void)task, (void)frame, (void)size, (void)flags, (void)code;
	parallel->value = next();
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
			     unsigned index, int flags)
{
	(void)size, (void)index;
	if (at != ompt_scope_begin)
		return;
	task->value = next();
	if ((flags & ompt_task_initial) && parallel && !parallel->value)
		parallel->value = next();
}

static void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags, int depends,
			   const void *code)
{
	(void)task, (void)frame, (void)flags, (void)depends, (void)code;
	created->value = next();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	get_state = (ompt_get_state_t)lookup("ompt_get_state");
	get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
	get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
	get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
	set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
	set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
	set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
	set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	static ompt_start_tool_result_t result = {initialize, finalize, {0}};

	(void)version, (void)runtime;
	return &result;
}

static unsigned long task_here(int *flags_ret)
{
	ompt_data_t *task = NULL, *parallel = NULL;
	ompt_frame_t *frame = NULL;
	int num = 0;

	return get_task_info && get_task_info(0, flags_ret, &task, &frame, &parallel, &num) == 2 && task ? task->value : 0;
}

/* A region was entered, together with its implicit task. */
static struct notes region(struct notes notes)
{
	ompt_data_t *parallel = NULL;
	int size = 0, flags = 0;

	if (notes.n_regions == MAX_NOTES || notes.n_tasks == MAX_NOTES)
		abort();
	if (get_parallel_info)
		get_parallel_info(0, &parallel, &size);
	notes.regions[notes.n_regions++] = parallel ? parallel->value : 0;
	notes.tasks[notes.n_tasks++] = task_here(&flags);
	return notes;
}

static struct notes task(struct notes notes)
{
	int flags = 0;

	if (notes.n_tasks == MAX_NOTES)
		abort();
	notes.tasks[notes.n_tasks++] = task_here(&flags);
	return notes;
}

static int print_list(char *out, const char *name, const unsigned long *numbers, int n)
{
	int len = sprintf(out, "\"%s\":[", name);

	for (int i = n - 1; i >= 0; i--)
		len += sprintf(out + len, "%lu%s", numbers[i], i ? "," : "");
	return len + sprintf(out + len, "]");
}

static void say(struct notes notes, const char *by, const char *states)
{
	char text[1000];
	int len = 0, flags = 0;
	ompt_wait_id_t wait = 0;

	if (get_state) {
		int state = get_state(&wait);

		task_here(&flags);
		len = sprintf(text, "\"ompt\":{\"state\":%d,\"thread\":%lu,\"task_flags\":%d},", state,
			      (unsigned long)get_thread_data()->value, flags);
		len += print_list(text + len, "regions", notes.regions, notes.n_regions);
		text[len++] = ',';
		len += print_list(text + len, "tasks", notes.tasks, notes.n_tasks);
		text[len++] = ',';
	}
	snprintf(text + len, sizeof(text) - len, "\"states\":[%s]", states);
	oracle_say(by, "%s", text);
}

static void stay(struct notes notes)
{
	say(notes, BY_PAUSE, "\"ompt_state_work_parallel\"");
	__atomic_add_fetch(&entered, 1, __ATOMIC_RELEASE);
	park();
}

static void wait_here(struct notes notes, const char *states)
{
	park_await(&entered, 1);
	/*
	 * The runtime's locks spin for ever, and its barriers spin for the block time: /proc does not show the start of
	 * a wait.
	 */
	say(notes, BY_RUN, states);
}

static void nests(const char *mode, struct notes outer)
{
	if (strcmp(mode, "if0") == 0) {
		park_begin(2);
#pragma omp parallel num_threads(2) firstprivate(outer)
		{
			struct notes a = region(outer);
#pragma omp parallel num_threads(3) if (0) firstprivate(a)
			{
				struct notes b = region(a);
#pragma omp parallel num_threads(3) if (0) firstprivate(b)
				stay(region(b));
			}
		}
	} else if (strcmp(mode, "one") == 0) {
		park_begin(2);
#pragma omp parallel num_threads(2) firstprivate(outer)
		{
			struct notes a = region(outer);
#pragma omp parallel num_threads(1) firstprivate(a)
			{
				struct notes b = region(a);
#pragma omp parallel num_threads(1) firstprivate(b)
				{
					struct notes c = region(b);
#pragma omp parallel num_threads(1) firstprivate(c)
					stay(region(c));
				}
			}
		}
	} else if (strcmp(mode, "mixed") == 0) {
		park_begin(4);
#pragma omp parallel num_threads(1) firstprivate(outer)
		{
			struct notes a = region(outer);
#pragma omp parallel if (0) firstprivate(a)
			{
				struct notes b = region(a);
#pragma omp parallel num_threads(2) firstprivate(b)
				{
					struct notes c = region(b);
#pragma omp parallel if (0) firstprivate(c)
					{
						struct notes d = region(c);
#pragma omp parallel num_threads(1) firstprivate(d)
						{
							struct notes e = region(d);
#pragma omp parallel num_threads(2) firstprivate(e)
							stay(region(e));
						}
					}
				}
			}
		}
	} else {
		park_begin(2);
#pragma omp parallel num_threads(2) firstprivate(outer)
		{
			struct notes a = region(outer);
#pragma omp parallel if (0) firstprivate(a)
			{
				struct notes b = region(a);
#pragma omp parallel if (0) firstprivate(b)
				{
					struct notes c = region(b);
#pragma omp task firstprivate(c)
					{
						struct notes d = task(c);
#pragma omp task if (0) firstprivate(d)
						stay(task(d));
					}
				}
			}
		}
	}
}

static void tasks(const char *mode, struct notes outer)
{
	park_begin(2);
#pragma omp parallel num_threads(2) firstprivate(outer)
	{
		struct notes a = region(outer);

		if (strcmp(mode, "undeferred") == 0) {
#pragma omp task if (0) firstprivate(a)
			stay(task(a));
		} else if (strcmp(mode, "final") == 0) {
#pragma omp task final(1) firstprivate(a)
			{
				struct notes b = task(a);
#pragma omp task firstprivate(b)
				stay(task(b));
			}
#pragma omp taskwait
		} else if (strcmp(mode, "chain") == 0) {
			if (omp_get_thread_num() == 0) {
#pragma omp task firstprivate(a)
				{
					struct notes b = task(a);
#pragma omp task firstprivate(b)
					stay(task(b));
					park_await(&entered, 1);
					stay(b);
				}
			}
		} else if (omp_get_thread_num() == 0) { /* taskwait */
#pragma omp task firstprivate(a)
			stay(task(a));
			wait_here(a, "\"ompt_state_work_parallel\",\"ompt_state_overhead\",\"ompt_state_wait_taskwait\"");
#pragma omp taskwait
		}
	}
}

static void waits(const char *mode, struct notes outer)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
	park_begin(2);
#pragma omp parallel num_threads(2) firstprivate(outer)
	{
		struct notes a = region(outer);
		int me = omp_get_thread_num();

		if (strcmp(mode, "critical") == 0) {
			if (me)
				wait_here(a, "\"ompt_state_wait_lock\",\"ompt_state_wait_critical\"");
#pragma omp critical
			stay(a);
		} else if (strcmp(mode, "lock") == 0) {
			if (me)
				wait_here(a, "\"ompt_state_wait_lock\"");
			omp_set_lock(&lock);
			stay(a);
		} else if (strcmp(mode, "ordered") == 0) {
#pragma omp for ordered schedule(static, 1)
			for (int i = 0; i < 2; i++) {
				if (i)
					wait_here(a, "\"ompt_state_wait_ordered\"");
#pragma omp ordered
				stay(a);
			}
		} else { /* barrier */
			if (!me)
				stay(a);
			wait_here(a, "\"ompt_state_wait_barrier_explicit\"");
#pragma omp barrier
		}
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "flat";
	struct notes outer = {0};

	omp_set_max_active_levels(8);
	outer = region(outer); /* the initial one */
	if (strcmp(mode, "flat") == 0) {
		int n = argc > 2 ? atoi(argv[2]) : 4;

		park_begin(n);
#pragma omp parallel num_threads(n) firstprivate(outer)
		stay(region(outer));
	} else if (strcmp(mode, "teams") == 0) {
		park_begin(2);
#pragma omp teams num_teams(2) firstprivate(outer)
		{
			struct notes a = region(outer);
#pragma omp parallel num_threads(2) firstprivate(a)
			stay(region(a));
		}
	} else if (strcmp(mode, "if0") == 0 || strcmp(mode, "one") == 0 || strcmp(mode, "mixed") == 0 ||
		   strcmp(mode, "task_in_nest") == 0) {
		nests(mode, outer);
	} else if (strcmp(mode, "critical") == 0 || strcmp(mode, "lock") == 0 || strcmp(mode, "ordered") == 0 ||
		   strcmp(mode, "barrier") == 0) {
		waits(mode, outer);
	} else {
		tasks(mode, outer);
	}
}
