/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Derive libgomp's layout from its code: one rule per exported function. A rule has a pattern of
 * the function's code, and the facts that follow from it. A pattern that does not match proves
 * nothing and is skipped.
 */
#include "gomp/accessors.h"

#include <string.h>

#include "callbacks.h"
#include "gomp/reader.h"

/* Accessors have a few dozen bytes; walking past their end is harmless. */
#define ACCESSOR_SIZE	256
#define TEAM_START_SIZE 8192
/* struct gomp_thread and struct gomp_task are smaller: a larger number is not an offset. */
#define MAX_OFFSET 4096

static bool set_field(uint32_t *field, int64_t offset)
{
	if (offset < 0 || offset > MAX_OFFSET)
		return false;
	if (*field != OFFSET_UNKNOWN && *field != (uint32_t)offset)
		return false;
	*field = (uint32_t)offset;
	return true;
}

/* Return the TLS offset of {TLS, 1 load}, if @symbol returns that. */
static bool tls_word(struct reader *r, const char *symbol, int64_t adjust, int64_t *ret)
{
	struct pattern p = {CODE_RETURN, CODE_TLS, 1, 4, adjust, 0};
	struct code_value value;

	if (!reader_walk_symbol(r, symbol, ACCESSOR_SIZE) || !pattern_find(r->walk, p, &value))
		return false;
	*ret = value.offset[0];
	return true;
}

/* All accessors must show the same base of the thread record. */
static bool check_base(struct reader *r)
{
	if (!r->walk->has_tls_base) {
		r->direct = !r->gomp->tls_base;
		return r->direct;
	}
	if (r->direct || r->walk->tls_base_conflict)
		return false;
	if (r->gomp->tls_base && r->gomp->tls_base != r->walk->tls_base)
		return false;
	/* the GOT slot is not filled yet */
	if (!decode_is_tls_offset(r->walk->tls_base)) {
		r->unready = true;
		return false;
	}
	r->gomp->tls_base = r->walk->tls_base;
	return true;
}

/*
 * Find the start of a thread's record, in code that stores its address. It is the lowest such
 * address, because only the function and its data precede ts.team.
 */
static bool find_record(const struct reader *r, int64_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_value *value = &r->walk->events[i].value;
		int64_t at = value->offset[0];

		if (r->walk->events[i].kind != CODE_STORE || value->root != CODE_TLS || value->loads || value->scaled ||
		    at >= r->tls_ts_team || at < r->tls_ts_team - MAX_OFFSET)
			continue;
		if (!found || at < *ret)
			*ret = at;
		found = true;
	}
	return found;
}

#define MAX_CALLEES 4

/* Collect the functions that GOMP_parallel calls; gomp_team_start is one of them. */
static size_t find_callees(struct reader *r, ompd_addr_t *ret)
{
	size_t n = 0;

	if (!reader_walk_symbol(r, "GOMP_parallel", ACCESSOR_SIZE))
		return 0;
	for (size_t i = 0; i < r->walk->count && n < MAX_CALLEES; i++)
		if (r->walk->events[i].kind == CODE_CALL && r->walk->events[i].target)
			ret[n++] = r->walk->events[i].target;
	return n;
}

/* Find the thread's record: gomp_team_start makes the calling thread the first of its pool. */
static bool read_record(struct reader *r)
{
	ompd_addr_t callees[MAX_CALLEES];
	size_t n = find_callees(r, callees);

	for (size_t i = 0; i < n && !r->gomp->tls_base; i++)
		if (reader_walk_address(r, callees[i], TEAM_START_SIZE, CODE_ONCE))
			find_record(r, &r->gomp->tls_base);
	return r->gomp->tls_base != 0;
}

/*
 * Find a thread's task, and the first ICV in it. A statically linked program has
 * omp_get_max_threads() only if it calls it. So other functions that read these ICVs are tried too.
 */
