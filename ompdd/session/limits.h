/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every limit of the daemon, in one place; daemon.info shows them. */
#ifndef OMPDD_SESSION_LIMITS_H
#define OMPDD_SESSION_LIMITS_H

#include "rpc/message.h"

#define LIMIT_MESSAGE	     (1024 * 1024)	/* bytes of one message from a client */
#define LIMIT_WORKER_MESSAGE (64 * 1024 * 1024) /* bytes of one message from a worker */
#define LIMIT_DEPTH	     MESSAGE_MAX_DEPTH
#define LIMIT_BATCH	     MESSAGE_MAX_BATCH
#define LIMIT_CONNECTIONS    64
#define LIMIT_IN_FLIGHT	     32			/* requests of one connection */
#define LIMIT_OUTPUT	     (32 * 1024 * 1024) /* bytes queued for one connection, also in batches */
/* answers up to this size are queued even beyond that: the errors that report the limit */
#define LIMIT_OUTPUT_SMALL  4096
#define LIMIT_TARGETS	    64
#define LIMIT_EVENTS	    4096  /* events in the ring */
#define LIMIT_EVENT_BYTES   8192  /* bytes of one event from a worker */
#define LIMIT_SUBSCRIPTIONS 32	  /* per connection */
#define LIMIT_STALL_MS	    30000 /* queued output without progress */
#define LIMIT_MESSAGE_MS    30000 /* from the first to the last byte of a message */
#define LIMIT_HANDSHAKE_MS  5000  /* from accept to rpc.authenticate */

#endif
