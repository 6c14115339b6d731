/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/stop/tracer_plant.c with a real ompdd-tracer: places with filters: passes, counts and requests. */
#include "target/arch/registers.h"
#include "target/stop/tracer.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"

#define LIMIT_MS 60000
#define N	 4

static struct tracer *tracer;
static pid_t child;

/* The function starts with an instruction that the tracer executes itself. */
__attribute__((noinline, naked)) void known(volatile uint64_t *counter);
void known(volatile uint64_t *counter)
{
	(void)counter;
	__asm__ volatile("push %rbx\n\tpop %rbx\n\tlock incq (%rdi)\n\tret");
}

/* The first instruction must be stepped; the function then jumps to known(). */
__attribute__((noinline, naked)) void strange(volatile uint64_t *counter);
void strange(volatile uint64_t *counter)
{
	(void)counter;
	__asm__ volatile("lock incq 0x80(%rdi)\n\tjmp known");
}

static void *call_often(void *arg)
{
	volatile uint64_t *counter = &child_shared->counters[(intptr_t)arg];

	child_shared->tids[(intptr_t)arg] = (pid_t)syscall(SYS_gettid);
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		strange(counter);
		usleep(200);
	}
	return NULL;
}

static void callers(void)
{
	for (intptr_t i = 1; i < N; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, call_often, (void *)i))
			abort();
	}
	call_often(NULL);
}

static uint64_t address_of(void (*fn)(volatile uint64_t *))
{
	return (uint64_t)(uintptr_t)fn;
}

static void setup(void)
{
	child = child_start(callers);
	child_wait_ready(N);
	ck_assert_no_err(tracer_create(child, -1, &tracer));
	ck_assert_no_err(tracer_attach(tracer, child, LIMIT_MS, 0));
}

static void teardown(void)
{
	tracer_destroy(tracer);
	tracer = NULL;
	child_end(child);
}

static void resume(void)
{
	int64_t us;

	ck_assert_no_err(tracer_resume(tracer, &us));
}

static void stop(void)
{
	ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
}

static bool next(enum tracer_message_kind kind, struct tracer_message *ret)
{
	while (tracer_next(tracer, ret)) {
		ck_assert_int_ne(ret->kind, TRACER_EXITED);
		if (ret->kind == kind)
			return true;
	}
	poll(&(struct pollfd){.fd = tracer_fd(tracer), .events = POLLIN}, 1, 10);
	return false;
}

static struct tracer_message await(enum tracer_message_kind kind)
{
	struct tracer_message m;

	for (int i = 0; i < 6000; i++) {
		if (next(kind, &m))
			return m;
	}
	ck_abort_msg("no message of kind %d", kind);
}

/* Waits for TRACER_ASK. A thread that arrives while all are stopped for another one is reported as a hit at once. */
static struct tracer_message await_ask(void)
{
	struct tracer_message m;

	for (int i = 0; i < 6000; i++) {
		while (tracer_next(tracer, &m)) {
			if (m.kind == TRACER_ASK)
				return m;
			if (m.kind == TRACER_HIT)
				resume();
		}
		poll(&(struct pollfd){.fd = tracer_fd(tracer), .events = POLLIN}, 1, 10);
	}
	ck_abort_msg("nobody is asked for");
}

/* Waits until each thread has made so many more calls; no hit may arrive. */
static void let_run(uint64_t calls)
{
	struct tracer_message m;

	for (int i = 0; i < N; i++) {
		uint64_t before = __atomic_load_n(&child_shared->counters[i], __ATOMIC_SEQ_CST);

		while (__atomic_load_n(&child_shared->counters[i], __ATOMIC_SEQ_CST) < before + calls)
			ck_assert(!next(TRACER_HIT, &m));
	}
}

/* Resumes after a stop that a hit may have caused; that hit is reported now. */
static void go_on(void)
{
	struct tracer_message m;

	resume();
	while (next(TRACER_HIT, &m))
		resume();
	let_run(10);
}

static const char *const names[] = {"known", "strange"};
static uint64_t place(int i)
{
	return i ? address_of(strange) : address_of(known);
}

/* The tracer counts by itself; each call is still executed, exactly once. */
START_TEST(test_after_and_every)
{
	struct target_filter filter = {.group = 7, .after = 20, .every = 5};

	ck_assert_no_err(tracer_plant_if(tracer, place(_i), &filter));
	resume();
	for (uint64_t n = 25; n < 50; n += 5) {
		struct tracer_message m = await(TRACER_HIT);

		ck_assert_msg(m.address == place(_i), "%s", names[_i]);
		ck_assert_uint_eq(m.n_counted, 1);
		ck_assert_uint_eq(m.counted[0], 7);
		ck_assert_uint_ge(tracer_passed(tracer, 7), n);
		resume();
	}
	stop();
	tracer_lift_if(tracer, place(_i), 7);
	ck_assert_uint_eq(tracer_n_planted(tracer), 0);
	ck_assert_uint_eq(tracer_passed(tracer, 7), 0);
	go_on();
}
END_TEST

