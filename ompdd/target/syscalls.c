/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The system calls in which a thread may be found for long. */
#include "target/syscalls.h"

#include <stddef.h>
#include <sys/syscall.h>

#define CALL(name) {SYS_##name, #name},

/* clang-format off */
static const struct {
	long number;
	const char *name;
} names[] = {
	CALL(read) CALL(write) CALL(readv) CALL(writev) CALL(pread64) CALL(pwrite64) CALL(preadv) CALL(pwritev)
	CALL(openat) CALL(close) CALL(ioctl) CALL(fcntl) CALL(flock) CALL(fsync) CALL(fdatasync) CALL(sync)
	CALL(ppoll) CALL(pselect6) CALL(nanosleep) CALL(clock_nanosleep) CALL(sched_yield) CALL(connect)
	CALL(accept) CALL(accept4) CALL(sendto) CALL(recvfrom) CALL(sendmsg) CALL(recvmsg) CALL(sendmmsg)
	CALL(recvmmsg) CALL(semop) CALL(semtimedop) CALL(msgrcv) CALL(msgsnd) CALL(wait4) CALL(waitid) CALL(exit)
	CALL(exit_group) CALL(rt_sigsuspend) CALL(rt_sigtimedwait) CALL(restart_syscall) CALL(futex)
	CALL(epoll_pwait) CALL(io_getevents) CALL(mq_timedsend) CALL(mq_timedreceive) CALL(splice) CALL(sendfile)
	CALL(getdents64) CALL(mmap) CALL(munmap) CALL(mremap) CALL(mprotect) CALL(madvise) CALL(msync) CALL(brk)
	CALL(getrandom) CALL(membarrier) CALL(clone) CALL(clone3) CALL(execve) CALL(ptrace) CALL(kill) CALL(tgkill)
	/* Newer processors do without these. */
#ifdef SYS_poll
	CALL(open) CALL(poll) CALL(select) CALL(pause) CALL(fork) CALL(vfork) CALL(epoll_wait) CALL(getdents)
#endif
};
/* clang-format on */

const char *syscall_name(long number)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].number == number)
			return names[i].name;
	}
	return NULL;
}
