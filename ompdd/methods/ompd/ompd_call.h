/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A call of one routine of the OMPD library for a client: handles in, the library's code or a result out. Shared by
 * methods/ompd_*.c.
 */
#ifndef OMPDD_METHODS_OMPD_CALL_H
#define OMPDD_METHODS_OMPD_CALL_H

#include <json-c/json.h>

#include "methods/json/json.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/plugin/ompd.h"
#include "worker/worker.h"

#define OMPD_CALL_MAX_ARGS   2
#define OMPD_CALL_MAX_STRING 65536

struct ompd_arg {
	const char *text; /* the handle as the client wrote it; NULL: the process's address space */
	enum handle_kind kind;
	const char *pointer; /* of the parameter: "/params/thread_handle"; NULL: no such argument */
	void *object;	     /* the library's handle, once resolved */
};

/* Build the argument from member @param of the parameters @p. */
#define OMPD_ARG(p, param, kind)                                                                                       \
	{                                                                                                              \
		(p)->param, kind, "/params/" #param, NULL                                                              \
	}

enum ompd_call_needs {
	NEEDS_LIBRARY,	   /* nothing but the loaded library */
	NEEDS_OPEN,	   /* opens the process's address space; reads the target only if it was not open */
	NEEDS_VIEW,	   /* reads the target */
	NEEDS_VIEW_CLOSED, /* reads the target, whose address space must not be open yet */
};

struct ompd_call {
	const char *routine; /* "ompd_get_state" */
	enum ompd_call_needs needs;
	/* The runtime to call. NULL: that of the first handle among args[], else the main runtime. */
	struct model *model;
	struct ompd_arg args[OMPD_CALL_MAX_ARGS];
	/* Call the routine on args[].object; returns its code. May be called again. */
	int (*fn)(struct plugin *p, struct ompd_call *call);
	void *data; /* the handler's own */
	/* Set if the routine creates a handle. creates_kind is its kind; fn stores the handle in object. */
	bool creates;
	enum handle_kind creates_kind;
	void *object;
	/* A fault that fn found in the routine's result despite its ok: "gave no name". */
	const char *misbehaved;
	char *text; /* from ompd_call_take_text() until ompd_call_text_json() */
	/* Results. */
	uint32_t number; /* of the created handle */
	bool has_view;	 /* @view describes the view of the target */
	struct view view;
	struct worker *w;
};

/* Find runtime number @index of the process, for call.model. ERR_INVALID_PARAMS: there is no such runtime. */
MUST_USE struct error *ompd_call_runtime(struct worker *w, int64_t index, struct model **ret);

/*
 * Run @call. The caller frees @call->text. ERR_NO_SUCH_TARGET; errors of model_need_plugin(), model_open() and
 * handles_find(); ERR_OMPD with the library's code; ERR_PLUGIN_MISBEHAVED (an unknown code, ok without a handle, a
 * fault that fn found).
 */
MUST_USE struct error *ompd_call_run(struct worker *w, struct ompd_call *call);

/*
 * Run @call. *@ret is an object with the members of the view, if there was one. The handler adds to it. Errors as of
 * ompd_call_run().
 */
MUST_USE struct error *ompd_call_answer(struct worker *w, struct ompd_call *call, struct json_object **ret);

/* Run @call, which creates a handle; *@ret is {@key: handle, …}. */
MUST_USE struct error *ompd_call_answer_handle(struct worker *w, struct ompd_call *call, const char *key,
					       struct json_object **ret);

/*
 * Release the handle @text with @release (ompd_rel_*_handle). The handle is gone even if the library refuses it. *@ret
 * is {}.
 */
MUST_USE struct error *ompd_call_release(struct worker *w, const char *routine, const char *text, enum handle_kind kind,
					 const char *pointer, int (*release)(struct plugin *p, void *object),
					 struct json_object **ret);

/* Return the name of the created handle. */
struct json_object *ompd_call_handle_json(const struct ompd_call *call);

/*
 * Keep a copy of the library's string @text if @rc is ok, and give the string back to the library. Called within fn. A
 * missing string is a fault, described by @misbehaved. Returns @rc.
 */
