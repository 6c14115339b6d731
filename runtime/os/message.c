/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages on standard error. Each is written as a whole, whatever other threads print. */
#include "os/message.h"

#include <stdio.h>
#include <stdlib.h>

static void print_message(const char *format, va_list args)
{
	flockfile(stderr);
	fputs("\nlibgomp: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	funlockfile(stderr);
}

void message_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(format, args);
	va_end(args);
}

void message_fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(format, args);
	va_end(args);
	exit(EXIT_FAILURE);
}
