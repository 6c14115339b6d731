/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Bytes to JSON texts and back. The first byte of a connection fixes its framing for good;
 * after an error the connection must be closed (never resynchronised). Pure: no sockets.
 */
#ifndef OMPDD_RPC_FRAMING_H
#define OMPDD_RPC_FRAMING_H

#include "base/buf.h"

enum framing_kind {
	FRAMING_UNKNOWN,	/* no byte seen yet */
	FRAMING_LINES,		/* first byte '{' or '[': one JSON text per line */
	FRAMING_CONTENT_LENGTH, /* first byte 'C': "Content-Length: N\r\n\r\n" before each text */
	FRAMING_HTTP,		/* first byte of an HTTP verb, where allowed: not framed here */
};

struct framing {
	enum framing_kind kind;
	bool http_allowed;
	size_t max_message; /* bytes of one JSON text */
	size_t scanned;	    /* bytes of the input already searched for the end */
	size_t expected;    /* body length once a Content-Length header is complete, else 0 */
};

void framing_init(struct framing *f, bool http_allowed, size_t max_message);

/*
 * Find the next complete JSON text in @in. On success *@text_ret is NULL when more bytes are
 * needed; else it points into @in and stays valid until framing_done(). ERR_PARSE_ERROR: the first byte starts no
 * known framing, or a header is malformed; ERR_LIMIT_EXCEEDED: a text is longer than
 * max_message (noticed as soon as that many bytes came, or the header says so). Sets f->kind to FRAMING_HTTP and
 * returns no text when the first byte is that of an HTTP verb and HTTP is allowed here. Leading white space between
 * lines is skipped; a last line without newline is complete when @eof; a Content-Length frame that @eof cuts off is
 * ERR_PARSE_ERROR.
 */
MUST_USE struct error *framing_next(struct framing *f, struct buf *in, bool eof, const char **text_ret,
				    size_t *len_ret);

/* Consume the text that framing_next() returned from @in. */
void framing_done(struct framing *f, struct buf *in, size_t len);

/* Append @text as one frame to @out; FRAMING_UNKNOWN writes as lines. */
MUST_USE struct error *framing_write(const struct framing *f, struct buf *out, const char *text, size_t len);

#endif
