/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creates a target from a pid, or an error with the reason. */
#include "target/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/trace/access.h"
#include "target/control.h"
#include "target/modules/module_list.h"
#include "target/proc/proc.h"
#include "target/process/process.h"
#include "target/process/process_files.h"
#include "target/stop/stopper.h"

/* The largest valid /proc/PID/auxv. */
#define MAX_AUXV 4096

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* Return whether /proc belongs to our pid namespace: otherwise its ids belong to other processes. */
static bool has_own_proc(void)
{
	char text[32] = "";

	return readlink("/proc/self", text, sizeof(text) - 1) > 0 && strtol(text, NULL, 10) == getpid();
}

static struct error *error_no_process(pid_t pid)
{
	char path[64], text[4096];
	int tgid;

	if (!has_own_proc())
		return error_hint(
			error_create(ERR_NO_SUCH_PROCESS,
				     "cannot look up process %d: /proc is missing or belongs to another pid namespace",
				     pid),
			"run \"mount -t proc proc /proc\" as root, where ompdd runs");

	/* /proc/TID exists for threads too, although it is not listed. */
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pid > 0 && proc_read(AT_FDCWD, path, text, sizeof(text)) > 0) {
		const char *line = strstr(text, "\nTgid:");

		if (line && sscanf(line, "\nTgid: %d", &tgid) == 1 && tgid != pid)
			return error_hint(error_create(ERR_NO_SUCH_PROCESS,
						       "%d is a thread of process %d, not a process", pid, tgid),
					  "attach to process %d", tgid);
	}
	/* The process exists but /proc does not show it: it is mounted with hidepid. */
	if (pid > 0 && access(path, F_OK) != 0 && (kill(pid, 0) == 0 || errno == EPERM))
		return error_hint(error_detail(error_create(ERR_PERMISSION_DENIED,
							    "cannot read process %d: /proc hides it (hidepid)", pid),
					       "reason", "/proc hides it (hidepid)"),
				  "run ompdd as the user of that process or as root, or use the node's daemon");
	return error_hint(error_create(ERR_NO_SUCH_PROCESS, "no process has pid %d", pid),
			  "run \"ompdctl ps\" to list the OpenMP processes; a container has pids of its "
			  "own");
}

static struct error *open_files(struct process *p)
{
	pid_t pid = p->base.pid;
	char path[64];

	if (!has_own_proc())
		return error_no_process(pid);
	/* Opened first: while it refers to the process, so does every file opened below. */
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p->pidfd < 0 && errno != ENOSYS && errno != EPERM)
		return error_no_process(pid);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	p->dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->dirfd < 0)
		return error_no_process(pid);
	p->taskfd = openat(p->dirfd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->taskfd < 0)
		return error_no_process(pid);
	return NULL;
}

/* Return whether the process is our daemon, or another of its workers. */
static bool is_ours(const struct process *p, const struct proc_stat *st)
{
	char exe[PATH_MAX];

	if (p->base.pid != getppid() && st->ppid != getppid())
		return false;
	ssize_t n = readlinkat(p->dirfd, "exe", exe, sizeof(exe) - 1);
	if (n < 0)
		return false;
	exe[n] = '\0';
	const char *name = strrchr(exe, '/');
	return name && !strcmp(name + 1, p->base.pid == getppid() ? "ompdd" : "ompdd-worker");
}

static struct error *check_state(struct process *p)
{
	pid_t pid = p->base.pid;
	char text[8192];
	struct proc_stat st;
	struct proc_status status;

	if (!proc_read_stat(p->dirfd, "stat", &st))
		return error_no_process(pid);
	if (pid == getpid() || is_ours(p, &st))
		return error_create(ERR_SELF_ATTACH, "process %d is ompdd itself", pid);
	/* A main thread that called pthread_exit() is a zombie while other threads run. */
	if ((st.state == 'Z' || st.state == 'X') && !process_follow_thread(p))
		return error_create(ERR_TARGET_EXITING, "process %d (%s) is a zombie", pid, st.comm);
	if (proc_read(p->dirfd, "status", text, sizeof(text)) < 0 || !proc_parse_status(text, &status))
		return error_no_process(pid);
	if (!status.has_mm)
		return error_hint(error_create(ERR_UNSUPPORTED_ARCHITECTURE,
					       "process %d (%s) is a kernel thread, not a program", pid, st.comm),
				  "give the pid of the OpenMP program");
	p->start_time = st.start_time;
	return NULL;
}

/* Check the architecture in the executable file. This is also the first file that missing permissions hide. */
static struct error *check_executable(struct process *p, char *exe, size_t size)
{
	unsigned char header[20];
	ssize_t n = readlinkat(p->dirfd, "exe", exe, size - 1);

