/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waitpid() as it is used for threads that are traced. Also in the tracer: system calls only. */
#ifndef OMPDD_TARGET_WAIT_H
#define OMPDD_TARGET_WAIT_H

#include <errno.h>
#include <sys/types.h>
#include <sys/wait.h>

/* Without waiting: @tid when *@ret says what happened to it, 0 when nothing has, -1 with errno. */
static inline pid_t wait_thread(pid_t tid, int *ret)
{
	pid_t r;

	do
		r = waitpid(tid, ret, __WALL | WNOHANG);
	while (r < 0 && errno == EINTR);
	return r;
}

#endif
