/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of stock libgomp: records, ids and states; members of backend_gomp. */
#include <string.h>

#include "callbacks.h"
#include "code/decode.h"
#include "gomp/gomp.h"
#include "view_key.h"

/* One read fetches the TCB and the thread record if they are close together, as is usual. */
#define MAX_TLS_SPAN 4096

static uint64_t get64(const uint8_t *bytes, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static uint32_t get32(const uint8_t *bytes, uint32_t offset)
{
	uint32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static void thread_parse(const struct gomp *g, const uint8_t *bytes, struct gomp_thread *ret)
{
	const struct gomp_layout *l = &g->layout;

	memset(ret, 0, sizeof(*ret));
	ret->ts.team = get64(bytes, l->th_ts);
	ret->ts.team_id = get32(bytes, l->th_ts + l->ts_team_id);
	ret->ts.level = get32(bytes, l->th_ts + l->ts_level);
	ret->ts.active_level = get32(bytes, l->th_ts + l->ts_active_level);
	ret->task = get64(bytes, l->th_task);
	ret->has_pool = offset_known(l->th_pool);
	if (ret->has_pool)
		ret->pool = get64(bytes, l->th_pool);
	for (uint32_t i = 0; i < g->thread_span && !ret->touched; i++)
		ret->touched = bytes[i] != 0;
}

ompd_rc_t gomp_thread_read(const struct process *process, ompd_addr_t address, struct gomp_thread *ret)
{
	const struct gomp *g = gomp_of(process);
	uint8_t bytes[GOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, g->thread_span, bytes));
	thread_parse(g, bytes, ret);
	return ompd_rc_ok;
}

/* Read the record of the thread at @tp, and check that @tp is a thread pointer. */
static ompd_rc_t read_by_thread_pointer(const struct process *process, ompd_addr_t tp, struct gomp_thread *ret)
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
		thread_parse(g, bytes, ret);
		return ompd_rc_ok;
	}
	RC_TRY(glibc_check_tcb(process->context, &g->glibc, tp));
	return gomp_thread_read(process, tp + (uint64_t)g->tls_base, ret);
}

