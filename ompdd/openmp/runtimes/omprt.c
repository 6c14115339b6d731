/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our own runtime, in libgomp's place. It says all that OMPD asks for; "ompd_layout" is the table of its memory, which
 * no other has. */
#include <stddef.h>

#include "openmp/runtimes/entries.h"
#include "openmp/runtimes/profile.h"
#include "openmp/runtimes/runtime.h"

static struct error *check_to_come(const struct runtime *r, enum event_kind kind)
{
	if (kind != EVENT_DEVICE_BEGIN && kind != EVENT_DEVICE_END)
		return NULL;
	return error_detail(error_hint(error_create(ERR_EVENT_UNAVAILABLE, "%s has no device but the host", r->path),
				       "target_begin and target_end are those of regions that the host executes"),
			    "event", "%s", event_name(kind));
}

/* Of what OMPD has no events for; the programs are those that gcc made. */
static const struct profile_event *const events[] = {gomp_entries, NULL};

const struct profile profile_omprt = {
	.name = "omprt",
	.stands_in_for = "libgomp",
	.proof = "ompd_layout",
	.names_own = true,
	/*
	 * The program may set the first byte of this word itself (OMP_DEBUG, omp_debug_enable()), and keeps it; the
	 * second is the debugger's.
	 */
	.breakpoint_switch = "ompd_breakpoints",
	.serialize_word = "ompd_serialize",
	.check_to_come = check_to_come,
	.events = events,
	.unseen = omprt_unseen,
	.begins_inside = true,
	/* Its pool calls it for no other region meanwhile: runtime/core/team.c. */
	.ends_with_region = true,
	/* Six bits that count how often all were woken: runtime/core/barrier.h. */
	.barrier_wakes = 0xfc,
};
