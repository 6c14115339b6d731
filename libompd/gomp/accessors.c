/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Derive libgomp's layout from its code: one rule per exported function. A rule has a pattern of
 * the function's code, and the facts that follow from it. A pattern that does not match proves
 * nothing and is skipped.
 */
#include "gomp/accessors.h"

#include "callbacks.h"
#include "gomp/reader.h"

/* Accessors have a few dozen bytes; walking past their end is harmless. */
#define ACCESSOR_SIZE	256
#define TEAM_START_SIZE 8192
/* Bytes of struct gomp_thread before its ts, at most. */
#define MAX_BEFORE 4096

/* Walk the function @symbol of libgomp into r->walk. Returns false if no code was found. */
static bool walk_symbol(struct reader *r, const char *symbol)
{
	return pattern_walk_symbol(r->walk, r->context, NULL, r->gomp->file, symbol, ACCESSOR_SIZE, CODE_ALL_PATHS);
}

/* Return the TLS offset of {TLS, 1 load}, if @symbol returns that. */
static bool read_tls_word(struct reader *r, const char *symbol, int64_t adjust, int64_t *ret)
{
	struct pattern p = {CODE_RETURN, CODE_TLS, 1, 4, adjust, 0};
	struct code_value value;

	if (!walk_symbol(r, symbol) || !pattern_find(r->walk, p, &value))
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
		    at >= r->tls_ts_team || at < r->tls_ts_team - MAX_BEFORE)
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

	if (!walk_symbol(r, "GOMP_parallel"))
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
		if (pattern_walk(r->walk, r->context, NULL, callees[i], TEAM_START_SIZE, CODE_ONCE))
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
		if (!walk_symbol(r, "omp_in_final") || !check_base(r) ||
		    !pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 2, 1, 0, 0}, &task))
			return false;
		r->tls_task = task.offset[0];
		return true;
	}
	r->why = "the code of omp_get_max_threads";
	if (!pattern_walk(r->walk, r->context, NULL, address, ACCESSOR_SIZE, CODE_ALL_PATHS) || !check_base(r) ||
	    !pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 2, 4 | 8, 0, 0}, &task) ||
	    !offset_set(&r->seen->task_nthreads, task.offset[1]))
		return false;
	r->tls_task = task.offset[0];
	r->gomp->nthreads_width = task.width;
	if (pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_FIXED, 1, 4 | 8, 0, 0}, &global))
		variable_set(&r->gomp->nthreads, &global);
	return true;
}

/* Read the facts that every statement about a thread needs. */
static bool read_core(struct reader *r)
{
	struct code_value team;
	int64_t team_id, level, active_level;

	r->why = "the code of omp_get_thread_num";
	if (!read_tls_word(r, "omp_get_thread_num", 0, &team_id) || !check_base(r))
		return false;
	r->why = "the code of omp_get_level";
	if (!read_tls_word(r, "omp_get_level", 0, &level) || !check_base(r))
		return false;
	r->why = "the code of omp_get_active_level";
	if (!read_tls_word(r, "omp_get_active_level", 0, &active_level) || !check_base(r))
		return false;
	r->why = "the code of omp_get_num_threads";
	if (!walk_symbol(r, "omp_get_num_threads") || !check_base(r) ||
	    !pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 2, 4, 0, 0}, &team) ||
	    !offset_set(&r->seen->team_nthreads, team.offset[1]))
		return false;
	r->tls_ts_team = team.offset[0];
	if (!read_task(r))
		return false;
	r->why = "the code of gomp_team_start";
	if (r->direct && !read_record(r))
		return false;
	int64_t base = r->gomp->tls_base;

	r->why = "the order of the thread's fields";
	return offset_set(&r->seen->th_ts, r->tls_ts_team - base) &&
	       offset_set(&r->seen->th_task, r->tls_task - base) &&
	       offset_set(&r->seen->ts_team_id, team_id - r->tls_ts_team) &&
	       offset_set(&r->seen->ts_level, level - r->tls_ts_team) &&
	       offset_set(&r->seen->ts_active_level, active_level - r->tls_ts_team);
}

/* Read team->prev_ts from the two functions that walk it. They must agree with the thread's own ts. */
static bool read_nesting(struct reader *r)
{
	struct code_value value;

	if (walk_symbol(r, "omp_get_team_size") &&
	    pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 3, 4, 0, 0}, &value) &&
	    value.offset[0] == r->tls_ts_team && value.offset[2] == (int64_t)r->seen->team_nthreads &&
	    !offset_set(&r->seen->team_prev_ts, value.offset[1]))
		return false;
	if (walk_symbol(r, "omp_get_ancestor_thread_num") &&
	    pattern_find(r->walk, (struct pattern){CODE_RETURN, CODE_TLS, 2, 4, 0, 0}, &value) &&
	    value.offset[0] == r->tls_ts_team &&
	    !offset_set(&r->seen->team_prev_ts, value.offset[1] - (int64_t)r->seen->ts_team_id))
		return false;
	return true;
}

