/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An OMPD library that is our own, and first reaches for all that the box refuses (ompdd/target/box.h). It says what
 * came of each, one line `REACH name ok` or `REACH name ERRNO-NAME`, on standard error, which is the daemon's log.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <omp-tools.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT	  __attribute__((visibility("default")))
#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))
/* What must not come to be; the test looks for it. */
#define TRACE "/tmp/ompdd-grasping-plugin"

static void say(const char *name, long result)
{
	dprintf(STDERR_FILENO, "REACH %s %s\n", name, result >= 0 ? "ok" : strerrorname_np(errno));
}

static void *nothing(void *arg)
{
	return arg;
}

static void reach_files(void)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = {O_WRONLY | O_CREAT, 0600, 0};

	say("create", open(TRACE, O_WRONLY | O_CREAT, 0600));
	say("create-dir", mkdir(TRACE, 0700));
	say("create-nameless", open("/tmp", O_TMPFILE | O_RDWR, 0600));
	say("write", open("/proc/self/oom_score_adj", O_WRONLY));
	say("write-other-memory", open("/proc/self/mem", O_RDWR));
	say("openat2", syscall(SYS_openat2, AT_FDCWD, TRACE, &how, sizeof(how)));
	say("unlink", unlink("/tmp/ompdd-no-such-file"));
	say("rename", rename("/tmp/ompdd-no-such-file", TRACE));
	say("link", link("/etc/passwd", TRACE));
	say("symlink", symlink("/etc/passwd", TRACE));
	say("chmod", chmod("/tmp/ompdd-no-such-file", 0777));
	say("truncate", truncate("/tmp/ompdd-no-such-file", 0));
	say("mount", syscall(SYS_mount, "none", "/tmp/ompdd-no-such-dir", "tmpfs", 0, NULL));
	say("chroot", chroot("/"));
	say("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
}

static void reach_network(void)
{
	int pair[2];

	say("socket-inet", socket(AF_INET, SOCK_STREAM, 0));
	say("socket-unix", socket(AF_UNIX, SOCK_STREAM, 0));
	say("socket-netlink", socket(AF_NETLINK, SOCK_RAW, 0));
	say("socketpair-datagram", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
}

static void reach_programs(void)
{
	char *argv[] = {(char *)"true", NULL};
	pid_t pid;

	pid = fork();
	if (!pid)
		syscall(SYS_exit_group, 0);
	say("fork", pid);
	errno = posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL);
	say("posix_spawn", errno ? -1 : 0);
	errno = EPERM; /* what it says is the end of a shell that was not started */
	say("system", system("true") ? -1 : 0);
	say("execve", execve("/bin/true-but-not-there", argv, NULL));
	say("unshare", unshare(CLONE_NEWUSER));
	say("setns", setns(0, 0));
	say("setuid", setuid(65534));
}

/* The daemon, or whoever has started the worker; SIGCONT does nothing to it. */
static void reach_processes(void)
{
	pid_t other = getppid();
	int pidfd = (int)syscall(SYS_pidfd_open, other, 0);
	char byte = 0;
	struct iovec local = {&byte, 0}, remote = {(void *)8, 0};
	siginfo_t info = {.si_signo = SIGCONT, .si_code = SI_QUEUE};

	say("kill", kill(other, SIGCONT));
	say("tgkill", syscall(SYS_tgkill, other, other, SIGCONT));
	say("tkill", syscall(SYS_tkill, other, SIGCONT));
	say("sigqueue", syscall(SYS_rt_sigqueueinfo, other, SIGCONT, &info));
	say("pidfd_send_signal", syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0));
	say("pidfd_getfd", syscall(SYS_pidfd_getfd, pidfd, 0, 0));
	say("ptrace", ptrace(PTRACE_SEIZE, other, NULL, NULL));
	say("process_vm_writev", process_vm_writev(other, &local, 1, &remote, 1, 0));
	say("prlimit", prlimit(other, RLIMIT_CPU, &(struct rlimit){1, 1}, NULL));
	say("setpriority", setpriority(PRIO_PROCESS, (id_t)other, 19));
	say("sched_setaffinity", syscall(SYS_sched_setaffinity, other, 8, &(uint64_t){1}));
	say("set_pdeathsig", prctl(PR_SET_PDEATHSIG, 0));
	say("type-into-terminal", ioctl(0, TIOCSTI, &byte));
}

/* What a library needs. */
static void use(void)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, nothing, NULL);
	say("allowed-thread", errno ? -1 : pthread_join(thread, NULL));
	say("allowed-read", open("/etc/passwd", O_RDONLY | O_CLOEXEC));
	say("allowed-memory", mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
	say("allowed-memfd", memfd_create("grasping", MFD_CLOEXEC));
}

EXPORT ompd_rc_t ompd_initialize(ompd_word_t version, const ompd_callbacks_t *table)
{
	static int once;

	if (!once++) {
		reach_files();
		reach_network();
		reach_programs();
		reach_processes();
		use();
		dprintf(STDERR_FILENO, "REACH end\n");
	}
	return REAL(ompd_initialize)(version, table);
}
