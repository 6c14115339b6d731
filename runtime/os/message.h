/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages to the user on standard error, in libgomp's form: "libgomp: " + text + newline. */
#ifndef OMPDD_RUNTIME_OS_MESSAGE_H
#define OMPDD_RUNTIME_OS_MESSAGE_H

#include <stdarg.h>

void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints, then exit(1). */
void message_fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn, cold));

#endif
