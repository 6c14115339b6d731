/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of the threads, regions and tasks of checker.c, and its counts of events. */
#ifndef TESTS_CHECKER_STATE_H
#define TESTS_CHECKER_STATE_H

#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREAD = 0x7412, REGION, TASK };
enum { CREATED, RUNNING, WAITING, DETACHED, DONE };

struct thing {
	int what;
};

struct region {
	struct thing thing;
	struct task *encountering;
	unsigned actual, n_begun, n_ended;
	int is_over, is_league;
};

struct task {
	struct thing thing;
	int state, flags, is_fulfilled;
	struct task *parent, *interrupted;
	struct region *region;
	unsigned index;
};

struct agent {
	struct thing thing;
	ompt_thread_t type;
	struct task *current;
	int n_syncs;
	ompt_wait_id_t wanted, tested;
	ompt_work_t works[8];
	uint64_t counts[8];
	unsigned n_works;
};

static struct {
	unsigned threads, initial, workers, ended, regions, regions_ended, leagues, implicit, implicit_ended, initial_tasks,
		initial_tasks_ended, tasks, scheduled, completed, cancelled, detached, yields, early, late, undeferred, final,
		dependent, dependences, taskwaits, targets, targets_ended, barriers, copies, acquired, released,
		nested, nested_ended, locks, locks_destroyed, errors, works, works_ended, chunks,
		iterations, sections, pairs,
		activated, discarded, max_requested, finalized;
} count;

static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;
static ompt_finalize_tool_t finalize_tool;
static ompt_get_task_memory_t get_task_memory;

#define ADD(name) __atomic_add_fetch(&count.name, 1, __ATOMIC_RELAXED)
#define CHECK(condition)                                                                                         \
	do {                                                                                                     \
		if (!(condition)) {                                                                              \
			fprintf(stderr, "checker: %s:%d: %s\n", __func__, __LINE__, #condition);                 \
			abort();                                                                                 \
		}                                                                                                \
	} while (0)

static void *thing(ompt_data_t *data, int what)
{
	CHECK(data && data->ptr);
	struct thing *t = data->ptr;
	CHECK(t->what == what);
	return t;
}

static struct agent *self(void)
{
	return thing(get_thread_data(), THREAD);
}

/* Freed objects stay, so that a later use of them is detected. */
static void *new(ompt_data_t *data, size_t size, int what)
{
	CHECK(data && data->value == 0);
	struct thing *t = calloc(1, size);
	t->what = what;
	data->ptr = t;
	return t;
}

/* The current task and those around it, as the runtime has them. */
static void ask(const struct task *task)
{
	ompt_data_t *data = NULL, *region = NULL;
	ompt_frame_t *frame = NULL;
	int level = 0, flags = 0, number = -1;

	for (; task && level < 10; task = task->interrupted ? task->interrupted : task->region ? task->region->encountering : NULL) {
		CHECK(get_task_info(level++, &flags, &data, &frame, &region, &number) == 2);
		CHECK(data->ptr == task && frame);
		CHECK((flags & 7) == (task->flags & 7));
		if (task->flags & ompt_task_implicit) {
			CHECK(region->ptr == task->region);
			CHECK(number == (int)task->index);
		}
		if (task->flags & ompt_task_initial && !(task->region && task->region->is_league))
			break;
	}
}

/* Write the counts as JSON. */
static void write_counts(FILE *out)
{
	fputc('{', out);
#define PRINT(name) fprintf(out, "\"" #name "\": %u, ", count.name)
	PRINT(threads), PRINT(initial), PRINT(workers), PRINT(ended), PRINT(regions), PRINT(regions_ended), PRINT(leagues);
	PRINT(implicit), PRINT(implicit_ended), PRINT(initial_tasks), PRINT(initial_tasks_ended), PRINT(tasks);
	PRINT(scheduled), PRINT(completed), PRINT(cancelled), PRINT(detached), PRINT(yields), PRINT(early), PRINT(late);
	PRINT(undeferred), PRINT(final), PRINT(dependent), PRINT(dependences), PRINT(taskwaits), PRINT(targets);
	PRINT(targets_ended), PRINT(barriers), PRINT(copies), PRINT(acquired), PRINT(released), PRINT(nested), PRINT(nested_ended), PRINT(locks);
	PRINT(locks_destroyed), PRINT(errors), PRINT(works), PRINT(works_ended), PRINT(chunks), PRINT(iterations);
	PRINT(sections), PRINT(pairs), PRINT(activated), PRINT(discarded), PRINT(max_requested);
	fprintf(out, "\"pid\": %d}\n", (int)getpid());
}

#endif
