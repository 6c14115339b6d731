/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of dependences among siblings: which task waits for which. This file has stubs of the rest of the runtime. */
#include "core/task/depend.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "core/state/task.h"
#include "core/state/thread.h"
#include "core/sync/sleep.h"
#include "core/task/task_end.h"
#include "core/task/task_queue.h"

static struct thread thread;
static struct task parent;
static struct task *ready[100];
static int n_ready, n_released, n_tasks;

void task_ready(struct thread *t, struct task *task)
{
	(void)t;
	ready[n_ready++] = task;
}

void task_ready_for_all(struct thread *t, struct task *task)
{
	task_ready(t, task);
}

/* No thread sleeps. */
uint32_t sleep_fences;

void sleep_fence_slow(void)
{
}

void sleeper_wake_slow(uint32_t *asleep)
{
	(void)asleep;
}

void task_release(struct thread *t, struct task *task)
{
	(void)t;
	if (task->depend && !depend_node_release(task))
		return;
	free(task);
	n_released++;
}

static void setup(void)
{
	memset(&parent, 0, sizeof(parent));
	thread.task = &parent;
	n_ready = n_released = n_tasks = 0;
}

/* Everything that was allocated is freed when the parent ends. */
static void teardown(void)
{
	if (parent.depends)
		depend_table_destroy(&thread, &parent);
	ck_assert_int_eq(n_released, n_tasks);
}

/* @blocked: whether the task has to wait. */
static struct task *make(void *const *depend, bool blocked)
{
	struct task *task = calloc(1, sizeof(*task) + sizeof(struct depend_node));

	task->depend = (struct depend_node *)(task + 1);
	n_tasks++;
	ck_assert_int_eq(depend_is_satisfied(&parent, depend), !blocked);
	ck_assert_int_eq(depend_register(&thread, task, depend), !blocked);
	return task;
}

static void finish(struct task *task)
{
	depend_release_successors(&thread, task);
	task_release(&thread, task);
}

static char a, b;

/* The old layout: total, out, addresses. */
#define OUT(x)	     ((void *[]){(void *)1, (void *)1, &x})
#define IN(x)	     ((void *[]){(void *)1, (void *)0, &x})
#define OUT_IN(x, y) ((void *[]){(void *)2, (void *)1, &x, &y})

START_TEST(writers_follow_each_other)
{
	struct task *first = make(OUT(a), false), *second = make(OUT(a), true), *third = make(OUT(a), true);
	struct task *other = make(OUT(b), false);

	finish(first);
	ck_assert_int_eq(n_ready, 1);
	ck_assert_ptr_eq(ready[0], second);
	finish(second);
	ck_assert_int_eq(n_ready, 2);
	ck_assert_ptr_eq(ready[1], third);
	finish(third);
	ck_assert(depend_is_satisfied(&parent, OUT(a)));
	ck_assert(!depend_is_satisfied(&parent, IN(b)));
	finish(other);
}
END_TEST

START_TEST(readers_are_together_and_writers_wait_for_all)
{
	struct task *writer = make(OUT(a), false), *reader1 = make(IN(a), true), *reader2 = make(IN(a), true);
	struct task *last = make(OUT(a), true), *after = make(IN(a), true);

	finish(writer);
	ck_assert_int_eq(n_ready, 2);
	finish(reader2);
	ck_assert_int_eq(n_ready, 2);
	finish(reader1);
	ck_assert_int_eq(n_ready, 3);
	ck_assert_ptr_eq(ready[2], last);
	finish(last);
	ck_assert_ptr_eq(ready[3], after);
	finish(after);
}
END_TEST

START_TEST(a_reader_that_comes_late_waits_for_the_writer_only)
{
	struct task *writer = make(OUT(a), false), *reader = make(IN(a), true);

	finish(writer);
	struct task *late = make(IN(a), false);

	finish(late);
	finish(reader);
}
END_TEST

