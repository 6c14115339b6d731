/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The fixture of tests with a real ompdd-tracer. `child` reaches spot() and bare_spot() all the time, and `tracer` has
 * attached to it. teardown() ends both.
 */
#ifndef OMPDD_SUPPORT_TRACED_CHILD_H
#define OMPDD_SUPPORT_TRACED_CHILD_H

#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"
#include "target/arch/registers.h"
#include "target/stop/tracer.h"

#define LIMIT_MS 60000

static struct tracer *tracer;
static pid_t child;

/* The place of the breakpoints. It has the same address in each child. */
static __attribute__((noinline)) void spot(int i)
{
	__atomic_add_fetch(&child_shared->counters[i], 1, __ATOMIC_SEQ_CST);
}

/* Does not start with an instruction that the tracer can emulate. */
static __attribute__((noinline, naked)) void bare_spot(volatile uint64_t *counter)
{
	(void)counter;
	__asm__ volatile("incq (%rdi)\n\tret");
}

static inline void call_often(int i)
{
	for (;;) {
		spot(i);
		bare_spot(&child_shared->counters[i + 32]);
		usleep(200);
	}
}

static inline void caller(void)
{
	child_shared->tids[0] = getpid();
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
	call_often(0);
}

static inline void *caller_thread(void *arg)
{
	child_shared->tids[(intptr_t)arg] = (pid_t)syscall(SYS_gettid);
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
	call_often((int)(intptr_t)arg);
	return NULL;
}

static inline void start_callers(int n)
{
	for (int i = 1; i <= n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, caller_thread, (void *)(intptr_t)i))
			abort();
	}
}

static inline void eight_callers(void)
{
	start_callers(7);
	caller();
}

/* Fork, spawn and vfork children. They call the spot too, and report success by their exit status. */
static inline void forker(void)
{
	static char *const argv[] = {(char *)"true", NULL};

	child_shared->ready = 1;
	for (;;) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			spot(10);
			bare_spot(&child_shared->counters[11]);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (status)
			child_shared->counters[20]++;
		pid = vfork();
		if (pid == 0) {
			spot(12);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (status)
			child_shared->counters[21]++;
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, argv + 1) == 0) {
			waitpid(pid, &status, 0);
			if (status)
				child_shared->counters[22]++;
			child_shared->counters[13]++;
		}
		spot(0);
	}
}

static inline void *short_thread(void *arg)
{
	spot((int)(intptr_t)arg);
	return NULL;
}

static inline void churner(void)
{
	child_shared->ready = 1;
	for (;;) {
		pthread_t threads[4];

		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, short_thread, (void *)(intptr_t)i);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
}

static inline void begin(void (*fn)(void))
{
	child = child_start(fn);
	child_wait_ready(1);
	ck_assert_no_err(tracer_create(child, -1, &tracer));
	ck_assert_no_err(tracer_attach(tracer, child, LIMIT_MS, 0));
}

static inline void teardown(void)
{
	tracer_destroy(tracer);
	tracer = NULL;
	if (child > 0)
		child_end(child);
	child = 0;
}

static inline uint64_t address_of(void (*fn)(int))
{
	return (uint64_t)(uintptr_t)fn;
}

static inline uint64_t bare_address(void)
{
	return (uint64_t)(uintptr_t)bare_spot;
}

static inline void resume(void)
{
	int64_t us;

	ck_assert_no_err(tracer_resume(tracer, &us));
}

/* Wait for an event of @kind; other events are skipped. */
static inline struct tracer_message wait_event(enum tracer_message_kind kind)
{
	struct tracer_message m;

	for (int i = 0; i < 30000; i++) {
		while (tracer_next(tracer, &m)) {
			if (m.kind == kind)
				return m;
			ck_assert_msg(m.kind != TRACER_EXITED, "the child died: status %llx",
				      (unsigned long long)m.value);
		}
		poll(&(struct pollfd){.fd = tracer_fd(tracer), .events = POLLIN}, 1, 10);
	}
	ck_abort_msg("no event of kind %d", kind);
}

static inline uint64_t first_argument(const struct tracer_message *m)
{
	struct target_registers registers;

	registers_to_target(&m->regs, &registers);
	return registers.value[arch->arguments[0]];
}

static inline void assert_runs_free(void)
{
	for (int i = 0; i < 300000 && child_any_stopped(child); i++)
		usleep(1000);
	ck_assert(!child_any_stopped(child));
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
	ck_assert(child_progresses());
}

#endif