/* omp_get_schedule(kind, chunk) stores both values through its arguments. */
static bool read_schedule(struct reader *r)
{
	if (!walk_symbol(r, "omp_get_schedule"))
		return true;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];
		const struct code_value *to = &event->address, *from = &event->value;

		if (event->kind != CODE_STORE || to->root != CODE_ARG || to->loads || from->width != 4 ||
		    from->scaled || (to->offset[0] & 0xffffffff))
			continue;
		bool second = to->offset[0] >> 32;

		if (from->root == CODE_TLS && from->loads == 2 && from->offset[0] == r->tls_task) {
			if (!offset_set(second ? &r->seen->task_run_chunk : &r->seen->task_run_sched, from->offset[1]))
				return false;
		} else if (from->root == CODE_FIXED && from->loads == 1) {
			variable_set(second ? &r->gomp->run_chunk : &r->gomp->run_sched, from);
		}
	}
	return true;
}

/* Read the first argument of the first call, if it is a 64-bit global variable. */
static void read_argument(struct reader *r, const char *symbol, struct variable *variable)
{
	if (!walk_symbol(r, symbol))
		return;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];
		const struct code_value *arg = &event->arg[0];

		if (event->kind != CODE_CALL)
			continue;
		if (arg->root == CODE_FIXED && arg->loads == 1 && arg->width == 8 && !arg->offset[1])
			variable_set(variable, arg);
		return;
	}
}

/* GOMP_barrier() passes the address of the barrier: the pointer to the thread's team plus its offset. */
static bool read_barrier(struct reader *r)
{
	if (!walk_symbol(r, "GOMP_barrier"))
		return true;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];
		const struct code_value *arg = &event->arg[0];

		if (event->kind == CODE_CALL && arg->root == CODE_TLS && arg->loads == 1 && !arg->scaled &&
		    arg->offset[0] == r->tls_ts_team && !offset_set(&r->seen->team_barrier, arg->offset[1]))
			return false;
	}
	return true;
}

/* GOMP_ordered_start() compares the owner in the thread's work share with the thread's number. */
static void read_ordered(struct reader *r)
{
	struct code_value value;

	r->gomp->seen_work_share = r->gomp->seen_ordered_owner = OFFSET_UNKNOWN;
	if (!walk_symbol(r, "GOMP_ordered_start") ||
	    !pattern_find(r->walk, (struct pattern){CODE_COMPARE, CODE_TLS, 2, 4, 0, 0}, &value))
		return;
	r->gomp->seen_work_share = (uint32_t)(value.offset[0] - r->tls_ts_team);
	r->gomp->seen_ordered_owner = (uint32_t)value.offset[1];
}

/* Start of the path to a fact, which the offset in the layout counts from. */
enum start {
	OF_THREAD, /* struct gomp_thread */
	OF_TS,	   /* its ts.team */
	OF_TASK,   /* the struct gomp_task that it points to */
};

#define FIELD(name)    offsetof(struct gomp_layout, name)
#define VARIABLE(name) offsetof(struct gomp, name)
#define NOTHING	       SIZE_MAX

/* Facts that the code of @symbol shows: the offset of a field, the address of a global variable, or both. */
static const struct fact {
	const char *symbol;
	enum start start;
	size_t field; /* offset in struct gomp_layout, or NOTHING */
	enum code_event_kind kind;
	uint8_t widths; /* of field and variable: a bit set */
	int64_t adjust; /* the number that the code adds to the field */

	size_t variable; /* offset in struct gomp, or NOTHING */
	enum code_event_kind variable_kind;
} facts[] = {
	{"omp_get_dynamic", OF_TASK, FIELD(task_dyn), CODE_RETURN, 1, 0, VARIABLE(dyn), CODE_RETURN},
	{"omp_get_proc_bind", OF_TASK, FIELD(task_bind), CODE_RETURN, 1, 0, VARIABLE(bind), CODE_RETURN},
	{"omp_get_thread_limit", OF_TASK, FIELD(task_thread_limit), CODE_RETURN, 4, 0, VARIABLE(thread_limit),
	 CODE_RETURN},
	{"omp_get_default_device", OF_TASK, FIELD(task_device), CODE_RETURN, 4, 0, VARIABLE(device), CODE_RETURN},
	{"omp_get_max_active_levels", OF_TASK, FIELD(task_max_active), CODE_RETURN, 1 | 4 | 8, 0, VARIABLE(max_active),
	 CODE_RETURN},
	{"omp_in_final", OF_TASK, FIELD(task_final), CODE_RETURN, 1, 0, NOTHING, CODE_RETURN},
	/* Compares the current task's kind with implicit (0), since 13. */
	{"omp_in_explicit_task", OF_TASK, FIELD(task_kind), CODE_LOAD, 4, 0, NOTHING, CODE_RETURN},
	/* Loads one word of the current task: its taskgroup. */
	{"GOMP_taskgroup_start", OF_TASK, FIELD(task_taskgroup), CODE_LOAD, 8, 0, NOTHING, CODE_RETURN},
	{"omp_get_num_places", OF_TS, NOTHING, CODE_RETURN, 4 | 8, 0, VARIABLE(places_len), CODE_RETURN},
	/* The list of places is the only word that the code tests for NULL. */
	{"omp_get_partition_num_places", OF_TS, FIELD(ts_place_len), CODE_RETURN, 4, 0, NOTHING, CODE_RETURN},
	{"omp_get_partition_num_places", OF_TS, NOTHING, CODE_RETURN, 8, 0, VARIABLE(places_list), CODE_TEST},
	{"omp_get_place_num", OF_THREAD, FIELD(th_place), CODE_RETURN, 4, -1, NOTHING, CODE_RETURN},
	{"omp_get_default_allocator", OF_TS, FIELD(ts_def_allocator), CODE_RETURN, 8, 0, VARIABLE(def_allocator),
	 CODE_RETURN},
	/* Before 12, these two returned the constants 1 and 0. */
	{"omp_get_num_teams", OF_THREAD, FIELD(th_num_teams), CODE_RETURN, 4, 1, NOTHING, CODE_RETURN},
	{"omp_get_team_num", OF_THREAD, FIELD(th_team_num), CODE_RETURN, 4, 0, NOTHING, CODE_RETURN},
	{"omp_get_cancellation", OF_TS, NOTHING, CODE_RETURN, 1, 0, VARIABLE(cancel), CODE_RETURN},
	{"omp_get_max_task_priority", OF_TS, NOTHING, CODE_RETURN, 4, 0, VARIABLE(max_task_priority), CODE_RETURN},
	{"omp_get_max_teams", OF_TS, NOTHING, CODE_RETURN, 4, 0, VARIABLE(nteams), CODE_RETURN},
	{"omp_get_teams_thread_limit", OF_TS, NOTHING, CODE_RETURN, 4, 0, VARIABLE(teams_thread_limit), CODE_RETURN},
	{"omp_get_num_procs", OF_TS, NOTHING, CODE_RETURN, 4, 0, VARIABLE(available_cpus), CODE_RETURN},
};

