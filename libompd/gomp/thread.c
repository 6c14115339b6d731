/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of stock libgomp: their ids and their membership in teams; members of backend_gomp. */
#include <string.h>

#include "gomp/gomp.h"
#include "view_key.h"

/* Return the thread pointer of the thread @context, derived from the address of its errno. */
static ompd_rc_t find_thread_pointer(const struct process *process, ompd_thread_context_t *context, ompd_addr_t *ret)
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

ompd_rc_t gomp_thread_pointer_of(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
				 ompd_addr_t *ret)
{
	ompd_thread_context_t *context;

	RC_TRY(glibc_check_kind(kind, size));
	RC_TRY(cb_thread_context(process->context, kind, size, id, &context));
	if (kind != OMPD_THREAD_ID_PTHREAD)
		return find_thread_pointer(process, context, ret);
	memcpy(ret, id, sizeof(*ret));
	*ret += gomp_of(process)->glibc.behind;
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_use(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id)
{
	struct gomp *g = gomp_current(process);
	ompd_addr_t tp;

	if (!memo_moment(process->context))
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_pointer_of(process, kind, size, id, &tp));
	if (g->n_used == GOMP_MAX_USED)
		return ompd_rc_incomplete;
	g->used[g->n_used++] = tp + (uint64_t)g->tls_base;
	return ompd_rc_ok;
}

/* The runtime writes to a thread's record at its first parallel region or task. */
static bool is_used(const struct process *process, ompd_addr_t record)
{
	const struct gomp *g = gomp_current(process);

	for (size_t i = 0; i < g->n_used; i++) {
		if (g->used[i] == record)
			return true;
	}
	return false;
}

ompd_rc_t gomp_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			   struct thread_ref *ret)
{
	struct gomp_thread thread;
	ompd_addr_t tp;

	RC_TRY(gomp_thread_pointer_of(process, kind, size, id, &tp));
	RC_TRY(gomp_thread_read_by_pointer(process, tp, &thread));
	ret->thread = tp + (uint64_t)gomp_of(process)->tls_base;
	if (!thread.touched && !gomp_has_host_target(process, ret->thread) && !is_used(process, ret->thread))
		return ompd_rc_unavailable;
	ret->thread_pointer = tp;
	gomp_root_remember(process, ret->thread, &thread);
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_id(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			 ompd_size_t size, void *ret)
{
	return glibc_thread_id(process->context, &gomp_of(process)->glibc, thread->thread_pointer, kind, size, ret);
}

/* The team of a root on level 1. Team 0: there is no such team. */
struct first_team {
	ompd_addr_t team;
	uint32_t nthreads;
};

/*
 * Copy the record of @root that has @pool. unavailable: the root executes a target region, and the
 * copy of its record is not known.
 */
static ompd_rc_t read_root(const struct process *process, ompd_addr_t root, ompd_addr_t pool, struct gomp_thread *ret)
{
	for (ompd_addr_t record = root; record; record = gomp_saved_record(process, root, record)) {
		RC_TRY(gomp_thread_read(process, record, ret));
		if (ret->pool == pool)
			return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

static ompd_rc_t read_first_team(const struct process *process, ompd_addr_t root, ompd_addr_t pool,
				 struct first_team *ret)
{
	struct gomp_thread thread;
	struct gomp_team team;
	struct gomp_ts ts;

	RC_TRY(read_root(process, root, pool, &thread));
	RC_TRY(gomp_ts_on_level(process, &thread.ts, 1, &ts));
	*ret = (struct first_team){0};
	if (!ts.level || !ts.team)
		return ompd_rc_ok;
	RC_TRY(gomp_team_read(process, ts.team, &team));
	*ret = (struct first_team){ts.team, team.nthreads};
	return ompd_rc_ok;
}

/*
 * Return whether the pool's current team is @team_address. A thread of the root's pool that names
 * another team waits in the dock.
 */
static ompd_rc_t is_current_team(const struct process *process, ompd_addr_t root, const struct gomp_thread *thread,
				 bool *ret)
{
	static struct {
		struct view_key key;
		struct first_team first;
	} last;
	const struct view_key key = view_key_now(process, &(struct region_ref){.root = root, .pool = thread->pool});

	if (!view_key_equals(&key, &last.key)) {
		struct first_team first;

		RC_TRY(read_first_team(process, root, thread->pool, &first));
		last.key = key;
		last.first = first;
	}
	*ret = thread->ts.team && last.first.team == thread->ts.team && thread->ts.team_id < last.first.nthreads;
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
	RC_TRY(PROCESS_READ(process, team.ordered_release + thread->ts.team_id * sizeof(release), &release));
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
	gomp_region_of(process, &thread->ts, address, address, thread, &region);
	if (*ret)
		*ret = !is_left(process, &region);
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_is_member(const struct process *process, ompd_addr_t address, const struct gomp_thread *thread,
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
	RC_TRY(is_current_team(process, root, thread, ret));
	/* A surplus thread ends when a smaller team starts. It may name memory that a later team uses. */
	return *ret ? has_place_in_team(process, address, thread, ret) : ompd_rc_ok;
}

ompd_rc_t gomp_thread_read_member(const struct process *process, ompd_addr_t address, struct gomp_thread *ret)
{
	bool member;

	RC_TRY(gomp_thread_read(process, address, ret));
	RC_TRY(gomp_thread_is_member(process, address, ret, &member));
	return member ? ompd_rc_ok : ompd_rc_unavailable;
}

static ompd_rc_t check_region(const struct process *process, const struct region_ref *region)
{
	struct gomp_thread thread;
	ompd_addr_t record;
	bool member;

	if (!region->level || !region->via)
		return ompd_rc_ok;
	RC_TRY(gomp_thread_read(process, region->via, &thread));
	if (gomp_thread_is_member(process, region->via, &thread, &member) == ompd_rc_ok && !member)
		return ompd_rc_stale_handle;
	/* The thread may be the primary thread of inner regions. */
	return gomp_record_of_region(process, region->via, region, &record) == ompd_rc_stale_handle
		       ? ompd_rc_stale_handle
		       : ompd_rc_ok;
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

ompd_rc_t gomp_thread_work_share(const struct process *process, const struct thread_ref *thread,
				 struct gomp_thread *thread_ret, struct gomp_team *team_ret, ompd_addr_t *share_ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;

	RC_TRY(gomp_thread_read_member(process, thread->thread, thread_ret));
	if (!thread_ret->ts.team)
		return ompd_rc_unavailable;
	RC_TRY(gomp_team_read(process, thread_ret->ts.team, team_ret));
	RC_TRY(PROCESS_READ(process, thread->thread + l->th_ts + l->ts_work_share, share_ret));
	return *share_ret ? ompd_rc_ok : ompd_rc_unavailable;
}
