/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expected returns of calls: each return address is planted once per call. */
#include "worker/control/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "target/control.h"
#include "worker/context/context.h"

void calls_deinit(struct calls *calls)
{
	free(calls->first);
	*calls = (struct calls){0};
}

struct error *calls_expect(struct worker *w, struct calls *calls, uint32_t breakpoint,
			   const struct breakpoint_place *place, const struct target_event *e, uint64_t return_address)
{
	uint64_t sp = e->registers.value[TARGET_REGISTER_SP];

	/* Inner calls that have not returned here never will: an exception or a longjmp() has unwound them. */
	for (size_t i = calls->n; i-- > 0;) {
		if (calls->first[i].tid == e->tid && calls->first[i].sp <= sp)
			calls_drop(w, calls, i);
	}
	if (calls->n == CALLS_MAX)
		calls_drop(w, calls, 0);
	if (!VECTOR_GROW(calls->first, calls->n, calls->cap))
		return &error_nomem;
	struct error *err = target_plant(w->target, return_address);
	if (err)
		return err;
	calls->first[calls->n++] = (struct call){
		.breakpoint = breakpoint,
		.tid = e->tid,
		.address = return_address,
		.sp = sp + arch->return_slot,
		.place = *place,
	};
	return NULL;
}

bool calls_is_back(const struct calls *calls, size_t i, const struct target_event *e)
{
	const struct call *c = &calls->first[i];

	return c->address == e->address && c->tid == e->tid && c->sp == e->registers.value[TARGET_REGISTER_SP];
}

void calls_drop(struct worker *w, struct calls *calls, size_t i)
{
	target_lift(w->target, calls->first[i].address);
	memmove(&calls->first[i], &calls->first[i + 1], (--calls->n - i) * sizeof(*calls->first));
}

void calls_drop_all_of(struct worker *w, struct calls *calls, uint32_t breakpoint)
{
	for (size_t i = calls->n; i-- > 0;) {
		if (calls->first[i].breakpoint == breakpoint)
			calls_drop(w, calls, i);
	}
}
