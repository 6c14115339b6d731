/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A hostile OMPD library: our own, loaded under another name. It first attempts everything
 * that the sandbox refuses (ompdd/target/sandbox/sandbox.h). Each attempt writes one line to
 * standard error, which is the daemon's log: `REACH name ok` or `REACH name ERRNO-NAME`.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
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
#include <time.h>
#include <unistd.h>

#define EXPORT	  __attribute__((visibility("default")))
#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))
/* A file that must not be created; the test looks for it. */
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
	errno = EPERM; /* reports the exit of a shell that was not started */
	say("system", system("true") ? -1 : 0);
	say("execve", execve("/bin/true-but-not-there", argv, NULL));
	say("unshare", unshare(CLONE_NEWUSER));
	say("setns", setns(0, 0));
	say("setuid", setuid(65534));
}

/* Signal the daemon, or another parent of the worker; SIGCONT has no effect on it. */
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
	say("kcmp", syscall(SYS_kcmp, other, other, 0, 0, 0));
	say("process_madvise", syscall(SYS_process_madvise, pidfd, &local, 1, 20 /* MADV_COLD */, 0));
	say("move_pages", syscall(SYS_move_pages, other, 1, &(void *){&byte}, &(int){0}, &(int){0}, 0));
	/* An address whose lower half is zero. */
	say("move_pages-far", syscall(SYS_move_pages, other, 1, &(void *){&byte}, (void *)(1ul << 32), &(int){0}, 0));
	say("sched_setscheduler", sched_setscheduler(other, SCHED_OTHER, &(struct sched_param){0}));
	say("type-into-terminal", ioctl(0, TIOCSTI, &byte));
}

/* A descriptor can be set up to send any signal to any process of the user. */
static void reach_signals_of_descriptors(void)
{
	struct f_owner_ex owner = {F_OWNER_PID, getppid()};
	pid_t other = getppid();
	int fds[2], on = 1;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return;
	say("F_SETOWN", fcntl(fds[0], F_SETOWN, other));
	say("F_SETOWN_EX", fcntl(fds[0], F_SETOWN_EX, &owner));
	say("F_SETSIG", fcntl(fds[0], F_SETSIG, SIGCONT));
	say("F_NOTIFY", fcntl(fds[0], F_NOTIFY, DN_ACCESS));
	say("F_SETLEASE", fcntl(fds[0], F_SETLEASE, F_RDLCK));
	say("O_ASYNC", fcntl(fds[0], F_SETFL, O_ASYNC | O_NONBLOCK));
	say("FIOASYNC", ioctl(fds[0], FIOASYNC, &on));
	say("FIOSETOWN", ioctl(fds[0], FIOSETOWN, &other));
	close(fds[0]);
	close(fds[1]);
}

static void reach_kernel_services(void)
{
	struct perf_event_attr trap = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(trap),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000,
		.disabled = 1,
		.exclude_kernel = 1,
		.sigtrap = 1,
		.remove_on_exec = 1,
	};
	uint32_t action = SECCOMP_RET_ALLOW;

	say("perf-sigtrap", syscall(SYS_perf_event_open, &trap, getppid(), -1, -1, 0));
	say("seccomp", syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action));
	say("mq_notify", syscall(SYS_mq_notify, 0, NULL));
	say("set_pdeathsig", prctl(PR_SET_PDEATHSIG, 0));
	say("set_ptracer", prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY));
	say("set_dumpable", prctl(PR_SET_DUMPABLE, 1));
	say("memfd_create", memfd_create("grasping", MFD_CLOEXEC));
}

/* Try to raise a limit. Root, too, gets no more than the sandbox has left. */
static void raise_limit(const char *name, __rlimit_resource_t which)
{
	struct rlimit before, all = {RLIM_INFINITY, RLIM_INFINITY};

	getrlimit(which, &before);
	long result = setrlimit(which, &all);
	if (result == 0)
		setrlimit(which, &before);
	say(name, result);
}

static volatile sig_atomic_t n_handled;
static volatile sig_atomic_t escaped;

static void on_signal(int signo)
{
	char trace[] = TRACE;
	/* The raw call: the C library's function contains the wrapper for cancellation. */
	long fd = syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_CREAT, 0600);

	(void)signo;
	escaped |= fd >= 0;
	n_handled++;
}

/* Make @tid run our handler: its system calls pass through its own filter. */
static void run_handler_in(pid_t tid, int signo)
{
	/* The kernel's structure. The C library reserves 32 and 33, and so leaves them unblocked in each thread. */
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action = {on_signal, SA_RESTART, NULL, 0};
	sig_atomic_t before = n_handled;

#ifdef __x86_64__
	/* The C library's return path from a handler. */
	struct {
		void *handler;
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} ours;
	signal(SIGUSR2, on_signal);
	syscall(SYS_rt_sigaction, SIGUSR2, NULL, &ours, 8);
	action.flags |= ours.flags;
	action.restorer = ours.restorer;
#endif
	syscall(SYS_rt_sigaction, signo, &action, NULL, 8);
	if (syscall(SYS_tgkill, getpid(), tid, signo))
		return;
	for (int i = 0; i < 20 && n_handled == before; i++)
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void reach_through_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0 && tid != getpid()) {
			run_handler_in(tid, 32);
			run_handler_in(tid, 33);
		}
	}
	if (dir)
		closedir(dir);
	errno = EPERM;
	say("handler-in-other-thread", escaped ? 0 : -1);
}

/* Use everything that a library needs. */
static void use(void)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, nothing, NULL);
	say("allowed-thread", errno ? -1 : pthread_join(thread, NULL));
	say("allowed-read", open("/etc/passwd", O_RDONLY | O_CLOEXEC));
	say("allowed-memory", mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
}

EXPORT ompd_rc_t ompd_initialize(ompd_word_t version, const ompd_callbacks_t *table)
{
	static int once;

	if (!once++) {
		reach_files();
		reach_network();
		reach_programs();
		reach_processes();
		reach_signals_of_descriptors();
		reach_kernel_services();
		raise_limit("raise-memory", RLIMIT_AS);
		raise_limit("raise-core", RLIMIT_CORE);
		reach_through_threads();
		use();
		dprintf(STDERR_FILENO, "REACH end\n");
	}
	return REAL(ompd_initialize)(version, table);
}
