/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Refused calls raise SIGSYS. Its handler counts them and lets them fail. A library that installs its own handler gains
 * nothing: the call is not made.
 */
#include "target/sandbox/sandbox.h"

#include <asm/ioctls.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/log.h"
#include "base/memory_limit.h"
#include "target/arch/arch.h"
#include "target/sandbox/broker.h"
#include "target/proc/proc.h"
#include "target/sandbox/sandbox_filter.h"

/* CPU time without a sleep at real-time priority; a stop is much shorter. */
#define MAX_REALTIME_S	   20
#define SANDBOX_O_WRITES   (O_ACCMODE | O_CREAT | O_TRUNC)
#define SANDBOX_PR_SET_VMA 0x53564d41 /* the C library names its memory with it */
#define SANDBOX_IOC_PERIOD ((uint32_t)PERF_EVENT_IOC_PERIOD)
/* A thread, in the same namespaces. */
#define SANDBOX_CLONE_FLAGS                                                                                            \
	(CLONE_THREAD | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |   \
	 CLONE_NEWNET | CLONE_PTRACE)
/* A placeholder for our pid, which is unknown at compile time. */
#define SANDBOX_SELF 0x80000000u

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self  446
#endif
#ifndef SYS_rseq
#define SYS_rseq 334
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

static const struct sandbox_rule rules[] = {
#define CALL(name)		     {.nr = SYS_##name, .action = SECCOMP_RET_ALLOW},
#define WHEN(name, arg, mask, value) {.nr = SYS_##name, .first = {arg, mask, value}, .action = SECCOMP_RET_ALLOW},
#define BOTH(name, arg, mask, value, arg2, mask2, value2)                                                              \
	{.nr = SYS_##name, .first = {arg, mask, value}, .second = {arg2, mask2, value2}, .action = SECCOMP_RET_ALLOW},
#define REFUSE(name, errnum) {.nr = SYS_##name, .action = SECCOMP_RET_ERRNO | (errnum)},
#include "target/sandbox/sandbox_calls.def"
#undef REFUSE
};
#define N_RULES (sizeof(rules) / sizeof(rules[0]))

/*
 * The rules of the tracing thread, with the requests in arch_host. DETACH with SIGKILL would kill a thread, SEIZE with
 * PTRACE_O_EXITKILL would kill it when we exit.
 */
static const struct sandbox_rule tracing_rules[] = {
	BOTH(ptrace, 0, ~0u, PTRACE_SEIZE, 3, ~(uint32_t)PTRACE_O_TRACEEXEC, 0) WHEN(ptrace, 0, ~0u, PTRACE_INTERRUPT)
	/* Only signals that a program can catch are reported before their delivery and passed on. */
	{SYS_ptrace, {0, ~0u, PTRACE_DETACH}, {3, ~0u, SIGKILL}, SECCOMP_RET_ERRNO | EPERM, {0}},
	WHEN(ptrace, 0, ~0u, PTRACE_DETACH)};
#define N_TRACING  (sizeof(tracing_rules) / sizeof(tracing_rules[0]))
#define N_REQUESTS (sizeof(arch_host.requests) / sizeof(arch_host.requests[0]))
#undef CALL
#undef WHEN
#undef BOTH
_Static_assert(N_RULES + N_TRACING + N_REQUESTS <= SANDBOX_FILTER_MAX_RULES, "rules of the sandbox");

/* The C library makes each thread call setuid() when one thread does. */
static const struct sandbox_rule broker_rules[] = {
#define REFUSE(name) {.nr = SYS_##name, .action = SECCOMP_RET_ERRNO | EPERM},
	REFUSE(setuid) REFUSE(setgid) REFUSE(setreuid) REFUSE(setregid) REFUSE(setresuid) REFUSE(setresgid)
		REFUSE(setgroups) REFUSE(setfsuid) REFUSE(setfsgid) REFUSE(bind) REFUSE(listen) REFUSE(mount)
			REFUSE(umount2) REFUSE(pivot_root) REFUSE(chroot) REFUSE(unshare) REFUSE(setns) REFUSE(bpf)
				REFUSE(keyctl) REFUSE(add_key) REFUSE(request_key) REFUSE(userfaultfd)
					REFUSE(io_uring_setup) REFUSE(init_module) REFUSE(finit_module)
						REFUSE(delete_module) REFUSE(kexec_load) REFUSE(reboot) REFUSE(swapon)
							REFUSE(swapoff) REFUSE(acct) REFUSE(settimeofday)
								REFUSE(clock_settime) REFUSE(process_vm_writev)
#undef REFUSE
};

/* Names for messages; other calls are shown by number. */
static const struct {
	int nr;
	const char *name;
} names[] = {
#define X(name) {SYS_##name, #name},
	X(socket) X(connect) X(bind) X(listen) X(accept4) X(socketpair) X(openat) X(openat2) X(unlinkat) X(renameat2)
		X(linkat) X(symlinkat) X(mkdirat) X(mknodat) X(fchmod) X(fchmodat) X(fchown) X(fchownat) X(truncate)
			X(utimensat) X(setxattr) X(kill) X(tkill) X(tgkill) X(rt_sigqueueinfo) X(rt_tgsigqueueinfo)
				X(pidfd_send_signal) X(pidfd_getfd) X(ptrace) X(process_vm_writev) X(prctl) X(prlimit64)
					X(ioctl) X(mount) X(unshare) X(setns) X(chroot) X(bpf) X(keyctl) X(userfaultfd)
						X(io_uring_setup) X(setuid) X(setresuid) X(setgid) X(setresgid) X(
							sched_setscheduler) X(sched_setaffinity) X(setpriority) X(kcmp)
							X(fcntl) X(memfd_create) X(perf_event_open) X(seccomp)
#ifdef SYS_open
								X(open) X(creat) X(unlink) X(rename) X(mkdir) X(chmod)
#endif
#undef X
};

static bool entered;
static bool is_filtered;
static atomic_uint_least64_t n_refused;
static atomic_int last_refused;

static void on_refused(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	atomic_fetch_add(&n_refused, 1);
	atomic_store(&last_refused, info->si_syscall);
	arch_host.set_call_result(context, -EPERM);
}

/* Set the filter of the calling thread. @otherwise: the action for all other calls. */
static bool set_filter(const struct sandbox_rule *list, size_t n_rules, uint32_t otherwise)
{
	struct sandbox_rule mine[SANDBOX_FILTER_MAX_RULES];
	struct sock_filter code[SANDBOX_FILTER_MAX_LEN];

	for (size_t i = 0; i < n_rules; i++) {
		mine[i] = list[i];
		if (list[i].first.value == SANDBOX_SELF)
			mine[i].first.value = (uint32_t)getpid();
	}
	size_t n = sandbox_filter_make(code, arch_host.audit, mine, n_rules, otherwise);
	struct sock_fprog program = {(unsigned short)n, code};
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* struct landlock_ruleset_attr as of version 6; older kernels take its first members. */
struct ruleset {
	uint64_t files, network, scoped;
};

/* Set a domain that refuses changes to a file system, new programs, TCP, and signals to other processes. */
static bool set_domain(int abi)
{
	struct ruleset r = {
		/* Reading files (bit 2) and folders (3) stays permitted: the files of a core may be anywhere. */
		.files = (abi >= 5   ? (UINT64_C(1) << 16) - 1 /* and ioctl of devices */
			  : abi >= 3 ? (UINT64_C(1) << 15) - 1 /* and truncate */
			  : abi == 2 ? (UINT64_C(1) << 14) - 1 /* and refer */
				     : (UINT64_C(1) << 13) - 1) &
			 ~UINT64_C(0xc),
		.network = abi >= 4 ? 3 : 0,
		.scoped = abi >= 6 ? 3 : 0,
	};
	size_t size = abi >= 6 ? sizeof(r) : abi >= 4 ? offsetof(struct ruleset, scoped) : sizeof(r.files);
	long fd = syscall(SYS_landlock_create_ruleset, &r, size, 0);

	if (fd < 0)
		return false;
	bool ok = syscall(SYS_landlock_restrict_self, fd, 0) == 0;
	close((int)fd);
	return ok;
}

/*
 * Keep only the root capabilities that reading and stopping a process needs. Without CAP_SYS_RESOURCE, hard limits bind
 * root too.
 */
static void drop_capabilities(void)
{
	static const unsigned kept[] = {CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYS_NICE, CAP_IPC_LOCK,
					CAP_CHECKPOINT_RESTORE};
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0}};
	uint32_t mask[2] = {0};

	if (syscall(SYS_capget, &header, data))
		return;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		mask[kept[i] / 32] |= 1u << kept[i] % 32;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= mask[i];
		data[i].effective &= mask[i];
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &header, data))
		log_info("sandbox: capabilities cannot be dropped: %s", strerror(errno));
}

