/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Target regions that stock libgomp executes on the host. It copies the thread's record, clears the
 * record, calls the region's code, and restores the record (target.c, gomp_target_fallback()). The
 * compiler scatters the copy over the frame and registers. So each of its words is proven by the
 * memory that it points to: a team and a pool that name the thread, and the thread's task in the team.
 */
#include "gomp/gomp.h"
#include "memo.h"

#define MAX_WORDS     4096
#define MAX_ANCESTORS 256
/* Members of a team that are asked for the team. */
#define MAX_MEMBERS 64

/* The search for the words of a copy. */
struct search {
	const struct process *process;
	const struct gomp_layout *l;
	ompd_addr_t thread;
	const uint64_t *words;
	size_t n;
	struct gomp_host_target found;
	bool is_ambiguous;
};

/* Return whether the pool at @pool names the thread as number @number of the first level. */
static bool is_pool(const struct search *s, ompd_addr_t pool, uint32_t number)
{
	ompd_addr_t threads, named;

	return offset_known(s->l->pool_threads) &&
	       PROCESS_READ(s->process, pool + s->l->pool_threads, &threads) == ompd_rc_ok && threads &&
	       PROCESS_READ(s->process, threads + number * sizeof(named), &named) == ompd_rc_ok && named == s->thread;
}

static void find_pool(struct search *s, uint32_t number)
{
	for (size_t i = 0; i < s->n; i++) {
		ompd_addr_t pool = s->words[i];

		if (!pool || pool == s->found.pool || !is_pool(s, pool, number))
			continue;
		s->is_ambiguous |= s->found.pool != 0;
		s->found.pool = pool;
	}
}

/* Read the team at @address if its own memory is that of a team. */
static bool read_team(const struct search *s, ompd_addr_t address, struct gomp_team *ret)
{
	struct gomp_task first;

	return gomp_team_read(s->process, address, ret) == ompd_rc_ok && ret->nthreads &&
	       ret->nthreads <= GOMP_MAX_THREADS && ret->has_prev_ts && ret->prev_ts.level < GOMP_MAX_DEPTH &&
	       gomp_task_read(s->process, address + s->l->team_implicit_task, &first) == ompd_rc_ok &&
	       first.kind == GOMP_TASK_IMPLICIT;
}

/* Find the task that the thread executes, as the team's thread @number. Return whether it is known. */
static bool find_task(struct search *s, ompd_addr_t team, uint32_t number)
{
	ompd_addr_t own = team + s->l->team_implicit_task + (uint64_t)number * s->l->task_size, found = 0;
	unsigned depth = 0;

	for (size_t i = 0; i < s->n; i++) {
		ompd_addr_t at = s->words[i];
		struct gomp_task task;
		unsigned n = 0;

		for (; at && at != own && n < MAX_ANCESTORS; n++) {
			if (gomp_task_read(s->process, at, &task) != ompd_rc_ok || task.kind == GOMP_TASK_IMPLICIT)
				break;
			at = task.parent;
		}
		if (at != own || s->words[i] == found)
			continue;
		/* A task is deeper than the tasks that generated it. */
		s->is_ambiguous |= found && n == depth;
		if (!found || n > depth) {
			found = s->words[i];
			depth = n;
		}
	}
	s->found.task = found;
	return found != 0;
}

/* Return the number that the teams around @team give to the thread, or UINT32_MAX. */
static uint32_t find_number(struct search *s, const struct gomp_team *team, uint32_t *first_ret)
{
	ompd_addr_t member;
	struct gomp_ts ts = team->prev_ts;

	for (uint32_t i = 1; i < team->nthreads; i++) {
		if (gomp_team_member(s->process, team, i, &member) == ompd_rc_ok && member == s->thread) {
			*first_ret = ts.level ? UINT32_MAX : i;
			return i;
		}
	}
	/* Number 0 of the team is a thread of the team around it. */
	while (ts.level) {
		struct gomp_team around;

		if (gomp_team_read(s->process, ts.team, &around) != ompd_rc_ok || !around.has_prev_ts ||
		    around.prev_ts.level + 1 != ts.level || ts.team_id >= around.nthreads)
			return UINT32_MAX;
		*first_ret = around.prev_ts.level ? UINT32_MAX : ts.team_id;
		if (ts.team_id)
			return gomp_team_member(s->process, &around, ts.team_id, &member) == ompd_rc_ok &&
					       member == s->thread
				       ? 0
				       : UINT32_MAX;
		ts = around.prev_ts;
	}
	*first_ret = 0;
	return 0;
}

