/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A running process as a target: attaching, identity, memory, and the operations that the
 * other files of this folder do for it. Reached through target.c.
 */
#include "target/process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "target/access.h"
#include "target/live.h"
#include "target/modules.h"
#include "target/observe.h"
#include "target/proc.h"
#include "target/tls.h"

/* A stop that attaching makes to see whether it may. */
#define PROBE_LIMIT_MS 200
/* Largest /proc/PID/auxv that makes sense. */
#define MAX_AUXV       4096

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static bool has_exited(const struct process *p)
{
	struct pollfd pfd = {.fd = p->pidfd, .events = POLLIN};
	char text[1024];
	struct proc_stat st;

	if (p->pidfd >= 0)
		return poll(&pfd, 1, 0) > 0;
	return proc_read(p->dirfd, "stat", text, sizeof(text)) < 0 ||
	       !proc_parse_stat(text, &st) || st.state == 'Z' || st.state == 'X';
}

static struct error *error_exited(const struct process *p)
{
	return error_create(ERR_TARGET_EXITED, "process %d has exited", p->base.pid);
}

static struct error *error_unreadable(const struct process *p, uint64_t addr)
{
	if (has_exited(p))
		return error_exited(p);
	return error_detail(error_create(ERR_MEMORY_UNREADABLE, "memory at 0x%llx cannot be read",
					 (unsigned long long)addr),
			    "address", "0x%llx", (unsigned long long)addr);
}

/* Memory */

/* Bytes read, 0 when nothing is there, or a negative errno. */
static ssize_t read_some(struct process *p, uint64_t addr, void *buf, size_t len)
{
	if (!p->no_vm_readv) {
		struct iovec local = {buf, len};
		struct iovec remote = {(void *)(uintptr_t)addr, len};
		ssize_t n = process_vm_readv(p->base.pid, &local, 1, &remote, 1, 0);

		if (n >= 0)
			return n;
		if (errno == EFAULT)
			return 0;
		if (errno != ENOSYS && errno != EPERM)
			return -errno;
		/* Not here, or a policy forbids it: the file of the same content may still do. */
		p->no_vm_readv = true;
	}
	ssize_t n = pread(p->memfd, buf, len, (off_t)addr);
	if (n < 0 && errno == EIO)
		return 0;
	return n < 0 ? -errno : n;
}

static struct error *process_read(struct target *t, uint64_t addr, void *buf, size_t len)
{
	struct process *p = process_of(t);
	size_t done = 0;

	while (done < len) {
		ssize_t n = read_some(p, addr + done, (char *)buf + done, len - done);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return error_unreadable(p, addr + done);
		done += (size_t)n;
	}
	return NULL;
}

/* One process_vm_readv() for up to IOV_MAX pages; neighbours are joined on the remote side. */
static ssize_t read_vector(struct process *p, const uint64_t *addrs, unsigned char *const *pages,
			   size_t n)
{
	struct iovec local[IOV_MAX], remote[IOV_MAX];
	size_t n_remote = 0;

	for (size_t i = 0; i < n; i++) {
		local[i] = (struct iovec){pages[i], CACHE_PAGE};
		if (i && addrs[i] == addrs[i - 1] + CACHE_PAGE)
			remote[n_remote - 1].iov_len += CACHE_PAGE;
		else
			remote[n_remote++] =
				(struct iovec){(void *)(uintptr_t)addrs[i], CACHE_PAGE};
	}
	ssize_t got = process_vm_readv(p->base.pid, local, n, remote, n_remote, 0);
	if (got < 0 && (errno == ENOSYS || errno == EPERM))
		p->no_vm_readv = true;
	return got < 0 ? -errno : got;
}

