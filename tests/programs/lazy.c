/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * lazy: a team of three. Its first thread serves another thread's thread-local storage through userfaultfd and removes the pages again.
 * A debugger that stops this process and reads there waits until it resumes. A thread without OpenMP prints {"gap_us":N} when it was
 * kept from running for longer than before. Exits with 77 where userfaultfd is not allowed.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "park.h"

#ifndef SYS_pause /* newer processors' C library uses another call instead */
#define SYS_pause SYS_ppoll
#endif

#define PAGE 4096

static __thread char local[8];
static char *locals[3];
static char *stack_end; /* follows the storage of the thread that loses its pages */
static int tids[3];
static char saved[2 * PAGE];
static size_t len;

static long long now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ll + ts.tv_nsec / 1000;
}

static char *find_stack_end(void)
{
	pthread_attr_t attr;
	void *begin = NULL;
	size_t size = 0;

	if (!pthread_getattr_np(pthread_self(), &attr))
		pthread_attr_getstack(&attr, &begin, &size);
	return (char *)begin + size;
}

static void *beat(void *arg)
{
	long long worst = 5000, last = now_us();

	for (;;) {
		usleep(1000);
		long long now = now_us();
		if (now - last > worst) {
			worst = now - last;
			park_say("{\"gap_us\":%lld}", worst);
		}
		last = now;
	}
	return arg;
}

static void serve(int fd, char *page)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};
	struct uffd_msg m;

	for (;;) {
		if (poll(&wanted, 1, 1) <= 0 || read(fd, &m, sizeof(m)) != sizeof(m)) {
			madvise(page, len, MADV_DONTNEED);
			continue;
		}
		uintptr_t at = m.arg.pagefault.address & ~(uintptr_t)(PAGE - 1);
		struct uffdio_copy copy = {.dst = at, .src = (uintptr_t)saved + (at - (uintptr_t)page), .len = PAGE};
		ioctl(fd, UFFDIO_COPY, &copy);
	}
}

static void be_lazy(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	pthread_t thread;

	park_await_syscall(tids[1], SYS_pause);
	park_await_syscall(tids[2], SYS_pause);
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	char *page = (char *)((uintptr_t)locals[1] & ~(uintptr_t)(PAGE - 1));
	len = stack_end - page < 2 * PAGE ? PAGE : 2 * PAGE;
	struct uffdio_register range = {.range = {(uintptr_t)page, len}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		exit(77);
	memcpy(saved, page, len);
	pthread_create(&thread, NULL, beat, NULL);
	madvise(page, len, MADV_DONTNEED);
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	serve(fd, page);
}

int main(void)
{
	park_begin(3);
#pragma omp parallel num_threads(3)
	{
		int i = omp_get_thread_num();

		local[0] = 1;
		locals[i] = local;
		tids[i] = park_tid();
		if (i == 1)
			stack_end = find_stack_end();
		if (i)
			park_say("{\"tid\":%d,\"by\":\"pause\"}", tids[i]);
#pragma omp barrier
		if (i)
			park();
		be_lazy();
	}
}
