/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting until another thread sleeps, as the kernel reports it. */
#ifndef HANG_ASLEEP_H
#define HANG_ASLEEP_H

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* This many samples, a millisecond apart. */
#define HANG_SLEEPS 50

/* Announce the caller as the thread that sleeps: it waits for nothing else from now on. */
static inline void hang_tell(int *tid)
{
	__atomic_store_n(tid, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
}

static inline void hang_await_asleep(const int *tid)
{
	char path[64], text[256];
	int n = 0;

	while (n < HANG_SLEEPS) {
		usleep(1000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", __atomic_load_n(tid, __ATOMIC_SEQ_CST));
		FILE *file = fopen(path, "r");
		const char *state = file && fgets(text, sizeof(text), file) ? strrchr(text, ')') : NULL;

		n = state && state[1] == ' ' && state[2] == 'S' ? n + 1 : 0;
		if (file)
			fclose(file);
	}
}

#endif