static void limit_resource(__rlimit_resource_t which, rlim_t most)
{
	struct rlimit r;

	if (getrlimit(which, &r) || r.rlim_max <= most)
		return;
	r.rlim_max = most;
	if (r.rlim_cur > most)
		r.rlim_cur = most;
	setrlimit(which, &r);
}

void sandbox_confine_broker(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	set_filter(broker_rules, sizeof(broker_rules) / sizeof(broker_rules[0]), SECCOMP_RET_ALLOW);
}

void sandbox_confine_tracing(void)
{
	struct sandbox_rule all[N_RULES + N_TRACING + N_REQUESTS];
	size_t n = 0;

	if (confine_is_sanitized())
		return;
	drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	memcpy(all, tracing_rules, sizeof(tracing_rules));
	n += N_TRACING;
	for (size_t i = 0; i < N_REQUESTS && arch_host.requests[i].request; i++) {
		const struct arch_request *r = &arch_host.requests[i];
		uint32_t mask = r->is_exact ? ~0u : 0;

		all[n++] = (struct sandbox_rule){
			SYS_ptrace, {0, ~0u, r->request}, {2, mask, r->at}, SECCOMP_RET_ALLOW, {3, mask, r->value}};
	}
	memcpy(all + n, rules, sizeof(rules));
	if (!confine_has_seccomp() || !set_filter(all, n + N_RULES, SECCOMP_RET_ERRNO | EPERM))
		log_info("sandbox: no seccomp filter for the thread that traces: %s", strerror(errno));
}