static struct error *process_read_pages(struct target *t, const uint64_t *addrs,
					unsigned char *const *pages, size_t n, bool *ok)
{
	struct process *p = process_of(t);
	size_t done = 0;

	while (done < n) {
		size_t batch = n - done < IOV_MAX ? n - done : IOV_MAX;
		ssize_t got;

		if (!p->no_vm_readv)
			got = read_vector(p, addrs + done, pages + done, batch);
		if (p->no_vm_readv)
			got = read_some(p, addrs[done], pages[done], CACHE_PAGE);
		if (got == -EINTR)
			continue;
		if (got == -ESRCH || (got <= 0 && got != -EFAULT && has_exited(p)))
			return error_exited(p);
		size_t whole = got > 0 ? (size_t)got / CACHE_PAGE : 0;
		for (size_t i = 0; i < whole; i++)
			ok[done + i] = true;
		done += whole;
		/* A short answer means that the next page is not there. */
		if (done < n && (p->no_vm_readv ? !whole : whole < batch))
			ok[done++] = false;
	}
	return NULL;
}

static struct error *process_readable(struct target *t)
{
	struct process *p = process_of(t);

	if (p->live && live_is_expired(p->live))
		return error_create(ERR_STOP_TIMEOUT,
				    "the time limit of the stop was over; the threads run again");
	return NULL;
}

/* Identity */

static struct error *read_auxv(int dirfd, struct process_auxv *ret)
{
	Elf64_auxv_t auxv[MAX_AUXV / sizeof(Elf64_auxv_t)];
	ssize_t n = proc_read(dirfd, "auxv", (char *)auxv, sizeof(auxv));

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(auxv[0]); i++) {
		switch (auxv[i].a_type) {
		case AT_PHDR:
			ret->phdr = auxv[i].a_un.a_val;
			break;
		case AT_PHNUM:
			ret->phnum = auxv[i].a_un.a_val;
			break;
		case AT_BASE:
			ret->base = auxv[i].a_un.a_val;
			break;
		case AT_RANDOM:
			ret->random = auxv[i].a_un.a_val;
			break;
		case AT_SYSINFO_EHDR:
			ret->vdso = auxv[i].a_un.a_val;
			break;
		default:
			break;
		}
	}
	if (n < 0)
		return error_create_errno((int)-n, "read /proc/PID/auxv");
	return NULL;
}

static struct error *process_check(struct target *t)
{
	struct process *p = process_of(t);
	char byte, text[64];

	/* The open file belongs to the address space of the attach: an exec or the end leaves nothing to read. */
	if (pread(p->memfd, &byte, 1, (off_t)p->auxv.random) == 1 && !has_exited(p))
		return NULL;
	if (has_exited(p) || proc_read(p->dirfd, "auxv", text, sizeof(text)) <= 0)
		return error_exited(p);
	return error_create(ERR_TARGET_EXEC, "process %d has replaced its program (it was %s)", t->pid,
			    t->exe);
}

/* Stop and resume */

/* Bring t->threads up to date with the kernel's list. */
static struct error *refresh_tids(struct process *p)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t n;
	bool changed;
	struct error *err = proc_list_tasks(p->taskfd, &tids, &n);

	if (err)
		return err;
	return target_set_threads(&p->base, tids, n, &changed);
}

static void read_missing_comms(struct process *p)
{
	for (size_t i = 0; i < p->base.n_threads; i++) {
		if (!p->base.threads[i].comm[0])
			observe_comm(p->taskfd, &p->base.threads[i]);
	}
}

static struct error *process_stop(struct target *t, unsigned budget_ms)
{
	struct process *p = process_of(t);
	struct stat st;

	if (live_is_stopped(p->live))
		return error_create(ERR_INTERNAL_ERROR, "the target is stopped already");
	/*
	 * An old list of the same length will do: whoever is gone cannot be seized, whoever is new is found by the count.
	 * What can be read before the stop is not read in it.
	 */
	if (!t->n_threads || fstat(p->taskfd, &st) != 0 || st.st_nlink != t->n_threads + 2) {
		struct error *err = refresh_tids(p);

		if (err)
			return err;
		read_missing_comms(p);
	}
	_cleanup_free_ pid_t *tids = malloc(t->n_threads * sizeof(*tids));
	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < t->n_threads; i++)
		tids[i] = t->threads[i].tid;
	return live_stop(p->live, tids, t->n_threads, false, budget_ms, t->max_stop_ms);
}

