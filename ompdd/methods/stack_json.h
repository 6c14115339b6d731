/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places of stacks as JSON: for methods/stack and, as call sites, methods/state. Shapes: protocol/schema/common. */
#ifndef OMPDD_METHODS_STACK_JSON_H
#define OMPDD_METHODS_STACK_JSON_H

#include <json-c/json.h>

#include "openmp/stacks/stack_list.h"
#include "openmp/stacks/stack_where.h"
#include "worker/worker.h"

/* {"pc", "function", "module", "location"}: the place of a thread, which is known. */
struct json_object *stack_where_json(const struct stack_where *where);
/* The same of a call, with "source". */
struct json_object *stack_call_site_json(struct stacks *st, struct stacks_place *place);
/* {"entry", "construct", "call_site", "source"}: the runtime that was entered at @entry. */
struct json_object *stack_in_construct_json(struct stacks *st, struct stacks_place *entry);

/* What items of a list are shown with. */
struct stack_view {
	struct worker *w;
	struct stacks *st;
	const struct snapshot *s;	 /* NULL: nothing is known of OpenMP */
	const struct stack_group *group; /* NULL: of one thread, with all that is its own */
};

struct json_object *stack_items_json(const struct stack_view *v, const struct stack_list *l);
/* true, or why frames are missing. */
struct json_object *stack_complete_json(const struct stack_view *v, const struct stack_list *l, pid_t tid);

#endif
