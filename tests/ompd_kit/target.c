/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts, stops and reads the examined process with ptrace and /proc. */
#include "target.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_THREADS 4096

void target_fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ompd_kit: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(2);
}

void target_start(char **argv, struct target *ret)
{
	int output[2];
	char byte;

	if (pipe2(output, O_CLOEXEC) != 0)
		target_fail("cannot create a pipe: %s", strerror(errno));
	*ret = (struct target){.pid = fork(), .is_started = true, .memory = -1};
	if (ret->pid < 0)
		target_fail("cannot start a process: %s", strerror(errno));
	if (ret->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setenv("OMP_DEBUG", "enabled", 1);
		dup2(output[1], STDOUT_FILENO);
		execvp(argv[0], argv);
		fprintf(stderr, "ompd_kit: cannot execute %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(output[1]);
	do {
		if (read(output[0], &byte, 1) != 1)
			target_fail("%s ended before it printed a line", argv[0]);
	} while (byte != '\n');
	/* The pipe stays open: the program may print more. */
}

void target_attach(pid_t pid, struct target *ret)
{
	*ret = (struct target){.pid = pid, .memory = -1};
}

static bool is_known(const struct target *target, pid_t tid)
{
	for (size_t i = 0; i < target->n_threads; i++) {
		if (target->threads[i].tid == tid)
			return true;
	}
	return false;
}

#ifdef __x86_64__
static bool read_pointer(pid_t tid, uint64_t *ret)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &registers) != 0)
		return false;
	*ret = registers.fs_base;
	return true;
}
#else
static bool read_pointer(pid_t tid, uint64_t *ret)
{
	struct iovec place = {ret, sizeof(*ret)};

	return ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_ARM_TLS, &place) == 0;
}
#endif

/* Stop one thread. Returns false if it has exited. */
static bool stop_thread(struct target *target, pid_t tid)
{
	long options = target->is_started ? PTRACE_O_EXITKILL : 0;
	uint64_t pointer;
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)options) != 0) {
		if (errno == ESRCH)
			return false;
		target_fail("cannot trace thread %d: %s\nhint: run as root, or as the user of process %d", tid, strerror(errno),
			    target->pid);
	}
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 || waitpid(tid, &status, __WALL) != tid ||
	    !WIFSTOPPED(status) || !read_pointer(tid, &pointer))
		target_fail("cannot stop thread %d: %s", tid, strerror(errno));
	if (target->n_threads == MAX_THREADS)
		target_fail("process %d has more than %d threads", target->pid, MAX_THREADS);
	target->threads[target->n_threads++] = (struct target_thread){tid, pointer};
	return true;
}

/* Stop the threads that are not stopped yet. Returns whether there were any. */
static bool stop_more(struct target *target)
{
	char path[64];
	struct dirent *entry;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/task", target->pid);
	DIR *list = opendir(path);
	if (!list)
		target_fail("cannot list the threads of process %d: %s", target->pid, strerror(errno));
	while ((entry = readdir(list))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && !is_known(target, tid))
			found |= stop_thread(target, tid);
	}
	closedir(list);
	return found;
}

void target_stop(struct target *target)
{
	char path[64];

	target->threads = calloc(MAX_THREADS, sizeof(*target->threads));
	if (!target->threads)
		target_fail("no memory");
	snprintf(path, sizeof(path), "/proc/%d/mem", target->pid);
	target->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (target->memory < 0)
		target_fail("cannot read process %d: %s\nhint: run as root, or as the user of the process", target->pid,
			    strerror(errno));
	stop_thread(target, target->pid);
	while (stop_more(target))
		continue;
}

void target_end(struct target *target)
{
	if (target->is_started) {
		kill(target->pid, SIGKILL);
		/* The initial thread is last: it cannot be reaped before the others. */
		for (size_t i = target->n_threads; i > 0; i--) {
			int status;

			while (waitpid(target->threads[i - 1].tid, &status, __WALL) > 0 && WIFSTOPPED(status))
				continue;
		}
	} else {
		for (size_t i = 0; i < target->n_threads; i++)
			ptrace(PTRACE_DETACH, target->threads[i].tid, NULL, NULL);
	}
	close(target->memory);
	free(target->threads);
}

bool target_read(const struct target *target, uint64_t address, void *to, size_t n)
{
	char *at = to;

	while (n) {
		ssize_t got = pread(target->memory, at, n, (off_t)address);

		if (got <= 0)
			return false;
		at += got;
		address += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}
