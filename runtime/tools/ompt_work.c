/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events of worksharing constructs and taskloop, where gcc's code calls the runtime. */
#include <stdlib.h>

#include "omp-tools.h"
#include "os/memory.h"
#include "tools/ompt.h"
#include "tools/ompt_data.h"

void ompt_work(struct thread *t, ompt_work_t work, ompt_scope_endpoint_t endpoint, uint64_t count,
	       const void *return_address)
{
	OMPT_CALL(work, work, endpoint, ompt_data_of_region(t->team), ompt_data(&t->task->tool_data), count,
		  return_address);
}

void ompt_work_begin(struct thread *t, ompt_work_t work, uint64_t count, const void *return_address)
{
	struct loop *l = &t->member->share.loop;

	l->work = (uint8_t)work;
	l->return_address = return_address;
	ompt_work(t, work, ompt_scope_begin, count, return_address);
}

/* Reports nothing if the start was not reported. */
void ompt_work_end(struct thread *t, const void *return_address)
{
	struct loop *l = &t->member->share.loop;

	if (l->work)
		ompt_work(t, (ompt_work_t)l->work, ompt_scope_end, l->n, return_address);
	l->work = 0;
}

static void report_dispatch(struct thread *t, ompt_dispatch_t kind, ompt_data_t instance)
{
	OMPT_CALL(dispatch, ompt_data_of_region(t->team), ompt_data(&t->task->tool_data), kind, instance);
}

void ompt_chunk(struct thread *t, const struct loop *l)
{
	ompt_dispatch_chunk_t chunk = {.start = l->next, .iterations = l->stop - l->next};

	if (l->work && l->work != ompt_work_sections)
		report_dispatch(t, ompt_dispatch_ws_loop_chunk, (ompt_data_t){.ptr = &chunk});
}

/* The address of the section is not known. The address of its construct is. */
void ompt_section(struct thread *t, const struct loop *l)
{
	if (l->work == ompt_work_sections)
		report_dispatch(t, ompt_dispatch_section, (ompt_data_t){.ptr = (void *)(uintptr_t)l->return_address});
}

void ompt_doacross(struct thread *t, bool is_source, const uint64_t *vector, uint32_t n)
{
	ompt_dependence_t *list = memory_alloc(n * sizeof(*list));

	for (uint32_t i = 0; i < n; i++) {
		list[i].variable.value = vector[i];
		list[i].dependence_type = is_source ? ompt_dependence_type_source : ompt_dependence_type_sink;
	}
	OMPT_CALL(dependences, ompt_data(&t->task->tool_data), list, (int)n);
	free(list);
}