static bool read_task(struct reader *r)
{
	struct code_value task, global;
	ompd_addr_t address;

	r->why = "the code of omp_in_final";
	if (cb_symbol(r->context, NULL, "omp_get_max_threads", r->gomp->file, &address) != ompd_rc_ok) {
		if (!reader_walk_symbol(r, "omp_in_final", ACCESSOR_SIZE) || !check_base(r) ||
		    !pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 2, 1, 0, 0}, &task))
			return false;
		r->tls_task = task.offset[0];
		return true;
	}
	r->why = "the code of omp_get_max_threads";
	if (!reader_walk_address(r, address, ACCESSOR_SIZE, CODE_ALL_PATHS) || !check_base(r) ||
	    !pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 2, 4 | 8, 0, 0}, &task) ||
	    !set_field(&r->seen->task_nthreads, task.offset[1]))
		return false;
	r->tls_task = task.offset[0];
	r->gomp->nthreads_width = task.width;
	if (pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_FIXED, 1, 4 | 8, 0, 0}, &global))
		gomp_variable_set(&r->gomp->nthreads, &global);
	return true;
}

/* Read the facts that every statement about a thread needs. */
static bool read_core(struct reader *r)
{
	struct code_value team;
	int64_t team_id, level, active_level;

	r->why = "the code of omp_get_thread_num";
	if (!tls_word(r, "omp_get_thread_num", 0, &team_id) || !check_base(r))
		return false;
	r->why = "the code of omp_get_level";
	if (!tls_word(r, "omp_get_level", 0, &level) || !check_base(r))
		return false;
	r->why = "the code of omp_get_active_level";
	if (!tls_word(r, "omp_get_active_level", 0, &active_level) || !check_base(r))
		return false;
	r->why = "the code of omp_get_num_threads";
	if (!reader_walk_symbol(r, "omp_get_num_threads", ACCESSOR_SIZE) || !check_base(r) ||
	    !pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 2, 4, 0, 0}, &team) ||
	    !set_field(&r->seen->team_nthreads, team.offset[1]))
		return false;
	r->tls_ts_team = team.offset[0];
	if (!read_task(r))
		return false;
	r->why = "the code of gomp_team_start";
	if (r->direct && !read_record(r))
		return false;
	int64_t base = r->gomp->tls_base;

	r->why = "the order of the thread's fields";
	return set_field(&r->seen->th_ts, r->tls_ts_team - base) && set_field(&r->seen->th_task, r->tls_task - base) &&
	       set_field(&r->seen->ts_team_id, team_id - r->tls_ts_team) &&
	       set_field(&r->seen->ts_level, level - r->tls_ts_team) &&
	       set_field(&r->seen->ts_active_level, active_level - r->tls_ts_team);
}

/* Read team->prev_ts from the two functions that walk it. They must agree with the thread's own ts. */
static bool read_nesting(struct reader *r)
{
	struct code_value value;

	if (reader_walk_symbol(r, "omp_get_team_size", ACCESSOR_SIZE) &&
	    pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 3, 4, 0, 0}, &value) &&
	    value.offset[0] == r->tls_ts_team && value.offset[2] == (int64_t)r->seen->team_nthreads &&
	    !set_field(&r->seen->team_prev_ts, value.offset[1]))
		return false;
	if (reader_walk_symbol(r, "omp_get_ancestor_thread_num", ACCESSOR_SIZE) &&
	    pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 2, 4, 0, 0}, &value) &&
	    value.offset[0] == r->tls_ts_team &&
	    !set_field(&r->seen->team_prev_ts, value.offset[1] - (int64_t)r->seen->ts_team_id))
		return false;
	return true;
}