START_TEST(several_addresses)
{
	struct task *one = make(OUT(a), false), *two = make(OUT(b), false), *both = make(OUT_IN(a, b), true);

	finish(two);
	ck_assert_int_eq(n_ready, 0);
	finish(one);
	ck_assert_int_eq(n_ready, 1);
	finish(both);
}
END_TEST

START_TEST(a_task_does_not_wait_for_itself)
{
	struct task *one = make(OUT_IN(a, a), false), *two = make(OUT_IN(a, a), true);

	finish(one);
	ck_assert_int_eq(n_ready, 1);
	finish(two);
}
END_TEST

START_TEST(objects_and_the_newer_layout)
{
	struct depend_object in = {&a, DEPEND_IN}, inout = {&a, DEPEND_INOUT}, set = {&a, DEPEND_INOUTSET};
	void *object[] = {NULL, (void *)1, NULL, NULL, NULL, &in};
	void *all[] = {NULL, (void *)4, (void *)1, (void *)1, (void *)1, &a, &b, &b, &inout};
	struct task *one, *two, *set1, *set2;

	one = make(all, false);
	two = make(object, true);
	finish(one);
	object[5] = &set;
	set1 = make(object, true);
	set2 = make(object, true);
	finish(two);
	ck_assert_int_eq(n_ready, 3); /* both tasks of the set at once */
	object[5] = &in;
	two = make(object, true);
	finish(set1);
	ck_assert_int_eq(n_ready, 3);
	finish(set2);
	ck_assert_int_eq(n_ready, 4);
	finish(two);
}
END_TEST

START_TEST(first_a_reader_and_then_a_writer_of_the_same)
{
	struct depend_object in = {&a, DEPEND_IN}, out = {&a, DEPEND_OUT};
	void *both[] = {NULL, (void *)2, NULL, NULL, NULL, &in, &out};
	struct task *reader = make(IN(a), false), *task = make(both, true), *after = make(IN(a), true);

	finish(reader);
	ck_assert_ptr_eq(ready[0], task);
	finish(task);
	ck_assert_ptr_eq(ready[1], after);
	finish(after);
}
END_TEST

START_TEST(many_predecessors)
{
	struct task *readers[90], *writer;

	for (int i = 0; i < 90; i++)
		readers[i] = make(IN(a), false);
	writer = make(OUT(a), true);
	for (int i = 0; i < 90; i++) {
		ck_assert_int_eq(n_ready, 0);
		finish(readers[i]);
	}
	ck_assert_ptr_eq(ready[0], writer);
	finish(writer);
}
END_TEST

START_TEST(what_is_done_is_forgotten)
{
	static char addresses[100000];

	for (int i = 0; i < 100000; i++)
		finish(make(OUT(addresses[i]), false));
	for (int i = 0; i < 100000; i++)
		finish(make(IN(a), false));
	/* All but a few are free already. */
	ck_assert_int_gt(n_released, n_tasks - 200);
}
END_TEST

START_TEST(null_is_an_address)
{
	void *depend[] = {(void *)1, (void *)1, NULL};
	struct task *one = make(depend, false), *two = make(depend, true);

	finish(one);
	finish(two);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/depend");
	TCase *tc = tcase_create("depend");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, writers_follow_each_other);
	tcase_add_test(tc, readers_are_together_and_writers_wait_for_all);
	tcase_add_test(tc, a_reader_that_comes_late_waits_for_the_writer_only);
	tcase_add_test(tc, several_addresses);
	tcase_add_test(tc, a_task_does_not_wait_for_itself);
	tcase_add_test(tc, objects_and_the_newer_layout);
	tcase_add_test(tc, first_a_reader_and_then_a_writer_of_the_same);
	tcase_add_test(tc, many_predecessors);
	tcase_add_test(tc, what_is_done_is_forgotten);
	tcase_add_test(tc, null_is_an_address);
	suite_add_tcase(s, tc);
	return check_main(s);
}
