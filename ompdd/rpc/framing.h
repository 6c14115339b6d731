/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Splits a byte stream into JSON texts, and writes texts as frames. The first byte of a connection fixes its framing.
 * After an error the connection must be closed: it is never resynchronised. Pure: no sockets.
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
 * Find the next complete JSON text in @in. On success *@text_ret is NULL if more bytes are needed. Otherwise it points
 * into @in and is valid until framing_done(). Skips leading white space between lines. With @eof, a last line without
 * newline is complete.
 *
 * Sets f->kind to FRAMING_HTTP and returns no text if the first byte is that of an HTTP verb and HTTP is allowed.
 * Returns ERR_PARSE_ERROR if the first byte fits no framing, a header is malformed, or @eof truncates a Content-Length
 * frame. Returns ERR_LIMIT_EXCEEDED if a text is longer than max_message, as soon as its bytes or its header show that.
 */
MUST_USE struct error *framing_next(struct framing *f, struct buf *in, bool eof, const char **text_ret,
				    size_t *len_ret);

/* Consume the text that framing_next() returned from @in. */
void framing_done(struct framing *f, struct buf *in, size_t len);

/* Append @text as one frame to @out; FRAMING_UNKNOWN writes lines. */
MUST_USE struct error *framing_write(const struct framing *f, struct buf *out, const char *text, size_t len);

#endif
