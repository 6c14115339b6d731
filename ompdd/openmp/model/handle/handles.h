/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handles in the protocol (handle_name.h) for objects of the OMPD library, owned by connections. The worker reports the
 * end of a connection or a stop. openmp/model/walk/walk names the objects it finds. methods/ resolve the handles that
 * clients send.
 */
#ifndef OMPDD_OPENMP_HANDLES_H
#define OMPDD_OPENMP_HANDLES_H

#include <stdint.h>

#include "base/contract.h"
#include "base/error.h"
#include "openmp/model/handle/handle_name.h"

/*
 * Views, each of one runtime, whose handles a connection has. Only this limit ends the views of observe mode. Views of
 * hundreds of threads each add up.
 */
#define HANDLES_MAX_VIEWS 64
/* Ended epochs remembered for each connection. They distinguish stale handles from invented ones. */
#define HANDLES_MAX_ENDED 1024

struct handles;
struct plugin;

/* One object of the library, and the parts of its name. */
struct handle {
	enum handle_kind kind;
	uint64_t epoch;
	unsigned runtime;
	uint32_t number;
	void *object; /* the library's handle; NULL once released */
	/* For a walk that encounters the same object again: its own mark and index (openmp/model/names.c). */
	uint64_t walk;
	uint32_t index;
	/* The order by the library's compare routine (a treap). */
	uint32_t priority;
	struct handle *left;
	struct handle *right;
};

/*
 * Creates an empty set. @timeout_ms limits the release of objects while no request is being answered. Returns NULL when
 * memory is out.
 */
struct handles *handles_create(unsigned timeout_ms);
void handles_destroy(struct handles *h);

/*
 * Sets the library of runtime number @runtime (below CALLBACKS_MAX_SPACES). NULL: the library is gone, and forgotten
 * objects are not released.
 */
void handles_set_plugin(struct handles *h, unsigned runtime, struct plugin *plugin);

/* Ends the view @epoch, whose objects became invalid when the stopped target continued. */
void handles_epoch_ended(struct handles *h, uint64_t epoch);
/* Removes an epoch whose handles no client has received. Its number may be used again. */
void handles_epoch_void(struct handles *h, uint64_t number);
/* Forgets the handles of the closed connection @client. */
void handles_client_gone(struct handles *h, int64_t client);
/*
 * Makes all handles of all connections stale, or those of one runtime. Releases their objects (before ompd_finalize).
 */
void handles_end_all(struct handles *h);
void handles_end_runtime(struct handles *h, unsigned runtime);

/*
 * Returns in *@ret the handle of @client in @epoch for @object of runtime @runtime. An object that has a name already,
 * by the library's compare routine, is released. Address spaces are never the same. Takes ownership of @object, also on
 * error. *@ret is borrowed until its epoch or client ends. ERR_LIMIT_EXCEEDED, ERR_PLUGIN_MISBEHAVED (compare fails).
 */
MUST_USE struct error *handles_intern(struct handles *h, unsigned runtime, int64_t client, uint64_t epoch,
				      enum handle_kind kind, TAKES void *object, struct handle **ret);

/*
 * Finds the handle that @text names for @client. @kind -1 accepts any kind. @pointer is a JSON pointer such as
 * "/params/thread_handle", for the detail "pointer" of an error. ERR_INVALID_PARAMS (not a handle, or not of kind
 * @kind), ERR_UNKNOWN_HANDLE, or ompd_rc_stale_handle.
 */
MUST_USE struct error *handles_find(struct handles *h, int64_t client, const char *target_id, const char *text,
				    int kind, const char *pointer, struct handle **ret);

/* Releases one handle, which is stale afterwards. */
void handles_release(struct handles *h, int64_t client, struct handle *handle);
/* Makes one handle stale and returns its object. The caller gives the object back to the library. */
void *handles_take(struct handles *h, int64_t client, struct handle *handle);

#endif
