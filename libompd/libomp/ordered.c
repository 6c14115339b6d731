/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread whose turn it is in an ordered loop of stock libomp; in backend_libomp. The team
 * counts the iterations whose ordered region has ended. Each thread records which iterations it
 * executes. Two functions show the addresses: the function in which a thread waits for its turn,
 * and __kmpc_dispatch_fini_*(), which does the same. The thread's record points to the first. The
 * functions count iterations with 4 or 8 bytes.
 */
#include <string.h>

#include "code/pattern.h"
#include "libomp/accessors.h"
#include "libomp/libomp.h"

#define FUNCTION_SIZE 1024
/* An element of the array of all threads. */
#define ELEMENT 8
/* Loads from the array to a word of a thread's loop: array, element, thread, dispatch, word. */
#define LOADS 5
/* kmp_dispatch_private_info and _shared_info are smaller. */
#define MAX_OFFSET 256

/* kmp_disp_t, LLVM 9 to 23, from its first word on. */
struct dispatch {
	ompd_addr_t enter, leave; /* functions; 0: not in a loop */
	ompd_addr_t shared, own;  /* the team's and the thread's description of the loop */
};

struct loop {
	const struct libomp_turn *turn;
	ompd_addr_t shared;
	uint64_t iteration; /* the team's next iteration */
};

static bool is_tested(const struct code_walk *walk, const struct code_value *value)
{
	for (size_t i = 0; i < walk->count; i++) {
		if (walk->events[i].kind == CODE_TEST && code_value_equals(&walk->events[i].value, value))
			return true;
	}
	return false;
}

/* Return whether the walked code writes to the location that it read @value from. */
static bool is_written(const struct code_walk *walk, const struct code_value *value)
{
	for (size_t i = 0; i < walk->count; i++) {
		const struct code_value *to = &walk->events[i].address;

		if (walk->events[i].kind == CODE_STORE && to->root == value->root && to->loads == LOADS - 1 &&
		    !memcmp(to->offset, value->offset, LOADS * sizeof(*to->offset)))
			return true;
	}
	return false;
}

/*
 * Find the only number that the walked code reads through @pointer in a thread's dispatch, and
 * neither only tests nor writes.
 */
static bool find_number(const struct code_walk *walk, const struct libomp *libomp, size_t pointer, uint8_t width,
			uint32_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < walk->count; i++) {
		const struct code_value *value = &walk->events[i].value;

		if ((walk->events[i].kind != CODE_LOAD && walk->events[i].kind != CODE_COMPARE) ||
		    value->root != CODE_FIXED || value->loads != LOADS || value->scaled != ELEMENT ||
		    value->width != width || (ompd_addr_t)value->offset[0] != libomp->threads || value->offset[1] ||
		    value->offset[2] != (int64_t)libomp->layout.th_dispatch || value->offset[3] != (int64_t)pointer ||
		    value->offset[4] < 0 || value->offset[4] > MAX_OFFSET || value->offset[5] ||
		    is_tested(walk, value) || is_written(walk, value))
			continue;
		if (found && *ret != (uint32_t)value->offset[4])
			return false;
		*ret = (uint32_t)value->offset[4];
		found = true;
	}
	return found;
}

static bool read_turn(ompd_address_space_context_t *context, const struct libomp *libomp, struct code_walk *walk,
		      ompd_addr_t function, enum code_mode mode, uint8_t width, struct libomp_turn *ret)
{
	return offset_known(libomp->layout.th_dispatch) &&
	       pattern_walk(walk, context, &libomp->image, function, FUNCTION_SIZE, mode) &&
	       find_number(walk, libomp, offsetof(struct dispatch, shared), width, &ret->iteration) &&
	       find_number(walk, libomp, offsetof(struct dispatch, own), width, &ret->lower);
}

void libomp_ordered_read(ompd_address_space_context_t *context, struct libomp *libomp, struct code_walk *walk)
{
	static const char *const names[LIBOMP_TURNS] = {"__kmpc_dispatch_fini_4", "__kmpc_dispatch_fini_8"};

	for (size_t i = 0; i < LIBOMP_TURNS; i++) {
		ompd_addr_t function;

		libomp->turns[i].is_known =
			cb_symbol(context, NULL, names[i], libomp->file, &function) == ompd_rc_ok &&
			read_turn(context, libomp, walk, function, CODE_ONCE, libomp_turn_width(i), &libomp->turns[i]);
	}
}

