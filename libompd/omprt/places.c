/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* place-partition-var in our runtime; a part of omprt_icv(). */
#include "callbacks.h"
#include "icv_value.h"
#include "omprt/omprt.h"
#include "strbuf.h"

#define MAX_PLACES	65536
#define MAX_PLACE_BYTES 1024 /* 8192 CPUs */
#define MAX_LEVELS	4096

/* Print the places [first, first + n) as "{0},{1}". */
static ompd_rc_t print_places(const struct process *process, uint64_t first, uint64_t n, struct icv_value *ret)
{
	struct omprt_copy root, list;
	uint8_t mask[MAX_PLACE_BYTES];

	RC_TRY(omprt_read(process, LAYOUT_root, omprt_of(process)->layout.root, &root));
	RC_TRY(omprt_read(process, LAYOUT_place_list, omprt_field(&root, LAYOUT_root_places), &list));
	ompd_addr_t sets = omprt_field(&list, LAYOUT_place_list_sets);
	uint64_t size = omprt_field(&list, LAYOUT_place_list_set_size);
	uint64_t count = omprt_field(&list, LAYOUT_place_list_n);

	if (!count) { /* threads are not bound */
		icv_set_places(ret, 0, 0);
		return ompd_rc_ok;
	}
	if (!n) { /* this thread is not bound yet: all places */
		first = 0;
		n = count;
	}
	if (!size || size > sizeof(mask) || count > MAX_PLACES || first > count || n > count - first)
		return ompd_rc_error;
	for (uint64_t i = first; i < first + n; i++) {
		RC_TRY(cb_read(process->context, sets + i * size, size, mask));
		if (i > first)
			strbuf_printf(ret->text, ",");
		icv_print_place(ret->text, mask, size * 8);
	}
	icv_set_places(ret, first, n);
	return ompd_rc_ok;
}

ompd_rc_t omprt_place_partition(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	struct omprt_copy copy, thread, team;
	struct thread_ref executing;
	struct region_ref region;
	struct omprt_place place;

	RC_TRY(omprt_task_of(process, task, &copy));
	/*
	 * An explicit task has the place partition of the thread that executes it: a task that has
	 * not started has no partition.
	 */
	if (omprt_field(&copy, LAYOUT_task_kind) == LAYOUT_TASK_EXPLICIT &&
	    !(omprt_field(&copy, LAYOUT_task_flags) & LAYOUT_TASK_STARTED))
		return ompd_rc_unavailable;
	RC_TRY(omprt_region_thread(process, &task->region, (uint32_t)omprt_field(&copy, LAYOUT_task_thread_num),
				   &executing));
	RC_TRY(omprt_thread_place(process, &executing, &thread, &place));
	/* A thread that was called but does not run yet has no place partition. */
	if (place.where != OMPRT_INSIDE)
		return ompd_rc_unavailable;
	ompd_addr_t address = place.team;

	if (address == task->region.team)
		return print_places(process, omprt_field(&thread, LAYOUT_thread_place_first),
				    omprt_field(&thread, LAYOUT_thread_place_len), ret);
	/*
	 * The thread is the primary thread of an inner region. The inner region's team stores the
	 * thread's partition outside it.
	 */
	for (unsigned level = 0; level < MAX_LEVELS; level++) {
		RC_TRY(omprt_team(process, address, &team, &region));
		address = omprt_field(&team, LAYOUT_team_enclosing);
		if (address == task->region.team)
			return print_places(process, omprt_field(&team, LAYOUT_team_outer_place_first),
					    omprt_field(&team, LAYOUT_team_outer_place_len), ret);
	}
	return ompd_rc_error;
}