/* Return whether a thread of the team names it as its own team. */
static bool is_named_by_member(const struct search *s, ompd_addr_t address, const struct gomp_team *team)
{
	for (uint32_t i = 1; i < team->nthreads && i <= MAX_MEMBERS; i++) {
		struct gomp_thread thread;
		struct thread_ref ref;
		ompd_addr_t member;

		if (gomp_team_member(s->process, team, i, &member) == ompd_rc_ok &&
		    gomp_thread_ref(s->process, member, &ref) == ompd_rc_ok &&
		    gomp_thread_read(s->process, member, &thread) == ompd_rc_ok && thread.ts.team == address &&
		    thread.ts.team_id == i)
			return true;
	}
	return false;
}

/* A pool keeps the memory of a team that has ended for the next region. */
static bool has_ended(const struct search *s, ompd_addr_t team)
{
	ompd_addr_t last;

	return !offset_known(s->l->pool_last_team) ||
	       PROCESS_READ(s->process, s->found.pool + s->l->pool_last_team, &last) != ompd_rc_ok || last == team;
}

static void try_team(struct search *s, ompd_addr_t address)
{
	struct search team_search = *s;
	struct gomp_team team;
	uint32_t first;

	if (!address || address == s->found.team || !read_team(s, address, &team))
		return;
	uint32_t number = find_number(s, &team, &first);
	if (number == UINT32_MAX)
		return;
	team_search.found.pool = 0;
	if (first != UINT32_MAX)
		find_pool(&team_search, first);
	/* The task may be in a register that is not known. Then the other threads prove the team. */
	if (!find_task(&team_search, address, number) && !is_named_by_member(s, address, &team))
		return;
	/* The pool shows the root, which no team names, and the teams that have ended. */
	if (first == 0 && (!team_search.found.pool || has_ended(&team_search, address)))
		return;
	s->is_ambiguous |= team_search.is_ambiguous || s->found.team != 0;
	s->found.team = address;
	s->found.team_id = number;
	s->found.level = team.prev_ts.level + 1;
	s->found.active_level = team.prev_ts.active_level + (team.nthreads > 1);
	s->found.task = team_search.found.task;
	s->found.pool = team_search.found.pool;
}

/* Return whether the records that are known so far show the thread in the team: its record was not cleared. */
static bool is_in_known_record(const struct search *s)
{
	const struct region_ref region = {.team = s->found.team, .level = s->found.level};
	ompd_addr_t record;

	return s->found.team && gomp_record_of_region(s->process, s->thread, &region, &record) != ompd_rc_stale_handle;
}

static bool can_search(const struct gomp_layout *l)
{
	return offset_known(l->team_implicit_task) && offset_known(l->task_size) && offset_known(l->team_prev_ts);
}

ompd_rc_t gomp_target_frame(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			    const struct target_frame *frame)
{
	struct gomp *g = gomp_current(process);
	struct search s = {.process = process, .l = &g->layout, .words = frame->words, .n = frame->n_words};
	struct gomp_thread thread;
	ompd_addr_t tp;

	if (frame->n_words > MAX_WORDS)
		return ompd_rc_bad_input;
	if (!memo_moment(process->context) || !can_search(&g->layout))
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_pointer_of(process, kind, size, id, &tp));
	RC_TRY(gomp_thread_read_by_pointer(process, tp, &thread));
	s.thread = tp + (uint64_t)g->tls_base;
	s.found = (struct gomp_host_target){.thread = s.thread, .frame = frame->address};
	for (size_t i = 0; i < s.n; i++)
		try_team(&s, s.words[i]);
	if (!s.found.team)
		find_pool(&s, 0);
	/* Without a team and a pool, only the construct shows that the record was cleared. */
	if (s.is_ambiguous || (!s.found.team && !frame->is_target) || is_in_known_record(&s))
		return ompd_rc_unavailable;
	if (g->n_host_targets == GOMP_MAX_HOST_TARGETS)
		return ompd_rc_incomplete;
	g->host_targets[g->n_host_targets++] = s.found;
	return ompd_rc_ok;
}
