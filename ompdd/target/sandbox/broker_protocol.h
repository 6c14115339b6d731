/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests and replies between a worker (target/sandbox/broker.c) and its broker, over a SOCK_SEQPACKET pair. */
#ifndef OMPDD_TARGET_BROKER_PROTOCOL_H
#define OMPDD_TARGET_BROKER_PROTOCOL_H

#include <limits.h>
#include <stddef.h>

#include "target/arch/arch.h"
#include "target/sandbox/broker.h"

#define BROKER_MAX_FDS	2
#define BROKER_MAX_NAME 256

enum broker_op {
	BROKER_OPEN = 1, /* `bytes`: the path; a descriptor comes with the request */
	BROKER_FILE,	 /* the reply's `text`: the folder */
	BROKER_MEMORY,	 /* `value`: its size */
	BROKER_PERF,	 /* `id`: a thread; `value`: microseconds between samples */
	BROKER_TRACER,	 /* `id`: the target. Two descriptors: socket, board */
	BROKER_RESTORE,	 /* `id`: the target; `value`: an address; `bytes`: instruction bytes */
	BROKER_USER,	 /* `id`: a user; the reply's `text`: the name */
};

struct broker_request {
	uint32_t op;
	int32_t id;
	uint64_t value;
	char bytes[PATH_MAX]; /* sent as far as they are used */
};
#define BROKER_REQUEST_LEN(n) (offsetof(struct broker_request, bytes) + (n))

struct broker_reply {
	int32_t error; /* errno; 0: it was done */
	int32_t pid;   /* of a tracer */
	char text[BROKER_MAX_NAME];
};

/* A broker's state. */
struct broker {
	struct broker_rights rights;
	bool is_apart; /* a process of its own: requests are checked against the rights */
	int pidfd;     /* the target's; -1: unknown */
	unsigned n_files;
	unsigned n_tracers; /* children that live */
	size_t memory;	    /* bytes of all memory files */
};

/*
 * Serve one request with @n_bytes of `bytes`. @fd: the descriptor that came with it, or -1; borrowed. @fds: descriptors
 * of the reply, owned by the caller; -1 for those that are not used.
 */
void broker_serve(struct broker *b, const struct broker_request *r, size_t n_bytes, int fd, struct broker_reply *reply,
		  int fds[BROKER_MAX_FDS]);

#endif
