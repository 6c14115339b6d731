/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Derive libomp's layout from its code: one rule per exported function. A rule has the path that
 * the code follows from the array of threads, and the facts that follow from it. {__kmp_threads, 4
 * loads, {0, th_team, team_level}} is __kmp_threads[gtid]->team->level. A pattern that does not
 * match proves nothing and is skipped.
 */
#include "libomp/accessors.h"

#include <string.h>

#include "code/decode.h"
#include "code/pattern.h"

#define ACCESSOR_SIZE 512
/* The array's elements are pointers. */
#define ELEMENT 8

struct rules {
	ompd_address_space_context_t *context;
	struct libomp *libomp;
	struct libomp_layout *seen;
	struct code_walk *walk;
};

static bool walk_symbol(struct rules *r, const char *symbol)
{
	return pattern_walk_symbol(r->walk, r->context, &r->libomp->image, r->libomp->file, symbol, ACCESSOR_SIZE,
				   CODE_ALL_PATHS);
}

/* Walk the last function of the same file that the walked function calls, or jumps to at its end. */
static bool walk_tail_call(struct rules *r, enum code_mode mode)
{
	ompd_addr_t target = 0;

	for (size_t i = 0; i < r->walk->count; i++)
		if (r->walk->events[i].kind == CODE_CALL)
			target = r->walk->events[i].target;
	return target && image_has_code(&r->libomp->image, target) &&
	       pattern_walk(r->walk, r->context, &r->libomp->image, target, ACCESSOR_SIZE, mode);
}

/* Return whether @value is @loads loads away from the indexed array of threads. */
static bool is_of_thread(const struct rules *r, const struct code_value *value, uint8_t loads)
{
	return value->root == CODE_FIXED && value->loads == loads && value->scaled == ELEMENT && !value->offset[1] &&
	       !value->offset[loads] && (!r->libomp->threads || (ompd_addr_t)value->offset[0] == r->libomp->threads);
}

/*
 * Find the value of the events of @kind with @loads and @widths. Returns false without a value, or
 * if several differ.
 */
static bool find_value(const struct rules *r, enum code_event_kind kind, uint8_t loads, uint8_t widths,
		       struct code_value *ret)
{
	bool found = false;

	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];

		if (event->kind != kind || !(event->value.width & widths) || !is_of_thread(r, &event->value, loads))
			continue;
		if (found && !code_value_equals(ret, &event->value))
			return false;
		*ret = event->value;
		found = true;
	}
	return found;
}

/* Read the facts that every statement about a thread needs. */
static bool read_core(struct rules *r, const char **why)
{
	struct libomp_layout *s = r->seen;
	struct code_value value;

	*why = "the code of omp_get_level()";
	if (!walk_symbol(r, "omp_get_level") || !find_value(r, CODE_RETURN, 4, 4, &value))
		return false;
	ompd_addr_t threads = (ompd_addr_t)value.offset[0];

	/* The address must be that of a variable of this library, not of code or a constant. */
	if (!image_has(&r->libomp->image, threads) || image_has_code(&r->libomp->image, threads))
		return false;
	r->libomp->threads = threads;
	if (!offset_set(&s->th_team, value.offset[2]) || !offset_set(&s->team_level, value.offset[3]))
		return false;
	*why = "the code of omp_get_thread_num()";
	if (!walk_symbol(r, "omp_get_thread_num") || !find_value(r, CODE_RETURN, 3, 4, &value) ||
	    !offset_set(&s->th_tid, value.offset[2]))
		return false;
	*why = "the code of omp_get_active_level()";
	if (!walk_symbol(r, "omp_get_active_level") || !find_value(r, CODE_RETURN, 4, 4, &value) ||
	    !offset_set(&s->th_team, value.offset[2]) || !offset_set(&s->team_active_level, value.offset[3]))
		return false;
	*why = "the code of omp_get_max_threads()";
	return walk_symbol(r, "omp_get_max_threads") && find_value(r, CODE_RETURN, 4, 4, &value) &&
	       offset_set(&s->th_current_task, value.offset[2]) && offset_set(&s->td_icv_nproc, value.offset[3]);
}

/* Read a field of the team. */
static bool read_team(struct rules *r, const char *symbol, uint32_t *field)
{
	struct code_value value;

	if (!walk_symbol(r, symbol) || !find_value(r, CODE_RETURN, 4, 4, &value) ||
	    value.offset[2] != (int64_t)r->seen->th_team)
		return true;
	return offset_set(field, value.offset[3]);
}