START_TEST(test_nobody_is_meant)
{
	struct target_filter filter = {.group = 1, .tid = child_shared->tids[0]};
	struct tracer_message m;

	filter.has_argument = 1;
	filter.value = 0x10; /* none */
	ck_assert_no_err(tracer_plant_if(tracer, place(_i), &filter));
	resume();
	let_run(50);
	ck_assert(!next(TRACER_ASK, &m));
	ck_assert_uint_eq(tracer_passed(tracer, 1), 0);
}
END_TEST

START_TEST(test_one_thread)
{
	struct target_filter filter = {.group = 1, .tid = child_shared->tids[2]};

	ck_assert_no_err(tracer_plant_if(tracer, place(_i), &filter));
	resume();
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(await(TRACER_HIT).tid, child_shared->tids[2]);
		resume();
	}
}
END_TEST

/* A function that jumps to another of the group is reported once. */
START_TEST(test_jump_within_a_group)
{
	struct target_filter filter = {.group = 1, .tid = child_shared->tids[1], .calls = 1, .only_first = 1};

	ck_assert_no_err(tracer_plant_if(tracer, address_of(strange), &filter));
	ck_assert_no_err(tracer_plant_if(tracer, address_of(known), &filter));
	resume();
	for (int i = 0; i < 10; i++) {
		ck_assert_uint_eq(await(TRACER_HIT).address, address_of(strange));
		resume();
	}
	/* The calls come from this function, which is outside the filter's range. */
	stop();
	filter = (struct target_filter){.group = 2, .calls = 1, .start = 0x1000, .end = 0x2000};
	ck_assert_no_err(tracer_plant_if(tracer, address_of(known), &filter));
	tracer_lift_if(tracer, address_of(strange), 1);
	tracer_lift_if(tracer, address_of(known), 1);
	go_on();
	ck_assert_uint_eq(tracer_passed(tracer, 2), 0);
}
END_TEST

/* Two groups have filters and one user requests every hit: each gets its own reports. */
START_TEST(test_several_users)
{
	struct target_filter every_third = {.group = 1, .tid = child, .every = 3};
	struct target_filter other = {.group = 2, .tid = child_shared->tids[1]};
	int n = 0, n_first = 0, n_second = 0;

	ck_assert_no_err(tracer_plant_if(tracer, place(_i), &every_third));
	ck_assert_no_err(tracer_plant(tracer, place(_i)));
	ck_assert_no_err(tracer_plant_if(tracer, place(_i), &other));
	ck_assert_uint_eq(tracer_n_planted(tracer), 1);
	resume();
	for (; n_first < 5 || n_second < 5; n++) {
		struct tracer_message m = await(TRACER_HIT);

		for (uint32_t i = 0; i < m.n_counted; i++) {
			n_first += m.counted[i] == 1;
			n_second += m.counted[i] == 2;
			ck_assert_int_eq(m.tid, m.counted[i] == 1 ? child : child_shared->tids[1]);
		}
		resume();
	}
	ck_assert_int_gt(n, n_first + n_second);
	/* In any order. */
	stop();
	tracer_lift(tracer, place(_i));
	tracer_lift_if(tracer, place(_i), 1);
	ck_assert_uint_eq(tracer_n_planted(tracer), 1);
	tracer_lift_if(tracer, place(_i), 2);
	ck_assert_uint_eq(tracer_n_planted(tracer), 0);
	go_on();
}
END_TEST

/* The answer decides. If it comes too late, the thread is a hit. */
START_TEST(test_ask)
{
	struct target_filter filter = {.group = 1, .tid = child_shared->tids[1], .asks = 1};

	ck_assert_no_err(tracer_plant_if(tracer, place(_i), &filter));
	resume();
	for (int i = 0; i < 10; i++) {
		struct tracer_message m = await_ask();

		ck_assert_int_eq(m.tid, child_shared->tids[1]);
		ck_assert_uint_eq(m.address, place(_i));
		ck_assert_uint_eq(arch_pc(&m.regs), place(_i));
		ck_assert_uint_eq(m.counted[0], 1);
		/* The tracer may have run out of patience, so that all threads are stopped by now. */
		bool taken = tracer_answer(tracer, m.tid, i % 2);
		if (i % 2 || !taken) {
			ck_assert_int_eq(await(TRACER_HIT).tid, child_shared->tids[1]);
			ck_assert(tracer_is_stopped(tracer));
			resume();
		}
	}
	ck_assert(!tracer_answer(tracer, child, true));
	ck_assert(!tracer_answer(tracer, 1, true));
}
END_TEST

