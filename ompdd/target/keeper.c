/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of ompdd-tracer: keeper.h. */
#include "target/keeper.h"

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

#include "target/aside.h"
#include "target/traced.h"

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

#define GO_MS 2000
/* The tracer has fewer open. */
#define MAX_FD 64
/* What /proc says of a process's state, or of its control groups, up to what is looked for. */
#define MAX_TEXT 4096

static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* The rest of the line of @text that begins with @name, of at most @size - 1 bytes. */
static bool find_line(const char *text, const char *name, char *ret, size_t size)
{
	for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		size_t len = strlen(name);

		if (strncmp(line, name, len))
			continue;
		size_t rest = strcspn(line + len, "\n");
		if (rest >= size || !line[len + rest])
			return false;
		memcpy(ret, line + len, rest);
		ret[rest] = '\0';
		return true;
	}
	return false;
}

/* The keeper's own process from here on */

/* Go to the control group (version 2) of the program. It fails where that is not allowed, and does no harm then. */
static void move(pid_t pid)
{
	static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char text[MAX_TEXT], theirs[1024], ours[1024], path[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	read_file(path, text, sizeof(text));
	bool found = find_line(text, "0::", theirs, sizeof(theirs));
	read_file("/proc/self/cgroup", text, sizeof(text));
	/* A path that leads out of our cgroup namespace says nothing. */
	if (!found || !find_line(text, "0::", ours, sizeof(ours)) || !strcmp(theirs, ours) || strstr(theirs, "/.."))
		return;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/cgroup.procs", mounts[i], theirs);
		int fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		(void)!write(fd, "0", 1);
		close(fd);
		return;
	}
}

/* What was there into the memory @fd, wherever what was planted is there now. */
static void restore(const struct tracee *p, int fd)
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

/* Forks that the tracer has not cleaned yet: it still traces them. */
static void restore_forks(const struct tracee *p, pid_t tracer)
{
	DIR *dir = opendir("/proc");
	char path[64], text[MAX_TEXT], traced_by[16];
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = isdigit(entry->d_name[0]) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;

		if (!pid || pid == p->pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/status", pid);
		if (read_file(path, text, sizeof(text)) <= 0 ||
		    !find_line(text, "TracerPid:\t", traced_by, sizeof(traced_by)) ||
		    strtol(traced_by, NULL, 10) != tracer)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/mem", pid);
		int fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			restore(p, fd);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

/* Until the tracer ends, however that comes about, or ends us. */
static void watch(const struct tracee *p, pid_t tracer)
{
	int status;

	for (;;) {
		pid_t r = waitpid(tracer, &status, __WALL);

		if (r < 0 && errno == EINTR)
			continue;
		struct traced_news news = traced_read(status);
		bool at_exit = r > 0 && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
		if (r < 0 || at_exit || news.kind == TRACED_END) {
			restore(p, p->memfd);
			if (at_exit)
				restore_forks(p, tracer);
			return;
		}
		if (news.kind != TRACED_GROUP_STOP || ptrace(PTRACE_LISTEN, tracer, NULL, NULL))
			ptrace(PTRACE_CONT, tracer, NULL, (void *)(long)(news.kind == TRACED_SIGNAL ? news.sig : 0));
	}
}

/* Its end lets the tracer go on, with its own end, if it is at that. */
static void __attribute__((noreturn)) keep(const struct tracee *p, pid_t tracer, int go, int ready)
{
	char byte;

	/* It does nothing but sleep, until every thread that runs may come to a breakpoint. */
	aside_hurry(true);
	prctl(PR_SET_NAME, KEEPER_NAME);
	/* The command line's first word, too. */
	snprintf(program_invocation_name, strlen(program_invocation_name) + 1, KEEPER_NAME);
	/* Of what the tracer has open, only the memory: others wait for the end of its socket. */
	for (int fd = TRACER_FD_SOCKET; fd < MAX_FD; fd++) {
		if (fd != go && fd != ready && fd != p->memfd)
			close(fd);
	}
	if (read(go, &byte, 1) == 1 && ptrace(PTRACE_SEIZE, tracer, NULL, (void *)(long)PTRACE_O_TRACEEXIT) == 0 &&
	    write(ready, "", 1) == 1) {
		move(p->pid);
		watch(p, tracer);
	}
	_exit(0);
}

/* The tracer */

bool keeper_is(struct tracee *p, pid_t pid)
{
	if (pid <= 0 || pid != p->keeper)
		return false;
	p->keeper = 0;
	return true;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

void keeper_begin(struct tracee *p)
{
	struct pollfd answer = {.fd = -1, .events = POLLIN};
	int go[2] = {-1, -1}, ready[2] = {-1, -1};
	char byte;

	if (p->keeper || p->keeperless || pipe2(go, O_CLOEXEC))
		return;
	/* Unless it says that it is there, there is none, and another would not come either. */
	p->keeperless = true;
	pid_t pid = pipe2(ready, O_CLOEXEC) ? -1 : fork();
	if (pid == 0)
		keep(p, getppid(), go[0], ready[1]);
	close(go[0]);
	close(ready[1]);
	if (pid > 0) {
		/* Where Yama is strict; elsewhere it fails. */
		prctl(PR_SET_PTRACER, (unsigned long)pid);
		answer.fd = ready[0];
		if (write(go[1], "", 1) == 1 && poll(&answer, 1, GO_MS) == 1 && read(ready[0], &byte, 1) == 1) {
			p->keeper = pid;
			p->keeperless = false;
			aside_expect_tracer(pid);
		} else {
			end(pid);
		}
	}
	close(go[1]);
	close(ready[0]);
}

void keeper_end(struct tracee *p)
{
	if (p->keeper)
		end(p->keeper);
	p->keeper = 0;
	p->keeperless = false;
}
