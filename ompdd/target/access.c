/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reasons behind EPERM, found out afterwards. */
#include "target/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/proc.h"

/* How long an ompdd-tracer that leaves is waited for. */
#define LEAVE_US	   2000000
#define CAP_SYS_PTRACE_BIT 19

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

static bool same_user_namespace(pid_t pid)
{
	char path[64];
	struct stat own, its;

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	/* When even this may not be read, it says nothing. */
	if (stat("/proc/self/ns/user", &own) != 0 || stat(path, &its) != 0)
		return true;
	return own.st_ino == its.st_ino;
}

static bool read_pid_stat(pid_t pid, struct proc_stat *ret)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return proc_read(AT_FDCWD, path, text, sizeof(text)) > 0 && proc_parse_stat(text, ret);
}

/* Whether @tracer is one of ours whose worker is gone, or dies just now. */
static bool is_leaving(pid_t tracer)
{
	struct proc_stat its, parents;
	struct proc_status parent;

	if (!read_pid_stat(tracer, &its) || strcmp(its.comm, "ompdd-tracer"))
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
		/* Between two looks it may have ended. */
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
	/* It is one thread that traces; people know the process. */
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

static struct error *denied(pid_t pid, const char *what, const char *reason)
{
	struct error *err = error_create(ERR_PERMISSION_DENIED, "cannot %s process %d: %s", what, pid, reason);

	return error_detail(err, "reason", "%s", reason);
}

static struct error *explain_owner(pid_t pid, const char *what, const struct proc_status *its,
				   const struct proc_status *own)
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
		struct error *err = denied(pid, what, reason);
		error_detail(err, "uid", "%u", its->uid[i]);
		if (!its->uid[i])
			return error_hint(err, "run ompdd as root");
		return error_hint(err, "run ompdd as uid %u, or as root", its->uid[i]);
	}
	for (int i = 0; i < 3; i++) {
		if (its->gid[i] != (unsigned)getgid())
			return error_hint(denied(pid, what, "it runs with another group id"),
					  "run ompdd with gid %u, or as root", its->gid[i]);
	}
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (uid != 0 && stat(path, &st) == 0 && st.st_uid != its->uid[1])
		return error_hint(denied(pid, what, "it is not dumpable"),
				  "the program was started from a file that its user may not read, has changed its "
				  "user, or has called prctl(PR_SET_DUMPABLE, 0); run ompdd as root");
	(void)own;
	return NULL;
}

struct error *access_explain(pid_t pid, int errnum, const char *what)
{
	struct proc_status its, own = {0};

	if (errnum != EPERM && errnum != EACCES && errnum != ESRCH)
		return error_create_errno(errnum, "cannot %s process %d", what, pid);
	if (!read_pid_status(pid, &its))
		return error_create(ERR_NO_SUCH_PROCESS, "no process has pid %d", pid);
	if (!strcmp(what, "trace")) {
		struct error *err = access_tracer(pid, pid);

		if (err)
			return err;
	}
	/* Without its main thread a process shows no memory, but may have other threads. */
	if ((!its.has_mm && its.threads <= 1) || errnum == ESRCH)
		return error_create(ERR_TARGET_EXITING, "process %d is about to exit", pid);
	bool known = read_status("/proc/self/status", &own);
	bool capable = known && own.cap_eff >> CAP_SYS_PTRACE_BIT & 1;
	if (!capable) {
		struct error *err = explain_owner(pid, what, &its, &own);

		if (err)
			return err;
		int scope = ptrace_scope();
		if (scope > 0) {
			char reason[96];

			snprintf(reason, sizeof(reason), "kernel.yama.ptrace_scope is %d", scope);
			err = denied(pid, what, reason);
			error_detail(err, "ptrace_scope", "%d", scope);
			if (scope == 3)
				return error_hint(err, "ptrace is off until the next boot");
			return error_hint(
				err,
				"run \"sysctl kernel.yama.ptrace_scope=0\" as root, or run ompdd as "
				"root%s",
				scope == 1 ? ", or let the program call prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)"
					   : "");
		}
	} else if (ptrace_scope() == 3) {
		return error_hint(denied(pid, what, "kernel.yama.ptrace_scope is 3"),
				  "ptrace is off until the next boot");
	}
	if (!same_user_namespace(pid))
		return error_hint(denied(pid, what, "it is in another user namespace"),
				  "run ompdd inside of the same container, or as root outside");
	return error_hint(denied(pid, what, "the kernel or a container's policy forbids it"),
			  "in a container, start it with --cap-add=SYS_PTRACE (and a seccomp profile that allows "
			  "ptrace and process_vm_readv)");
}
