/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Our own runtime, in libgomp's place. It supplies all data that OMPD requests. Only this runtime has "ompd_layout",
 * the table of its memory.
 */
#include <stddef.h>

#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/entries.h"
#include "openmp/runtimes/runtime.h"

static struct error *check_event(const struct runtime *r, enum event_kind kind)
{
	if (kind != EVENT_DEVICE_BEGIN && kind != EVENT_DEVICE_END)
		return NULL;
	return error_detail(error_hint(error_create(ERR_EVENT_UNAVAILABLE, "%s has no device but the host", r->path),
				       "target_begin and target_end report target regions that the host executes"),
			    "event", "%s", event_name(kind));
}

/* Events that OMPD does not have. The programs are compiled by gcc. */
static const struct descriptor_event *const events[] = {gomp_entries, NULL};

const struct runtime_descriptor descriptor_omprt = {
	.name = "omprt",
	.stands_in_for = "libgomp",
	.proof = "ompd_layout",
	.names_own = true,
	/*
	 * The program may set and keep the first byte of this word itself (OMP_DEBUG, omp_debug_enable()). The second
	 * byte is the debugger's.
	 */
	.breakpoint_switch = "ompd_breakpoints",
	.serialize_word = "ompd_serialize",
	.check_to_come = check_event,
	.events = events,
	.unseen = omprt_unseen,
	.begins_inside = true,
	/* The pool calls the thread for no other region meanwhile: runtime/core/team/region.c. */
	.ends_with_region = true,
	/* Six bits that count the wake-ups of all threads: runtime/core/state/barrier_word.h. */
	.barrier_wakes = 0xfc,
	.sleeps_if_passive = true,
	.waits_for_descendants = true,
	.devices = DEVICES_NONE,
};
