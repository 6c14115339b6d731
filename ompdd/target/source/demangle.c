/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls the demangler's callback interface, which returns the text in pieces and allocates nothing: it can be aborted
 * at any point. A text that is too long aborts it in a piece, a time limit by a signal.
 */
#include "target/source/demangle.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define DEMANGLE_SIGNAL (SIGRTMAX - 3)

/*
 * From libstdc++.a (its cp-demangle.o, which is libiberty's); the shared library does not export it. Returns 0 on
 * success.
 */
int __gcclibcxx_demangle_callback(const char *name, void (*piece)(const char *text, size_t len, void *opaque),
				  void *opaque);

static struct {
	/* The last name: threads and tasks often repeat it. */
	char mangled[DEMANGLE_MAX_MANGLED + 1];
	char text[DEMANGLE_SIZE];
	size_t len;
	bool is_good;

	timer_t timer;
	bool has_timer;
	long slow_us;
	sigjmp_buf out;
	volatile sig_atomic_t is_inside;
} d;

enum { LEFT_BY_NOBODY, LEFT_CUT, LEFT_LATE };

static void too_late(int signo)
{
	(void)signo;
	if (!d.is_inside)
		return;
	d.is_inside = 0;
	siglongjmp(d.out, LEFT_LATE);
}

static bool need_timer(void)
{
	/* SA_NODEFER: the handler never returns, and needs no system call to restore the mask. */
	struct sigaction action = {.sa_handler = too_late, .sa_flags = SA_NODEFER | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = DEMANGLE_SIGNAL};
	sigset_t set;

	if (d.has_timer)
		return true;
	event._sigev_un._tid = gettid();
	if (sigaction(DEMANGLE_SIGNAL, &action, NULL) < 0 ||
	    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &d.timer) < 0)
		return false;
	sigemptyset(&set);
	sigaddset(&set, DEMANGLE_SIGNAL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	d.has_timer = true;
	return true;
}

static void start_timer(void)
{
	const struct itimerspec when = {.it_value = {.tv_nsec = DEMANGLE_MAX_MS * 1000000L}};

	timer_settime(d.timer, 0, &when, NULL);
}

static void stop_timer(void)
{
	const struct itimerspec never = {0};
	struct itimerspec left = {0};

	timer_settime(d.timer, 0, &never, &left);
	long us = DEMANGLE_MAX_MS * 1000L - left.it_value.tv_nsec / 1000;
	if (us > DEMANGLE_SLOW_US)
		d.slow_us += us;
}

static void add_piece(const char *text, size_t len, void *opaque)
{
	size_t room = sizeof(d.text) - 1 - d.len;

	(void)opaque;
	memcpy(d.text + d.len, text, len < room ? len : room);
	d.len += len < room ? len : room;
	if (len <= room)
		return;
	d.is_inside = 0;
	siglongjmp(d.out, LEFT_CUT);
}

static void run_demangler(void)
{
	int rc;

	d.len = 0;
	d.is_good = false;
	if (d.slow_us >= DEMANGLE_MAX_SLOW_MS * 1000L || !need_timer())
		return;
	start_timer();
	switch (sigsetjmp(d.out, 0)) {
	case LEFT_BY_NOBODY:
		d.is_inside = 1;
		rc = __gcclibcxx_demangle_callback(d.mangled, add_piece, NULL);
		d.is_inside = 0;
		d.is_good = rc == 0 && d.len > 0;
		break;
	case LEFT_CUT:
		d.is_good = true;
		break;
	default:
		break;
	}
	stop_timer();
	d.text[d.len] = '\0';
}

const char *demangle(const char *name)
{
	size_t len;

	if (strncmp(name, "_Z", 2) != 0)
		return NULL;
	len = strnlen(name, DEMANGLE_MAX_MANGLED + 1);
	if (len > DEMANGLE_MAX_MANGLED)
		return NULL;
	if (strcmp(name, d.mangled) != 0) {
		memcpy(d.mangled, name, len + 1);
		run_demangler();
	}
	return d.is_good ? d.text : NULL;
}

const char *demangle_or_same(const char *name)
{
	const char *text = demangle(name);

	return text ? text : name;
}

const char *demangle_parameters(const char *name)
{
	const char *end = name + strlen(name), *last = strrchr(name, ')');
	int depth = 0;

	if (!last || strpbrk(last, ">}:"))
		return end;
	for (const char *at = last + 1; at > name;) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (depth == 0)
			return at;
	}
	return end;
}
