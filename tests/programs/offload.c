/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * offload MODE: constructs that use the device of the stand-in plugin (offload_plugin.c), in a team of 2. The program
 * registers its functions as gcc's objects do. The first line of output has "tid" of the thread that waits for the
 * device, or 0 if any thread may execute the task. The device decides which of its operations never end.
 * Modes: kernel (thread 0 in a target region, thread 1 at a barrier); nowait (a target task and taskwait); depend (a
 * chain of target tasks); memory (the device's number is in memory); data (target data); update (target update in a
 * critical construct); memcpy; task (a target region in an explicit task); cross (thread N on device N); fallback (no
 * device: thread 1 holds a lock at a barrier, thread 0 wants it in a target region of the host); freed (thread 1 unmaps
 * other data while thread 0 maps its own); serial (a target region before any parallel region); loop, steps (regions
 * one after the other, with and without sleep).
 * A second argument: again (the construct is repeated for ever, no thread keeps its lock), done (thread 0 works after
 * the construct, and then prints a second line).
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "offload_register.h"
#include "park.h"

#define N 64

static int a[N], b[N];
static omp_lock_t lock;
static int has_lock, waiter, goes_on;

static void run_target(int device)
{
#pragma omp target map(tofrom : a) device(device) /* kernel */
	a[0]++;
	__asm__ volatile("" ::: "memory"); /* not a tail call */
}

static volatile int device_in_memory = 1;

static void run_unknown(void)
{
#pragma omp target map(tofrom : a) device(device_in_memory) /* memory */
	a[0]++;
	__asm__ volatile("" ::: "memory"); /* not a tail call */
}

static void run_tasks(void)
{
#pragma omp target nowait map(tofrom : a) depend(out : a) /* nowait */
	a[0]++;
#pragma omp taskwait
}

static void run_chain(void)
{
#pragma omp target nowait map(tofrom : a) depend(out : a) /* depend */
	a[0]++;
#pragma omp target nowait map(tofrom : a, b) depend(in : a) depend(out : b)
	b[0] = a[0];
#pragma omp task depend(in : b)
	b[1] = b[0];
#pragma omp taskwait
}

static void run_data(void)
{
#pragma omp target data map(to : a) /* data */
	b[0]++;
}

static void run_update(void)
{
#pragma omp critical
	{
		__atomic_store_n(&has_lock, 1, __ATOMIC_RELEASE);
#pragma omp target update to(a) /* update */
	}
}

/* Not inlined: registers that calls preserve hold the number of the device. */
__attribute__((noinline)) static void run_copy(void)
{
	int device = omp_get_default_device();
	void *memory = omp_target_alloc(sizeof(a), device);

	omp_target_memcpy(memory, a, sizeof(a), 0, 0, device, omp_get_initial_device()); /* memcpy */
	omp_target_free(memory, device);
}

static void run_task(void)
{
#pragma omp task
	run_target(0);
#pragma omp taskwait
}

static void run_fallback(void)
{
	park_await(&has_lock, 1);
#pragma omp target
	{
		omp_set_lock(&lock);		   /* fallback */
		__asm__ volatile("" ::: "memory"); /* not a tail call */
		if (goes_on)
			omp_unset_lock(&lock);
	}
}

/* Thread 1's part before the barrier. */
static void accompany(const char *mode)
{
	if (strcmp(mode, "cross") == 0)
		run_target(1);
	if (strcmp(mode, "freed") == 0) {
#pragma omp target exit data map(delete : b) /* freed */
		if (goes_on) {
#pragma omp target enter data map(alloc : b)
		}
	}
	if (strcmp(mode, "fallback") == 0) {
		omp_set_lock(&lock);
		__atomic_store_n(&has_lock, 1, __ATOMIC_RELEASE);
		if (goes_on)
			omp_unset_lock(&lock);
	}
	if (strcmp(mode, "update") == 0) {
		park_await(&has_lock, 1);
#pragma omp critical
		b[0]++;
	}
}

static void run_mode(const char *mode)
{
	int tid = park_tid();

	__atomic_store_n(&waiter, tid, __ATOMIC_RELEASE);
	if (strcmp(mode, "nowait") == 0)
		run_tasks();
	else if (strcmp(mode, "depend") == 0)
		run_chain();
	else if (strcmp(mode, "memory") == 0)
		run_unknown();
	else if (strcmp(mode, "data") == 0 || strcmp(mode, "freed") == 0)
		run_data();
	else if (strcmp(mode, "update") == 0)
		run_update();
	else if (strcmp(mode, "memcpy") == 0)
		run_copy();
	else if (strcmp(mode, "task") == 0)
		run_task();
	else if (strcmp(mode, "fallback") == 0)
		run_fallback();
	else
		run_target(0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "kernel";
	int is_done = argc > 2 && strcmp(argv[2], "done") == 0;
	int repeats = (argc > 2 && !is_done) || strcmp(mode, "loop") == 0;

	goes_on = repeats || is_done;
	register_functions();
	omp_init_lock(&lock);
	if (strcmp(mode, "update") == 0) {
#pragma omp target enter data map(alloc : a)
	}
	if (strcmp(mode, "freed") == 0) {
#pragma omp target enter data map(alloc : b)
	}
	park_begin(1);
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	if (strcmp(mode, "serial") == 0)
		run_target(0);
#pragma omp parallel num_threads(2)
	{
		do {
			if (omp_get_thread_num() == 0)
				run_mode(mode);
			else
				accompany(mode);
			if (strcmp(mode, "loop") == 0 && omp_get_thread_num() == 0)
				usleep(1000);
		} while (repeats && (omp_get_thread_num() == 0 || strstr("update cross fallback freed", mode)));
		if (is_done && omp_get_thread_num() == 0) {
			park_say("{\"done\":true}");
			for (volatile unsigned long n = 0;; n++)
				;
		}
#pragma omp barrier
	}
}
