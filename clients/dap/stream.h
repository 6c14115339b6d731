/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON texts in and out of a pair of descriptors, framed as DAP has it or as lines, with bounds on both sides. */
#ifndef OMPDD_DAP_STREAM_H
#define OMPDD_DAP_STREAM_H

#include "base/buf.h"
#include "loop.h"
#include "rpc/framing.h"

struct json_object;

/* One message: variables and modules of a large program are long. */
#define STREAM_MAX_MESSAGE (64U << 20)
/* While so much waits to be written to one side, nothing more is read from the others that fill it. */
#define STREAM_FULL (8U << 20)

struct stream {
	const char *name; /* for messages, borrowed */
	struct watch in, out;
	struct buf input, output;
	struct framing framing;
	bool ended;  /* nothing more will come */
	bool paused; /* nothing is read */
	/* @message is borrowed for the call. */
	void (*received)(void *arg, struct json_object *message);
	/* Once, when nothing more will come; @why NULL: it was closed. Borrowed. */
	void (*over)(void *arg, const char *why);
	void *arg;
};

/*
 * Take over @in and @out, which may be the same, and are made non-blocking. received, over and arg are the caller's to
 * set before the loop runs.
 */
void stream_open(struct stream *s, struct loop *loop, const char *name, enum framing_kind kind, int in, int out);

/* Queue @message, which stays the caller's. What cannot be written any more is dropped. */
void stream_send(struct stream *s, struct json_object *message);
bool stream_is_full(const struct stream *s);
/* Whether what was sent has been written. */
bool stream_is_flushed(const struct stream *s);

/* Read no more, or again. */
void stream_pause(struct stream *s, bool paused);

/* Close the way out only: the other side reads the end. */
void stream_close_out(struct stream *s);
/* Close both; what is queued is lost. */
void stream_close(struct stream *s);
void stream_deinit(struct stream *s);

#endif