int ompd_call_take_text(struct ompd_call *call, int rc, const char *text, const char *misbehaved);

/*
 * Return copies of the library's strings @texts, a vector that NULL ends. Called within fn. A missing vector is a
 * fault.
 */
struct json_object *ompd_call_texts_json(struct ompd_call *call, const char *const *texts);

/* Return the text as JSON, and free it. */
struct json_object *ompd_call_text_json(struct ompd_call *call);

/* Return NULL for ompd_rc_ok, else an error for @rc of @routine: ERR_OMPD, or ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *ompd_call_check_rc(const char *routine, int rc);

/* Answer {}, for methods without a result. */
MUST_USE struct error *ompd_call_answer_done(struct json_object **ret);

/*
 * Build the argument for @scope: the handle @text, or the address space for that scope. ERR_INVALID_PARAMS: the scope
 * needs a handle, and there is no @text.
 */
MUST_USE struct error *ompd_scope_arg(const char *text, int64_t scope, struct ompd_arg *ret);

/*
 * Three forms that many routines share. Each macro defines handle_ompd_@name().
 * Get one handle from another: ompd_@name(@from, &to). The result has it as @key.
 */
#define OMPD_CALL_DEFINE_STEP(name, from, from_kind, key, to_kind)                                                     \
	static int call_##name(struct plugin *p, struct ompd_call *call)                                               \
	{                                                                                                              \
		return plugin_call(p, name, call->args[0].object, (void *)&call->object);                              \
	}                                                                                                              \
	struct error *handle_ompd_##name(struct worker *w, const struct ompd_##name##_params *p,                       \
					 struct json_object **ret)                                                     \
	{                                                                                                              \
		struct ompd_call call = {                                                                              \
			.routine = "ompd_" #name,                                                                      \
			.needs = NEEDS_VIEW,                                                                           \
			.args = {OMPD_ARG(p, from, from_kind)},                                                        \
			.fn = call_##name,                                                                             \
			.creates_kind = to_kind,                                                                       \
		};                                                                                                     \
		return ompd_call_answer_handle(w, &call, key, ret);                                                    \
	}

/* Compare two handles: ompd_@name(@a, @b, &cmp_value). */
#define OMPD_CALL_DEFINE_COMPARE(name, a, b, kind)                                                                     \
	static int call_##name(struct plugin *p, struct ompd_call *call)                                               \
	{                                                                                                              \
		return plugin_call(p, name, call->args[0].object, call->args[1].object, (int *)call->data);            \
	}                                                                                                              \
	struct error *handle_ompd_##name(struct worker *w, const struct ompd_##name##_params *p,                       \
					 struct json_object **ret)                                                     \
	{                                                                                                              \
		int value = 0;                                                                                         \
		struct ompd_call call = {                                                                              \
			.routine = "ompd_" #name,                                                                      \
			.needs = NEEDS_OPEN,                                                                           \
			.args = {OMPD_ARG(p, a, kind), OMPD_ARG(p, b, kind)},                                          \
			.fn = call_##name,                                                                             \
			.data = &value,                                                                                \
		};                                                                                                     \
		struct error *err = ompd_call_answer(w, &call, ret);                                                   \
                                                                                                                       \
		if (!err)                                                                                              \
			json_put(*ret, "cmp_value", json_object_new_int(value));                                       \
		return err;                                                                                            \
	}

/* Release a handle: ompd_@name(@param). */
#define OMPD_CALL_DEFINE_RELEASE(name, param, kind)                                                                    \
	static int call_##name(struct plugin *p, void *object)                                                         \
	{                                                                                                              \
		return plugin_call(p, name, object);                                                                   \
	}                                                                                                              \
	struct error *handle_ompd_##name(struct worker *w, const struct ompd_##name##_params *p,                       \
					 struct json_object **ret)                                                     \
	{                                                                                                              \
		return ompd_call_release(w, "ompd_" #name, p->param, kind, "/params/" #param, call_##name, ret);       \
	}

#endif