static struct error *process_resume(struct target *t, int64_t *stopped_us_ret)
{
	return live_resume(process_of(t)->live, stopped_us_ret);
}

static bool process_is_stopped(const struct target *t)
{
	const struct process *p = process_of_const(t);

	return p->live && live_is_stopped(p->live);
}

static bool process_is_stopped_by_other(struct target *t)
{
	return observe_all_stopped(process_of(t)->taskfd, t->pid);
}

static void process_poll(struct target *t)
{
	struct process *p = process_of(t);

	if (p->live)
		live_poll(p->live);
}

static int process_exit_fd(const struct target *t)
{
	return process_of_const(t)->pidfd;
}

/* Threads */

struct collect {
	pid_t *tids;
	size_t n;
};

static void collect_tid(pid_t tid, void *arg)
{
	struct collect *c = arg;

	c->tids[c->n++] = tid;
}

static struct error *list_stopped(struct process *p)
{
	struct target *t = &p->base;
	size_t n = live_count(p->live);
	_cleanup_free_ pid_t *tids = malloc((n ? n : 1) * sizeof(*tids));
	struct collect c = {tids, 0};
	bool changed;

	if (!tids)
		return &error_nomem;
	live_for_each(p->live, collect_tid, &c);
	struct error *err = target_set_threads(t, c.tids, c.n, &changed);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_threads; i++)
		t->threads[i].state = 't';
	read_missing_comms(p);
	return NULL;
}

static struct error *process_list_threads(struct target *t)
{
	struct process *p = process_of(t);

	if (process_is_stopped(t))
		return list_stopped(p);
	struct error *err = refresh_tids(p);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_threads; i++)
		observe_thread(p->taskfd, &t->threads[i], !t->threads[i].comm[0]);
	return NULL;
}

static void process_fill_pthreads(struct target *t)
{
	struct process *p = process_of(t);

	tls_fill_pthreads(p->tls, t);
}

static void activity_from_registers(const struct user_regs_struct *regs, struct target_activity *ret)
{
	long result = (long)regs->rax;

	ret->known = true;
	ret->pc = regs->rip;
	ret->sp = regs->rsp;
	/*
	 * -ERESTARTSYS, -ERESTARTNOINTR, -ERESTARTNOHAND and -ERESTART_RESTARTBLOCK never leave the kernel: a
	 * thread that shows them was interrupted in a call that it will go on with.
	 */
	if ((long)regs->orig_rax < 0 ||
	    (result != -512 && result != -513 && result != -514 && result != -516))
		return;
	ret->in_syscall = true;
	ret->syscall = (long)regs->orig_rax;
	ret->args[0] = regs->rdi;
	ret->args[1] = regs->rsi;
	ret->args[2] = regs->rdx;
	ret->args[3] = regs->r10;
	ret->args[4] = regs->r8;
	ret->args[5] = regs->r9;
}

static void process_activity(struct target *t, pid_t tid, struct target_activity *ret)
{
	struct process *p = process_of(t);
	struct user_regs_struct regs;

	if (!process_is_stopped(t))
		observe_activity(p->taskfd, tid, ret);
	else if (live_registers(p->live, tid, &regs))
		activity_from_registers(&regs, ret);
}

/* Modules, symbols, thread-local storage */

static struct error *process_modules(struct target *t, const struct target_module **ret, size_t *n_ret)
{
	return modules_list(process_of(t)->modules, t, ret, n_ret);
}

