/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of the ICVs in our runtime; a member of backend_omprt. */
#include <string.h>

#include "callbacks.h"
#include "icv.h"
#include "icv_value.h"
#include "omprt/omprt.h"
#include "strbuf.h"

#define MAX_STRING 4096

static ompd_rc_t read_process(const struct process *process, struct omprt_copy *ret)
{
	return omprt_read(process, LAYOUT_icv_process, omprt_of(process)->layout.icv_process, ret);
}

/*
 * Read @task's data environment, or without a task the values of the environment variables.
 * @level_ret: the level of its region.
 */
static ompd_rc_t read_icv(const struct process *process, const struct task_ref *task, struct omprt_copy *ret,
			  uint32_t *level_ret)
{
	const struct layout *l = &omprt_of(process)->layout;
	struct omprt_copy copy;
	ompd_addr_t address = l->icv_process + l->entries[LAYOUT_icv_process_initial].offset;

	if (task->task) {
		RC_TRY(omprt_task_of(process, task, &copy));
		address = omprt_field(&copy, LAYOUT_task_icv);
	}
	*level_ret = task->region.level;
	return omprt_read(process, LAYOUT_icv, address, ret);
}

/* Append the elements after that of @level, as ",4,3". */
static ompd_rc_t list_rest(const struct process *process, enum layout_entry_number list,
			   enum layout_entry_number length, uint32_t width, uint32_t level,
			   void (*print)(struct strbuf *text, uint64_t value), struct icv_value *ret)
{
	struct omprt_copy icvs;

	RC_TRY(read_process(process, &icvs));
	ompd_addr_t address = omprt_field(&icvs, list);
	uint64_t count = omprt_field(&icvs, length);

	if (!address)
		return ompd_rc_ok;
	if (count > ICV_MAX_LIST)
		return ompd_rc_error;
	for (uint64_t i = (uint64_t)level + 1; i < count; i++) {
		uint64_t value = 0;

		RC_TRY(cb_read(process->context, address + i * width, width, &value));
		strbuf_printf(ret->text, ",");
		print(ret->text, value);
		ret->incomplete = true;
	}
	return ompd_rc_ok;
}

static ompd_rc_t of_task(const struct process *process, enum icv_kind icv, const struct task_ref *task,
			 struct icv_value *ret)
{
	struct omprt_copy copy;
	uint32_t level;
	uint64_t value;

	RC_TRY(read_icv(process, task, &copy, &level));
	switch ((unsigned)icv) {
	case ICV_NTHREADS:
		value = omprt_field(&copy, LAYOUT_icv_nthreads);
		icv_set_number(ret, (int64_t)value);
		icv_print_number(ret->text, value);
		return list_rest(process, LAYOUT_icv_process_nthreads_list, LAYOUT_icv_process_n_nthreads_list,
				 sizeof(uint32_t), level, icv_print_number, ret);
	case ICV_BIND:
		value = omprt_field(&copy, LAYOUT_icv_bind);
		icv_set_number(ret, (int64_t)value);
		icv_print_bind(ret->text, value);
		return list_rest(process, LAYOUT_icv_process_bind_list, LAYOUT_icv_process_n_bind_list, sizeof(uint8_t),
				 level, icv_print_bind, ret);
	case ICV_RUN_SCHED:
		return icv_set_schedule(ret, (uint32_t)omprt_field(&copy, LAYOUT_icv_run_sched),
					(int32_t)omprt_field(&copy, LAYOUT_icv_run_sched_chunk));
	case ICV_THREAD_LIMIT:
		icv_set_limit(ret, omprt_field(&copy, LAYOUT_icv_thread_limit));
		return ompd_rc_ok;
	case ICV_MAX_ACTIVE_LEVELS:
		icv_set_number(ret, (int64_t)omprt_field(&copy, LAYOUT_icv_max_active_levels));
		return ompd_rc_ok;
	case ICV_DEFAULT_DEVICE:
		icv_set_number(ret, (int32_t)omprt_field(&copy, LAYOUT_icv_default_device));
		return ompd_rc_ok;
	case ICV_DYN:
		icv_set_bool(ret, omprt_field(&copy, LAYOUT_icv_dynamic) != 0);
		return ompd_rc_ok;
	case ICV_DEF_ALLOCATOR:
		icv_set_allocator(ret, omprt_field(&copy, LAYOUT_icv_def_allocator));
		return ompd_rc_ok;
	}
	return ompd_rc_bad_input;
}