	if (n < 0)
		return access_explain(p->base.pid, errno, "read");
	exe[n] = '\0';
	_cleanup_close_ int fd = openat(p->dirfd, "exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* The program may be executed but not read. Its memory may still be readable. */
	if (fd < 0)
		return NULL;
	if (read(fd, header, sizeof(header)) != sizeof(header) || memcmp(header, ELFMAG, SELFMAG))
		return NULL;
	unsigned machine = header[18] | (unsigned)header[19] << 8;
	bool is_wide = header[EI_CLASS] == ELFCLASS64;
	if (!is_wide || machine != arch->elf_machine)
		return error_detail(error_create(ERR_UNSUPPORTED_ARCHITECTURE,
						 "process %d runs a %d-bit program for %s (ELF machine %u): %s",
						 p->base.pid, is_wide ? 64 : 32, arch_machine_name((uint16_t)machine),
						 machine,
						 is_wide ? "this machine has another processor"
							 : arch_missing((uint16_t)machine, false, false)),
				    "machine", "%u", machine);
	return NULL;
}

static struct error *read_auxv(int dirfd, struct process_auxv *ret)
{
	char auxv[MAX_AUXV];
	ssize_t n = proc_read(dirfd, "auxv", auxv, sizeof(auxv));

	auxv_parse(auxv, n > 0 ? (size_t)n : 0, ret);
	if (n < 0)
		return error_create_errno((int)-n, "read /proc/PID/auxv");
	return NULL;
}

static struct error *check_memory(struct process *p)
{
	char bytes[16];

	struct error *err = read_auxv(p->dirfd, &p->auxv);
	if (err) {
		error_destroy(err);
		return access_explain(p->base.pid, EACCES, "read");
	}
	p->memfd = openat(p->dirfd, "mem", O_RDONLY | O_CLOEXEC);
	if (p->memfd < 0)
		return access_explain(p->base.pid, errno, "read");
	if (!p->auxv.random)
		return error_create(ERR_TARGET_EXITING, "process %d has no memory any more", p->base.pid);
	ssize_t n = process_read_some(p, p->auxv.random, bytes, sizeof(bytes));
	if (n == sizeof(bytes))
		return NULL;
	return access_explain(p->base.pid, n < 0 ? (int)-n : EPERM, "read");
}

static struct error *open_process(struct process *p, char *exe, size_t size)
{
	if (p->base.pid <= 0)
		return error_no_process(p->base.pid);
	struct error *err = open_files(p);
	if (!err)
		err = check_state(p);
	if (!err)
		err = check_executable(p, exe, size);
	if (!err)
		err = check_memory(p);
	if (err || p->base.mode != TARGET_STOP)
		return err;
	bool is_launched = stopper_has_launched(p->base.stopper);
	err = stopper_attach(p->base.stopper, p->base.pid, p->taskfd);
	return err || is_launched ? err : stopper_check(p->base.stopper);
}

/* @stopper (taken, also on error) has launched the process; NULL: it runs already. */
static struct error *create_target(pid_t pid, enum target_mode mode, unsigned max_stop_ms,
				   struct stopper *stopper TAKES, struct target **ret)
{
	char exe[PATH_MAX] = "";
	struct process *p = calloc(1, sizeof(*p));

	if (!p) {
		stopper_destroy(stopper);
		return &error_nomem;
	}
	p->pidfd = p->dirfd = p->taskfd = p->memfd = -1;
	_cleanup_(cleanup_target) struct target *t = &p->base;
	struct error *err = target_init(t, &process_ops, pid, mode, max_stop_ms, "");
	t->stopper = stopper;
	if (!err && mode == TARGET_STOP && !stopper)
		err = stopper_create(max_stop_ms, &t->stopper);
	if (err)
		return err;
	p->no_vm_readv = getenv("OMPDD_NO_VM_READV") != NULL;
	err = open_process(p, exe, sizeof(exe));
	char *name = err ? NULL : strdup(exe);
	if (!err && !name)
		err = &error_nomem;
	if (!err) {
		free(t->exe);
		t->exe = name;
		err = module_list_create(t, &process_files, &p->auxv, &t->modules);
	}
	/* A launched program has not executed anything yet: kill it after an error. */
	if (err && stopper)
		error_destroy(stopper_kill(stopper));
	if (err)
		return err;
	/* A launched program has nothing loaded yet. */
	if (mode == TARGET_STOP && !stopper)
		process_warm_up(p);
	*ret = no_cleanup(t);
	return NULL;
}

struct error *target_attach(pid_t pid, enum target_mode mode, unsigned max_stop_ms, struct target **ret)
{
	return create_target(pid, mode, max_stop_ms, NULL, ret);
}

struct error *process_adopt(pid_t pid, struct stopper *stopper TAKES, unsigned max_stop_ms, struct target **ret)
{
	return create_target(pid, TARGET_STOP, max_stop_ms, stopper, ret);
}

struct error *target_reopen(struct target *t, struct target **ret)
{
	struct process *old = process_of(t);
	_cleanup_(cleanup_target) struct target *fresh = NULL;

	/* The new target uses the same tracing thread. */
	thread_texts_deinit(&old->texts);
	stopper_drop_thread(t->stopper);
	struct error *err = create_target(t->pid, t->mode, t->max_stop_ms, NULL, &fresh);
	/* A pid can be reused. */
	if (error_catch(&err, ERR_NO_SUCH_PROCESS) || (!err && process_of(fresh)->start_time != old->start_time))
		return error_create(ERR_TARGET_EXITED, "process %d has exited", t->pid);
	for (size_t i = 0; i < t->n_debug_dirs && !err; i++)
		err = target_add_debug_dir(fresh, t->debug_dirs[i]);
	if (err)
		return err;
	stopper_take_tracer(fresh->stopper, t->stopper);
	*ret = no_cleanup(fresh);
	return NULL;
}