/* Return the thread pointer of the thread @context, derived from the address of its errno. */
static ompd_rc_t thread_pointer_of(const struct process *process, ompd_thread_context_t *context, ompd_addr_t *ret)
{
	const struct gomp *g = gomp_of(process);
	ompd_addr_t address;

	if (glibc_thread_pointer(process->context, &g->glibc, context, ret) == ompd_rc_ok)
		return ompd_rc_ok;
	/* An unstripped libgomp has a symbol for the record. */
	RC_TRY(cb_symbol(process->context, context, "gomp_tls_data", NULL, &address));
	*ret = address - (uint64_t)g->tls_base;
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			   struct thread_ref *ret)
{
	ompd_thread_context_t *context;
	struct gomp_thread thread;
	ompd_addr_t tp;

	RC_TRY(glibc_check_kind(kind, size));
	RC_TRY(cb_thread_context(process->context, kind, size, id, &context));
	if (kind == OMPD_THREAD_ID_PTHREAD) {
		memcpy(&tp, id, sizeof(tp));
		tp += gomp_of(process)->glibc.behind;
	} else
		RC_TRY(thread_pointer_of(process, context, &tp));
	RC_TRY(read_by_thread_pointer(process, tp, &thread));
	if (!thread.touched)
		return ompd_rc_unavailable;
	ret->thread = tp + (uint64_t)gomp_of(process)->tls_base;
	ret->thread_pointer = tp;
	gomp_root_remember(process, ret->thread, &thread);
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_ref(const struct process *process, ompd_addr_t address, struct thread_ref *ret)
{
	struct gomp_thread thread;
	ompd_addr_t tp = address - (uint64_t)gomp_of(process)->tls_base;

	if (read_by_thread_pointer(process, tp, &thread) != ompd_rc_ok)
		return ompd_rc_unavailable;
	ret->thread = address;
	ret->thread_pointer = tp;
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_id(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			 ompd_size_t size, void *ret)
{
	return glibc_thread_id(process->context, &gomp_of(process)->glibc, thread->thread_pointer, kind, size, ret);
}

/* The team of a root on level 1, at the end of its chain of teams. Team 0: there is no such team. */
struct first_team {
	ompd_addr_t team;
	uint32_t nthreads;
};

static ompd_rc_t read_first_team(const struct process *process, ompd_addr_t root, struct first_team *ret)
{
	struct gomp_thread thread;
	struct gomp_ts ts;

	RC_TRY(gomp_thread_read(process, root, &thread));
	ts = thread.ts;
	*ret = (struct first_team){0};
	for (unsigned depth = 0; ts.level && ts.team && depth < GOMP_MAX_DEPTH; depth++) {
		struct gomp_team team;

		RC_TRY(gomp_team_read(process, ts.team, &team));
		if (!team.has_prev_ts)
			return ompd_rc_unavailable;
		if (!team.prev_ts.level) {
			*ret = (struct first_team){ts.team, team.nthreads};
			return ompd_rc_ok;
		}
		if (team.prev_ts.level >= ts.level) /* levels do not fall: this is not a chain of teams */
			return ompd_rc_error;
		ts = team.prev_ts;
	}
	return ompd_rc_ok;
}

/*
 * Return whether the pool's current team is @team_address. A thread of the root's pool that names
 * another team waits in the dock.
 */
static ompd_rc_t team_is_current(const struct process *process, ompd_addr_t root, ompd_addr_t team_address,
				 uint32_t team_id, bool *ret)
{
	static struct {
		struct view_key key;
		struct first_team first;
	} last;
	const struct view_key key = view_key_now(process, &(struct region_ref){.root = root});

	if (!view_key_equals(&key, &last.key)) {
		struct first_team first;

		RC_TRY(read_first_team(process, root, &first));
		last.key = key;
		last.first = first;
	}
	*ret = team_address && last.first.team == team_address && team_id < last.first.nthreads;
	return ompd_rc_ok;
}

/*
 * Return whether the team's memory confirms the place that the thread names: another team may use
 * the memory now.
 */
static ompd_rc_t has_place_in_team(const struct process *process, ompd_addr_t address, const struct gomp_thread *thread,
				   bool *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_team team;
	ompd_addr_t release;

	RC_TRY(gomp_team_read(process, thread->ts.team, &team));
	*ret = thread->ts.team_id < team.nthreads && team.nthreads <= GOMP_MAX_THREADS;
	if (!*ret || !team.has_releases || !offset_known(l->th_release))
		return ompd_rc_ok;
	RC_TRY(cb_read(process->context, team.ordered_release + thread->ts.team_id * sizeof(release), sizeof(release),
		       &release));
	*ret = release == address + l->th_release;
	return ompd_rc_ok;
}

/* Return whether the region has ended. The result is cached, because the members are requested in a row. */
static bool is_left(const struct process *process, const struct region_ref *region)
{
	static struct {
		struct view_key key;
		bool is_left;
	} last;
	const struct view_key key = view_key_now(process, &(struct region_ref){.team = region->team});

	if (!view_key_equals(&key, &last.key)) {
		bool left;

		if (gomp_region_is_left(process, region, &left) != ompd_rc_ok)
			return false;
		last.key = key;
		last.is_left = left;
	}
	return last.is_left;
}

/*
 * A thread of a nested team ends with the team. It names the team until it has ended, even if the
 * team's memory is reused.
 */
static ompd_rc_t is_in_nested_team(const struct process *process, ompd_addr_t address, const struct gomp_thread *thread,
				   bool *ret)
{
	struct region_ref region;

	RC_TRY(has_place_in_team(process, address, thread, ret));
	gomp_region_of(&thread->ts, address, thread, &region);
	if (*ret)
		*ret = !is_left(process, &region);
	return ompd_rc_ok;
}

/* Return whether the thread is in ts.team now. Otherwise it waits in its pool's dock with a stale team. */
static ompd_rc_t is_member(const struct process *process, ompd_addr_t address, const struct gomp_thread *thread,
			   bool *ret)
{
	ompd_addr_t root;

	if (thread->ts.level && thread->ts.team_id && thread->has_pool && !thread->pool) {
		*ret = false; /* the thread has returned its pool, which is its last action */
		return ompd_rc_ok;
	}
	/*
	 * A primary thread restores its team state at the end of the region, and threads of nested
	 * teams end with it. Only the threads of the root's pool, always on level 1, return to a
	 * dock.
	 */
	if (thread->ts.level > 1 && thread->ts.team_id && thread->ts.team)
		return is_in_nested_team(process, address, thread, ret);
	if (thread->ts.level != 1 || thread->ts.team_id == 0) {
		*ret = thread->ts.level == 0 || thread->ts.team != 0;
		return ompd_rc_ok;
	}
	if (!thread->has_pool)
		return ompd_rc_unavailable;
	RC_TRY(gomp_pool_root(process, thread->pool, &root));
	if (!root)
		return ompd_rc_error;
	if (root == address) {
		*ret = true;
		return ompd_rc_ok;
	}
	RC_TRY(team_is_current(process, root, thread->ts.team, thread->ts.team_id, ret));
	/* A surplus thread ends when a smaller team starts. It may name memory that a later team uses. */
	return *ret ? has_place_in_team(process, address, thread, ret) : ompd_rc_ok;
}

ompd_rc_t gomp_thread_read_member(const struct process *process, ompd_addr_t address, struct gomp_thread *ret)
{
	bool member;

	RC_TRY(gomp_thread_read(process, address, ret));
	RC_TRY(is_member(process, address, ret, &member));
	return member ? ompd_rc_ok : ompd_rc_unavailable;
}

static ompd_rc_t check_region(const struct process *process, const struct region_ref *region)
{
	struct gomp_thread thread;
	struct gomp_ts ts;
	bool member;

	if (!region->level || !region->via)
		return ompd_rc_ok;
	RC_TRY(gomp_thread_read(process, region->via, &thread));
	if (is_member(process, region->via, &thread, &member) == ompd_rc_ok && !member)
		return ompd_rc_stale_handle;
	/* The thread may be the primary thread of inner regions. */
	if (gomp_ts_on_level(process, &thread.ts, region->level, &ts) != ompd_rc_ok)
		return ompd_rc_ok;
	return ts.level == region->level && ts.team == region->team ? ompd_rc_ok : ompd_rc_stale_handle;
}

ompd_rc_t gomp_region_check(const struct process *process, const struct region_ref *region)
{
	static struct view_key last; /* the last region that had not ended */
	const struct view_key key = view_key_now(process, region);

	if (view_key_equals(&key, &last))
		return ompd_rc_ok;
	RC_TRY(check_region(process, region));
	last = key;
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_state(const struct process *process, const struct thread_ref *ref, ompd_word_t *state,
			    ompd_wait_id_t *wait_id)
{
	struct gomp_thread thread;
	bool member;

	RC_TRY(gomp_thread_read(process, ref->thread, &thread));
	RC_TRY(is_member(process, ref->thread, &thread, &member));
	if (!member) {
		*state = ompt_state_idle;
		*wait_id = 0;
		return ompd_rc_ok;
	}
	/*
	 * th_release does not show a wait: a semaphore keeps its waiter bit after the waiter has
	 * left. Only the task's own waits count.
	 */
	return thread.task ? gomp_task_wait(process, thread.task, state, wait_id) : ompd_rc_unavailable;
}

ompd_rc_t gomp_thread_state_asleep(const struct process *process, const struct thread_ref *ref, ompd_addr_t word,
				   ompd_word_t *state)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;

	if (!offset_known(l->th_release) || !offset_known(l->team_master_release))
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_read_member(process, ref->thread, &thread));
	/*
	 * In `ordered`, a thread sleeps on its own semaphore; the first thread of a team sleeps on
	 * the team's.
	 */
	ompd_addr_t ordered = thread.ts.team_id ? ref->thread + l->th_release : thread.ts.team + l->team_master_release;

	if (!thread.ts.team || word != ordered)
		return ompd_rc_unavailable;
	*state = ompt_state_wait_ordered;
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_work_share(const struct process *process, const struct thread_ref *thread,
				 struct gomp_thread *thread_ret, struct gomp_team *team_ret, ompd_addr_t *share_ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;

	RC_TRY(gomp_thread_read_member(process, thread->thread, thread_ret));
	if (!thread_ret->ts.team)
		return ompd_rc_unavailable;
	RC_TRY(gomp_team_read(process, thread_ret->ts.team, team_ret));
	RC_TRY(cb_read(process->context, thread->thread + l->th_ts + l->ts_work_share, sizeof(*share_ret), share_ret));
	return *share_ret ? ompd_rc_ok : ompd_rc_unavailable;
}