/*
 * Return the turn that the function at @enter waits for. Its code must agree on the addresses.
 * NULL: no turn matches.
 */
static const struct libomp_turn *find_turn(const struct process *process, ompd_addr_t enter)
{
	struct libomp *libomp = process->data;
	const struct libomp_turn *ret = NULL;
	void *memory;

	for (size_t i = 0; i < LIBOMP_TURNS; i++) {
		if (libomp->turns[i].enter == enter)
			return &libomp->turns[i];
	}
	if (!image_has_code(&libomp->image, enter) || cb_alloc_raw(sizeof(struct code_walk), &memory) != ompd_rc_ok)
		return NULL;
	for (size_t i = 0; i < LIBOMP_TURNS && !ret; i++) {
		struct libomp_turn *turn = &libomp->turns[i], seen;

		if (!turn->is_known ||
		    !read_turn(process->context, libomp, memory, enter, CODE_ALL_PATHS, libomp_turn_width(i), &seen) ||
		    seen.iteration != turn->iteration || seen.lower != turn->lower)
			continue;
		turn->enter = enter;
		ret = turn;
	}
	cb_free(memory);
	return ret;
}

static ompd_rc_t read_number(const struct process *process, const struct libomp_turn *turn, ompd_addr_t address,
			     uint64_t *ret)
{
	*ret = 0;
	return cb_read(process->context, address, libomp_turn_width((size_t)(turn - libomp_of(process)->turns)), ret);
}

static ompd_rc_t read_dispatch(const struct process *process, ompd_addr_t thread, struct dispatch *ret)
{
	ompd_addr_t address;

	RC_TRY(PROCESS_READ(process, thread + libomp_of(process)->layout.th_dispatch, &address));
	return PROCESS_READ(process, address, ret);
}

/*
 * Return the first and the last iteration that @d executes of its loop now. The last one follows
 * the first in memory.
 */
static ompd_rc_t read_iterations(const struct process *process, const struct libomp_turn *turn,
				 const struct dispatch *d, uint64_t *first, uint64_t *last)
{
	ompd_addr_t at = d->own + turn->lower;

	RC_TRY(read_number(process, turn, at, first));
	return read_number(process, turn, at + libomp_turn_width((size_t)(turn - libomp_of(process)->turns)), last);
}

/* Find the thread of @team that is in @loop and executes the current iteration. */
static ompd_rc_t find_holder(const struct process *process, const struct libomp_team *team, const struct loop *loop,
			     struct awaited_list *list)
{
	struct thread_ref found;
	unsigned n_found = 0;

	for (int32_t i = 0; i < team->nproc; i++) {
		struct libomp_thread thread;
		struct dispatch d;
		uint64_t first, last;
		ompd_addr_t address;

		RC_TRY(libomp_team_member(process, team, i, &address));
		if (!address || libomp_thread_read(process, address, &thread) != ompd_rc_ok ||
		    thread.team != team->address || read_dispatch(process, address, &d) != ompd_rc_ok ||
		    d.shared != loop->shared || !d.own ||
		    read_iterations(process, loop->turn, &d, &first, &last) != ompd_rc_ok || first > loop->iteration ||
		    loop->iteration > last)
			continue;
		n_found++;
		found = libomp_thread_ref(&thread);
	}
	list->is_complete = n_found == 1;
	return n_found == 1 ? awaited_add_thread(list, found) : ompd_rc_ok;
}

ompd_rc_t libomp_ordered_awaited(const struct process *process, const struct thread_ref *ref, struct awaited_list *list)
{
	struct libomp_thread thread;
	struct libomp_team team;
	struct dispatch d;
	uint64_t first, last;

	RC_TRY(libomp_thread_member(process, ref->thread, &thread, &team));
	if (!offset_known(libomp_of(process)->layout.th_dispatch) || team.serialized)
		return ompd_rc_unavailable;
	RC_TRY(read_dispatch(process, ref->thread, &d));
	if (!d.enter || !d.shared || !d.own)
		return ompd_rc_unavailable;
	struct loop loop = {.turn = find_turn(process, d.enter), .shared = d.shared};

	if (!loop.turn)
		return ompd_rc_unavailable;
	RC_TRY(read_number(process, loop.turn, d.shared + loop.turn->iteration, &loop.iteration));
	RC_TRY(read_iterations(process, loop.turn, &d, &first, &last));
	if (first <= loop.iteration) { /* it has the turn, or had it */
		list->is_complete = true;
		return ompd_rc_ok;
	}
	return find_holder(process, &team, &loop, list);
}
