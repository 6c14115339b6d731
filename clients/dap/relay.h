/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Requests that one side waits for and the other answers: each side counts its own messages, so that a number of one
 * means nothing to the other.
 */
#ifndef OMPDD_DAP_RELAY_H
#define OMPDD_DAP_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Requests that wait for an answer of one side. */
#define RELAY_MAX 1024

/* What becomes of a response. @request is the client's, or NULL for one of our own. All are borrowed. */
typedef void relay_fn(void *arg, struct json_object *request, struct json_object *response);

struct relay_entry {
	int64_t seq;		     /* as it was sent */
	int64_t asked;		     /* as it came; 0: it is our own */
	struct json_object *request; /* as it came, or NULL; owned */
	relay_fn *done;		     /* NULL: its response is passed on */
	void *arg;
};

struct relay {
	int64_t last_seq; /* of all that was sent to this side */
	struct relay_entry *entries;
	size_t n, cap;
};

void relay_deinit(struct relay *r);

/* The number of the next message to this side: from 1. */
int64_t relay_seq(struct relay *r);

/*
 * Note that message number @seq asks what @request, which may be NULL, came for. False: too much waits already, nothing
 * is noted.
 */
bool relay_add(struct relay *r, int64_t seq, struct json_object *request, relay_fn *done, void *arg);

/* The entry that the response to @seq is for, which the caller owns now. False: nobody asked. */
bool relay_take(struct relay *r, int64_t seq, struct relay_entry *ret);
void relay_entry_deinit(struct relay_entry *e);

/* How number @asked of a request that waits was sent; 0: it does not wait. And the other way. */
int64_t relay_sent_as(const struct relay *r, int64_t asked);
int64_t relay_asked_as(const struct relay *r, int64_t sent);

#endif
