/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The filter is written here, not by a library: it is a list, of numbers that the compiler knows, and takes 30 us to
 * make with each worker. Refused calls raise SIGSYS, whose handler counts them and lets them fail; a library that puts
 * a handler of its own there gains nothing, the call is not made.
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

struct rule {
	int nr;
	int arg; /* -1: whatever they are */
	uint32_t mask, value;
	uint32_t action;
};

static const struct rule rules[] = {
#define CALL(name)		     {SYS_##name, -1, 0, 0, SECCOMP_RET_ALLOW},
#define WHEN(name, arg, mask, value) {SYS_##name, arg, mask, value, SECCOMP_RET_ALLOW},
#define ANSWER(name, errnum)	     {SYS_##name, -1, 0, 0, SECCOMP_RET_ERRNO | (errnum)},
#include "target/box_calls.def"
#undef CALL
#undef WHEN
#undef ANSWER
};
#define N_RULES (sizeof(rules) / sizeof(rules[0]))

/*
 * Of the threads outside, and of a tracer that is started there: what none of them needs. The C library has each thread
 * do setuid() when one does, so these first.
 */
static const struct rule outside_rules[] = {
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
/* Of one rule at most, and of the beginning and the end. */
#define RULE_LEN  6
#define FRAME_LEN 6

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
	arch.set_call_result(context, -EPERM);
}

static size_t add(struct sock_filter *to, size_t n, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	to[n] = (struct sock_filter){code, jt, jf, k};
	return n + 1;
}

static size_t add_rule(struct sock_filter *to, size_t n, const struct rule *r)
{
	uint32_t value = r->value == BOX_SELF_MARK ? (uint32_t)getpid() : r->value;

	if (r->arg < 0) {
		n = add(to, n, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->nr, 0, 1);
		return add(to, n, BPF_RET | BPF_K, r->action, 0, 0);
	}
	/* All arguments that are looked at are int, or flags of which the lower half matters: little endian first. */
	uint32_t at = (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)r->arg);
	n = add(to, n, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->nr, 0, 5);
	n = add(to, n, BPF_LD | BPF_W | BPF_ABS, at, 0, 0);
	n = add(to, n, BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
	n = add(to, n, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
	n = add(to, n, BPF_RET | BPF_K, r->action, 0, 0);
	/* The number again, for the next one. */
	return add(to, n, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

/* @otherwise: what happens to all else. */
static bool set_filter(const struct rule *list, size_t n_rules, uint32_t otherwise)
{
	struct sock_filter code[N_RULES * RULE_LEN + FRAME_LEN];
	size_t n = 0;

	n = add(code, n, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	n = add(code, n, BPF_JMP | BPF_JEQ | BPF_K, arch.audit, 1, 0);
	/* Another way into the kernel, with other numbers. */
	n = add(code, n, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
	n = add(code, n, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	for (size_t i = 0; i < n_rules; i++)
		n = add_rule(code, n, &list[i]);
	n = add(code, n, BPF_RET | BPF_K, otherwise, 0, 0);
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
