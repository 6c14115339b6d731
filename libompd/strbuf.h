/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A growing text in the tool's memory, for ICV strings and control variables. Errors are sticky:
 * after the first error, appending does nothing and strbuf_return() returns the error.
 */
#ifndef OMPDD_LIBOMPD_STRBUF_H
#define OMPDD_LIBOMPD_STRBUF_H

#include <stddef.h>

#include "omp-tools.h"

/* Longest text in bytes. A target that needs more gets ompd_rc_error. */
#define STRBUF_MAX (64 * 1024)

struct strbuf {
	char *data;
	size_t length;
	size_t capacity;
	ompd_rc_t rc;
};

/*
 * A zeroed struct strbuf is empty. strbuf_deinit() frees the text. strbuf_printf() and strbuf_append() do nothing when
 * @buf is NULL.
 */
void strbuf_deinit(struct strbuf *buf);
__attribute__((format(printf, 2, 3))) void strbuf_printf(struct strbuf *buf, const char *format, ...);
void strbuf_append(struct strbuf *buf, const char *bytes, size_t length);

/*
 * Return the terminated text, unless @rc is an error. The caller, and finally the tool, frees it.
 * @buf is empty afterwards.
 */
ompd_rc_t strbuf_return(struct strbuf *buf, ompd_rc_t rc, const char **ret);

#endif
