/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One visit to a process: a worker of its own, which is attached for a few requests and then ends. */
#ifndef OMPDD_CLI_WATCH_VISIT_H
#define OMPDD_CLI_WATCH_VISIT_H

#include <sys/types.h>

#include "conversation.h"

struct visit {
	struct args args;
	struct conversation s;
};

/*
 * Attach to process @pid with the options of @args, in mode @mode ("observe", "stop"; NULL: the default). @signals has
 * the signals that end a wait, after interrupt_catch(). Call visit_end() also after a failure.
 */
struct error *visit_begin(struct visit *v, const struct args *args, const struct connection *signals, pid_t pid,
			  const char *mode);

/* Call a method of the target. Takes ownership of @params, which may be NULL. The caller owns *@ret. */
struct error *visit_call(struct visit *v, const char *method, struct json_object *params, struct json_object **ret);

/* Return the name of the program; the caller frees it. */
char *visit_create_program_name(const struct visit *v);

void visit_end(struct visit *v);

#endif