static ompd_rc_t task_flags(const struct process *process, enum icv_kind icv, const struct task_ref *task,
			    struct icv_value *ret)
{
	struct omprt_copy copy;

	RC_TRY(omprt_task_of(process, task, &copy));
	bool explicit = omprt_field(&copy, LAYOUT_task_kind) == LAYOUT_TASK_EXPLICIT;

	if (icv == ICV_FINAL_TASK || icv == ICV_OMPD_FINAL || icv == ICV_OMPD_FINAL_TASK)
		icv_set_bool(ret, omprt_field(&copy, LAYOUT_task_flags) & LAYOUT_TASK_FINAL);
	else
		icv_set_bool(ret, icv == ICV_EXPLICIT_TASK ? explicit : !explicit);
	return ompd_rc_ok;
}

static ompd_rc_t of_region(const struct process *process, enum icv_kind icv, const struct region_ref *region,
			   struct icv_value *ret)
{
	struct omprt_copy team;

	RC_TRY(omprt_region(process, region, &team));
	enum layout_entry_number field = LAYOUT_team_n_threads;
	if (icv == ICV_LEVELS)
		field = LAYOUT_team_level;
	else if (icv == ICV_ACTIVE_LEVELS)
		field = LAYOUT_team_active_level;
	else if (icv == ICV_LEAGUE_SIZE)
		field = LAYOUT_team_num_teams;
	else if (icv == ICV_TEAM_NUM)
		field = LAYOUT_team_team_num;
	icv_set_number(ret, (int64_t)omprt_field(&team, field));
	return ompd_rc_ok;
}

static ompd_rc_t thread_num(const struct process *process, const struct thread_ref *ref, struct icv_value *ret)
{
	struct omprt_copy thread;
	struct omprt_place place;

	RC_TRY(omprt_thread_place(process, ref, &thread, &place));
	if (place.where == OMPRT_IDLE)
		return ompd_rc_unavailable;
	icv_set_number(ret, (int64_t)place.thread_num);
	return ompd_rc_ok;
}

/* Set a value by its name in @names. */
static ompd_rc_t set_choice(struct icv_value *ret, uint64_t value, const char *const *names, size_t count)
{
	if (value >= count)
		return ompd_rc_unavailable;
	icv_set_number(ret, (int64_t)value);
	strbuf_printf(ret->text, "%s", names[value]);
	return ompd_rc_ok;
}

/* Set a string. @initial is the value if the environment sets none (5.2, table 2.2). */
static ompd_rc_t set_string(const struct process *process, struct icv_value *ret, ompd_addr_t address,
			    const char *initial)
{
	char string[MAX_STRING];

	if (!address) {
		strbuf_printf(ret->text, "%s", initial);
		return ompd_rc_ok;
	}
	RC_TRY(cb_read_string(process->context, address, sizeof(string), string));
	strbuf_append(ret->text, string, strlen(string));
	return ompd_rc_ok;
}

/* affinity-format-var has a length field, because the string may come from Fortran. */
static ompd_rc_t affinity_format(const struct process *process, const struct omprt_copy *icvs, struct icv_value *ret)
{
	char string[MAX_STRING];
	uint64_t length = omprt_field(icvs, LAYOUT_icv_process_affinity_format_len);

	if (length > sizeof(string))
		return ompd_rc_error;
	if (length)
		RC_TRY(cb_read(process->context, omprt_field(icvs, LAYOUT_icv_process_affinity_format), length,
			       string));
	strbuf_append(ret->text, string, length);
	return ompd_rc_ok;
}

