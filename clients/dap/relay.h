/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Requests that one side waits for and the other answers. Each side numbers its own messages, so numbers of one side
 * are meaningless to the other.
 */
#ifndef OMPDD_DAP_RELAY_H
#define OMPDD_DAP_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Requests that wait for an answer of one side. */
#define RELAY_MAX 1024

/* Handles a response. @request is the client's, or NULL for one of our own. All are borrowed. */
typedef void relay_fn(void *arg, struct json_object *request, struct json_object *response);

struct relay_entry {
	int64_t seq;		     /* number under which it was sent */
	int64_t original;	     /* number with which it came; 0: it is our own */
	struct json_object *request; /* as it came, or NULL; owned */
	relay_fn *done;		     /* NULL: pass on its response */
	void *arg;
};

struct relay {
	int64_t last_seq; /* of all messages to this side */
	struct relay_entry *entries;
	size_t n, cap;
};

void relay_deinit(struct relay *r);

/* Return the number of the next message to this side, from 1. */
int64_t relay_seq(struct relay *r);

/*
 * Note that message number @seq carries @request, which may be NULL. Returns false if too many requests wait
 * already; then nothing is noted.
 */
bool relay_add(struct relay *r, int64_t seq, struct json_object *request, relay_fn *done, void *arg);

/* Take the entry for the response to @seq, which the caller owns then. Returns false if there is no such request. */
bool relay_take(struct relay *r, int64_t seq, struct relay_entry *ret);
void relay_entry_deinit(struct relay_entry *e);

/* Return the sent number of the waiting request @original, or the original number of a sent one; 0: it does not wait.
 */
int64_t relay_number_of(const struct relay *r, int64_t original);
int64_t relay_original_of(const struct relay *r, int64_t sent);

#endif