/* A thread without an answer is a hit, and so is a thread in question when all threads are stopped. */
START_TEST(test_no_answer)
{
	struct target_filter filter = {.group = 1, .tid = child, .asks = 1};

	ck_assert_no_err(tracer_plant_if(tracer, place(_i), &filter));
	resume();
	await_ask();
	struct tracer_message m = await(TRACER_HIT);
	ck_assert_int_eq(m.tid, child);
	ck_assert_uint_eq(m.counted[0], 1);
	ck_assert(!tracer_answer(tracer, child, false));
	resume();
	await_ask();
	stop();
	ck_assert(!tracer_answer(tracer, child, false));
	resume();
	ck_assert_int_eq(await(TRACER_HIT).tid, child);
	resume();
	/* The tracer has no user left to ask. */
	await_ask();
	tracer_destroy(tracer);
	tracer = NULL;
	ck_assert(child_progresses());
}
END_TEST

START_TEST(test_limits)
{
	struct target_filter filter = {0};

	ck_assert_err(tracer_plant_if(tracer, place(0), &filter), ERR_BREAKPOINT_IMPOSSIBLE);
	for (filter.group = 1; filter.group <= FILTERS_MAX; filter.group++)
		ck_assert_no_err(tracer_plant_if(tracer, place(0), &filter));
	ck_assert_err(tracer_plant_if(tracer, place(0), &filter), ERR_LIMIT_EXCEEDED);
	ck_assert_no_err(tracer_plant(tracer, place(0)));
	resume();
	ck_assert_uint_eq(await(TRACER_HIT).n_counted, FILTERS_MAX);
	/* A lift without its plant has no effect. */
	tracer_lift_if(tracer, place(1), 1);
	ck_assert_uint_eq(tracer_n_planted(tracer), 1);
}
END_TEST

#define PAGE 4096

/* Two pages that no access has touched. */
static char *untouched;

/* The tracer's thread that fetches memory. */
static pid_t find_reader(void)
{
	char path[64], text[64];
	struct dirent *entry;
	int tracer_pid = 0;
	pid_t found = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", child);
	FILE *status = fopen(path, "r");
	while (status && fgets(text, sizeof(text), status) && sscanf(text, "TracerPid: %d", &tracer_pid) != 1)
		;
	if (status)
		fclose(status);
	snprintf(path, sizeof(path), "/proc/%d/task", tracer_pid);
	DIR *dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/comm", tracer_pid, entry->d_name);
		FILE *f = fopen(path, "r");
		if (f && fgets(text, sizeof(text), f) && !strcmp(text, "ompdd-reader\n"))
			found = (pid_t)strtol(entry->d_name, NULL, 10);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Stops the reader until it is late. */
static void *delay(void *arg)
{
	atomic_int *stopped = arg;
	pid_t reader = find_reader();
	int status;

	if (!reader || ptrace(PTRACE_SEIZE, reader, NULL, NULL) || ptrace(PTRACE_INTERRUPT, reader, NULL, NULL) ||
	    waitpid(reader, &status, __WALL) != reader) {
		atomic_store(stopped, -1);
		return NULL;
	}
	atomic_store(stopped, 1);
	usleep(400000);
	ptrace(PTRACE_DETACH, reader, NULL, NULL);
	return NULL;
}

/* As with a slow disk, or a reader without a CPU: the answer is not that the memory cannot be read. */
START_TEST(test_memory_that_comes_late)
{
	uint64_t first, second;
	atomic_int stopped = 0;
	pthread_t thread;

	untouched = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	first = (uint64_t)(uintptr_t)untouched;
	second = first + PAGE;
	setup();
	ck_assert_no_err(tracer_plant(tracer, first));
	ck_assert_int_eq(pthread_create(&thread, NULL, delay, &stopped), 0);
	while (!atomic_load(&stopped))
		usleep(1000);
	if (stopped < 0)
		fprintf(stderr, "nobody is let trace the tracer here\n");
	ck_assert_no_err(tracer_plant(tracer, second));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_eq(tracer_n_planted(tracer), 2);
	tracer_lift(tracer, first);
	tracer_lift(tracer, second);
	resume();
	let_run(10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_tracer_plant");
	TCase *tc = tcase_create("filters");
	TCase *late = tcase_create("late");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_after_and_every, 0, 2);
	tcase_add_loop_test(tc, test_nobody_is_meant, 0, 2);
	tcase_add_loop_test(tc, test_one_thread, 0, 2);
	tcase_add_test(tc, test_jump_within_a_group);
	tcase_add_loop_test(tc, test_several_users, 0, 2);
	tcase_add_loop_test(tc, test_ask, 0, 2);
	tcase_add_loop_test(tc, test_no_answer, 0, 2);
	tcase_add_test(tc, test_limits);
	suite_add_tcase(suite, tc);
	tcase_set_timeout(late, 120);
	tcase_add_checked_fixture(late, NULL, teardown);
	tcase_add_test(late, test_memory_that_comes_late);
	suite_add_tcase(suite, late);
	return check_main(suite);
}