static ompd_rc_t of_process(const struct process *process, enum icv_kind icv, struct icv_value *ret)
{
	static const char *const offload[] = {"default", "mandatory", "disabled"};
	static const char *const tool[] = {"disabled", "enabled"};
	/*
	 * If it is not set, the runtime spins for a while and then sleeps. The specification has no
	 * name for that.
	 */
	static const char *const policy[] = {"default", "active", "passive"};
	struct omprt_copy icvs;

	RC_TRY(read_process(process, &icvs));
	switch ((unsigned)icv) {
	case ICV_CANCEL:
		icv_set_bool(ret, omprt_field(&icvs, LAYOUT_icv_process_cancellation) != 0);
		return ompd_rc_ok;
	case ICV_DISPLAY_AFFINITY:
		icv_set_bool(ret, omprt_field(&icvs, LAYOUT_icv_process_display_affinity) != 0);
		return ompd_rc_ok;
	case ICV_MAX_TASK_PRIORITY:
		icv_set_number(ret, (int64_t)omprt_field(&icvs, LAYOUT_icv_process_max_task_priority));
		return ompd_rc_ok;
	case ICV_NTEAMS:
		icv_set_number(ret, (int64_t)omprt_field(&icvs, LAYOUT_icv_process_nteams));
		return ompd_rc_ok;
	case ICV_TEAMS_THREAD_LIMIT:
		icv_set_number(ret, (int64_t)omprt_field(&icvs, LAYOUT_icv_process_teams_thread_limit));
		return ompd_rc_ok;
	case ICV_NUM_PROCS:
	case ICV_OMPD_NUM_PROCS:
		icv_set_number(ret, (int64_t)omprt_field(&icvs, LAYOUT_icv_process_num_procs));
		return ompd_rc_ok;
	case ICV_STACKSIZE:
		icv_set_number(ret, (int64_t)omprt_field(&icvs, LAYOUT_icv_process_stacksize));
		return ompd_rc_ok;
	case ICV_TARGET_OFFLOAD:
		return set_choice(ret, omprt_field(&icvs, LAYOUT_icv_process_target_offload), offload, 3);
	case ICV_WAIT_POLICY:
		return set_choice(ret, omprt_field(&icvs, LAYOUT_icv_process_wait_policy), policy, 3);
	case ICV_DEBUG:
		return set_choice(ret, omprt_field(&icvs, LAYOUT_icv_process_debug), tool, 2);
	case ICV_TOOL:
		return set_choice(ret, omprt_field(&icvs, LAYOUT_icv_process_tool), tool, 2);
	case ICV_TOOL_LIBRARIES:
		return set_string(process, ret, omprt_field(&icvs, LAYOUT_icv_process_tool_libraries), "");
	case ICV_TOOL_VERBOSE_INIT:
		return set_string(process, ret, omprt_field(&icvs, LAYOUT_icv_process_tool_verbose_init), "disabled");
	case ICV_AFFINITY_FORMAT:
		return affinity_format(process, &icvs, ret);
	}
	return ompd_rc_bad_input;
}

ompd_rc_t omprt_icv(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
		    const struct region_ref *region, const struct task_ref *task, struct icv_value *ret)
{
	switch (icv) {
	case ICV_ACTIVE_LEVELS:
	case ICV_LEVELS:
	case ICV_TEAM_SIZE:
	case ICV_OMPD_TEAM_SIZE:
	case ICV_LEAGUE_SIZE:
	case ICV_TEAM_NUM:
		return of_region(process, icv, region, ret);
	case ICV_THREAD_NUM:
	case ICV_OMPD_THREAD_NUM:
		return thread_num(process, thread, ret);
	case ICV_EXPLICIT_TASK:
	case ICV_FINAL_TASK:
	case ICV_OMPD_FINAL:
	case ICV_OMPD_FINAL_TASK:
	case ICV_IMPLICIT_TASK:
	case ICV_OMPD_IMPLICIT:
	case ICV_OMPD_IMPLICIT_TASK:
		return task_flags(process, icv, task, ret);
	case ICV_NTHREADS:
	case ICV_BIND:
	case ICV_RUN_SCHED:
	case ICV_THREAD_LIMIT:
	case ICV_MAX_ACTIVE_LEVELS:
	case ICV_DEFAULT_DEVICE:
	case ICV_DYN:
	case ICV_DEF_ALLOCATOR:
		return of_task(process, icv, task, ret);
	case ICV_PLACE_PARTITION:
		return omprt_place_partition(process, task, ret);
	case ICV_AFFINITY_FORMAT:
	case ICV_CANCEL:
	case ICV_DISPLAY_AFFINITY:
	case ICV_MAX_TASK_PRIORITY:
	case ICV_NTEAMS:
	case ICV_TEAMS_THREAD_LIMIT:
	case ICV_NUM_PROCS:
	case ICV_OMPD_NUM_PROCS:
	case ICV_STACKSIZE:
	case ICV_TARGET_OFFLOAD:
	case ICV_WAIT_POLICY:
	case ICV_DEBUG:
	case ICV_TOOL:
	case ICV_TOOL_LIBRARIES:
	case ICV_TOOL_VERBOSE_INIT:
		return of_process(process, icv, ret);
	case ICV_UNDEFINED:
	case ICV_END:
	default:
		return ompd_rc_bad_input;
	}
}
