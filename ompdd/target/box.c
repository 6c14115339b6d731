/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The filter is written here, not by a library: it is a list, of numbers that the compiler knows, and is made with each
 * worker. Refused calls raise SIGSYS, whose handler counts them and lets them fail; a library that puts a handler of
 * its own there gains nothing, the call is not made.
 */
#include "target/box.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/log.h"
#include "target/arch.h"
#include "target/aside.h"
#include "target/box_filter.h"

#define BOX_O_WRITES   (O_ACCMODE | O_CREAT | O_TRUNC)
#define BOX_PR_SET_VMA 0x53564d41 /* the C library names its memory */
#define BOX_IOCTL_PERF 0x2400	  /* '$' << 8 */
#define BOX_SELF       BOX_SELF_MARK
/* Stands for our pid, which is not known to the compiler. */
#define BOX_SELF_MARK 0x80000000u

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self  446
#endif
#ifndef SYS_rseq
#define SYS_rseq 334
#endif

static const struct box_rule rules[] = {
#define CALL(name)		     {SYS_##name, -1, 0, 0, SECCOMP_RET_ALLOW},
#define WHEN(name, arg, mask, value) {SYS_##name, arg, mask, value, SECCOMP_RET_ALLOW},
#define ANSWER(name, errnum)	     {SYS_##name, -1, 0, 0, SECCOMP_RET_ERRNO | (errnum)},
#include "target/box_calls.def"
#undef CALL
#undef WHEN
#undef ANSWER
};
#define N_RULES (sizeof(rules) / sizeof(rules[0]))
_Static_assert(N_RULES <= BOX_FILTER_MAX_RULES, "rules of the box");

/*
 * Of the threads outside, and of a tracer that is started there: what none of them needs. The C library has each thread
 * do setuid() when one does, so these first.
 */
static const struct box_rule outside_rules[] = {
#define ANSWER(name) {SYS_##name, -1, 0, 0, SECCOMP_RET_ERRNO | EPERM},
	ANSWER(setuid) ANSWER(setgid) ANSWER(setreuid) ANSWER(setregid) ANSWER(setresuid) ANSWER(setresgid)
		ANSWER(setgroups) ANSWER(setfsuid) ANSWER(setfsgid) ANSWER(bind) ANSWER(listen) ANSWER(mount)
			ANSWER(umount2) ANSWER(pivot_root) ANSWER(chroot) ANSWER(unshare) ANSWER(setns) ANSWER(bpf)
				ANSWER(keyctl) ANSWER(add_key) ANSWER(request_key) ANSWER(userfaultfd)
					ANSWER(io_uring_setup) ANSWER(init_module) ANSWER(finit_module)
						ANSWER(delete_module) ANSWER(kexec_load) ANSWER(reboot) ANSWER(swapon)
							ANSWER(swapoff) ANSWER(acct) ANSWER(settimeofday)
								ANSWER(clock_settime) ANSWER(process_vm_writev)
#undef ANSWER
};

/* Those that are worth a word; a number says enough of the others. */
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
#ifdef SYS_open
							X(open) X(creat) X(unlink) X(rename) X(mkdir) X(chmod)
#endif
#undef X
};

static bool entered;
static atomic_uint_least64_t n_refused;
static atomic_int last_refused;

static void on_refused(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	atomic_fetch_add(&n_refused, 1);
	atomic_store(&last_refused, info->si_syscall);
	arch_host.set_call_result(context, -EPERM);
}

/* @otherwise: what happens to all else. */
static bool set_filter(const struct box_rule *list, size_t n_rules, uint32_t otherwise)
{
	struct box_rule mine[N_RULES];
	struct sock_filter code[BOX_FILTER_MAX_LEN];

	for (size_t i = 0; i < n_rules; i++) {
		mine[i] = list[i];
		if (list[i].value == BOX_SELF_MARK)
			mine[i].value = (uint32_t)getpid();
	}
	size_t n = box_filter_make(code, arch_host.audit, mine, n_rules, otherwise);
	struct sock_fprog program = {(unsigned short)n, code};
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* struct landlock_ruleset_attr as of version 6; older kernels take its beginning. */
struct ruleset {
	uint64_t files, network, scoped;
};

/* Nothing of this is allowed anywhere: all that changes a file system or starts a program, TCP, others' signals. */
static bool set_domain(int abi)
{
	struct ruleset r = {
		/* Without reading files (bit 2) and directories (3): what a core names may be anywhere. */
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

static void on_outside(void *arg)
{
	(void)arg;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	set_filter(outside_rules, sizeof(outside_rules) / sizeof(outside_rules[0]), SECCOMP_RET_ALLOW);
}

struct error *box_enter(enum box_kind kind)
{
	struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	int abi = kind == BOX_CORE ? confine_landlock_abi() : 0;

	if (entered)
		return NULL;
	if (confine_is_sanitized()) {
		/* Its search for leaks, at the end, makes a process that traces this one. */
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		return NULL;
	}
	struct error *err = aside_outside_begin();
	if (err)
		return err;
	aside_outside(on_outside, NULL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	entered = true;
	if (abi && !set_domain(abi))
		log_info("box: landlock, version %d, cannot be used: %s", abi, strerror(errno));
	if (sigaction(SIGSYS, &action, NULL) || !confine_has_seccomp() || !set_filter(rules, N_RULES, SECCOMP_RET_TRAP))
		log_info("box: no seccomp filter: %s", strerror(errno));
	return NULL;
}

uint64_t box_take_refused(const char **name_ret)
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
