/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Log lines on stderr, one write each, so that lines of several processes do not mix. */
#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longer lines are cut: hostile text must not flood the log. */
#define LOG_MAX_LINE 2048

static enum log_level shown = LOG_WARN;
static const char *const level_names[] = {"error", "warn", "info", "debug"};

void log_set_level(enum log_level level)
{
	shown = level;
}

bool log_is_shown(enum log_level level)
{
	return level <= shown;
}

bool log_level_parse(const char *text, enum log_level *ret)
{
	for (int i = LOG_ERROR; i <= LOG_DEBUG; i++) {
		if (!strcmp(text, level_names[i])) {
			*ret = (enum log_level)i;
			return true;
		}
	}
	return false;
}

void log_escape(char *ret, size_t size, const char *text)
{
	/* The longest form of a byte, with the terminating NUL. */
	static const size_t longest = sizeof("\\xNN");
	size_t n = 0;

	for (const char *p = text; *p && n + longest <= size; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x20 || c >= 0x7f)
			n += (size_t)snprintf(ret + n, size - n, "\\x%02x", c);
		else
			ret[n++] = *p;
	}
	ret[n] = '\0';
}

static void print_line(enum log_level level, const char *text)
{
	char line[LOG_MAX_LINE + 16];
	size_t n = (size_t)snprintf(line, sizeof(line), "%s: ", level_names[level]);

	log_escape(line + n, LOG_MAX_LINE - n, text);
	n += strlen(line + n);
	line[n++] = '\n';
	/* There is no place to report a failing log. */
	ssize_t ignored = write(STDERR_FILENO, line, n);
	(void)ignored;
}

void log_print(enum log_level level, const char *format, ...)
{
	char text[LOG_MAX_LINE];
	va_list ap;

	if (level > shown)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	print_line(level, text);
}

void log_err(enum log_level level, const struct error *err, const char *format, ...)
{
	char text[LOG_MAX_LINE];
	va_list ap;

	if (level > shown)
		return;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(text))
		snprintf(text + n, sizeof(text) - (size_t)n, ": %s", err->message);
	print_line(level, text);
}