/* Read the accessor of a task's ICV: it is at @field in the task, or in gomp_global_icv. */
static bool read_icv(struct reader *r, const char *symbol, uint8_t widths, uint32_t *field, struct variable *variable)
{
	struct pattern p = {CODE_RETURN, CODE_TLS, 2, widths, 0, 0};
	struct code_value value;

	if (!reader_walk_symbol(r, symbol, ACCESSOR_SIZE))
		return true;
	if (pattern_find(r->walk, p, &value) && value.offset[0] == r->tls_task && !set_field(field, value.offset[1]))
		return false;
	if (!variable)
		return true;
	p.root = CODE_FIXED;
	p.loads = 1;
	if (pattern_find(r->walk, p, &value))
		gomp_variable_set(variable, &value);
	return true;
}

/* omp_get_schedule(kind, chunk) stores both values through its arguments. */
static bool read_schedule(struct reader *r)
{
	if (!reader_walk_symbol(r, "omp_get_schedule", ACCESSOR_SIZE))
		return true;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];
		const struct code_value *to = &event->address, *from = &event->value;

		if (event->kind != CODE_STORE || to->root != CODE_ARG || to->loads || from->width != 4 ||
		    from->scaled || (to->offset[0] & 0xffffffff))
			continue;
		bool second = to->offset[0] >> 32;

		if (from->root == CODE_TLS && from->loads == 2 && from->offset[0] == r->tls_task) {
			if (!set_field(second ? &r->seen->task_run_chunk : &r->seen->task_run_sched, from->offset[1]))
				return false;
		} else if (from->root == CODE_FIXED && from->loads == 1) {
			gomp_variable_set(second ? &r->gomp->run_chunk : &r->gomp->run_sched, from);
		}
	}
	return true;
}

static bool read_icvs(struct reader *r)
{
	struct gomp *g = r->gomp;
	struct gomp_layout *s = r->seen;

	return read_icv(r, "omp_get_dynamic", 1, &s->task_dyn, &g->dyn) &&
	       read_icv(r, "omp_get_proc_bind", 1, &s->task_bind, &g->bind) &&
	       read_icv(r, "omp_get_thread_limit", 4, &s->task_thread_limit, &g->thread_limit) &&
	       read_icv(r, "omp_get_default_device", 4, &s->task_device, &g->device) &&
	       read_icv(r, "omp_get_max_active_levels", 1 | 4 | 8, &s->task_max_active, &g->max_active) &&
	       read_icv(r, "omp_in_final", 1, &s->task_final, NULL) && read_schedule(r);
}

/* omp_in_explicit_task compares the current task's kind with implicit (0), since 13. */
static bool read_task_kind(struct reader *r)
{
	struct code_value value;

	if (reader_walk_symbol(r, "omp_in_explicit_task", ACCESSOR_SIZE) &&
	    pattern_find(r->walk, (struct pattern){CODE_LOAD, CODE_TLS, 2, 4, 0, 0}, &value) &&
	    value.offset[0] == r->tls_task)
		return set_field(&r->seen->task_kind, value.offset[1]);
	return true;
}

/* GOMP_taskgroup_start loads one word of the current task: its taskgroup. */
static bool read_taskgroup(struct reader *r)
{
	struct code_value value;

	if (reader_walk_symbol(r, "GOMP_taskgroup_start", ACCESSOR_SIZE) &&
	    pattern_find(r->walk, (struct pattern){CODE_LOAD, CODE_TLS, 2, 8, 0, 0}, &value) &&
	    value.offset[0] == r->tls_task)
		return set_field(&r->seen->task_taskgroup, value.offset[1]);
	return true;
}

/* Read a function that returns one global variable. */
static void read_global(struct reader *r, const char *symbol, uint8_t widths, struct variable *variable)
{
	struct pattern p = {CODE_RETURN, CODE_FIXED, 1, widths, 0, 0};
	struct code_value value;

	if (reader_walk_symbol(r, symbol, ACCESSOR_SIZE) && pattern_find(r->walk, p, &value))
		gomp_variable_set(variable, &value);
}

