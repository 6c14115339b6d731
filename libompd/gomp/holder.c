/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The task or thread that others of stock libgomp wait for: the holder of a nestable lock, and the
 * thread whose turn it is in an ordered or doacross loop; members of backend_gomp.
 */
#include "code/pattern.h"
#include "code/spin.h"
#include "gomp/gomp.h"

#define FUNCTION_SIZE 1024
/* ws_sched of static schedules, with and without chunks, in 9 to 16. */
#define SCHED_STATIC 1

/* The nestable lock of <omp.h>: the lock, its nesting count and its holder. */
struct nest_lock {
	int32_t lock; /* 0: free; 1: held; -1: held, a thread sleeps */
	int32_t count;
	ompd_addr_t owner; /* address of the ICVs in the task's record */
};

ompd_rc_t gomp_mutex_owner(const struct process *process, ompd_addr_t lock, ompd_word_t kind, struct mutex_owner *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct mutex_owner owner = {.state = ompd_mutex_free};
	struct nest_lock nest;
	struct gomp_task task;

	if (kind != ompt_mutex_nest_lock)
		return ompd_rc_unsupported;
	RC_TRY(PROCESS_READ(process, lock, &nest));
	if (nest.lock != 0) {
		/* libgomp sets the lock word before the owner: in between, the holder is unknown. */
		if ((nest.lock != 1 && nest.lock != -1) || nest.count < 1 || !offset_known(l->task_nthreads) ||
		    nest.owner <= l->task_nthreads)
			return ompd_rc_unavailable;
		owner.task.task = nest.owner - l->task_nthreads;
		if (gomp_task_read(process, owner.task.task, &task) != ompd_rc_ok)
			return ompd_rc_unavailable;
		owner.has_task = true;
		owner.state = ompd_mutex_held;
	}
	*ret = owner;
	return ompd_rc_ok;
}

/*
 * Return whether the loads of GOMP_ordered_start() agree with the table in the fields that the turn
 * needs.
 */
static bool knows_ordered(const struct gomp *g)
{
	const struct gomp_layout *l = &g->layout;

	return offset_known(l->ts_work_share) && offset_known(l->ws_ordered_ids) && offset_known(l->ws_ordered_owner) &&
	       offset_known(l->ws_ordered_cur) && g->seen_work_share == l->ts_work_share &&
	       g->seen_ordered_owner == l->ws_ordered_owner;
}

/*
 * In an ordered loop, the team's threads queue by their numbers. With a static schedule the queue
 * has one element: the next thread.
 */
ompd_rc_t gomp_awaited_as(const struct process *process, const struct thread_ref *ref, ompd_word_t state,
			  struct awaited_list *list)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;
	struct gomp_team team;
	struct region_ref region;
	struct thread_ref holder;
	ompd_addr_t share, ids;
	uint32_t current, number;

	if (state != ompt_state_wait_ordered || !knows_ordered(gomp_of(process)))
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_work_share(process, ref, &thread, &team, &share));
	if (team.nthreads < 2)
		return ompd_rc_unavailable;
	RC_TRY(PROCESS_READ(process, share + l->ws_ordered_ids, &ids));
	RC_TRY(PROCESS_READ(process, share + l->ws_ordered_cur, &current));
	if (!ids || current >= team.nthreads)
		return ompd_rc_unavailable;
	RC_TRY(PROCESS_READ(process, ids + current * sizeof(number), &number));
	if (number >= team.nthreads)
		return ompd_rc_unavailable;
	list->is_complete = true;
	if (number == thread.ts.team_id) /* it is the thread's own turn */
		return ompd_rc_ok;
	RC_TRY(gomp_thread_region(process, ref, &region));
	RC_TRY(gomp_region_thread(process, &region, number, &holder));
	return awaited_add_thread(list, holder);
}

