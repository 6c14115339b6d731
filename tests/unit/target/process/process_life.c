/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of process_life.c: a process whose threads replace its program all the time. No view mixes two images: it is of
 * one of them, or it is refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>

#include "check_main.h"
#include "child_fixture.h"
#include "relay_child.h"
#include "target/target.h"
#include "target/target_ops.h"
#include "trials.h"

#define PATIENT_MS 60000
/* The numbers of an image begin with its own: a mixture of two images shows. */
#define IMAGE_SHIFT 32
#define MAX_ROUNDS  50

/* The child's memory that outlives its images: the executed program maps the descriptor again. */
static struct child_shared *executed;
static int executed_fd;

static void execute_image(uint64_t image)
{
	char number[24], fd[12];

	snprintf(number, sizeof(number), "%lu", (unsigned long)image);
	snprintf(fd, sizeof(fd), "%d", executed_fd);
	execl("/proc/self/exe", "relay", number, fd, (char *)NULL);
	_exit(1);
}

static void execute_next(uint64_t number)
{
	uint64_t image = number >> IMAGE_SHIFT;

	/* Some images live for one round, others for more. */
	if ((uint32_t)number > image * 7 % MAX_ROUNDS)
		execute_image(image + 1);
}

/* The same addresses in each image: the test finds the numbers there. */
static void execute_first(void)
{
	personality(ADDR_NO_RANDOMIZE);
	execute_image(1);
}

static struct child_shared *map_executed(int fd)
{
	void *memory = mmap(NULL, sizeof(struct child_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

static int run_image(const char *image, const char *fd)
{
	executed_fd = atoi(fd);
	child_shared = map_executed(executed_fd);
	child_shared->pthreads[0] = (uint64_t)(uintptr_t)relay_written;
	relay_options.before = strtoull(image, NULL, 10) << IMAGE_SHIFT;
	relay_options.at_round = execute_next;
	relay_options.pause_us = strtoul(image, NULL, 10) % 2 ? 3000 : 0;
	relay_options.spin_us = 20;
	relay_run();
	return 1;
}

static struct error *read_numbers(uint64_t *numbers)
{
	struct error *err = NULL;

	for (int i = 0; i < RELAY_WRITERS && !err; i++)
		err = target_read(t, executed->pthreads[0] + (uint64_t)i * RELAY_PAGE, &numbers[i], sizeof(numbers[i]));
	return err;
}

/* The kinds of views that were complete, and those that were refused. */
struct views {
	int proven, copied, stopped, refused;
};

/* Count and free an error: the image was replaced, or was not complete yet. */
static bool is_refused(struct error *err, struct views *v)
{
	if (!err)
		return false;
	v->refused++;
	ck_assert_msg(err->code != ERR_INTERNAL_ERROR, "%s", err->message);
	error_destroy(err);
	return true;
}

/* A view that ended without an error is of one image. */
static int check_view(const uint64_t *numbers)
{
	relay_check(numbers, numbers[0] >> IMAGE_SHIFT << IMAGE_SHIFT);
	return 1;
}

static void view_by_proof(struct views *v)
{
	uint64_t numbers[RELAY_WRITERS];
	size_t n_running;

	target_reset_proof(t);
	if (!target_begin_proof(t, &n_running))
		return;
	target_view_begin(t);
	bool is_read = !is_refused(read_numbers(numbers), v);
	if (target_end_proof(t) && is_read && !n_running)
		v->proven += check_view(numbers);
}

static void view_by_copy(struct views *v)
{
	uint64_t numbers[RELAY_WRITERS];
	int64_t us;

	target_learn(t, true);
	bool is_read = !is_refused(read_numbers(numbers), v);
	target_learn(t, false);
	if (!is_read || is_refused(target_copy(t, &us), v))
		return;
	is_read = !is_refused(read_numbers(numbers), v);
	if (target_copy_end(t) && is_read)
		v->copied += check_view(numbers);
}

static void view_in_stop(struct views *v)
{
	uint64_t numbers[RELAY_WRITERS];
	bool is_void;
	int64_t us;

	target_reset_proof(t);
	if (is_refused(target_stop_running(t), v))
		return;
	target_view_begin(t);
	bool is_read = !is_refused(read_numbers(numbers), v);
	if (!is_refused(target_resume_running(t, &us, &is_void), v) && is_read && !is_void)
		v->stopped += check_view(numbers);
}

/* Attach to one image, and take views until it is replaced. */
static void view_one_image(struct views *v)
{
	struct error *err = target_attach(child, TARGET_STOP, PATIENT_MS, &t);

	while (!err && !(err = target_check(t))) {
		view_by_proof(v);
		view_by_copy(v);
		view_in_stop(v);
	}
	is_refused(err, v);
	target_destroy(t);
	t = NULL;
}

static int count_images(void)
{
	return (int)(executed->counters[0] >> IMAGE_SHIFT);
}

START_TEST(test_no_view_mixes_two_images)
{
	struct views v = {0};
	int wanted = trials() * trials() / 16;

	executed_fd = memfd_create("executed", 0);
	ck_assert_int_eq(ftruncate(executed_fd, sizeof(struct child_shared)), 0);
	executed = map_executed(executed_fd);
	child = child_start(execute_first);
	while (!executed->counters[0])
		usleep(1000);
	while (v.proven < 1 || v.copied < wanted || v.stopped < wanted || count_images() < trials() / 2)
		view_one_image(&v);
	ck_assert_int_gt(v.refused, 0);
}
END_TEST

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[0], "relay"))
		return run_image(argv[1], argv[2]);
	Suite *suite = suite_create("target/process/process_life");
	TCase *tc = tcase_create("process_life");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_set_timeout(tc, 3600);
	tcase_add_test(tc, test_no_view_mixes_two_images);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