/* Read argument @index of the first call, if it is a 64-bit global variable. */
static void read_argument(struct reader *r, const char *symbol, unsigned index, struct variable *variable)
{
	if (!reader_walk_symbol(r, symbol, ACCESSOR_SIZE))
		return;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];
		const struct code_value *arg = &event->arg[index];

		if (event->kind != CODE_CALL)
			continue;
		if (arg->root == CODE_FIXED && arg->loads == 1 && arg->width == 8 && !arg->offset[1])
			gomp_variable_set(variable, arg);
		return;
	}
}

static bool read_places(struct reader *r)
{
	struct code_value value;
	int64_t offset;

	read_global(r, "omp_get_num_places", 4 | 8, &r->gomp->places_len);
	/* The list of places is the only word that the code tests for NULL. */
	if (reader_walk_symbol(r, "omp_get_partition_num_places", ACCESSOR_SIZE)) {
		if (pattern_find(r->walk, (struct pattern){CODE_TEST, CODE_FIXED, 1, 8, 0, 0}, &value))
			gomp_variable_set(&r->gomp->places_list, &value);
		if (pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 1, 4, 0, 0}, &value) &&
		    !set_field(&r->seen->ts_place_len, value.offset[0] - r->tls_ts_team))
			return false;
	}
	if (tls_word(r, "omp_get_place_num", -1, &offset) && !set_field(&r->seen->th_place, offset - r->gomp->tls_base))
		return false;
	read_argument(r, "omp_get_place_num_procs", 0, &r->gomp->cpuset_size);
	return true;
}

static bool read_allocator(struct reader *r)
{
	struct code_value value;

	if (!reader_walk_symbol(r, "omp_get_default_allocator", ACCESSOR_SIZE))
		return true;
	if (pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_FIXED, 1, 8, 0, 0}, &value))
		gomp_variable_set(&r->gomp->def_allocator, &value);
	if (pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 1, 8, 0, 0}, &value))
		return set_field(&r->seen->ts_def_allocator, value.offset[0] - r->tls_ts_team);
	return true;
}

static bool read_teams(struct reader *r)
{
	int64_t offset;

	/* Before 12, the values were the constants 1 and 0. */
	if (tls_word(r, "omp_get_num_teams", 1, &offset) &&
	    !set_field(&r->seen->th_num_teams, offset - r->gomp->tls_base))
		return false;
	if (tls_word(r, "omp_get_team_num", 0, &offset) &&
	    !set_field(&r->seen->th_team_num, offset - r->gomp->tls_base))
		return false;
	return true;
}

/* GOMP_barrier() passes the address of the barrier: the pointer to the thread's team plus its offset. */
static bool read_barrier(struct reader *r)
{
	if (!reader_walk_symbol(r, "GOMP_barrier", ACCESSOR_SIZE))
		return true;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];
		const struct code_value *arg = &event->arg[0];

		if (event->kind == CODE_CALL && arg->root == CODE_TLS && arg->loads == 1 && !arg->scaled &&
		    arg->offset[0] == r->tls_ts_team && !set_field(&r->seen->team_barrier, arg->offset[1]))
			return false;
	}
	return true;
}

/* GOMP_ordered_start() compares the owner in the thread's work share with the thread's number. */
static void read_ordered(struct reader *r)
{
	struct code_value value;

	r->gomp->seen_work_share = r->gomp->seen_ordered_owner = OFFSET_UNKNOWN;
	if (!reader_walk_symbol(r, "GOMP_ordered_start", ACCESSOR_SIZE) ||
	    !pattern_find(r->walk, (struct pattern){CODE_COMPARE, CODE_TLS, 2, 4, 0, 0}, &value))
		return;
	r->gomp->seen_work_share = (uint32_t)(value.offset[0] - r->tls_ts_team);
	r->gomp->seen_ordered_owner = (uint32_t)value.offset[1];
}