/*
 * Read a field of the current task. Its value is returned, or compared with a number or loaded, as
 * @kind says.
 */
static bool read_task(struct rules *r, enum code_event_kind kind, uint8_t widths, uint32_t *field)
{
	struct code_value value;

	if (!find_value(r, kind, 4, widths, &value) || value.offset[2] != (int64_t)r->seen->th_current_task)
		return true;
	return offset_set(field, value.offset[3]);
}

static bool read_tasks(struct rules *r)
{
	struct libomp_layout *s = r->seen;

	return (!walk_symbol(r, "omp_get_dynamic") || read_task(r, CODE_TEST, 1, &s->td_icv_dynamic)) &&
	       (!walk_symbol(r, "omp_get_proc_bind") || read_task(r, CODE_RETURN, 4, &s->td_icv_proc_bind)) &&
	       (!walk_symbol(r, "omp_get_default_device") || read_task(r, CODE_RETURN, 4, &s->td_icv_default_device)) &&
	       (!walk_symbol(r, "omp_in_final") || read_task(r, CODE_LOAD, 4, &s->td_flags)) &&
	       (!walk_symbol(r, "omp_get_max_active_levels") || !walk_tail_call(r, CODE_ALL_PATHS) ||
		read_task(r, CODE_RETURN, 4, &s->td_icv_max_active_levels));
}

/* Since 18, the code reads two limits: the task's own limit wins if it is set. */
static bool read_thread_limit(struct rules *r)
{
	return !walk_symbol(r, "omp_get_thread_limit") || read_task(r, CODE_RETURN, 4, &r->seen->td_icv_thread_limit);
}

/* omp_in_parallel() reads the root, but reads the team if a teams construct has a function. */
static bool read_in_parallel(struct rules *r)
{
	struct libomp_layout *s = r->seen;
	struct code_value value;

	if (!walk_symbol(r, "omp_in_parallel"))
		return true;
	if (find_value(r, CODE_TEST, 3, 8, &value) && !offset_set(&s->th_teams_fn, value.offset[2]))
		return false;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];

		if (event->kind != CODE_LOAD || event->value.width != 4 || !is_of_thread(r, &event->value, 4))
			continue;
		if (event->value.offset[2] == (int64_t)s->th_team)
			continue;
		if (!offset_set(&s->th_root, event->value.offset[2]) ||
		    !offset_set(&s->root_in_parallel, event->value.offset[3]))
			return false;
	}
	return true;
}

/*
 * The function behind omp_get_ancestor_thread_num() walks from team to team. It reads each team's
 * level, its number of regions, and the number of its primary thread in the enclosing team.
 */
static bool read_nesting(struct rules *r)
{
	struct libomp_layout *s = r->seen;
	struct code_value value;

	if (!walk_symbol(r, "omp_get_ancestor_thread_num") || !walk_tail_call(r, CODE_ONCE))
		return true;
	if (find_value(r, CODE_LOAD, 4, 8, &value) && value.offset[2] == (int64_t)s->th_team &&
	    !offset_set(&s->team_parent, value.offset[3]))
		return false;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];
		int64_t offset = event->value.offset[3];
		uint32_t *numbers = r->libomp->team_numbers;

		if (event->kind != CODE_LOAD || event->value.width != 4 || !is_of_thread(r, &event->value, 4) ||
		    event->value.offset[2] != (int64_t)s->th_team || offset == (int64_t)s->team_level)
			continue;
		if (!offset_set(&numbers[0], offset) && !offset_set(&numbers[1], offset))
			return false;
	}
	return true;
}

/*
 * Read a function that returns one global variable of the library with @width bytes. Some functions jump to the one
 * that returns it.
 */
static void read_global(struct rules *r, const char *symbol, uint8_t width, struct variable *variable)
{
	const struct pattern p = {CODE_RETURN, CODE_FIXED, 1, width, 0, 0};
	struct code_value value;

	if (walk_symbol(r, symbol) &&
	    (pattern_find(r->walk, p, &value) ||
	     (walk_tail_call(r, CODE_ALL_PATHS) && pattern_find(r->walk, p, &value))) &&
	    image_has(&r->libomp->image, (ompd_addr_t)value.offset[0]))
		variable_set(variable, &value);
}

