/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of the ICVs in stock libgomp; a member of backend_gomp. */
#include <string.h>

#include "callbacks.h"
#include "gomp/gomp.h"
#include "icv_value.h"
#include "strbuf.h"

#define MAX_PLACES	4096
#define MAX_PLACE_BYTES 1024 /* 8192 CPUs */
#define MAX_FORMAT	4096

static ompd_rc_t read_word(const struct process *process, ompd_addr_t address, uint32_t width, uint64_t *ret)
{
	uint64_t value = 0;

	if (!address || (width != 1 && width != 4 && width != 8))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, address, width, &value)); /* little-endian */
	*ret = value;
	return ompd_rc_ok;
}

static ompd_rc_t read_variable(const struct process *process, const struct variable *variable, uint64_t *ret)
{
	return read_word(process, variable->address, variable->width, ret);
}

/* Read an ICV of @task's data environment. An initial task without a record has the global value. */
static ompd_rc_t read_task(const struct process *process, const struct task_ref *task, uint32_t field, uint32_t width,
			   const struct variable *global, uint64_t *ret)
{
	if (!task->task)
		return read_variable(process, global, ret);
	if (!offset_known(field))
		return ompd_rc_unavailable;
	return read_word(process, task->task + field, width, ret);
}

/* Append the elements after that of @level, as ",4,3". */
static ompd_rc_t list_rest(const struct process *process, const struct variable *list, const struct variable *length,
			   uint32_t level, void (*print)(struct strbuf *text, uint64_t value), struct icv_value *ret)
{
	uint64_t address, count;

	if (!list->address || !length->address) {
		ret->no_text = true; /* a list may follow; it cannot be determined */
		return ompd_rc_ok;
	}
	RC_TRY(cb_read(process->context, list->address, sizeof(address), &address));
	RC_TRY(read_variable(process, length, &count));
	if (!address)
		return ompd_rc_ok;
	if (count > ICV_MAX_LIST)
		return ompd_rc_error;
	for (uint64_t i = (uint64_t)level + 1; i < count; i++) {
		uint64_t value;

		RC_TRY(read_word(process, address + i * list->width, list->width, &value));
		strbuf_printf(ret->text, ",");
		print(ret->text, value);
		ret->incomplete = true;
	}
	return ompd_rc_ok;
}

static ompd_rc_t icv_nthreads(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	const struct gomp *g = gomp_of(process);
	uint64_t value;

	RC_TRY(read_task(process, task, g->layout.task_nthreads, g->nthreads_width, &g->nthreads, &value));
	icv_set_number(ret, (int64_t)value);
	icv_print_number(ret->text, value);
	return list_rest(process, &g->nthreads_list, &g->nthreads_list_len, task->region.level, icv_print_number, ret);
}

static ompd_rc_t icv_bind(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	const struct gomp *g = gomp_of(process);
	uint64_t value;

	RC_TRY(read_task(process, task, g->layout.task_bind, 1, &g->bind, &value));
	icv_set_number(ret, (int64_t)value);
	icv_print_bind(ret->text, value);
	return list_rest(process, &g->bind_list, &g->bind_list_len, task->region.level, icv_print_bind, ret);
}

static ompd_rc_t icv_run_sched(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	const struct gomp *g = gomp_of(process);
	uint64_t sched, chunk;

	RC_TRY(read_task(process, task, g->layout.task_run_sched, 4, &g->run_sched, &sched));
	RC_TRY(read_task(process, task, g->layout.task_run_chunk, 4, &g->run_chunk, &chunk));
	return icv_set_schedule(ret, (uint32_t)sched, (int32_t)chunk);
}

static ompd_rc_t icv_thread_limit(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	const struct gomp *g = gomp_of(process);
	uint64_t value;

	RC_TRY(read_task(process, task, g->layout.task_thread_limit, 4, &g->thread_limit, &value));
	icv_set_limit(ret, value);
	return ompd_rc_ok;
}

