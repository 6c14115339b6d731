/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Determines the reason for an EPERM after it has occurred. */
#include "target/trace/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/proc/proc.h"
#include "target/trace/tracer_protocol.h"

/* The longest wait for an ompdd-tracer that is detaching. */
#define LEAVE_US	   2000000
#define CAP_SYS_PTRACE_BIT 19
#define IN_CONTAINER                                                                                                   \
	"in a container, start it with --cap-add=SYS_PTRACE (and a seccomp profile that allows ptrace and "            \
	"process_vm_readv)"

static bool read_status(const char *path, struct proc_status *ret)
{
	char text[8192];

	return proc_read(AT_FDCWD, path, text, sizeof(text)) > 0 && proc_parse_status(text, ret);
}

static bool read_pid_status(pid_t pid, struct proc_status *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return read_status(path, ret);
}

static int ptrace_scope(void)
{
	char text[16];

	if (proc_read(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text)) <= 0)
		return 0;
	return (int)strtol(text, NULL, 10);
}

/*
 * Return whether @pid is in another user namespace. Only a process that may trace @pid can see its namespace. The map
 * of its ids is visible to all, and is always the same for one namespace.
 */
static bool other_user_namespace(pid_t pid)
{
	char path[64], own[4096], its[4096];

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	ssize_t n = proc_read(AT_FDCWD, "/proc/self/uid_map", own, sizeof(own));
	ssize_t m = proc_read(AT_FDCWD, path, its, sizeof(its));

	return n >= 0 && m >= 0 && (n != m || memcmp(own, its, (size_t)n));
}

/* Return whether our capabilities apply to the whole machine. */
static bool in_first_user_namespace(void)
{
	char map[4096];
	unsigned inside, outside, n;

	return proc_read(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) > 0 &&
	       sscanf(map, "%u %u %u", &inside, &outside, &n) == 3 && !inside && !outside && n == UINT32_MAX;
}

static bool read_pid_stat(pid_t pid, struct proc_stat *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return proc_read_stat(AT_FDCWD, path, ret);
}

/* Return whether @tracer is ours and its worker has exited or is about to. */
static bool is_leaving(pid_t tracer)
{
	struct proc_stat its, parents;
	struct proc_status parent;

	if (!read_pid_stat(tracer, &its) || strcmp(its.comm, TRACER_NAME))
		return false;
	return !read_pid_stat(its.ppid, &parents) || strcmp(parents.comm, "ompdd-worker") ||
	       !read_pid_status(its.ppid, &parent) || !parent.has_mm;
}

