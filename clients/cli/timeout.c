/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runs a program with a time limit. Until the limit expires it runs as under timeout(1): ompdctl neither examines
 * nor traces it, and passes on signals.
 */
#include "timeout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/utf8.h"
#include "connection.h"
#include "duration.h"
#include "format.h"
#include "offspring.h"
#include "output.h"
#include "postmortem.h"

/* A longer time limit never expires. */
#define MAX_SECONDS 1e9
/* Passes over processes that start while others are ended. */
#define MAX_PASSES 8

/* Signals that are passed on to the program; SIGKILL and SIGSTOP cannot be caught. */
static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};

struct run {
	const struct args *args;
	const struct style *style;
	struct output report; /* if args->report */
	const struct sigaction *pipe_before;
	double seconds, kill_after; /* 0: no limit */
	int signal;
	sigset_t waited_for, mask_before;
	pid_t child;
	int status; /* wait status of the child */
	int has_ended;
	int is_over;	     /* the time limit has expired */
	int is_ending;	     /* it was sent a signal to exit */
	int64_t deadline_ms; /* of the next step: the limit, or SIGKILL; 0: no next step */
};

static volatile sig_atomic_t noticed; /* a signal that came while processes were examined */

static void on_interrupt(int number)
{
	noticed = number;
}

/* Parse a signal: "TERM", "SIGTERM", "15". */
static struct error *parse_signal(const char *text, int *ret)
{
	const char *name = strncmp(text, "SIG", 3) ? text : text + 3;
	int64_t number = 0;

	number_parse(text, 1, NSIG - 1, &number);
	for (int i = 1; i < NSIG; i++) {
		const char *its = sigabbrev_np(i);

		if ((its && !strcmp(its, name)) || number == i) {
			*ret = i;
			return NULL;
		}
	}
	return failure_usage("kill -l lists the signals", "unknown signal '%s'", text);
}

static void set_deadline(struct run *r, double seconds)
{
	r->deadline_ms = seconds > 0 && seconds < MAX_SECONDS ? clock_now_ms() + (int64_t)(seconds * 1000 + 0.999) : 0;
}

