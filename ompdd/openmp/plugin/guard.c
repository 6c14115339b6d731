/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attributes a crash, hang or exit() inside the hosted OMPD library by the exit status. */
#include "openmp/plugin/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/contract.h"

#define GUARD_STACK_SIZE (64 * 1024)
/* After the limit the timer fires again after this time, until it finds the thread inside the library. */
#define GUARD_AGAIN_NS (20 * 1000 * 1000)
#define GUARD_SIGNAL   (SIGRTMAX - 2)

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#define N_CRASH_SIGNALS (sizeof(crash_signals) / sizeof(crash_signals[0]))

volatile sig_atomic_t guard_in_plugin;

static struct sigaction previous[N_CRASH_SIGNALS];
static timer_t timer;
static bool initialized;
static unsigned depth;

static void write_last_words(const char *text, size_t len)
{
	ssize_t n = write(STDERR_FILENO, text, len);

	(void)n;
}
#define LAST_WORDS(text) write_last_words(text, sizeof(text) - 1)

/* The system call: this file replaces _exit(). */
static void end_process(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

static void on_crash(int signo)
{
	if (guard_in_plugin) {
		LAST_WORDS("ERROR plugin: the OMPD library crashed\n");
		end_process(CONTRACT_EXIT_PLUGIN_CRASHED);
	}
	/* The fault is ours: let it happen again under the previous handler. */
	for (size_t i = 0; i < N_CRASH_SIGNALS; i++)
		if (crash_signals[i] == signo)
			sigaction(signo, &previous[i], NULL);
	raise(signo);
}

static void on_timeout(int signo)
{
	(void)signo;
	if (!guard_in_plugin)
		return;
	LAST_WORDS("ERROR plugin: the OMPD library exceeded its time limit\n");
	end_process(CONTRACT_EXIT_PLUGIN_HUNG);
}

static void on_process_exit(void)
{
	if (!guard_in_plugin)
		return;
	_exit(CONTRACT_EXIT_PLUGIN_CRASHED);
}

/* A library that calls _exit() finds this function first: the linker searches the executable before libc. */
__attribute__((visibility("default"), noreturn)) void _exit(int status)
{
	if (guard_in_plugin) {
		LAST_WORDS("ERROR plugin: the OMPD library ended the process\n");
		status = CONTRACT_EXIT_PLUGIN_CRASHED;
	}
	end_process(status);
	__builtin_unreachable();
}

static struct error *install_stack(void)
{
	stack_t stack = {.ss_size = GUARD_STACK_SIZE};

	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp == MAP_FAILED)
		return error_create_errno(errno, "mmap of a signal stack");
	if (sigaltstack(&stack, NULL) < 0) {
		int errnum = errno;

		munmap(stack.ss_sp, stack.ss_size);
		return error_create_errno(errnum, "sigaltstack");
	}
	return NULL;
}

struct error *guard_init(void)
{
	struct sigaction action = {.sa_flags = SA_ONSTACK | SA_NODEFER};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = GUARD_SIGNAL};
	struct error *err;
	sigset_t set;

	if (initialized)
		return NULL;
	err = install_stack();
	if (err)
		return err;
	sigemptyset(&action.sa_mask);
	action.sa_handler = on_crash;
	for (size_t i = 0; i < N_CRASH_SIGNALS; i++)
		if (sigaction(crash_signals[i], &action, &previous[i]) < 0)
			return error_create_errno(errno, "sigaction %d", crash_signals[i]);
	action.sa_handler = on_timeout;
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	if (sigaction(GUARD_SIGNAL, &action, NULL) < 0)
		return error_create_errno(errno, "sigaction %d", GUARD_SIGNAL);
	sigemptyset(&set);
	sigaddset(&set, GUARD_SIGNAL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
		return error_create_errno(errno, "timer_create");
	if (atexit(on_process_exit) != 0)
		return error_create(ERR_INTERNAL_ERROR, "atexit failed");
	initialized = true;
	return NULL;
}

static void set_timer(const struct itimerspec *when)
{
	if (initialized)
		timer_settime(timer, 0, when, NULL);
}

void guard_enter(unsigned timeout_ms)
{
	struct itimerspec when = {
		.it_value = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L},
		.it_interval = {0, GUARD_AGAIN_NS},
	};

	if (depth++ == 0 && timeout_ms > 0)
		set_timer(&when);
}

void guard_leave(void)
{
	struct itimerspec never = {0};

	if (--depth == 0)
		set_timer(&never);
}