bool access_wait_tracer_left(pid_t tid)
{
	int64_t end = clock_now_us() + LEAVE_US;
	struct proc_status st;

	while (read_pid_status(tid, &st) && st.tracer_pid) {
		if (clock_now_us() > end)
			return false;
		/* The tracer may have ended between the two checks: repeat both. */
		if (!is_leaving(st.tracer_pid) && read_pid_status(tid, &st) && st.tracer_pid &&
		    !is_leaving(st.tracer_pid))
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return true;
}

struct error *access_tracer(pid_t pid, pid_t tid)
{
	struct proc_status st, its;
	char path[64], comm[32] = "?";

	if (!read_pid_status(tid, &st) || !st.tracer_pid)
		return NULL;
	/* TracerPid is a thread of the tracer; users know the process. */
	if (read_pid_status(st.tracer_pid, &its) && its.tgid > 0)
		st.tracer_pid = its.tgid;
	snprintf(path, sizeof(path), "/proc/%d/comm", st.tracer_pid);
	ssize_t n = proc_read(AT_FDCWD, path, comm, sizeof(comm));
	if (n > 0 && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	struct error *err =
		error_create(ERR_ALREADY_TRACED, "process %d is traced by %s (pid %d)", pid, comm, st.tracer_pid);
	error_detail(err, "tracer_pid", "%d", st.tracer_pid);
	return error_detail(err, "tracer", "%s", comm);
}

static struct error *error_denied(pid_t pid, const char *what, const char *reason)
{
	struct error *err = error_create(ERR_PERMISSION_DENIED, "cannot %s process %d: %s", what, pid, reason);

	return error_detail(err, "reason", "%s", reason);
}

static struct error *explain_owner(pid_t pid, const char *what, const struct proc_status *its)
{
	struct stat st;
	char path[64], reason[160];
	unsigned uid = (unsigned)getuid();

	for (int i = 0; i < 3; i++) {
		if (its->uid[i] == uid)
			continue;
		snprintf(reason, sizeof(reason),
			 i && its->uid[0] == uid ? "it is set-user-id (uid %u), ompdd runs as uid %u"
						 : "it belongs to uid %u, ompdd runs as uid %u",
			 its->uid[i], uid);
		struct error *err = error_denied(pid, what, reason);
		error_detail(err, "uid", "%u", its->uid[i]);
		if (!its->uid[i])
			return error_hint(err, "run ompdd as root");
		return error_hint(err, "run ompdd as uid %u, or as root", its->uid[i]);
	}
	for (int i = 0; i < 3; i++) {
		if (its->gid[i] != (unsigned)getgid())
			return error_hint(error_denied(pid, what, "it runs with another group id"),
					  "run ompdd with gid %u, or as root", its->gid[i]);
	}
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (uid != 0 && stat(path, &st) == 0 && st.st_uid != its->uid[1])
		return error_hint(error_denied(pid, what, "it is not dumpable"),
				  "the program was started from a file that its user may not read, has changed its "
				  "user, or has called prctl(PR_SET_DUMPABLE, 0); run ompdd as root");
	return NULL;
}

static struct error *explain_scope(pid_t pid, const char *what, bool capable)
{
	int scope = ptrace_scope();
	char reason[96];

	if (scope <= 0 || (capable && scope < 3))
		return NULL;
	snprintf(reason, sizeof(reason), "kernel.yama.ptrace_scope is %d", scope);
	struct error *err = error_denied(pid, what, reason);
	error_detail(err, "ptrace_scope", "%d", scope);
	if (scope >= 3)
		return error_hint(err,
				  "the kernel forbids it until the next boot: write kernel.yama.ptrace_scope=0 "
				  "to a file in /etc/sysctl.d and reboot; cores can be read: run \"ompdctl --core FILE "
				  "why\"");
	return error_hint(err,
			  "run \"sysctl kernel.yama.ptrace_scope=0\" as root, or run ompdd as "
			  "root%s",
			  scope == 1 ? ", or let the program call prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)" : "");
}

struct error *access_explain(pid_t pid, int errnum, const char *what)
{
	struct proc_status its, own = {0};

	/* The kernel shows a process without memory: its last thread exits, or it executes an exec(). */
	if (errnum == ENOENT)
		return error_hint(error_create(ERR_TARGET_EXITING,
					       "process %d has no memory: it exits, or replaces its program now", pid),
				  "repeat the request");
	if (errnum != EPERM && errnum != EACCES && errnum != ESRCH)
		return error_create_errno(errnum, "cannot %s process %d", what, pid);
	if (!read_pid_status(pid, &its))
		return error_create(ERR_NO_SUCH_PROCESS, "no process has pid %d", pid);
	if (!strcmp(what, "trace")) {
		struct error *err = access_tracer(pid, pid);

		if (err)
			return err;
	}
	/* A process without its main thread shows no memory, but may have other threads. */
	if ((!its.has_mm && its.threads <= 1) || errnum == ESRCH)
		return error_create(ERR_TARGET_EXITING, "process %d is about to exit", pid);
	bool known = read_status("/proc/self/status", &own);
	bool capable = known && own.cap_eff >> CAP_SYS_PTRACE_BIT & 1;
	/* Checked first: ids and capabilities of two namespaces cannot be compared. */
	if (other_user_namespace(pid) && !(capable && in_first_user_namespace()))
		return error_hint(error_denied(pid, what, "it is in another user namespace"),
				  "run ompdd as root outside of all containers, or in the container of the program: "
				  "\"nsenter -t %d -a\" as root goes there",
				  pid);
	struct error *err = capable ? NULL : explain_owner(pid, what, &its);
	if (err)
		return err;
	if (known && !capable && its.cap_prm & ~own.cap_prm)
		return error_hint(error_denied(pid, what, "it has capabilities that ompdd lacks"), "%s",
				  getuid() ? "run ompdd as root" : IN_CONTAINER);
	err = explain_scope(pid, what, capable);
	if (err)
		return err;
	return error_hint(error_denied(pid, what, "the kernel or a container's policy forbids it"), "%s", IN_CONTAINER);
}
