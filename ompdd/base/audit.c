/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the lines and records of the audit log, with a rate limit. */
#include "base/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Tokens available at once, and those added per second. */
#define BURST	   200
#define PER_SECOND 20
/* Maximum bytes of one text of a peer. */
#define MAX_TEXT 64
#define MAX_LINE 1024

struct bucket {
	int64_t filled_us;
	int64_t tokens; /* in millionths */
	uint64_t left_out;
};

static struct bucket refusals, others;
static uint64_t n_entries;
static bool to_stderr = true;
static void (*journal)(const char *record, size_t len);

void audit_set(bool stderr_too, void (*send)(const char *record, size_t len))
{
	to_stderr = stderr_too;
	journal = send;
}

static bool take_token(struct bucket *b)
{
	int64_t now = clock_now_us();

	b->tokens += b->filled_us ? (now - b->filled_us) * PER_SECOND : INT64_C(1000000) * BURST;
	b->filled_us = now;
	if (b->tokens > INT64_C(1000000) * BURST)
		b->tokens = INT64_C(1000000) * BURST;
	if (b->tokens < 1000000)
		return false;
	b->tokens -= 1000000;
	return true;
}

/* Copy printable ASCII except quotes, backslashes and blanks, which end a field; write other bytes as \xNN. */
static const char *escape_text(const char *text, char ret[4 * MAX_TEXT + 1])
{
	size_t n = 0;

	for (size_t i = 0; text && text[i] && i < MAX_TEXT; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c <= 0x20 || c >= 0x7f || c == '"' || c == '\\')
			n += (size_t)snprintf(ret + n, 5, "\\x%02x", c);
		else
			ret[n++] = (char)c;
	}
	ret[n] = '\0';
	return ret;
}

static size_t add_number(char *to, size_t n, size_t size, const char *key, uint64_t value)
{
	return n + (size_t)snprintf(to + n, size - n, " %s=%" PRIu64, key, value);
}

/* Send a record with one field per line: the values contain no newline. */
static void send_record(const struct audit_entry *e, const char *program, const char *target, const char *line)
{
	char text[2 * MAX_LINE];

	int n = snprintf(text, sizeof(text),
			 "MESSAGE=%s\nPRIORITY=5\nSYSLOG_IDENTIFIER=ompdd\nOMPDD_UID=%ju\nOMPDD_PID=%jd\n"
			 "OMPDD_PROGRAM=%s\nOMPDD_METHOD=%s\nOMPDD_TARGET=%s\nOMPDD_TARGET_PID=%jd\nOMPDD_OUTCOME=%s\n",
			 line, (uintmax_t)e->uid, (intmax_t)e->pid, program, e->method, target, (intmax_t)e->target_pid,
			 e->outcome);
	if (n > 0 && (size_t)n < sizeof(text))
		journal(text, (size_t)n);
}

static void print_line(const char *line, size_t n)
{
	char text[MAX_LINE + 16];

	if (!to_stderr)
		return;
	int len = snprintf(text, sizeof(text), "audit: %.*s\n", (int)n, line);
	ssize_t ignored = write(STDERR_FILENO, text, (size_t)len);
	(void)ignored;
}

void audit_write(const struct audit_entry *e)
{
	bool is_ok = !strcmp(e->outcome, "ok");
	struct bucket *b = is_ok ? &others : &refusals;
	char line[MAX_LINE], program[4 * MAX_TEXT + 1], target[4 * MAX_TEXT + 1];
	size_t n = 0;

	n_entries++;
	if (!take_token(b)) {
		b->left_out++;
		return;
	}
	n = (size_t)snprintf(line, sizeof(line), "n=%" PRIu64 " uid=%ju", n_entries, (uintmax_t)e->uid);
	if (e->pid)
		n = add_number(line, n, sizeof(line), "pid", (uint64_t)e->pid);
	escape_text(e->program, program);
	if (*program)
		n += (size_t)snprintf(line + n, sizeof(line) - n, " program=\"%s\"", program);
	n += (size_t)snprintf(line + n, sizeof(line) - n, " method=%s", e->method);
	escape_text(e->target, target);
	if (*target)
		n += (size_t)snprintf(line + n, sizeof(line) - n, " target=%s", target);
	if (e->target_pid)
		n = add_number(line, n, sizeof(line), "target_pid", (uint64_t)e->target_pid);
	n += (size_t)snprintf(line + n, sizeof(line) - n, " outcome=%s", e->outcome);
	if (b->left_out)
		n = add_number(line, n, sizeof(line), "left_out", b->left_out);
	b->left_out = 0;
	print_line(line, n);
	if (journal)
		send_record(e, program, target, line);
}

static void report_left_out(struct bucket *b, const char *what)
{
	char line[MAX_LINE];

	if (!b->left_out)
		return;
	int n = snprintf(line, sizeof(line), "n=%" PRIu64 " left_out=%" PRIu64 " of=%s", n_entries, b->left_out, what);
	b->left_out = 0;
	print_line(line, (size_t)n);
}

void audit_flush(void)
{
	report_left_out(&refusals, "refused");
	report_left_out(&others, "ok");
}