/* omp_get_affinity_format() calls strlen() with the string. The variable is an array, or points to one. */
static void read_affinity_format(struct rules *r)
{
	if (!walk_symbol(r, "omp_get_affinity_format"))
		return;
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];
		const struct code_value *arg = &event->arg[0];

		if (event->kind == CODE_CALL && arg->root == CODE_FIXED && arg->loads == 1 && arg->width == 8 &&
		    !arg->offset[1] && image_has(&r->libomp->image, (ompd_addr_t)arg->offset[0])) {
			variable_set(&r->libomp->affinity_format, arg);
			return;
		}
	}
}

/* Since 14, the table of locks is a list of tables: offset of the link to the next table. */
#define NEXT_TABLE 16

/* Return whether the code loads from the address that it loaded as @value. */
static bool is_followed(const struct rules *r, const struct code_value *value)
{
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_value *next = &r->walk->events[i].value;

		if (r->walk->events[i].kind == CODE_LOAD && next->root == value->root &&
		    next->loads == value->loads + 1 &&
		    !memcmp(next->offset, value->offset, value->loads * sizeof(value->offset[0])))
			return true;
	}
	return false;
}

/*
 * Return the variable that is a table of indexed rows; with @followed, the code also loads from its
 * rows. 0: no such variable, or several.
 */
static ompd_addr_t find_table_of_locks(const struct rules *r, bool followed)
{
	const struct pattern rows = {CODE_LOAD, CODE_FIXED, 2, 8, 0, ELEMENT};
	const struct pattern next_rows = {CODE_LOAD, CODE_FIXED, 3, 8, 0, ELEMENT};
	ompd_addr_t table = 0;

	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_value *value = &r->walk->events[i].value;
		ompd_addr_t address = (ompd_addr_t)value->offset[0];

		if (r->walk->events[i].kind != CODE_LOAD || value->offset[1])
			continue;
		if (pattern_fits(value, &next_rows) && !value->offset[2])
			address -= NEXT_TABLE;
		else if (!pattern_fits(value, &rows))
			continue;
		if (address == r->libomp->threads || !image_has(&r->libomp->image, address) ||
		    (followed && !is_followed(r, value)))
			continue;
		if (table && table != address)
			return 0;
		table = address;
	}
	return table;
}

/*
 * Find the table of locks. libomp passes a lock's record to OMPT tools, and reads the record's
 * address from a table of indexed rows. The first table is a variable; a loop reads the rows of the
 * next tables. On a processor whose calls have no memory operand, the functions for each kind of
 * lock look like rows too. But the code loads nothing from them.
 */
static void read_locks(struct rules *r)
{
	if (!walk_symbol(r, "__kmpc_destroy_lock"))
		return;
	r->libomp->locks = find_table_of_locks(r, decode_arch->loads_apart);
}

ompd_rc_t libomp_accessors_read(ompd_address_space_context_t *context, struct libomp *libomp, struct code_walk *walk,
				struct libomp_layout *seen, const char **why)
{
	struct rules r = {.context = context, .libomp = libomp, .seen = seen, .walk = walk};

	offsets_clear(libomp_layouts(), seen);
	libomp->team_numbers[0] = libomp->team_numbers[1] = OFFSET_UNKNOWN;
	if (!read_core(&r, why))
		return ompd_rc_incompatible;
	*why = "two accessors that disagree";
	if (!read_team(&r, "__kmpc_bound_num_threads", &seen->team_nproc) || !read_tasks(&r) ||
	    !read_thread_limit(&r) || !read_in_parallel(&r) || !read_nesting(&r))
		return ompd_rc_incompatible;
	read_locks(&r);
	read_global(&r, "omp_get_cancellation", 4, &libomp->cancel);
	read_global(&r, "omp_get_max_task_priority", 4, &libomp->max_task_priority);
	read_global(&r, "omp_get_num_procs", 4, &libomp->num_procs);
	read_global(&r, "omp_get_max_teams", 4, &libomp->nteams);
	read_global(&r, "omp_get_teams_thread_limit", 4, &libomp->teams_thread_limit);
	read_global(&r, "kmp_get_stacksize_s", 8, &libomp->stacksize);
	read_global(&r, "kmp_get_library", 4, &libomp->library);
	read_global(&r, "__kmpc_get_target_offload", 4, &libomp->target_offload);
	read_affinity_format(&r);
	return ompd_rc_ok;
}
