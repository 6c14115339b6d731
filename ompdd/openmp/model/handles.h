/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handles on the wire (handle_name.h) for objects of the OMPD library, owned by connections. The worker tells
 * when a connection or a stop is over; openmp/model/walk names what it finds here; methods/ resolve what
 * clients send.
 */
#ifndef OMPDD_OPENMP_HANDLES_H
#define OMPDD_OPENMP_HANDLES_H

#include <stdint.h>

#include "base/contract.h"
#include "base/error.h"
#include "openmp/model/handle_name.h"

/* Views, each of one runtime, whose handles a connection has. Nothing ends those of observe mode but that: each of
 * hundreds of threads, they add up. */
#define HANDLES_MAX_VIEWS 64
/* Ended epochs of one connection that are remembered, to tell stale handles from invented ones. */
#define HANDLES_MAX_ENDED 1024

struct handles;
struct plugin;

/* One object of the library, and what its name is made of. */
struct handle {
	enum handle_kind kind;
	uint64_t epoch;
	unsigned runtime;
	uint32_t number;
	void *object; /* the library's handle; NULL once released */
	/* For a walk that meets the same object again: its own mark and index (openmp/model/names.c). */
	uint64_t walk;
	uint32_t index;
	/* The order by the library's compare routine (a treap). */
	uint32_t priority;
	struct handle *left;
	struct handle *right;
};

/* @timeout_ms: what releasing objects may take when no request is being answered. NULL when memory is out. */
struct handles *handles_create(unsigned timeout_ms);
void handles_destroy(struct handles *h);

/* The library whose objects those of runtime number @runtime (below CALLBACKS_MAX_SPACES) are. NULL: it is gone, and
 * forgotten objects are not released. */
void handles_set_plugin(struct handles *h, unsigned runtime, struct plugin *plugin);

/* The view @epoch is over and its objects mean nothing any more (the target was stopped and runs again). */
void handles_epoch_ended(struct handles *h, uint64_t epoch);
/* As if there had been no such epoch: nobody was told of its handles. Its number may come again. */
void handles_epoch_void(struct handles *h, uint64_t number);
/* Connection @client is closed. */
void handles_client_gone(struct handles *h, int64_t client);
/* All handles of all connections become stale, or those of one runtime; objects are released (before ompd_finalize). */
void handles_end_all(struct handles *h);
void handles_end_runtime(struct handles *h, unsigned runtime);

/*
 * The handle of @client in @epoch for @object of runtime @runtime, which is released if the same one (by the library's
 * compare routine; address spaces are never the same) has a name already. Takes ownership of @object, also on error.
 * *@ret is borrowed until its epoch or client ends. ERR_LIMIT_EXCEEDED, ERR_PLUGIN_MISBEHAVED (compare fails).
 */
MUST_USE struct error *handles_intern(struct handles *h, unsigned runtime, int64_t client, uint64_t epoch,
				      enum handle_kind kind, TAKES void *object, struct handle **ret);

/*
 * The handle that @text names for @client. ERR_INVALID_PARAMS (no handle, or not of kind @kind; -1 is any; detail
 * "pointer" is
 * @pointer, a JSON pointer such as "/params/thread_handle"), ERR_UNKNOWN_HANDLE, or ompd_rc_stale_handle.
 */
MUST_USE struct error *handles_find(struct handles *h, int64_t client, const char *target_id, const char *text,
				    int kind, const char *pointer, struct handle **ret);

/* Release one handle: from now on it is stale. */
void handles_release(struct handles *h, int64_t client, struct handle *handle);
/* The same, but the object is not released: the caller gives it back to the library itself. */
void *handles_take(struct handles *h, int64_t client, struct handle *handle);

#endif
