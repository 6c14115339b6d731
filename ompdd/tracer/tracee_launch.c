/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Starts a program under the tracer: the child waits until it is traced, then executes the program and stops after the
 * exec. Part of ompdd-tracer. The program is a child of this process, not of the worker: this process sees its exit
 * after the worker's.
 */
#include "tracer/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/trace/traced.h"

#define N_FILES 3

struct block {
	char *bytes; /* these three are allocated */
	char **argv;
	char **envp;
	const char *cwd;
	const char *files[N_FILES];
	struct rlimit core;
};

/* The child's report of a failure. */
struct failure {
	int error;
	int stage;
};

/* Set @n pointers of @out to the strings at *@p. */
static bool take_strings(char **p, char *end, char **out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *zero = memchr(*p, '\0', (size_t)(end - *p));

		if (!zero)
			return false;
		out[i] = *p;
		*p = zero + 1;
	}
	return true;
}

static void free_block(struct block *b)
{
	free(b->bytes);
	free(b->argv);
	free(b->envp);
}

/* Read the launch block. The caller calls free_block(), also after an error. */
static int read_block(int fd, struct block *ret)
{
	struct tracer_launch head;
	char *rest[1 + N_FILES];
	struct stat st;

	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(head) ||
	    st.st_size > (off_t)(sizeof(head) + TRACER_MAX_LAUNCH))
		return EINVAL;
	size_t len = (size_t)st.st_size;
	char *bytes = ret->bytes = malloc(len);
	if (!bytes)
		return ENOMEM;
	if (pread(fd, bytes, len, 0) != (ssize_t)len)
		return EINVAL;
	memcpy(&head, bytes, sizeof(head));
	if (head.version != TRACER_PROTOCOL_VERSION || head.strings_len != len - sizeof(head) || !head.argc ||
	    head.argc > head.strings_len || head.envc > head.strings_len)
		return EINVAL;
	ret->argv = calloc((size_t)head.argc + 1, sizeof(char *));
	ret->envp = calloc((size_t)head.envc + 1, sizeof(char *));
	if (!ret->argv || !ret->envp)
		return ENOMEM;
	char *p = bytes + sizeof(head), *end = bytes + len;
	if (!take_strings(&p, end, ret->argv, head.argc) || !take_strings(&p, end, ret->envp, head.envc) ||
	    !take_strings(&p, end, rest, 1 + N_FILES))
		return EINVAL;
	ret->cwd = rest[0];
	for (int i = 0; i < N_FILES; i++)
		ret->files[i] = rest[1 + i];
	ret->core = (struct rlimit){head.core_soft, head.core_hard};
	return 0;
}

static void __attribute__((noreturn)) report_failure(int fd, enum tracer_stage stage)
{
	struct failure f = {errno, stage};
	ssize_t ignored = write(fd, &f, sizeof(f));

	(void)ignored;
	_exit(127);
}

/* Open the file for descriptor @i as that descriptor. Return false with errno. */
static bool open_file(const struct block *b, int i)
{
	/* Two separate opens of one file would overwrite each other's output. */
	if (i == STDERR_FILENO && *b->files[i] && !strcmp(b->files[i], b->files[STDOUT_FILENO]))
		return dup2(STDOUT_FILENO, STDERR_FILENO) >= 0;
	/* A file below /proc (/proc/PID/fd/N) is already open in another process: neither create nor truncate it. */
	int make = strncmp(b->files[i], "/proc/", 6) ? O_CREAT | O_TRUNC : 0;
	int flags = i == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_APPEND | make;
	/*
	 * O_NONBLOCK: a FIFO's other end may not be open yet. O_NOCTTY: a terminal must not become the new session's.
	 */
	int fd = open(*b->files[i] ? b->files[i] : "/dev/null", flags | O_NOCTTY | O_NONBLOCK, 0666);

	if (fd < 0 || dup2(fd, i) < 0 || fcntl(i, F_SETFL, flags & O_APPEND))
		return false;
	if (fd > STDERR_FILENO)
		close(fd);
	return true;
}

/* Turn the child into the program. */
static void __attribute__((noreturn)) run_child(const struct block *b, int go, int status)
{
	sigset_t none;
	char byte;

	/*
	 * Kill the child when this process exits: it must not run until it is traced. The program outlives this process
	 * later.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		_exit(127);
	prctl(PR_SET_PDEATHSIG, 0);
	setsid();
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	setrlimit(RLIMIT_CORE, &b->core);
	if (*b->cwd && chdir(b->cwd))
		report_failure(status, TRACER_STAGE_DIRECTORY);
	for (int i = 0; i < N_FILES; i++) {
		if (!open_file(b, i))
			report_failure(status, TRACER_STAGE_STDIN + (enum tracer_stage)i);
	}
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* execvpe() would search our own PATH. */
	environ = b->envp;
	execvp(b->argv[0], b->argv);
	report_failure(status, TRACER_STAGE_EXEC);
}

/* Wait until the child is stopped after its exec. @status: its failure report, if any. */
static int wait_exec(pid_t pid, int status, enum tracer_stage *stage_ret)
{
	struct failure f;
	int wait_status;

	for (;;) {
		pid_t r = waitpid(pid, &wait_status, __WALL);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return errno;
		struct traced_news news = traced_read(wait_status);
		if (news.kind == TRACED_END)
			break;
		if (news.kind == TRACED_EXEC)
			return 0;
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(news.kind == TRACED_SIGNAL ? news.sig : 0));
	}
	*stage_ret = TRACER_STAGE_EXEC;
	if (read(status, &f, sizeof(f)) != sizeof(f))
		return ECHILD;
	*stage_ret = (enum tracer_stage)f.stage;
	return f.error ? f.error : EIO;
}

static int start_program(struct tracee *p, const struct block *b, enum tracer_stage *stage_ret)
{
	int go[2] = {-1, -1}, status[2] = {-1, -1};

	*stage_ret = TRACER_STAGE_FORK;
	if (pipe2(go, O_CLOEXEC) || pipe2(status, O_CLOEXEC))
		return errno;
	pid_t pid = fork();
	if (pid < 0)
		return errno;
	if (pid == 0) {
		close(go[1]);
		close(status[0]);
		run_child(b, go[0], status[1]);
	}
	close(go[0]);
	close(status[1]);
	*stage_ret = TRACER_STAGE_TRACE;
	int err = tracee_seize_child(pid) ? errno : 0;
	if (err) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	} else if (write(go[1], "", 1) == 1) {
		err = wait_exec(pid, status[0], stage_ret);
	} else {
		err = EPIPE;
	}
	close(go[1]);
	close(status[0]);
	if (err)
		return err;
	err = tracee_adopt(p, pid);
	if (err)
		kill(pid, SIGKILL);
	return err;
}

int tracee_launch(struct tracee *p, int fd, enum tracer_stage *stage_ret)
{
	struct block b = {0};

	*stage_ret = TRACER_STAGE_READ;
	int err = read_block(fd, &b);
	if (!err)
		err = start_program(p, &b, stage_ret);
	free_block(&b);
	return err;
}
