/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * bare_sampler [PID]: the least that a profile can cost, for profile.py. It wakes 100 times a second until its input
 * ends, and does nothing. With PID it takes the kernel's samples of that process's threads each time, and drops them.
 */
#include <dirent.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define HZ	     100
#define RING_BYTES   (32 << 10)
#define PAGE	     4096
#define MAX_THREADS  64
#define REGISTERS    0xff0fff /* of x86-64: all registers but the segment registers */
#define REGISTERS_64 0x1ffffffff

static struct perf_event_mmap_page *rings[MAX_THREADS];
static int n_rings;

/* Like ompdd/target/unwind/perf.c. */
static void watch(int tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / HZ,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
#ifdef __x86_64__
		.sample_regs_user = REGISTERS,
#else
		.sample_regs_user = REGISTERS_64,
#endif
		.sample_stack_user = 8192,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *ring = fd < 0 ? MAP_FAILED : mmap(NULL, PAGE + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (ring == MAP_FAILED) {
		perror("perf_event_open");
		exit(1);
	}
	rings[n_rings++] = ring;
}

static void watch_all(const char *pid)
{
	char path[64];
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	DIR *dir = opendir(path);
	while (dir && n_rings < MAX_THREADS && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			watch(atoi(entry->d_name));
	}
	if (dir)
		closedir(dir);
}

int main(int argc, char **argv)
{
	const struct itimerspec period = {{0, 1000000000 / HZ}, {0, 1000000000 / HZ}};
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = timer, .events = POLLIN}};
	uint64_t passed;

	if (argc > 1)
		watch_all(argv[1]);
	puts("ready");
	fflush(stdout);
	timerfd_settime(timer, 0, &period, NULL);
	while (poll(fds, 2, -1) > 0 && !fds[0].revents) {
		if (read(timer, &passed, sizeof(passed)) < 0)
			return 1;
		for (int i = 0; i < n_rings; i++)
			__atomic_store_n(&rings[i]->data_tail, __atomic_load_n(&rings[i]->data_head, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
	}
	return 0;
}
