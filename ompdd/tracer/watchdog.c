/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The watchdog, a part of ompdd-tracer. Its header has the reasons. */
#include "tracer/watchdog.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/helper_thread.h"
#include "target/proc/cgroup.h"
#include "target/proc/proc_line.h"
#include "target/trace/traced.h"

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

#define GO_MS 2000
/* The tracer has fewer descriptors open. */
#define MAX_FD 64

/* The tracer's control group, to which it returns; "": none. */
static char home[CGROUP_MAX_PATH];

/* The watchdog's own process */

/* Move to the program's control group, with the tracer, if there is a way back. */
static void move_to_group(pid_t pid, pid_t tracer)
{
	char theirs[CGROUP_MAX_PATH];

	if (!*home || !cgroup_find(pid, theirs) || !strcmp(theirs, home) || !cgroup_is_open(theirs) ||
	    !cgroup_is_open(home))
		return;
	cgroup_enter(theirs, 0);
	cgroup_enter(theirs, tracer);
}

/* Write the original bytes to the memory @fd wherever our bytes are present. */
static void restore_code(const struct tracee *p, int fd)
{
	uint64_t zero = 0;

	for (size_t i = 0; i < p->n_planted && i < TRACER_MAX_PLANTED; i++) {
		const struct tracee_planted *at = &p->planted[i];
		unsigned char now[ARCH_BREAKPOINT_BYTES];

		if (at->is_in && pread(fd, now, at->len, (off_t)at->address) == (ssize_t)at->len &&
		    !memcmp(now, at->bytes, at->len))
			(void)!pwrite(fd, at->code, at->len, (off_t)at->address);
	}
	if (p->word)
		(void)!pwrite(fd, &zero, sizeof(zero), (off_t)p->word);
}

/* Restore forks that the tracer has not cleaned yet: it still traces them. */
static void restore_forks(const struct tracee *p, pid_t tracer)
{
	DIR *dir = opendir("/proc");
	char path[64], text[PROC_LINE_TEXT], traced_by[16];
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = isdigit(entry->d_name[0]) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;

		if (!pid || pid == p->pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/status", pid);
		if (proc_line_read(path, text) <= 0 ||
		    !proc_line_find(text, "TracerPid:\t", traced_by, sizeof(traced_by)) ||
		    strtol(traced_by, NULL, 10) != tracer)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/mem", pid);
		int fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			restore_code(p, fd);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

/* Watch until the tracer exits, for any reason, or ends this process. */
static void watch_tracer(const struct tracee *p, pid_t tracer)
{
	int status;

	for (;;) {
		pid_t r = waitpid(tracer, &status, __WALL);

		if (r < 0 && errno == EINTR)
			continue;
		struct traced_news news = traced_read(status);
		bool at_exit = r > 0 && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
		if (r < 0 || at_exit || news.kind == TRACED_END) {
			restore_code(p, p->memfd);
			if (at_exit)
				restore_forks(p, tracer);
			return;
		}
		/*
		 * Suppress SIGSTOP, the only stop signal that the tracer cannot block. A stopped tracer would block
		 * threads of the program, and the parent of a dead program.
		 */
		bool is_passed = news.kind == TRACED_SIGNAL && news.sig != SIGSTOP;
		ptrace(PTRACE_CONT, tracer, NULL, (void *)(long)(is_passed ? news.sig : 0));
	}
}

/* The watchdog's main function. Its exit lets an exiting tracer continue. */
static void __attribute__((noreturn)) run_watchdog(const struct tracee *p, pid_t tracer, int go, int ready)
{
	char byte;

	/* The watchdog only sleeps, until any running thread may hit a breakpoint. */
	helper_thread_hurry(true);
	prctl(PR_SET_NAME, WATCHDOG_NAME);
	/* Change the command line's first word too. */
	snprintf(program_invocation_name, strlen(program_invocation_name) + 1, WATCHDOG_NAME);
	/* Keep only the memory descriptor of the tracer's: other processes wait for the end of its socket. */
	for (int fd = TRACER_FD_SOCKET; fd < MAX_FD; fd++) {
		if (fd != go && fd != ready && fd != p->memfd)
			close(fd);
	}
	if (read(go, &byte, 1) == 1 && ptrace(PTRACE_SEIZE, tracer, NULL, (void *)(long)PTRACE_O_TRACEEXIT) == 0 &&
	    write(ready, "", 1) == 1) {
		move_to_group(p->pid, tracer);
		watch_tracer(p, tracer);
	}
	_exit(0);
}

/* The tracer */

/*
 * SIGSTOP stops a tracer that has no watchdog, and with it the threads that it traces. The kernel then sends SIGCONT
 * when the worker dies. With a watchdog the tracer is never stopped, and SIGCONT would make it wait for the watchdog.
 */
static void set_watchdog(struct tracee *p, pid_t pid)
{
	p->watchdog = pid;
	prctl(PR_SET_PDEATHSIG, pid ? 0 : SIGCONT);
}

void watchdog_init(struct tracee *p)
{
	set_watchdog(p, 0);
}

bool watchdog_is(struct tracee *p, pid_t pid)
{
	if (pid <= 0 || pid != p->watchdog)
		return false;
	set_watchdog(p, 0);
	return true;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

void watchdog_begin(struct tracee *p)
{
	struct pollfd answer = {.fd = -1, .events = POLLIN};
	int go[2] = {-1, -1}, ready[2] = {-1, -1};
	pid_t tracer = getpid();
	char byte;

	if (p->watchdog || p->no_watchdog || pipe2(go, O_CLOEXEC))
		return;
	if (!*home && !cgroup_find(tracer, home))
		*home = '\0';
	/* No watchdog unless it confirms its start; another attempt would fail too. */
	p->no_watchdog = true;
	pid_t pid = pipe2(ready, O_CLOEXEC) ? -1 : fork();
	if (pid == 0)
		run_watchdog(p, tracer, go[0], ready[1]);
	close(go[0]);
	close(ready[1]);
	if (pid > 0) {
		/* Needed where Yama is strict; fails elsewhere. */
		prctl(PR_SET_PTRACER, (unsigned long)pid);
		answer.fd = ready[0];
		if (write(go[1], "", 1) == 1 && poll(&answer, 1, GO_MS) == 1 && read(ready[0], &byte, 1) == 1) {
			set_watchdog(p, pid);
			p->no_watchdog = false;
			helper_thread_expect_tracer(pid);
		} else {
			end_child(pid);
		}
	}
	close(go[1]);
	close(ready[0]);
}

void watchdog_end(struct tracee *p)
{
	if (p->watchdog) {
		end_child(p->watchdog);
		set_watchdog(p, 0);
	}
	p->no_watchdog = false;
}

void watchdog_go_home(const struct tracee *p)
{
	char now[CGROUP_MAX_PATH];

	if (!*home || p->watchdog)
		return;
	if (cgroup_find(getpid(), now) && strcmp(now, home))
		cgroup_enter(home, 0);
	*home = '\0';
}
