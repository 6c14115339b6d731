/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* scope with task reductions. Other scope constructs call no function. */
#include "abi/abi.h"
#include "core/reduction.h"
#include "core/thread.h"
#include "core/team.h"

ABI void GOMP_scope_start(uintptr_t *reductions)
{
	struct thread *t = thread_self();
	bool first;

	if (!reductions)
		return;
	first = workshare_enter(t);
	reduction_workshare_begin(t, t->member->share.ws, reductions, first);
	if (first)
		workshare_publish(t);
}