static ompd_rc_t icv_max_active(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	const struct gomp *g = gomp_of(process);
	uint64_t value;

	/* Up to 10, all tasks share one value. */
	if (offset_known(g->layout.task_max_active))
		RC_TRY(read_task(process, task, g->layout.task_max_active, 1, &g->max_active, &value));
	else
		RC_TRY(read_variable(process, &g->max_active, &value));
	icv_set_limit(ret, value);
	return ompd_rc_ok;
}

static ompd_rc_t icv_device(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	const struct gomp *g = gomp_of(process);
	uint64_t value;

	RC_TRY(read_task(process, task, g->layout.task_device, 4, &g->device, &value));
	if ((int32_t)value == INT32_MIN) /* since 13: not computed before the first device query */
		return ompd_rc_unavailable;
	icv_set_number(ret, (int32_t)value);
	return ompd_rc_ok;
}

static ompd_rc_t icv_allocator(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	const struct gomp *g = gomp_of(process);
	ompd_addr_t state;
	uint64_t value;

	if (!offset_known(g->layout.ts_def_allocator))
		return ompd_rc_unavailable;
	RC_TRY(gomp_task_state(process, task, &state));
	RC_TRY(read_word(process, state + g->layout.ts_def_allocator, 8, &value));
	if (!value)
		RC_TRY(read_variable(process, &g->def_allocator, &value));
	icv_set_allocator(ret, value);
	return ompd_rc_ok;
}

static ompd_rc_t print_places(const struct process *process, uint64_t list, uint64_t first, uint64_t count,
			      struct icv_value *ret)
{
	const struct gomp *g = gomp_of(process);
	uint8_t mask[MAX_PLACE_BYTES];
	uint64_t length, size;

	RC_TRY(read_variable(process, &g->places_len, &length));
	RC_TRY(read_variable(process, &g->cpuset_size, &size));
	if (!count) { /* the thread is not bound yet: all places */
		first = 0;
		count = length;
	}
	if (!size || size > sizeof(mask) || length > MAX_PLACES || first > length || count > length - first)
		return ompd_rc_error;
	for (uint64_t i = first; i < first + count; i++) {
		uint64_t place;

		RC_TRY(cb_read(process->context, list + i * sizeof(place), sizeof(place), &place));
		RC_TRY(cb_read(process->context, place, size, mask));
		if (i > first)
			strbuf_printf(ret->text, ",");
		icv_print_place(ret->text, mask, size * 8);
	}
	icv_set_places(ret, first, count);
	return ompd_rc_ok;
}

static ompd_rc_t icv_place_partition(const struct process *process, const struct task_ref *task, struct icv_value *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	uint64_t list, offset, length;
	ompd_addr_t state;

	if (!offset_known(l->ts_place_off) || !offset_known(l->ts_place_len))
		return ompd_rc_unavailable;
	RC_TRY(read_variable(process, &gomp_of(process)->places_list, &list));
	if (!list) { /* without places there is no partition */
		icv_set_places(ret, 0, 0);
		return ompd_rc_ok;
	}
	RC_TRY(gomp_task_state(process, task, &state));
	RC_TRY(read_word(process, state + l->ts_place_off, 4, &offset));
	RC_TRY(read_word(process, state + l->ts_place_len, 4, &length));
	return print_places(process, list, offset, length, ret);
}

static ompd_rc_t icv_task_flags(const struct process *process, const struct task_ref *ref, enum icv_kind icv,
				struct icv_value *ret)
{
	struct gomp_task task;
	bool implicit;