/* Execute the program. Does not return. */
static void execute_program(const struct run *r)
{
	char *const *argv = r->args->program;

	signal(SIGTTIN, SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
	sigaction(SIGPIPE, r->pipe_before, NULL);
	sigprocmask(SIG_SETMASK, &r->mask_before, NULL);
	execvp(argv[0], argv);
	int code = errno == ENOENT ? TIMEOUT_EXIT_NO_FILE : TIMEOUT_EXIT_NO_EXEC;
	dprintf(STDERR_FILENO, "ompdctl: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(code);
}

static struct error *start_program(struct run *r)
{
	sigemptyset(&r->waited_for);
	sigaddset(&r->waited_for, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++) {
		struct sigaction before;

		/* An ignored signal, as under nohup, stays ignored: the program inherits that. */
		if (!sigaction(passed_on[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaddset(&r->waited_for, passed_on[i]);
	}
	/* Our parent may ignore it, and then the program's exit would go unnoticed. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &r->waited_for, &r->mask_before);
	sigdelset(&r->mask_before, SIGCHLD);
	/* A group of its own, as in timeout(1): a signal for us must not reach our caller. */
	if (!r->args->foreground)
		setpgid(0, 0);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	/* Orphans of the program become our children, so that we can still find and end them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	r->child = fork();
	if (r->child < 0)
		return failure_create(ERR_CONNECT, "cannot_start", NULL, "fork: %m");
	if (!r->child)
		execute_program(r);
	return NULL;
}

static void reap_children(struct run *r)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != r->child)
			continue;
		r->has_ended = 1;
		r->status = status;
	}
}

/* Send a signal to all processes of the program; with --foreground to the program itself only. */
static void send_signal(struct run *r, int number)
{
	pid_t *pids = NULL, *seen = NULL;
	size_t n_seen = 0, n;

	if (r->args->foreground) {
		if (!r->has_ended)
			kill(r->child, number);
		return;
	}
	for (int pass = 0; pass < MAX_PASSES; pass++) {
		size_t fresh = 0;

		n = offspring_list(getpid(), &pids);
		for (size_t i = 0; i < n; i++) {
			int is_known = 0;

			for (size_t k = 0; k < n_seen && !is_known; k++)
				is_known = seen[k] == pids[i];
			if (is_known)
				continue;
			fresh++;
			kill(pids[i], number);
			/* A stopped process handles the signal only after SIGCONT. */
			if (number != SIGKILL && number != SIGCONT)
				kill(pids[i], SIGCONT);
		}
		free(seen);
		seen = pids;
		n_seen = n;
		if (!fresh)
			break;
	}
	free(seen);
}

static void write_out(struct buf *t)
{
	for (size_t done = 0; t->data && done < t->len;) {
		ssize_t n = write(STDERR_FILENO, t->data + done, t->len - done);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	buf_deinit(t);
}

static int is_report_open(const struct run *r)
{
	return r->report.stream >= 0 || r->report.folder >= 0;
}

/*
 * Remove the report of an earlier run, which could be taken for one of this run. If the path cannot be written, the
 * program runs anyway: ompdctl tries again when there is a report.
 */
static void open_report(struct run *r)
{
	struct error *f = output_open(&r->report, r->args->report);

	if (!f)
		f = output_remove_old(&r->report);
	if (f)
		output_close(&r->report);
	error_destroy(f);
}

static void write_report(struct run *r, struct json_object *report)
{
	struct buf t = {0};

	format_json(&t, report, r->args->pretty);
	struct error *f = is_report_open(r) ? NULL : output_open(&r->report, r->args->report);
	if (!f)
		f = output_write(&r->report, t.data, t.len);
	if (f)
		failure_print(f, stderr, 0, r->style->utf8);
	error_destroy(f);
	buf_deinit(&t);
}

static void add_command(struct buf *t, char *const *argv, int utf8)
{
	for (; *argv; argv++) {
		text_add(t, " ");
		text_add_safe(t, *argv, utf8);
	}
}

static void add_program(struct json_object *report, const struct run *r)
{
	struct json_object *argv = json_object_new_array();

	for (char *const *word = r->args->program; *word; word++) {
		struct buf t = {0};

		/* Words that are not UTF-8 are written with escapes. */
		utf8_is_valid(*word, strlen(*word)) ? text_add(&t, *word) : text_add_safe(&t, *word, 1);
		json_object_array_add(argv, json_object_new_string(t.data ? t.data : ""));
		buf_deinit(&t);
	}
	json_object_object_add(report, "program", argv);
	json_object_object_add(report, "pid", json_object_new_int(r->child));
	json_object_object_add(report, "limit_s", json_object_new_double(r->seconds));
}

/* The limit has expired: report why, unless a signal cancels the report. */
static void report_timeout(struct run *r)
{
	struct postmortem p = {
		.args = r->args,
		.style = r->style,
		.interrupted = &noticed,
		.mask = r->mask_before,
		.write = write_out,
	};
	const struct sigaction action = {.sa_handler = on_interrupt};
	struct sigaction before[NSIG];

	for (int i = 1; i < NSIG; i++) {
		if (i != SIGCHLD && i != SIGCONT && sigismember(&r->waited_for, i) == 1)
			sigaction(i, &action, &before[i]);
	}
	text_printf(&p.out, "ompdctl: the program did not end within %g s:", r->seconds);
	add_command(&p.out, r->args->program, r->style->utf8);
	text_printf(&p.out, " (process %d)\n", (int)r->child);
	write_out(&p.out);
	struct json_object *report = postmortem_make(&p);
	add_program(report, r);
	if (r->args->report)
		write_report(r, report);
	json_object_put(report);
	for (int i = 1; i < NSIG; i++) {
		if (i != SIGCHLD && i != SIGCONT && sigismember(&r->waited_for, i) == 1)
			sigaction(i, &before[i], NULL);
	}
}

static void on_deadline(struct run *r)
{
	if (r->is_ending) {
		r->deadline_ms = 0;
		send_signal(r, SIGKILL);
		return;
	}
	r->is_over = r->is_ending = 1;
	report_timeout(r);
	if (r->args->verbose)
		fprintf(stderr, "ompdctl: sending SIG%s\n", sigabbrev_np(r->signal));
	send_signal(r, noticed ? noticed : r->signal);
	set_deadline(r, r->kill_after);
}

static void on_signal(struct run *r, const siginfo_t *info)
{
	if (info->si_signo == SIGCHLD)
		return;
	/* The terminal sends ^C to the whole group itself. */
	if (info->si_code != SI_KERNEL)
		send_signal(r, info->si_signo);
	/* After a SIGTERM the program has the same time to exit as after the limit. */
	if (r->kill_after > 0 && !r->is_ending && info->si_signo == SIGTERM) {
		r->is_ending = 1;
		set_deadline(r, r->kill_after);
	}
}

/* Return whether descendants of the program are left. */
static int has_remains(const struct run *r)
{
	pid_t *pids;
	size_t n = r->args->foreground ? 0 : offspring_list(getpid(), &pids);

	if (!r->args->foreground)
		free(pids);
	return n > 0;
}

static void wait_end(struct run *r)
{
	for (;;) {
		siginfo_t info;

		reap_children(r);
		/* If the program has exited, its children still have until SIGKILL. */
		if (r->has_ended && !(r->is_ending && r->deadline_ms && has_remains(r)))
			return;
		int64_t left = r->deadline_ms - clock_now_ms();
		if (r->deadline_ms && left <= 0) {
			on_deadline(r);
			continue;
		}
		/* The exit of a process that is not our child sends no signal. */
		if (r->has_ended && left > 20)
			left = 20;
		struct timespec limit = {left / 1000, left % 1000 * 1000000};
		if (sigtimedwait(&r->waited_for, &info, r->deadline_ms ? &limit : NULL) > 0)
			on_signal(r, &info);
	}
}

/* Exit as the program did. */
static int repeat_end(const struct run *r)
{
	if (WIFEXITED(r->status))
		return WEXITSTATUS(r->status);
	int number = WTERMSIG(r->status);
	const struct rlimit none = {0};
	sigset_t set;

	/* Do not dump a core of this process: only the program's core is of interest. */
	if (!setrlimit(RLIMIT_CORE, &none)) {
		sigemptyset(&set);
		sigaddset(&set, number);
		signal(number, SIG_DFL);
		raise(number);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	return 128 + number;
}

struct error *timeout_run(const struct args *args, const struct style *style, const struct sigaction *pipe_before,
			  int *status_ret)
{
	struct run r = {.args = args,
			.style = style,
			.pipe_before = pipe_before,
			.signal = SIGTERM,
			.report = {.stream = -1, .folder = -1}};
	struct error *f = duration_parse("DURATION", args->duration, &r.seconds);

	if (!f && args->kill_after)
		f = duration_parse("--kill-after", args->kill_after, &r.kill_after);
	if (!f && args->signal)
		f = parse_signal(args->signal, &r.signal);
	if (!f && args->report)
		open_report(&r);
	if (!f)
		f = start_program(&r);
	if (f)
		return f;
	set_deadline(&r, r.seconds);
	wait_end(&r);
	output_close(&r.report);
	int number = WIFSIGNALED(r.status) ? WTERMSIG(r.status) : 0;
	if (!r.is_over)
		*status_ret = repeat_end(&r);
	else if (args->preserve_status)
		*status_ret = number ? 128 + number : WEXITSTATUS(r.status);
	else
		*status_ret = number == SIGKILL ? 128 + SIGKILL : TIMEOUT_EXIT_OVER;
	return NULL;
}