static struct error *process_symbol(struct target *t, const char *name, const char *file_name,
				    struct target_symbol *ret)
{
	return modules_symbol(process_of(t)->modules, t, name, file_name, ret);
}

static bool process_symbol_at(struct target *t, uint64_t addr, char *name, size_t size,
			      uint64_t *offset_ret)
{
	return modules_symbol_at(process_of(t)->modules, t, addr, name, size, offset_ret);
}

static struct error *process_tls_address(struct target *t, const struct target_thread *thread,
					 const struct target_symbol *sym, uint64_t *ret)
{
	struct process *p = process_of(t);

	return tls_address(p->tls, t, thread, sym, modules_link_map(p->modules, sym->module), ret);
}

static void process_destroy(struct target *t)
{
	struct process *p = process_of(t);

	live_destroy(p->live);
	tls_destroy(p->tls);
	modules_destroy(p->modules);
	if (p->memfd >= 0)
		close(p->memfd);
	if (p->taskfd >= 0)
		close(p->taskfd);
	if (p->dirfd >= 0)
		close(p->dirfd);
	if (p->pidfd >= 0)
		close(p->pidfd);
	target_deinit(t);
	free(p);
}
CLEANUP_DEFINE(process, struct target *, process_destroy)

static const struct target_ops process_ops = {
	.destroy = process_destroy,
	.check = process_check,
	.stop = process_stop,
	.resume = process_resume,
	.is_stopped = process_is_stopped,
	.is_stopped_by_other = process_is_stopped_by_other,
	.poll = process_poll,
	.exit_fd = process_exit_fd,
	.list_threads = process_list_threads,
	.fill_pthreads = process_fill_pthreads,
	.activity = process_activity,
	.read_pages = process_read_pages,
	.read = process_read,
	.readable = process_readable,
	.modules = process_modules,
	.symbol = process_symbol,
	.symbol_at = process_symbol_at,
	.tls_address = process_tls_address,
};

/* Attaching */

static struct error *error_no_process(pid_t pid)
{
	char path[64], text[4096];
	int tgid;

	/* /proc has threads too, though it does not list them. */
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pid > 0 && proc_read(AT_FDCWD, path, text, sizeof(text)) > 0) {
		const char *line = strstr(text, "\nTgid:");

		if (line && sscanf(line, "\nTgid: %d", &tgid) == 1 && tgid != pid)
			return error_hint(error_create(ERR_NO_SUCH_PROCESS,
						       "%d is a thread of process %d, not a process", pid,
						       tgid),
					  "attach to process %d", tgid);
	}
	return error_create(ERR_NO_SUCH_PROCESS, "no process has pid %d", pid);
}

static struct error *open_files(struct process *p)
{
	pid_t pid = p->base.pid;
	char path[64];

	/* First, so that everything that is opened below is of the same process. */
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

/* Our daemon, or another of its workers. */
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

	if (proc_read(p->dirfd, "stat", text, sizeof(text)) < 0 || !proc_parse_stat(text, &st))
		return error_no_process(pid);
	if (pid == getpid() || is_ours(p, &st))
		return error_create(ERR_SELF_ATTACH, "process %d is ompdd itself", pid);
	if (st.state == 'Z' || st.state == 'X')
		return error_create(ERR_TARGET_EXITING, "process %d (%s) is a zombie", pid, st.comm);
	if (proc_read(p->dirfd, "status", text, sizeof(text)) < 0 || !proc_parse_status(text, &status))
		return error_no_process(pid);
	if (!status.has_mm)
		return error_hint(error_create(ERR_UNSUPPORTED_ARCHITECTURE,
					       "process %d (%s) is a kernel thread, not a program", pid,
					       st.comm),
				  "give the pid of the OpenMP program");
	p->start_time = st.start_time;
	return NULL;
}

/* The file of the executable tells the architecture; it also is the first thing that permissions hide. */
static struct error *check_executable(struct process *p, char *exe, size_t size)
{
	unsigned char header[20];
	ssize_t n = readlinkat(p->dirfd, "exe", exe, size - 1);