static void read_globals(struct reader *r)
{
	struct gomp *g = r->gomp;

	read_global(r, "omp_get_cancellation", 1, &g->cancel);
	read_global(r, "omp_get_max_task_priority", 4, &g->max_task_priority);
	read_global(r, "omp_get_max_teams", 4, &g->nteams);
	read_global(r, "omp_get_teams_thread_limit", 4, &g->teams_thread_limit);
	read_global(r, "omp_get_num_procs", 4, &g->available_cpus);
	read_argument(r, "omp_get_affinity_format", 0, &g->affinity_format);
}

/*
 * Find the list of nthreads-var or bind-var in gomp_team_start, which GOMP_parallel calls. The code
 * compares the level with the list's length, then uses it as an index of words (bytes).
 */
static bool read_list(const struct code_walk *walk, uint8_t width, struct variable *list, struct variable *length)
{
	const struct code_value *compared = NULL;

	for (size_t i = 0; i < walk->count; i++) {
		const struct code_value *value = &walk->events[i].value;

		if (walk->events[i].kind == CODE_COMPARE && value->root == CODE_FIXED && value->loads == 1 &&
		    value->width == 8)
			compared = value;
		if (walk->events[i].kind != CODE_LOAD || value->root != CODE_FIXED || value->loads != 2 ||
		    value->scaled != width || value->width != width || value->offset[1] || value->offset[2] ||
		    !compared)
			continue;
		if (compared->offset[0] == value->offset[0])
			continue;
		gomp_variable_set(length, compared);
		list->address = (ompd_addr_t)value->offset[0];
		list->width = width;
		return true;
	}
	return false;
}

/* Return whether the walked function uses the thread's record. */
static bool uses_record(const struct reader *r)
{
	int64_t base;

	if (r->direct)
		return find_record(r, &base) && base == r->gomp->tls_base;
	return r->walk->has_tls_base && r->walk->tls_base == r->gomp->tls_base;
}

static void read_lists(struct reader *r)
{
	ompd_addr_t callees[MAX_CALLEES];
	size_t n = find_callees(r, callees);

	for (size_t i = 0; i < n; i++) {
		struct variable list = {0}, length = {0};

		if (!reader_walk_address(r, callees[i], TEAM_START_SIZE, CODE_ONCE) || !uses_record(r) ||
		    !read_list(r->walk, 8, &list, &length))
			continue;
		struct code_value tested;

		r->gomp->nthreads_list = list;
		r->gomp->nthreads_list_len = length;
		/* display-affinity-var is the only flag that the start of a team tests. */
		if (pattern_find(r->walk, (struct pattern){CODE_TEST, CODE_FIXED, 1, 1, 0, 0}, &tested))
			gomp_variable_set(&r->gomp->display_affinity, &tested);
		memset(&list, 0, sizeof(list));
		memset(&length, 0, sizeof(length));
		if (read_list(r->walk, 1, &list, &length)) {
			r->gomp->bind_list = list;
			r->gomp->bind_list_len = length;
		}
		return;
	}
}

ompd_rc_t gomp_accessors_read(ompd_address_space_context_t *context, struct gomp *gomp, struct gomp_layout *seen,
			      const char **why)
{
	struct reader r = {.context = context, .gomp = gomp, .seen = seen};
	void *walk;

	gomp_layout_clear(seen);
	RC_TRY(cb_alloc_raw(sizeof(*r.walk), &walk));
	r.walk = walk;

	bool ok = read_core(&r);

	if (ok) {
		r.why = "two accessors that disagree";
		ok = read_nesting(&r) && read_icvs(&r) && read_task_kind(&r) && read_taskgroup(&r) && read_places(&r) &&
		     read_allocator(&r) && read_teams(&r) && read_barrier(&r);
	}
	if (ok) {
		read_ordered(&r);
		read_globals(&r);
		read_lists(&r);
		reader_read_display(&r);
		glibc_read(context, walk, &gomp->glibc);
	}
	cb_free(walk);
	*why = r.why;
	return ok ? ompd_rc_ok : r.unready ? ompd_rc_unavailable : ompd_rc_incompatible;
}
