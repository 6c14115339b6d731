/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Growing text that is safe to show: what a target or a daemon says never controls the terminal. */
#ifndef OMPDD_CLI_TEXT_H
#define OMPDD_CLI_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised it is empty; data is NUL-terminated whenever it is not NULL. */
struct text {
	char *data;
	size_t len;
	size_t cap;
};

/* Where the text goes: decided once in main(), so that everything else stays pure. */
struct style {
	int utf8;	     /* the terminal shows UTF-8: box lines, µ, … */
	int colour;	     /* ANSI colours */
	int width;	     /* columns of the terminal; 0: not a terminal, never shorten */
	int verbose;	     /* say why a field is missing */
	int all;	     /* do not fold equal threads */
	const char *columns; /* -o: of the command's table, these only; NULL: as it thinks best */
	int no_headers;	     /* its rows without the first line */
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

/* Allocation that ends ompdctl with a message when memory is out: there is nothing to tidy up. */
void *text_calloc(size_t n, size_t size);
void *text_realloc(void *p, size_t n, size_t size);
char *text_strdup(const char *s);

void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t len);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/*
 * Append @s with control characters, bytes that are not UTF-8, and characters that turn the
 * direction of text or break lines written as \xNN or \u{N}; without @utf8 everything beyond ASCII.
 */
void text_add_safe(struct text *t, const char *s, int utf8);

/* Append the JSON text @s of @len bytes with the same characters written as \uNNNN, which they are within strings only.
 */
void text_add_json(struct text *t, const char *s, size_t len);

/* Append @s in @colour (when the style has colours), reset behind it. */
void text_add_coloured(struct text *t, const struct style *style, enum colour colour, const char *s);
void text_add_repeated(struct text *t, const char *s, size_t n);

/* Whether all of @s is UTF-8. */
int text_is_utf8(const char *s);

/* Columns that @s takes on the screen. */
size_t text_width(const char *s);

/* The number of bytes of @s that fit into @columns, never cutting a character. */
size_t text_fit(const char *s, size_t columns);

/* Read all of @fd, NUL-terminated; NULL: errno says why not, EFBIG when there are more than @max bytes. The caller
 * frees it. */
char *text_read(int fd, size_t max);

/* Hand the string over to the caller, who frees it; @t is empty afterwards. Never NULL. */
char *text_take(struct text *t);
void text_deinit(struct text *t);

#endif
