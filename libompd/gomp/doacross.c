/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread that executes the iteration which a doacross loop of stock libgomp waits for; in
 * backend_gomp. The loop has an array of counters. With a static schedule, each thread has the
 * counter of its number. With other schedules a counter belongs to a chunk, and the chunk's thread
 * is not stored.
 */
#include "awaited_list.h"
#include "callbacks.h"
#include "code/pattern.h"
#include "code/spin.h"
#include "gomp/gomp.h"

#define FUNCTION_SIZE 1024
/* ws_sched of static schedules, with and without chunks, in 9 to 16. */
#define SCHED_STATIC 1

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

/* Return whether GOMP_doacross_wait() reads the fields that this file needs at the table's offsets. */
static bool is_as_in_code(const struct process *process)
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

ompd_rc_t gomp_awaited_at(const struct process *process, const struct thread_ref *ref, const ompd_place_t *place,
			  struct awaited_list *list)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;
	struct gomp_team team;
	struct region_ref region;
	struct awaited item = {.has_thread = true};
	ompd_addr_t word, share, doacross, array;
	uint64_t size;
	uint32_t schedule;

	if (!is_as_in_code(process))
		return ompd_rc_unavailable;
	RC_TRY(find_word(process, place, &word));
	RC_TRY(gomp_thread_work_share(process, ref, &thread, &team, &share));
	RC_TRY(cb_read(process->context, share + l->ws_sched, sizeof(schedule), &schedule));
	RC_TRY(cb_read(process->context, share + l->ws_doacross, sizeof(doacross), &doacross));
	if (schedule != SCHED_STATIC || !doacross)
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, doacross + l->dx_size, sizeof(size), &size));
	RC_TRY(cb_read(process->context, doacross + l->dx_array, sizeof(array), &array));
	if (!size || word < array || (word - array) / size >= team.nthreads)
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_region(process, ref, &region));
	RC_TRY(gomp_region_thread(process, &region, (uint32_t)((word - array) / size), &item.thread));
	list->is_complete = true;
	return awaited_list_add(list, &item);
}
