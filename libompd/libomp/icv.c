/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of the ICVs in stock libomp; a member of backend_libomp. */
#include "callbacks.h"
#include "icv_value.h"
#include "libomp/libomp.h"
#include "strbuf.h"

/* enum sched_type and its modifiers. */
#define SCHED_STATIC_CHUNKED   33
#define SCHED_STATIC	       34
#define SCHED_DYNAMIC	       35
#define SCHED_GUIDED	       36
#define SCHED_AUTO	       38
#define SCHED_STATIC_GREEDY    40
#define SCHED_STATIC_BALANCED  41
#define SCHED_GUIDED_ITERATIVE 42
#define SCHED_GUIDED_ANALYTIC  43
#define SCHED_MONOTONIC	       (1u << 29)
#define SCHED_NONMONOTONIC     (1u << 30)

/* Values of omp_sched_t. */
#define OMP_STATIC    1u
#define OMP_DYNAMIC   2u
#define OMP_GUIDED    3u
#define OMP_AUTO      4u
#define OMP_MONOTONIC 0x80000000u

/* Limit on the entries in a stack of ICVs. */
#define MAX_SAVED 4096

/*
 * Return the address of @task's ICVs. Regions that share a serialized team share its task. When an
 * inner region changes an ICV, libomp pushes the outer region's values on a stack. Each entry has
 * the number of the region whose end restores it.
 */
static ompd_rc_t find_icvs(const struct process *process, const struct task_ref *ref, ompd_addr_t *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	struct libomp_team team;
	ompd_addr_t icvs = ref->task + l->td_icvs, saved;

	RC_TRY(libomp_region_team(process, &ref->region, &team));
	int32_t number = (int32_t)ref->region.level - libomp_team_first_level(&team) + 1;

	if (team.serialized > 1 && number < team.serialized) {
		if (!offset_known(l->team_control_stack) || !offset_known(l->icv_next) ||
		    !offset_known(l->icv_serial_level))
			return ompd_rc_unavailable;
		RC_TRY(cb_read(process->context, team.address + l->team_control_stack, sizeof(saved), &saved));
		for (unsigned n = 0; saved; n++) {
			int32_t level;

			if (n == MAX_SAVED)
				return ompd_rc_error;
			RC_TRY(cb_read(process->context, saved + l->icv_serial_level, sizeof(level), &level));
			if (level <= number)
				break;
			icvs = saved;
			RC_TRY(cb_read(process->context, saved + l->icv_next, sizeof(saved), &saved));
		}
	}
	*ret = icvs;
	return ompd_rc_ok;
}

/* Read an ICV; @field is its offset in the task. */
static ompd_rc_t read_icv(const struct process *process, const struct task_ref *ref, uint32_t field, size_t width,
			  int32_t *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	ompd_addr_t icvs;
	int32_t value = 0;

	if (!offset_known(field) || !offset_known(l->td_icvs))
		return ompd_rc_unavailable;
	RC_TRY(find_icvs(process, ref, &icvs));
	RC_TRY(cb_read(process->context, icvs + field - l->td_icvs, width, &value)); /* little-endian */
	*ret = value;
	return ompd_rc_ok;
}

static ompd_rc_t icv_number(const struct process *process, const struct task_ref *ref, uint32_t field,
			    struct icv_value *ret)
{
	int32_t value;

	RC_TRY(read_icv(process, ref, field, sizeof(value), &value));
	icv_set_number(ret, value);
	return ompd_rc_ok;
}

static ompd_rc_t icv_thread_limit(const struct process *process, const struct task_ref *ref, struct icv_value *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	int32_t own = 0;

	if (offset_known(l->icv_task_thread_limit) && offset_known(l->td_icvs))
		RC_TRY(read_icv(process, ref, l->td_icvs + l->icv_task_thread_limit, sizeof(own), &own));
	if (!own)
		return icv_number(process, ref, l->td_icv_thread_limit, ret);
	icv_set_number(ret, own);
	return ompd_rc_ok;
}