	if (icv == ICV_FINAL_TASK || icv == ICV_OMPD_FINAL || icv == ICV_OMPD_FINAL_TASK) {
		const struct gomp_layout *l = &gomp_of(process)->layout;
		uint64_t final = 0;

		if (ref->task) {
			if (!offset_known(l->task_final))
				return ompd_rc_unavailable;
			RC_TRY(offset_known(l->task_kind) ? gomp_task_read(process, ref->task, &task) : ompd_rc_ok);
			RC_TRY(read_word(process, ref->task + l->task_final, 1, &final));
		}
		icv_set_bool(ret, final != 0);
		return ompd_rc_ok;
	}
	RC_TRY(gomp_task_is_implicit(process, ref, &implicit));
	icv_set_bool(ret, icv == ICV_EXPLICIT_TASK ? !implicit : implicit);
	return ompd_rc_ok;
}

static ompd_rc_t icv_of_region(const struct process *process, const struct region_ref *region, enum icv_kind icv,
			       struct icv_value *ret)
{
	struct gomp_team team;

	if (icv == ICV_LEVELS) {
		icv_set_number(ret, region->level);
		return ompd_rc_ok;
	}
	if (!region->level) { /* the initial implicit region */
		icv_set_number(ret, icv == ICV_ACTIVE_LEVELS ? 0 : 1);
		return ompd_rc_ok;
	}
	RC_TRY(gomp_region_team(process, region, &team));
	if (icv == ICV_ACTIVE_LEVELS) {
		if (!team.has_prev_ts)
			return ompd_rc_unavailable;
		icv_set_number(ret, (int64_t)team.prev_ts.active_level + (team.nthreads > 1));
	} else {
		icv_set_number(ret, team.nthreads);
	}
	return ompd_rc_ok;
}

static ompd_rc_t icv_thread_num(const struct process *process, const struct thread_ref *ref, struct icv_value *ret)
{
	struct gomp_thread thread;

	RC_TRY(gomp_thread_read_member(process, ref->thread, &thread));
	icv_set_number(ret, thread.ts.level ? thread.ts.team_id : 0);
	return ompd_rc_ok;
}

static ompd_rc_t icv_affinity_format(const struct process *process, struct icv_value *ret)
{
	char format[MAX_FORMAT];
	uint64_t address;

	RC_TRY(read_variable(process, &gomp_of(process)->affinity_format, &address));
	RC_TRY(cb_read_string(process->context, address, sizeof(format), format));
	strbuf_append(ret->text, format, strlen(format));
	return ompd_rc_ok;
}

/* Set a process-wide number; @is_bool prints it as true or false. */
static ompd_rc_t icv_variable(const struct process *process, const struct variable *variable, bool is_bool,
			      struct icv_value *ret)
{
	uint64_t value;

	RC_TRY(read_variable(process, variable, &value));
	if (is_bool)
		icv_set_bool(ret, value != 0);
	else
		icv_set_number(ret, variable->width == 4 ? (int32_t)value : (int64_t)value);
	return ompd_rc_ok;
}

/* Set a process-wide value that has a name. */
static ompd_rc_t icv_choice(const struct process *process, const struct variable *variable, const char *const *names,
			    uint64_t count, struct icv_value *ret)
{
	uint64_t value;

	RC_TRY(read_variable(process, variable, &value));
	if (value >= count)
		return ompd_rc_unavailable;
	icv_set_number(ret, (int64_t)value);
	strbuf_printf(ret->text, "%s", names[value]);
	return ompd_rc_ok;
}

static ompd_rc_t icv_wait_policy(const struct process *process, struct icv_value *ret)
{
	uint64_t value;

	RC_TRY(read_variable(process, &gomp_of(process)->wait_policy, &value));
	/* -1 (not set) behaves as passive after some spinning: neither name is correct. */
	if ((int32_t)value < 0)
		return ompd_rc_unavailable;
	icv_set_number(ret, (int64_t)value);
	strbuf_printf(ret->text, "%s", value ? "active" : "passive");
	return ompd_rc_ok;
}