	if (n < 0)
		return access_explain(p->base.pid, errno, "read");
	exe[n] = '\0';
	_cleanup_close_ int fd = openat(p->dirfd, "exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* A program that may be executed but not read; its memory may still be readable to us. */
	if (fd < 0)
		return NULL;
	if (read(fd, header, sizeof(header)) != sizeof(header) || memcmp(header, ELFMAG, SELFMAG))
		return NULL;
	unsigned machine = header[18] | (unsigned)header[19] << 8;
	if (header[EI_CLASS] != ELFCLASS64 || machine != EM_X86_64)
		return error_detail(error_create(ERR_UNSUPPORTED_ARCHITECTURE,
						 "process %d runs a %d-bit program of ELF machine %u",
						 p->base.pid, header[EI_CLASS] == ELFCLASS64 ? 64 : 32,
						 machine),
				    "machine", "%u", machine);
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
		return error_create(ERR_TARGET_EXITING, "process %d has no memory any more",
				    p->base.pid);
	ssize_t n = read_some(p, p->auxv.random, bytes, sizeof(bytes));
	if (n == sizeof(bytes))
		return NULL;
	return access_explain(p->base.pid, n < 0 ? (int)-n : EPERM, "read");
}

/* Whether the kernel lets us trace: stop the main thread for an instant. */
static struct error *check_trace(struct process *p)
{
	struct error *err = access_tracer(p->base.pid);
	int64_t us;

	if (err)
		return err;
	err = live_create(p->base.pid, p->taskfd, &p->live);
	if (err)
		return err;
	err = live_stop(p->live, &p->base.pid, 1, true, 0, PROBE_LIMIT_MS);
	if (!err)
		return live_resume(p->live, &us);
	/* The main thread may sleep where it cannot be interrupted: that is no refusal. */
	error_catch(&err, ERR_STOP_TIMEOUT);
	return err;
}

/*
 * Look at everything that does not change often once without a stop, so that the first stop is not
 * longer than the others. What fails here fails again, with a reason, when it is asked for.
 */
static void warm_up(struct process *p)
{
	struct target *t = &p->base;
	const struct target_module *modules;
	size_t n;

	target_view_begin(t);
	struct error *err = refresh_tids(p);
	if (!err) {
		read_missing_comms(p);
		process_fill_pthreads(t);
		err = process_modules(t, &modules, &n);
	}
	error_destroy(err);
}

struct error *target_attach(pid_t pid, enum target_mode mode, unsigned max_stop_ms, struct target **ret)
{
	char exe[PATH_MAX] = "";
	struct process *p = calloc(1, sizeof(*p));

	if (!p)
		return &error_nomem;
	p->pidfd = p->dirfd = p->taskfd = p->memfd = -1;
	_cleanup_(cleanup_process) struct target *t = &p->base;
	struct error *err = target_init(t, &process_ops, pid, mode, max_stop_ms, "");
	if (err)
		return err;
	p->no_vm_readv = getenv("OMPDD_NO_VM_READV") != NULL;
	if (pid <= 0)
		return error_no_process(pid);
	err = open_files(p);
	if (!err)
		err = check_state(p);
	if (!err)
		err = check_executable(p, exe, sizeof(exe));
	if (!err)
		err = check_memory(p);
	if (!err && mode == TARGET_STOP)
		err = check_trace(p);
	if (err)
		return err;
	char *name = strdup(exe);
	if (!name)
		return &error_nomem;
	free(t->exe);
	t->exe = name;
	err = modules_create(p->dirfd, &p->auxv, &p->modules);
	if (!err)
		err = tls_create(&p->tls);
	if (err)
		return err;
	if (mode == TARGET_STOP)
		warm_up(p);
	*ret = no_cleanup(t);
	return NULL;
}
