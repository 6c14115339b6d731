/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of stock libgomp's structures, and the chain of teams around a thread. */
#include <string.h>

#include "code/decode.h"
#include "gomp/gomp.h"

/* One read fetches the TCB and the thread record if they are close together, as is usual. */
#define MAX_TLS_SPAN 4096

static uint64_t get_u64(const uint8_t *bytes, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static uint32_t get_u32(const uint8_t *bytes, uint32_t offset)
{
	uint32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static void parse_ts(const struct gomp_layout *l, const uint8_t *bytes, struct gomp_ts *ret)
{
	ret->team = get_u64(bytes, 0);
	ret->team_id = get_u32(bytes, l->ts_team_id);
	ret->level = get_u32(bytes, l->ts_level);
	ret->active_level = get_u32(bytes, l->ts_active_level);
}

static void parse_thread(const struct gomp *g, const uint8_t *bytes, struct gomp_thread *ret)
{
	const struct gomp_layout *l = &g->layout;

	memset(ret, 0, sizeof(*ret));
	parse_ts(l, bytes + l->th_ts, &ret->ts);
	ret->task = get_u64(bytes, l->th_task);
	ret->has_pool = offset_known(l->th_pool);
	if (ret->has_pool)
		ret->pool = get_u64(bytes, l->th_pool);
	for (uint32_t i = 0; i < g->thread_span && !ret->touched; i++)
		ret->touched = bytes[i] != 0;
}

ompd_rc_t gomp_thread_read(const struct process *process, ompd_addr_t address, struct gomp_thread *ret)
{
	const struct gomp *g = gomp_of(process);
	uint8_t bytes[GOMP_MAX_SPAN];

	if (gomp_saved_read(process, address, ret))
		return ompd_rc_ok;
	RC_TRY(cb_read(process->context, address, g->thread_span, bytes));
	parse_thread(g, bytes, ret);
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_read_by_pointer(const struct process *process, ompd_addr_t tp, struct gomp_thread *ret)
{
	const struct gomp *g = gomp_of(process);
	uint8_t bytes[MAX_TLS_SPAN + DECODE_TCB_SIZE];

	if (g->tls_base < 0 && -g->tls_base <= MAX_TLS_SPAN && -g->tls_base >= (int64_t)g->thread_span) {
		size_t before = (size_t)-g->tls_base;

		if (tp < before)
			return ompd_rc_bad_input;
		RC_TRY(cb_read(process->context, tp - before, before + DECODE_TCB_SIZE, bytes));
		if (!decode_is_tcb(bytes + before, tp))
			return ompd_rc_bad_input;
		parse_thread(g, bytes, ret);
		return ompd_rc_ok;
	}
	RC_TRY(glibc_check_thread(process->context, &g->glibc, tp));
	return gomp_thread_read(process, tp + (uint64_t)g->tls_base, ret);
}

ompd_rc_t gomp_thread_ref(const struct process *process, ompd_addr_t address, struct thread_ref *ret)
{
	struct gomp_thread thread;
	ompd_addr_t tp = address - (uint64_t)gomp_of(process)->tls_base;

	if (gomp_thread_read_by_pointer(process, tp, &thread) != ompd_rc_ok)
		return ompd_rc_unavailable;
	ret->thread = address;
	ret->thread_pointer = tp;
	return ompd_rc_ok;
}

ompd_rc_t gomp_team_read(const struct process *process, ompd_addr_t address, struct gomp_team *ret)
{
	const struct gomp *g = gomp_of(process);
	const struct gomp_layout *l = &g->layout;
	uint8_t bytes[GOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, g->team_span, bytes));
	memset(ret, 0, sizeof(*ret));
	ret->nthreads = get_u32(bytes, l->team_nthreads);
	ret->has_prev_ts = offset_known(l->team_prev_ts);
	if (ret->has_prev_ts)
		parse_ts(l, bytes + l->team_prev_ts, &ret->prev_ts);
	ret->has_releases = offset_known(l->team_ordered_release);
	if (ret->has_releases)
		ret->ordered_release = get_u64(bytes, l->team_ordered_release);
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_read(const struct process *process, ompd_addr_t address, struct gomp_task *ret)
{
	const struct gomp *g = gomp_of(process);
	const struct gomp_layout *l = &g->layout;
	uint8_t bytes[GOMP_MAX_SPAN];
	struct gomp_task task = {0};

	if (!offset_known(l->task_kind) || !offset_known(l->task_parent))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, address, g->task_span, bytes));
	task.parent = get_u64(bytes, l->task_parent);
	task.kind = get_u32(bytes, l->task_kind);
	if (offset_known(l->task_taskgroup))
		task.taskgroup = get_u64(bytes, l->task_taskgroup);
	if (offset_known(l->task_taskwait))
		task.taskwait = get_u64(bytes, l->task_taskwait);
	if (offset_known(l->task_fn))
		task.fn = get_u64(bytes, l->task_fn);
	if (offset_known(l->task_final))
		task.final = bytes[l->task_final] != 0;
	if (task.kind >= GOMP_TASK_END)
		return ompd_rc_stale_handle;
	*ret = task;
	return ompd_rc_ok;
}

ompd_rc_t gomp_ts_leave(const struct process *process, struct gomp_ts *ts)
{
	struct gomp_team team;

	RC_TRY(gomp_team_read(process, ts->team, &team));
	/* Levels fall along a chain of teams. */
	if (!team.has_prev_ts || team.prev_ts.level >= ts->level || ts->level > GOMP_MAX_DEPTH)
		return ompd_rc_unavailable;
	*ts = team.prev_ts;
	return ompd_rc_ok;
}

ompd_rc_t gomp_ts_on_level(const struct process *process, const struct gomp_ts *ts, uint32_t level, struct gomp_ts *ret)
{
	*ret = *ts;
	while (ret->level > level)
		RC_TRY(gomp_ts_leave(process, ret));
	return ompd_rc_ok;
}