/* Return whether the walked code loads @member at the end of @n pointers, starting at the thread's record. */
static bool is_loaded(const struct code_walk *walk, int64_t share, const uint32_t *members, uint8_t n, uint8_t width)
{
	for (size_t i = 0; i < walk->count; i++) {
		const struct code_value *value = &walk->events[i].value;
		bool is_it = walk->events[i].kind != CODE_STORE && walk->events[i].kind != CODE_CALL &&
			     value->root == CODE_TLS && value->loads == n + 1 && value->width == width &&
			     !value->scaled && value->offset[0] == share;

		for (uint8_t k = 0; is_it && k < n; k++)
			is_it = value->offset[k + 1] == (int64_t)members[k];
		if (is_it)
			return true;
	}
	return false;
}

/* Return whether GOMP_doacross_wait() reads the fields that are needed at the table's offsets. */
static bool knows_doacross(const struct process *process)
{
	const struct gomp *g = gomp_of(process);
	const struct gomp_layout *l = &g->layout;
	int64_t share = g->tls_base + (int64_t)l->th_ts + (int64_t)l->ts_work_share;
	ompd_addr_t function;
	void *memory;

	if (!offset_known(l->ts_work_share) || !offset_known(l->ws_sched) || !offset_known(l->ws_doacross) ||
	    !offset_known(l->dx_size) || !offset_known(l->dx_array) ||
	    cb_symbol(process->context, NULL, "GOMP_doacross_wait", g->file, &function) != ompd_rc_ok ||
	    cb_alloc_raw(sizeof(struct code_walk), &memory) != ompd_rc_ok)
		return false;
	struct code_walk *walk = memory;
	bool ok = pattern_walk(walk, process->context, NULL, function, FUNCTION_SIZE, CODE_ONCE) &&
		  is_loaded(walk, share, &l->ws_sched, 1, 4) &&
		  is_loaded(walk, share, (const uint32_t[]){l->ws_doacross, l->dx_size}, 2, 8) &&
		  is_loaded(walk, share, (const uint32_t[]){l->ws_doacross, l->dx_array}, 2, 8);

	cb_free(memory);
	return ok;
}

/* Find the word that a thread at @place spins on. */
static ompd_rc_t find_word(const struct process *process, const ompd_place_t *place, ompd_addr_t *ret)
{
	uint8_t code[SPIN_MAX_CODE];

	if (place->pc < place->function || place->pc - place->function >= sizeof(code) - SPIN_BEHIND)
		return ompd_rc_unavailable;
	size_t size = (size_t)(place->pc - place->function) + SPIN_BEHIND;

	RC_TRY(cb_read(process->context, place->function, size, code));
	return spin_word(code, size, place, ret) ? ompd_rc_ok : ompd_rc_unavailable;
}

/*
 * A doacross loop has an array of counters. With a static schedule, each thread has the counter of
 * its number. With other schedules a counter belongs to a chunk, and the chunk's thread is not
 * stored.
 */
ompd_rc_t gomp_awaited_at(const struct process *process, const struct thread_ref *ref, const ompd_place_t *place,
			  struct awaited_list *list)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;
	struct gomp_team team;
	struct region_ref region;
	struct thread_ref holder;
	ompd_addr_t word, share, doacross, array;
	uint64_t size;
	uint32_t schedule;

	if (!knows_doacross(process))
		return ompd_rc_unavailable;
	RC_TRY(find_word(process, place, &word));
	RC_TRY(gomp_thread_work_share(process, ref, &thread, &team, &share));
	RC_TRY(PROCESS_READ(process, share + l->ws_sched, &schedule));
	RC_TRY(PROCESS_READ(process, share + l->ws_doacross, &doacross));
	if (schedule != SCHED_STATIC || !doacross)
		return ompd_rc_unavailable;
	RC_TRY(PROCESS_READ(process, doacross + l->dx_size, &size));
	RC_TRY(PROCESS_READ(process, doacross + l->dx_array, &array));
	if (!size || word < array || (word - array) / size >= team.nthreads)
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_region(process, ref, &region));
	RC_TRY(gomp_region_thread(process, &region, (uint32_t)((word - array) / size), &holder));
	list->is_complete = true;
	return awaited_add_thread(list, holder);
}