/* Set the field of @fact, if the walked code shows it. Returns false if it contradicts another fact. */
static bool read_field(struct reader *r, const struct fact *fact)
{
	const uint8_t loads = fact->start == OF_TASK ? 2 : 1;
	const struct pattern p = {fact->kind, CODE_TLS, loads, fact->widths, fact->adjust, 0};
	uint32_t *field = (uint32_t *)(void *)((uint8_t *)r->seen + fact->field);
	struct code_value value;

	if (!pattern_find(r->walk, p, &value))
		return true;
	if (fact->start == OF_TASK)
		return value.offset[0] != r->tls_task || offset_set(field, value.offset[1]);
	return offset_set(field, value.offset[0] - (fact->start == OF_TS ? r->tls_ts_team : r->gomp->tls_base));
}

static bool read_facts(struct reader *r)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const struct fact *fact = &facts[i];
		const struct pattern p = {fact->variable_kind, CODE_FIXED, 1, fact->widths, 0, 0};
		struct code_value value;

		if (!walk_symbol(r, fact->symbol))
			continue;
		if (fact->field != NOTHING && !read_field(r, fact))
			return false;
		if (fact->variable != NOTHING && pattern_find(r->walk, p, &value))
			variable_set((struct variable *)(void *)((uint8_t *)r->gomp + fact->variable), &value);
	}
	return true;
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
		variable_set(length, compared);
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

		if (!pattern_walk(r->walk, r->context, NULL, callees[i], TEAM_START_SIZE, CODE_ONCE) ||
		    !uses_record(r) || !read_list(r->walk, 8, &list, &length))
			continue;
		struct code_value tested;

		r->gomp->nthreads_list = list;
		r->gomp->nthreads_list_len = length;
		/* display-affinity-var is the only flag that the start of a team tests. */
		if (pattern_find(r->walk, (struct pattern){CODE_TEST, CODE_FIXED, 1, 1, 0, 0}, &tested))
			variable_set(&r->gomp->display_affinity, &tested);
		read_list(r->walk, 1, &r->gomp->bind_list, &r->gomp->bind_list_len);
		return;
	}
}

ompd_rc_t gomp_accessors_read(ompd_address_space_context_t *context, struct gomp *gomp, struct gomp_layout *seen,
			      const char **why)
{
	struct reader r = {.context = context, .gomp = gomp, .seen = seen};
	void *walk;

	offsets_clear(&gomp_layouts, seen);
	RC_TRY(cb_alloc_raw(sizeof(*r.walk), &walk));
	r.walk = walk;

	bool ok = read_core(&r);

	if (ok) {
		r.why = "two accessors that disagree";
		ok = read_nesting(&r) && read_facts(&r) && read_schedule(&r) && read_barrier(&r);
	}
	if (ok) {
		read_ordered(&r);
		read_argument(&r, "omp_get_place_num_procs", &gomp->cpuset_size);
		read_argument(&r, "omp_get_affinity_format", &gomp->affinity_format);
		read_lists(&r);
		reader_read_display(&r);
		glibc_read(context, walk, &gomp->glibc);
	}
	cb_free(walk);
	*why = r.why;
	return ok ? ompd_rc_ok : r.unready ? ompd_rc_unavailable : ompd_rc_incompatible;
}