static ompd_rc_t icv_bind(const struct process *process, const struct task_ref *ref, struct icv_value *ret)
{
	static const char *const own[] = {"intel", "default"}; /* the values after OpenMP's five */
	int32_t value;

	RC_TRY(read_icv(process, ref, libomp_of(process)->layout.td_icv_proc_bind, sizeof(value), &value));
	icv_set_number(ret, value);
	if (value == 5 || value == 6)
		strbuf_printf(ret->text, "%s", own[value - 5]);
	else
		icv_print_bind(ret->text, (uint64_t)(uint32_t)value);
	return ompd_rc_ok;
}

static ompd_rc_t icv_schedule(const struct process *process, const struct task_ref *ref, struct icv_value *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	int32_t type, chunk;
	uint32_t kind;

	if (!offset_known(l->sched_chunk) || !offset_known(l->td_icv_sched))
		return ompd_rc_unavailable;
	RC_TRY(read_icv(process, ref, l->td_icv_sched, sizeof(type), &type));
	RC_TRY(read_icv(process, ref, l->td_icv_sched + l->sched_chunk, sizeof(chunk), &chunk));
	switch ((uint32_t)type & ~(SCHED_MONOTONIC | SCHED_NONMONOTONIC)) {
	case SCHED_STATIC:
	case SCHED_STATIC_GREEDY:
	case SCHED_STATIC_BALANCED:
		kind = OMP_STATIC;
		chunk = 0;
		break;
	case SCHED_STATIC_CHUNKED:
		kind = OMP_STATIC;
		break;
	case SCHED_DYNAMIC:
		kind = OMP_DYNAMIC;
		break;
	case SCHED_GUIDED:
	case SCHED_GUIDED_ITERATIVE:
	case SCHED_GUIDED_ANALYTIC:
		kind = OMP_GUIDED;
		break;
	case SCHED_AUTO:
		kind = OMP_AUTO;
		break;
	default: /* libomp's own kinds, without a number in OpenMP */
		return ompd_rc_unavailable;
	}
	/*
	 * Without a modifier, the kind's default applies, and monotonic is the default of static.
	 * Name the modifier only if it differs.
	 */
	bool is_monotonic = (uint32_t)type & SCHED_MONOTONIC;
	bool is_default = !((uint32_t)type & (SCHED_MONOTONIC | SCHED_NONMONOTONIC));

	RC_TRY(icv_set_schedule(ret, kind | (is_monotonic || (kind == OMP_STATIC && is_default) ? OMP_MONOTONIC : 0),
				chunk));
	icv_set_number(ret, (int64_t)(kind | (is_monotonic ? OMP_MONOTONIC : 0)));
	return ompd_rc_ok;
}

static ompd_rc_t icv_flag(const struct process *process, const struct task_ref *ref, enum icv_kind icv,
			  struct icv_value *ret)
{
	const struct libomp *libomp = libomp_of(process);
	struct libomp_task task;

	RC_TRY(libomp_task_read(process, ref->task, &task));
	bool is_explicit = task.flags & libomp->flag_tasktype;

	if (icv == ICV_EXPLICIT_TASK)
		icv_set_bool(ret, is_explicit);
	else if (icv == ICV_IMPLICIT_TASK || icv == ICV_OMPD_IMPLICIT || icv == ICV_OMPD_IMPLICIT_TASK)
		icv_set_bool(ret, !is_explicit);
	else
		icv_set_bool(ret, task.flags & libomp->flag_final);
	return ompd_rc_ok;
}

static ompd_rc_t icv_of_region(const struct process *process, const struct region_ref *region, enum icv_kind icv,
			       struct icv_value *ret)
{
	struct libomp_team team;

