/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of our runtime's structs. */
#include <string.h>

#include "omprt/omprt.h"

ompd_rc_t omprt_read(const struct process *process, enum layout_entry_number type, ompd_addr_t address,
		     struct omprt_copy *ret)
{
	ret->o = omprt_of(process);
	ret->address = address;
	return cb_read(process->context, address, ret->o->span[type], ret->bytes);
}

uint64_t omprt_field(const struct omprt_copy *copy, enum layout_entry_number field)
{
	const struct layout_entry *e = &copy->o->layout.entries[field];
	uint64_t value = 0;

	memcpy(&value, copy->bytes + e->offset, e->size); /* little-endian */
	return value;
}

void omprt_put(struct omprt_copy *copy, enum layout_entry_number field, uint64_t value)
{
	const struct layout_entry *e = &copy->o->layout.entries[field];

	memcpy(copy->bytes + e->offset, &value, e->size);
}

ompd_rc_t omprt_team(const struct process *process, ompd_addr_t address, struct omprt_copy *team,
		     struct region_ref *ret)
{
	if (!address)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(process, LAYOUT_team, address, team));
	uint64_t n_threads = omprt_field(team, LAYOUT_team_n_threads);

	if (!omprt_field(team, LAYOUT_team_in_use) || !n_threads || n_threads > OMPRT_MAX_THREADS)
		return ompd_rc_stale_handle;
	*ret = (struct region_ref){
		.team = address,
		.level = (uint32_t)omprt_field(team, LAYOUT_team_level),
		.sequence = omprt_field(team, LAYOUT_team_sequence),
	};
	return ompd_rc_ok;
}

ompd_rc_t omprt_region(const struct process *process, const struct region_ref *region, struct omprt_copy *team)
{
	struct region_ref now;

	RC_TRY(omprt_team(process, region->team, team, &now));
	return now.sequence == region->sequence ? ompd_rc_ok : ompd_rc_stale_handle;
}

ompd_addr_t omprt_member(const struct omprt_copy *team, uint64_t number)
{
	return omprt_field(team, LAYOUT_team_members) + number * team->o->layout.entries[LAYOUT_member].size;
}

ompd_rc_t omprt_thread(const struct process *process, ompd_addr_t address, struct omprt_copy *thread)
{
	RC_TRY(omprt_read(process, LAYOUT_thread, address, thread));
	/*
	 * Without an id, the runtime does not know the thread, or no longer. A thread that the
	 * runtime created has a seat before it runs.
	 */
	if (!omprt_field(thread, LAYOUT_thread_tid) && !omprt_field(thread, LAYOUT_thread_seat))
		return ompd_rc_stale_handle;
	return ompd_rc_ok;
}

/* Static thread-local storage has the same distance from the thread pointer in every thread. */
struct thread_ref omprt_thread_at(const struct process *process, ompd_addr_t address)
{
	return (struct thread_ref){
		.thread = address,
		.thread_pointer = address - (uint64_t)omprt_of(process)->layout.thread_offset,
	};
}

bool omprt_is_implicit(const struct process *process, const struct omprt_copy *team, ompd_addr_t address,
		       uint64_t *number_ret)
{
	const struct layout *l = &omprt_of(process)->layout;
	uint64_t size = l->entries[LAYOUT_member].size;
	uint64_t offset = address - omprt_field(team, LAYOUT_team_members) - l->entries[LAYOUT_member_implicit].offset;

	if (offset % size || offset / size >= omprt_field(team, LAYOUT_team_n_threads))
		return false;
	*number_ret = offset / size;
	return true;
}

struct task_ref omprt_implicit_task(const struct process *process, const struct region_ref *region,
				    const struct omprt_copy *team, uint64_t number)
{
	return (struct task_ref){
		.task = omprt_member(team, number) + omprt_of(process)->layout.entries[LAYOUT_member_implicit].offset,
		.region = *region,
	};
}

ompd_rc_t omprt_task(const struct process *process, ompd_addr_t address, struct omprt_copy *task, struct task_ref *ret)
{
	struct task_ref ref = {.task = address};
	struct omprt_copy team;
	uint64_t number;

	if (!address)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(process, LAYOUT_task, address, task));
	if (omprt_field(task, LAYOUT_task_kind) > LAYOUT_TASK_EXPLICIT)
		return ompd_rc_stale_handle;
	RC_TRY(omprt_team(process, omprt_field(task, LAYOUT_task_team), &team, &ref.region));
	/* An implicit task is identified by its region; only explicit ones need a sequence number. */
	if (!omprt_is_implicit(process, &team, address, &number))
		ref.sequence = omprt_field(task, LAYOUT_task_sequence);
	*ret = ref;
	return ompd_rc_ok;
}

/* Set the values that the implicit task of member @number will start with: see task_init() in the runtime. */
static void init_implicit(struct omprt_copy *task, const struct omprt_copy *team, uint64_t number)
{
	memset(task->bytes, 0, sizeof(task->bytes));
	omprt_put(task, LAYOUT_task_parent, omprt_field(team, LAYOUT_team_encountering));
	omprt_put(task, LAYOUT_task_team, team->address);
	omprt_put(task, LAYOUT_task_icv, omprt_field(team, LAYOUT_team_begin_icv));
	omprt_put(task, LAYOUT_task_kind, LAYOUT_TASK_IMPLICIT);
	omprt_put(task, LAYOUT_task_thread_num, number);
	omprt_put(task, LAYOUT_task_exit_flags, LAYOUT_FRAME_FLAGS);
	omprt_put(task, LAYOUT_task_enter_flags, LAYOUT_FRAME_FLAGS);
}

ompd_rc_t omprt_task_of(const struct process *process, const struct task_ref *ref, struct omprt_copy *task)
{
	struct omprt_copy team;
	uint64_t number;

	RC_TRY(omprt_region(process, &ref->region, &team));
	RC_TRY(omprt_read(process, LAYOUT_task, ref->task, task));
	uint64_t sequence = omprt_field(task, LAYOUT_task_sequence);

	if (omprt_is_implicit(process, &team, ref->task, &number)) {
		if (sequence != omprt_field(&team, LAYOUT_team_epoch))
			init_implicit(task, &team, number);
		return ompd_rc_ok;
	}
	if (sequence != ref->sequence || omprt_field(task, LAYOUT_task_team) != ref->region.team)
		return ompd_rc_stale_handle;
	return ompd_rc_ok;
}
