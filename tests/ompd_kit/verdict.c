/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts the child process of a line and waits for its reply, its crash, or the time limit. */
#include "verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "library.h"
#include "tool.h"

const char *const verdict_names[VERDICT_COUNT] = {"ok", "differs", "unsupported", "absent", "not asked"};

static _Noreturn void run_child(const struct line *line, const char *path, const struct target *target, int output)
{
	int null = open("/dev/null", O_WRONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Expected crashes: no core, and no handler of a sanitizer. */
	prctl(PR_SET_DUMPABLE, 0);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	/* The library may print: its lines are not the kit's. */
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	reply_open(output);
	tool_open(target);
	fixture_open(target);
	library_load(path);
	line->run();
	_exit(1);
}

/* Wait for the reply. Returns false without one: *@is_late says why. */
static bool receive(int input, int limit_ms, struct reply *ret, bool *is_late)
{
	struct pollfd ready = {.fd = input, .events = POLLIN};
	int n;

	do {
		n = poll(&ready, 1, limit_ms);
	} while (n < 0 && errno == EINTR);
	*is_late = n == 0;
	return n > 0 && read(input, ret, sizeof(*ret)) == sizeof(*ret);
}

static void judge_code(const struct line *line, ompd_rc_t code, struct answer *ret)
{
	bool is_known = (unsigned)code < 32;

	snprintf(ret->text, sizeof(ret->text), "%s", reply_code_name((int)code));
	if (is_known && line->permitted >> code & 1)
		ret->verdict = VERDICT_OK;
	else
		ret->verdict = code == ompd_rc_unsupported ? VERDICT_UNSUPPORTED : VERDICT_DIFFERS;
}

static void judge_reply(const struct line *line, const struct reply *reply, struct answer *ret)
{
	switch (reply->kind) {
	case REPLY_CODE:
		judge_code(line, reply->code, ret);
		return;
	case REPLY_ABSENT:
		ret->verdict = VERDICT_ABSENT;
		snprintf(ret->text, sizeof(ret->text), "not exported");
		return;
	case REPLY_NOT_ASKED:
	case REPLY_WRONG:
		ret->verdict = reply->kind == REPLY_WRONG ? VERDICT_DIFFERS : VERDICT_NOT_ASKED;
		snprintf(ret->text, sizeof(ret->text), "%.*s", REPLY_NOTE, reply->note);
		return;
	}
}

void verdict_find(const struct line *line, const char *path, const struct target *target, int limit_ms,
		  struct answer *ret)
{
	struct reply reply;
	bool is_late = false;
	int ends[2], status = 0;

	*ret = (struct answer){.line = line, .verdict = VERDICT_DIFFERS};
	if (pipe2(ends, O_CLOEXEC) != 0)
		target_fail("cannot create a pipe: %s", strerror(errno));
	pid_t child = fork();
	if (child < 0)
		target_fail("cannot start a process: %s", strerror(errno));
	if (child == 0)
		run_child(line, path, target, ends[1]);
	close(ends[1]);
	bool is_answered = receive(ends[0], limit_ms, &reply, &is_late);
	close(ends[0]);
	if (is_late)
		kill(child, SIGKILL);
	waitpid(child, &status, 0);
	if (is_answered)
		judge_reply(line, &reply, ret);
	else if (is_late)
		snprintf(ret->text, sizeof(ret->text), "no answer in %d ms", limit_ms);
	else if (WIFSIGNALED(status))
		snprintf(ret->text, sizeof(ret->text), "a crash: %s", strsignal(WTERMSIG(status)));
	else
		snprintf(ret->text, sizeof(ret->text), "the library ended the process");
}