static ompd_rc_t icv_stacksize(const struct process *process, struct icv_value *ret)
{
	uint64_t value;

	RC_TRY(read_variable(process, &gomp_of(process)->stacksize, &value));
	if (!value) /* not set: the C library decides */
		return ompd_rc_unavailable;
	icv_set_number(ret, (int64_t)value);
	return ompd_rc_ok;
}

ompd_rc_t gomp_icv(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
		   const struct region_ref *region, const struct task_ref *task, struct icv_value *ret)
{
	static const char *const offload[] = {"default", "mandatory", "disabled"};
	const struct gomp *g = gomp_of(process);
	uint64_t dyn;

	if (region || task)
		RC_TRY(gomp_region_check(process, region ? region : &task->region));
	switch (icv) {
	case ICV_ACTIVE_LEVELS:
	case ICV_LEVELS:
	case ICV_TEAM_SIZE:
	case ICV_OMPD_TEAM_SIZE:
		return icv_of_region(process, region, icv, ret);
	case ICV_THREAD_NUM:
	case ICV_OMPD_THREAD_NUM:
		return icv_thread_num(process, thread, ret);
	case ICV_EXPLICIT_TASK:
	case ICV_FINAL_TASK:
	case ICV_OMPD_FINAL:
	case ICV_OMPD_FINAL_TASK:
	case ICV_IMPLICIT_TASK:
	case ICV_OMPD_IMPLICIT:
	case ICV_OMPD_IMPLICIT_TASK:
		return icv_task_flags(process, task, icv, ret);
	case ICV_NTHREADS:
		return icv_nthreads(process, task, ret);
	case ICV_BIND:
		return icv_bind(process, task, ret);
	case ICV_RUN_SCHED:
		return icv_run_sched(process, task, ret);
	case ICV_THREAD_LIMIT:
		return icv_thread_limit(process, task, ret);
	case ICV_MAX_ACTIVE_LEVELS:
		return icv_max_active(process, task, ret);
	case ICV_DEFAULT_DEVICE:
		return icv_device(process, task, ret);
	case ICV_DYN:
		RC_TRY(read_task(process, task, g->layout.task_dyn, 1, &g->dyn, &dyn));
		icv_set_bool(ret, dyn != 0);
		return ompd_rc_ok;
	case ICV_DEF_ALLOCATOR:
		return icv_allocator(process, task, ret);
	case ICV_PLACE_PARTITION:
		return icv_place_partition(process, task, ret);
	case ICV_AFFINITY_FORMAT:
		return icv_affinity_format(process, ret);
	case ICV_CANCEL:
		return icv_variable(process, &g->cancel, true, ret);
	case ICV_DISPLAY_AFFINITY:
		return icv_variable(process, &g->display_affinity, true, ret);
	case ICV_MAX_TASK_PRIORITY:
		return icv_variable(process, &g->max_task_priority, false, ret);
	case ICV_NTEAMS:
		return icv_variable(process, &g->nteams, false, ret);
	case ICV_TEAMS_THREAD_LIMIT:
		return icv_variable(process, &g->teams_thread_limit, false, ret);
	case ICV_NUM_PROCS:
	case ICV_OMPD_NUM_PROCS:
		return icv_variable(process, &g->available_cpus, false, ret);
	case ICV_STACKSIZE:
		return icv_stacksize(process, ret);
	case ICV_TARGET_OFFLOAD:
		return icv_choice(process, &g->target_offload, offload, 3, ret);
	case ICV_WAIT_POLICY:
		return icv_wait_policy(process, ret);
	case ICV_DEBUG: /* libgomp has neither OMPD nor OMPT */
	case ICV_TOOL:
	case ICV_TOOL_LIBRARIES:
	case ICV_TOOL_VERBOSE_INIT:
		return ompd_rc_unavailable;
	case ICV_UNDEFINED:
	case ICV_LEAGUE_SIZE:
	case ICV_TEAM_NUM:
	case ICV_END:
	default:
		return ompd_rc_bad_input;
	}
}
