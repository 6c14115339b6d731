/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ICVs of icv.def, and their values as numbers and in the syntax of the environment variables. */
#ifndef OMPDD_LIBOMPD_ICV_H
#define OMPDD_LIBOMPD_ICV_H

#include "process.h"

enum icv_kind {
	ICV_UNDEFINED = 0,
#define ICV(kind, name, scope, variable, type, gomp, libomp, omprt) ICV_##kind,
#include "icv.def"
#undef ICV
	ICV_END
};

/* The form of an ICV's value. */
enum icv_type {
	ICV_AS_NUMBER,
	ICV_AS_LIMIT,	 /* a negative number means INT_MAX: no limit */
	ICV_AS_BOOL,	 /* true or false */
	ICV_AS_SWITCH,	 /* 0 disabled, 1 enabled */
	ICV_AS_IMPLICIT, /* a bool: whether the task is implicit (backend.task_is_implicit) */
	ICV_AS_EXPLICIT,
	ICV_AS_NAME,	  /* a number with a name of the runtime */
	ICV_AS_OFFLOAD,	  /* of target-offload-var */
	ICV_AS_GENERATOR, /* an ompd_team_generator_t */
	ICV_AS_NUMBERS,	  /* a list, whose first element is for the task's level */
	ICV_AS_BINDS,	  /* a list of omp_proc_bind_t */
	ICV_AS_SCHEDULE,  /* an omp_sched_t; its top bit means monotonic */
	ICV_AS_ALLOCATOR,
	ICV_AS_PLACES,
	ICV_AS_STRING, /* no number */
};

struct icv_info {
	const char *name, *variable; /* `variable` may be NULL */
	ompd_scope_t scope;
	enum icv_type type;
};

/*
 * A value of an ICV. @text is set if the ICV is not a number (a list, a schedule, a string). The
 * caller passes NULL for @text if it needs only the number.
 */
struct icv_value {
	int64_t number;
	bool has_number;
	bool incomplete; /* @number is only the first element of a list */
	bool no_text;	 /* the number is right, but the value may have more: there is no text */
	struct strbuf *text;
};

/* A setting without an ICV, in the form of a control variable. */
struct setting {
	const char *variable; /* the environment variable that sets it */
	enum icv_type type;
	struct icv_raw raw;
};

/* Return the row of an ICV, or NULL if no ICV has this id. */
const struct icv_info *icv_info(ompd_icv_id_t id);

/*
 * Read the ICV of @subject, which has the handle of the ICV's scope. A task without a record stands
 * for the values of the environment.
 */
ompd_rc_t icv_read_value(const struct process *process, enum icv_kind icv, const struct subject *subject,
			 struct icv_value *ret);

/*
 * Append the environment variables whose ICVs the runtime knows, with their initial values, and the
 * runtime's other settings (backend.setting). Each is "NAME=VALUE" and ends with '\0'.
 */
ompd_rc_t icv_print_variables(const struct process *process, struct strbuf *text);

#endif
