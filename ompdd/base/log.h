/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes log lines "LEVEL context: text" to stderr. The worker's stderr is a pipe to the daemon, which adds a prefix.
 * Log where an error is handled, not where it passes.
 */
#ifndef OMPDD_BASE_LOG_H
#define OMPDD_BASE_LOG_H

#include "base/error.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Show messages up to @level (default LOG_WARN). */
void log_set_level(enum log_level level);

/* Parse "error", "warn", "info", "debug" into @ret; false for other texts. */
bool log_level_parse(const char *text, enum log_level *ret);

/* Return true if lines of @level are written. */
bool log_is_shown(enum log_level level);
/*
 * Copy @text to @ret of @size bytes. Bytes other than printable ASCII become \xNN; text that does not fit is cut off.
 */
void log_escape(char *ret, size_t size, const char *text);
/* Write one line; control characters in it are escaped. */
void log_print(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_print(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_print(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_print(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_print(LOG_DEBUG, __VA_ARGS__)

/* Log "format: message of @err"; @err stays the caller's. */
void log_err(enum log_level level, const struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
