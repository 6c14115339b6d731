/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON texts to and from a pair of descriptors, framed as in DAP or as lines. The size of both buffers is limited. */
#ifndef OMPDD_DAP_STREAM_H
#define OMPDD_DAP_STREAM_H

#include "base/buf.h"
#include "loop.h"
#include "rpc/framing.h"

struct json_object;

/* Largest message: variables and modules of a large program are long. */
#define STREAM_MAX_MESSAGE (64U << 20)
/* While that much output to one side is queued, reading from the sides that fill it pauses. */
#define STREAM_FULL (8U << 20)

struct stream {
	const char *name; /* for messages, borrowed */
	struct watch in, out;
	struct buf input, output;
	struct framing framing;
	bool ended;  /* no more input will come */
	bool paused; /* reading is paused */
	/* @message is borrowed for the call. */
	void (*received)(void *arg, struct json_object *message);
	/* Called once, when no more input will come; @why NULL: it was closed. Borrowed. */
	void (*over)(void *arg, const char *why);
	void *arg;
};

/*
 * Take over @in and @out, which may be the same descriptor, and make them non-blocking. The caller sets received,
 * over and arg before the loop runs.
 */
void stream_open(struct stream *s, struct loop *loop, const char *name, enum framing_kind kind, int in, int out);

/* Queue @message, which the caller still owns. It is dropped if it cannot be written. */
void stream_send(struct stream *s, struct json_object *message);
bool stream_is_full(const struct stream *s);
/* Return whether all output has been written. */
bool stream_is_flushed(const struct stream *s);

/* Pause or resume reading. */
void stream_pause(struct stream *s, bool paused);

/* Close the output only: the other side reads its end. */
void stream_close_out(struct stream *s);
/* Close both descriptors; queued output is lost. */
void stream_close(struct stream *s);
void stream_deinit(struct stream *s);

#endif
