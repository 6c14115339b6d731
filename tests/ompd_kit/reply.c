/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a child's reply to the kit. */
#include "reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "tool.h"

static int output = -1;

void reply_open(int file)
{
	output = file;
}

static _Noreturn void send_reply(const struct reply *reply)
{
	ssize_t n = write(output, reply, sizeof(*reply));

	_exit(n == sizeof(*reply) ? 0 : 1);
}

static _Noreturn void send_text(enum reply_kind kind, const char *format, va_list args)
{
	struct reply reply = {.kind = kind};

	vsnprintf(reply.note, sizeof(reply.note), format, args);
	send_reply(&reply);
}

void reply_code(ompd_rc_t code)
{
	struct reply reply = {.kind = REPLY_CODE, .code = code};

	if (tool_fault())
		reply_wrong("%s, but %s", reply_code_name((int)code), tool_fault());
	send_reply(&reply);
}

void reply_absent(void)
{
	send_reply(&(struct reply){.kind = REPLY_ABSENT});
}

void reply_wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	send_text(REPLY_WRONG, format, args);
}

void reply_not_asked(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	send_text(REPLY_NOT_ASKED, format, args);
}

void reply_unless_ok(ompd_rc_t code)
{
	if (code != ompd_rc_ok)
		reply_code(code);
}

const char *reply_code_name(int code)
{
	static const char *const names[] = {
		"ok",		"unavailable", "stale_handle",	    "bad_input",
		"error",	"unsupported", "needs_state_tracking", "incompatible",
		"device_read_error", "device_write_error", "nomem", "incomplete",
		"callback_error", "incompatible_handle",
	};

	return code >= 0 && (size_t)code < sizeof(names) / sizeof(names[0]) ? names[code] : "an unknown code";
}