struct error *sandbox_enter(enum sandbox_kind kind, pid_t pid, struct error *(*start_tracing)(void))
{
	struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	int abi = kind == SANDBOX_CORE ? confine_landlock_abi() : 0;

	if (entered)
		return NULL;
	if (confine_is_sanitized()) {
		/* The leak check of a sanitizer at exit creates a process that traces this one. */
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		return NULL;
	}
	/* Start the broker first: it must not inherit our limits, and a fork copies one thread only. */
	struct error *err = broker_start(&(struct broker_rights){
		.pid = pid, .traces = kind == SANDBOX_TRACE, .creates_files = kind == SANDBOX_CORE});
	if (!err && start_tracing)
		err = start_tracing();
	if (err)
		return err;
	entered = true;
	memory_limit_harden();
	limit_resource(RLIMIT_CORE, 0);
	limit_resource(RLIMIT_RTTIME, MAX_REALTIME_S * (rlim_t)1000000);
	drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (abi && !set_domain(abi))
		log_info("sandbox: landlock, version %d, cannot be used: %s", abi, strerror(errno));
	is_filtered = !sigaction(SIGSYS, &action, NULL) && confine_has_seccomp() &&
		      set_filter(rules, N_RULES, SECCOMP_RET_TRAP);
	if (!is_filtered)
		log_info("sandbox: no seccomp filter: %s", strerror(errno));
	return NULL;
}

bool sandbox_is_entered(void)
{
	return entered;
}

static bool is_confined(int tasks, const char *tid)
{
	char path[32], text[4096];

	snprintf(path, sizeof(path), "%.15s/status", tid);
	ssize_t n = proc_read(tasks, path, text, sizeof(text));
	/* A thread that has ended meanwhile needs no filter. */
	return n < 0 || strstr(text, "\nSeccomp:\t2");
}

bool sandbox_is_closed(void)
{
	DIR *dir = is_filtered ? opendir("/proc/self/task") : NULL;
	const struct dirent *entry;
	bool closed = dir || !is_filtered;

	while (closed && dir && (entry = readdir(dir)))
		closed = entry->d_name[0] == '.' || is_confined(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	return closed;
}

uint64_t sandbox_take_refused(const char **name_ret)
{
	static char number[32];
	uint64_t n = atomic_exchange(&n_refused, 0);
	int nr = atomic_load(&last_refused);

	snprintf(number, sizeof(number), "system call %d", nr);
	*name_ret = number;
	for (size_t i = 0; n && i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].nr == nr)
			*name_ret = names[i].name;
	}
	return n;
}
