/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts that are safe to print: strings of a target or a daemon cannot control the terminal. */
#ifndef OMPDD_CLI_TEXT_H
#define OMPDD_CLI_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vector.h"

/* Properties of the output. main() decides them once, so that all other code stays pure. */
struct style {
	int utf8;	     /* the terminal shows UTF-8: box lines, µ, … */
	int colour;	     /* ANSI colours */
	int width;	     /* columns of the terminal; 0: not a terminal, never shorten */
	int verbose;	     /* print why a field is missing */
	int all;	     /* do not fold equal threads */
	const char *columns; /* -o: only these columns of the command's table; NULL: the default ones */
	int no_headers;	     /* leave out the header line */
};

enum colour {
	COLOUR_NONE,
	COLOUR_BOLD,
	COLOUR_DIM,
	COLOUR_RED,
	COLOUR_GREEN,
	COLOUR_YELLOW,
	COLOUR_BLUE,
	COLOUR_MAGENTA,
	COLOUR_CYAN
};

/* Allocate memory. Ends ompdctl with a message if memory is exhausted: no cleanup is needed. */
void *text_calloc(size_t n, size_t size);
char *text_strdup(const char *s);
/* Make room for one more element of a vector (base/vector.h). */
#define TEXT_GROW(items, n, cap) (VECTOR_GROW(items, n, cap) ? (void)0 : text_exit_without_memory())
void text_exit_without_memory(void) __attribute__((noreturn));

void text_add(struct buf *t, const char *s);
void text_add_bytes(struct buf *t, const char *s, size_t len);
void text_printf(struct buf *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct buf *t, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Append "1 thread", "5 threads". */
void text_add_count(struct buf *t, size_t n, const char *noun);

/*
 * Append @s with unsafe characters written as \xNN or \u{N}. Unsafe are control characters, bytes that are not UTF-8,
 * and characters that change the text direction or break lines. Without @utf8, all non-ASCII characters are escaped; µ
 * becomes u.
 */
void text_add_safe(struct buf *t, const char *s, int utf8);

/* Append the JSON text @s of @len bytes with the same characters written as \uNNNN. They occur only within strings. */
void text_add_json(struct buf *t, const char *s, size_t len);

/* Append @s in @colour (if the style has colours), and reset the colour after it. */
void text_add_coloured(struct buf *t, const struct style *style, enum colour colour, const char *s);
void text_add_repeated(struct buf *t, const char *s, size_t n);

/* Return the number of screen columns of @s. */
size_t text_width(const char *s);

/* Return the number of bytes of @s that fit into @columns, without splitting a character. */
size_t text_fit(const char *s, size_t columns);

/* Read all of @fd, NUL-terminated; NULL: see errno, EFBIG for more than @max bytes. The caller frees it. */
char *text_read(int fd, size_t max);

/* Return the string, which the caller frees; @t is empty afterwards. Never NULL. */
char *text_take(struct buf *t);

#endif