	RC_TRY(libomp_region_team(process, region, &team));
	if (icv == ICV_LEVELS)
		icv_set_number(ret, region->level);
	else if (icv == ICV_ACTIVE_LEVELS)
		icv_set_number(ret, team.active_level);
	else
		icv_set_number(ret, team.nproc);
	return ompd_rc_ok;
}

static ompd_rc_t icv_thread_num(const struct process *process, const struct thread_ref *ref, struct icv_value *ret)
{
	struct libomp_thread thread;
	struct libomp_team team;

	RC_TRY(libomp_thread_member(process, ref->thread, &thread, &team));
	icv_set_number(ret, thread.tid);
	return ompd_rc_ok;
}

/* Set a process-wide number; @is_bool prints it as true or false. */
static ompd_rc_t icv_variable(const struct process *process, const struct variable *variable, bool is_bool,
			      struct icv_value *ret)
{
	int32_t value;

	if (!variable->address || variable->width != sizeof(value))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, variable->address, sizeof(value), &value));
	if (is_bool)
		icv_set_bool(ret, value != 0);
	else
		icv_set_number(ret, value);
	return ompd_rc_ok;
}

ompd_rc_t libomp_icv(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
		     const struct region_ref *region, const struct task_ref *task, struct icv_value *ret)
{
	const struct libomp *libomp = libomp_of(process);
	const struct libomp_layout *l = &libomp->layout;
	int32_t dynamic;

	/* An ICV of the process does not belong to any task. */
	if (task && !task->task)
		return ompd_rc_unavailable;
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
		return icv_flag(process, task, icv, ret);
	case ICV_NTHREADS:
		return icv_number(process, task, l->td_icv_nproc, ret);
	case ICV_MAX_ACTIVE_LEVELS:
		return icv_number(process, task, l->td_icv_max_active_levels, ret);
	case ICV_DEFAULT_DEVICE:
		return icv_number(process, task, l->td_icv_default_device, ret);
	case ICV_THREAD_LIMIT:
		return icv_thread_limit(process, task, ret);
	case ICV_BIND:
		return icv_bind(process, task, ret);
	case ICV_RUN_SCHED:
		return icv_schedule(process, task, ret);
	case ICV_DYN:
		RC_TRY(read_icv(process, task, l->td_icv_dynamic, 1, &dynamic));
		icv_set_bool(ret, dynamic != 0);
		return ompd_rc_ok;
	case ICV_CANCEL:
		return icv_variable(process, &libomp->cancel, true, ret);
	case ICV_MAX_TASK_PRIORITY:
		return icv_variable(process, &libomp->max_task_priority, false, ret);
	case ICV_NUM_PROCS:
	case ICV_OMPD_NUM_PROCS:
		return icv_variable(process, &libomp->num_procs, false, ret);
	case ICV_NTEAMS:
		return icv_variable(process, &libomp->nteams, false, ret);
	case ICV_TEAMS_THREAD_LIMIT:
		return icv_variable(process, &libomp->teams_thread_limit, false, ret);
	case ICV_STACKSIZE:
	case ICV_DEBUG:
	case ICV_DISPLAY_AFFINITY:
	case ICV_AFFINITY_FORMAT:
	case ICV_TOOL:
	case ICV_TOOL_LIBRARIES:
	case ICV_TOOL_VERBOSE_INIT:
	case ICV_DEF_ALLOCATOR:
	case ICV_TARGET_OFFLOAD:
	case ICV_WAIT_POLICY:
	case ICV_PLACE_PARTITION:
		return ompd_rc_unavailable;
	case ICV_UNDEFINED:
	case ICV_LEAGUE_SIZE:
	case ICV_TEAM_NUM:
	case ICV_END:
	default:
		return ompd_rc_bad_input;
	}
}

ompd_rc_t libomp_display_control_vars(const struct process *process, struct strbuf *text)
{
	const struct task_ref initial = {0};

	return icv_control_vars(process, &backend_libomp, &initial, text);
}
