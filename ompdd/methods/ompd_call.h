/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One routine of the OMPD library called for a client: handles in, the library's code or a result out.
 * Shared by methods/ompd_*.c.
 */
#ifndef OMPDD_METHODS_OMPD_CALL_H
#define OMPDD_METHODS_OMPD_CALL_H

#include <json-c/json.h>

#include "methods/json.h"
#include "openmp/handles.h"
#include "openmp/model.h"
#include "openmp/ompd.h"
#include "worker/worker.h"

#define OMPD_CALL_MAX_ARGS   2
#define OMPD_CALL_MAX_STRING 65536

struct ompd_arg {
	const char *text;    /* the handle as the client wrote it; NULL: the process's address space */
	enum handle_kind kind;
	const char *pointer; /* of the parameter: "/params/thread_handle" */
	void *object;	     /* the library's handle, once resolved */
};

enum ompd_call_needs {
	NEEDS_LIBRARY, /* nothing but the loaded library */
	NEEDS_OPEN,    /* the process's address space is open; the target is not read if it is */
	NEEDS_VIEW,    /* reads the target */
	NEEDS_VIEW_CLOSED, /* reads the target; wants no address space that is open already */
};

struct ompd_call {
	const char *routine; /* "ompd_get_state" */
	enum ompd_call_needs needs;
	struct ompd_arg args[OMPD_CALL_MAX_ARGS];
	int n_args;
	/* Call the routine on args[].object; returns its code. May be called again. */
	int (*fn)(struct plugin *p, struct ompd_call *call);
	void *data; /* the handler's own */
	/* A routine that creates a handle says which kind and puts it into object. */
	bool creates;
	enum handle_kind creates_kind;
	void *object;
	/* Results. */
	uint32_t number; /* of the created handle */
	bool has_view;	 /* @view says how the target was looked at */
	struct view view;
	struct worker *w;
};

/*
 * Run @call. ERR_NO_SUCH_TARGET, those of model_need_plugin(), model_open() and handles_find(), the
 * library's code as ERR_OMPD, ERR_PLUGIN_MISBEHAVED (no code of OMPD, ok without a handle).
 */
MUST_USE struct error *ompd_call_run(struct worker *w, struct ompd_call *call);

/* A result with the view's members, where there was one. NULL when memory is out. */
struct json_object *ompd_call_result(const struct ompd_call *call);

/* Run @call, which creates a handle; *@ret is {@key: handle, …}. */
MUST_USE struct error *ompd_call_answer_handle(struct worker *w, struct ompd_call *call,
					       const char *key, struct json_object **ret);

/* Run @call, whose fn writes the order of two handles to @value; *@ret is {"cmp_value": …}. */
MUST_USE struct error *ompd_call_answer_compare(struct worker *w, struct ompd_call *call,
						const int *value, struct json_object **ret);

/*
 * Give @text back with @release (ompd_rel_*_handle). The handle is gone also when the library then
 * refuses it. *@ret is {}.
 */
MUST_USE struct error *ompd_call_release(struct worker *w, const char *routine, const char *text,
					 enum handle_kind kind, const char *pointer,
					 int (*release)(struct plugin *p, void *object),
					 struct json_object **ret);

/* The name of the created handle. */
struct json_object *ompd_call_handle_json(const struct ompd_call *call);

/* A copy of a string that the library gave, which is freed if it is ours; NULL for nonsense. Within fn. */
char *ompd_call_take_string(const char *s);

/* {"segment", "address"} */
struct json_object *ompd_address_json(const ompd_address_t *address);

/*
 * The argument for @scope: @text, or the address space where the scope is one. ERR_INVALID_PARAMS when
 * the scope needs a handle and there is none.
 */
MUST_USE struct error *ompd_scope_arg(const char *text, int64_t scope, struct ompd_arg *ret);

#endif
