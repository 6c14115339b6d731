/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places of stacks as JSON: for methods/stack, and as call sites for methods/state. Shapes: protocol/schema/common. */
#ifndef OMPDD_METHODS_STACK_JSON_H
#define OMPDD_METHODS_STACK_JSON_H

#include <json-c/json.h>

#include "openmp/stacks/stack_list.h"
#include "openmp/stacks/stack_where.h"
#include "worker/worker.h"

/* Return {"pc", "function", "module", "location"} of a thread's known place. */
struct json_object *stack_where_json(const struct stack_where *where);
/* Return the same members of a call, with "source". */
struct json_object *stack_call_site_json(struct stacks *st, struct stacks_place *place);
/* Return the same members for function number @inlined at the place, counted from the innermost. */
struct json_object *stack_inlined_call_json(struct stacks *st, struct stacks_place *place, uint8_t inlined);
/* Return {"entry", "construct", "call_site", "source"}: the runtime was entered at @entry. */
struct json_object *stack_in_construct_json(struct stacks *st, struct stacks_place *entry);

/* The context in which items of a list are shown. */
struct stack_view {
	struct worker *w;
	struct stacks *st;
	const struct snapshot *s;	 /* NULL: no OpenMP state is known */
	const struct stack_group *group; /* NULL: a single thread, shown with its own data */
};

struct json_object *stack_items_json(const struct stack_view *v, const struct stack_list *l);
/* Return true, or why frames are missing. */
struct json_object *stack_complete_json(const struct stack_view *v, const struct stack_list *l, pid_t tid);

#endif
