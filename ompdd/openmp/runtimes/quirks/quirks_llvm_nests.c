/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Corrects nests of serialized regions, in which LLVM's OMPD library loses one region. A thread has one team object T
 * for a whole nest of n regions. T's data are those of the innermost region. A list of n - 1 records W1, W2, …
 * describes the outer regions. The library takes W1 for the innermost region, so its chain lacks one region and one
 * task. It also returns T's level for all of them. Here the innermost region is T without record, the next is W1, and
 * so on. That is done only if the levels of T and of its encloser prove one record for each level between them. The
 * state needed for that stays in the handle, in segment numbers: neither the library nor our callbacks use them.
 */
#include <string.h>

#include "openmp/plugin/blocks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/runtimes/quirks/quirks_llvm_internal.h"

#define MAX_NEST 1024

static bool read_level(const struct llvm_object *region, ompd_word_t *ret)
{
	return llvm.levels &&
	       llvm.library.get_icv_from_scope((void *)region, ompd_scope_parallel, llvm.levels, ret) == ompd_rc_ok;
}

/* Puts the library's encloser of @region into *@region. Returns false if @region has no encloser. */
static bool step_out(struct llvm_object *region)
{
	ompd_parallel_handle_t *next = NULL;

	if (llvm.library.get_enclosing_parallel_handle((ompd_parallel_handle_t *)region, &next) != ompd_rc_ok)
		return false;
	const struct llvm_object *object = llvm_object_of(next);

	if (object)
		*region = *object;
	llvm.library.rel_parallel_handle(next);
	return object != NULL;
}

/*
 * Returns whether each level between the team of @innermost and that team's encloser has one record, from the record of
 * @innermost on.
 */
static bool is_complete(const struct llvm_object *innermost)
{
	struct llvm_object region = *innermost;
	ompd_word_t level, outer = -1;

	if (!read_level(innermost, &level))
		return false;
	for (int records = 1; records <= MAX_NEST; records++) {
		uint64_t team = region.th.address;

		if (!step_out(&region))
			return level == records;
		if (region.th.address == team)
			continue;
		return read_level(&region, &outer) && level - records - 1 == outer;
	}
	return false;
}

/* Corrects a region that the library returned: it is the innermost region of its team. */
static void correct_region(ompd_parallel_handle_t *handle)
{
	struct llvm_object *region = llvm_object_of(handle);

	if (!region || !region->lwt.address || !is_complete(region))
		return;
	region->lwt.segment = region->lwt.address;
	region->lwt.address = 0;
}

static void correct_task(ompd_task_handle_t *handle)
{
	struct llvm_object *task = llvm_object_of(handle), *region;
	ompd_parallel_handle_t *parallel = NULL;

	if (!task || !task->lwt.address || llvm.library.get_task_parallel_handle(handle, &parallel) != ompd_rc_ok)
		return;
	region = llvm_object_of(parallel);
	if (region && is_complete(region)) {
		task->lwt.segment = task->lwt.address;
		task->lwt.address = 0;
	}
	llvm.library.rel_parallel_handle(parallel);
}

/* Creates W1's region or task from the innermost one. */
static ompd_rc_t make_first_outer(const struct llvm_object *innermost, void *ret)
{
	struct llvm_object *outer = blocks_alloc(sizeof(*outer));

	if (!outer)
		return ompd_rc_nomem;
	*outer = *innermost;
	outer->th.segment = 1;
	outer->lwt = (ompd_address_t){.address = innermost->lwt.segment};
	memcpy(ret, &outer, sizeof(outer));
	return ompd_rc_ok;
}

static bool is_innermost_of_nest(const struct llvm_object *object)
{
	return object && !object->lwt.address && object->lwt.segment;
}

/* Returns whether @next is the next record of the same team. If so, sets its number, which follows that of @before. */
static bool is_next_record(const struct llvm_object *before, struct llvm_object *next)
{
	if (!before || !next || next->th.address != before->th.address || !before->lwt.address)
		return false;
	next->th.segment = before->th.segment ? before->th.segment + 1 : 0;
	return true;
}

static ompd_rc_t convert_chain_end(ompd_rc_t rc)
{
	return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
}

static ompd_rc_t get_curr_parallel_handle(ompd_thread_handle_t *thread, ompd_parallel_handle_t **ret)
{
	ompd_rc_t rc = llvm.library.get_curr_parallel_handle(thread, ret);

	if (rc == ompd_rc_ok)
		correct_region(*ret);
	return convert_chain_end(rc);
}

static ompd_rc_t get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel, ompd_parallel_handle_t **ret)
{
	const struct llvm_object *region = llvm_object_of(parallel);

	if (ret && is_innermost_of_nest(region))
		return make_first_outer(region, ret);
	ompd_rc_t rc = llvm.library.get_enclosing_parallel_handle(parallel, ret);

	if (rc == ompd_rc_ok && !is_next_record(region, llvm_object_of(*ret)))
		correct_region(*ret);
	return convert_chain_end(rc);
}

static ompd_rc_t get_task_parallel_handle(ompd_task_handle_t *handle, ompd_parallel_handle_t **ret)
{
	const struct llvm_object *task = llvm_object_of(handle);
	ompd_rc_t rc = llvm.library.get_task_parallel_handle(handle, ret);
	struct llvm_object *region = rc == ompd_rc_ok ? llvm_object_of(*ret) : NULL;

	if (task && region)
		region->th.segment = task->th.segment;
	return rc;
}

static ompd_rc_t get_curr_task_handle(ompd_thread_handle_t *thread, ompd_task_handle_t **ret)
{
	ompd_rc_t rc = llvm.library.get_curr_task_handle(thread, ret);

	if (rc == ompd_rc_ok)
		correct_task(*ret);
	return convert_chain_end(rc);
}

static bool is_implicit(ompd_task_handle_t *handle)
{
	ompd_word_t value = 0;

	return llvm.implicit_task &&
	       llvm.library.get_icv_from_scope(handle, ompd_scope_task, llvm.implicit_task, &value) == ompd_rc_ok &&
	       value;
}

static ompd_rc_t get_generating_task_handle(ompd_task_handle_t *handle, ompd_task_handle_t **ret)
{
	const struct llvm_object *task = llvm_object_of(handle);

	if (ret && is_innermost_of_nest(task) && is_implicit(handle))
		return make_first_outer(task, ret);
	ompd_rc_t rc = llvm.library.get_generating_task_handle(handle, ret);

	if (rc == ompd_rc_ok && !is_next_record(task, llvm_object_of(*ret)))
		correct_task(*ret);
	return convert_chain_end(rc);
}

static uint64_t read_team(ompd_task_handle_t *handle)
{
	ompd_parallel_handle_t *parallel = NULL;
	uint64_t team = 0;

	if (llvm.library.get_task_parallel_handle(handle, &parallel) != ompd_rc_ok)
		return 0;
	const struct llvm_object *region = llvm_object_of(parallel);

	if (region)
		team = region->th.address;
	llvm.library.rel_parallel_handle(parallel);
	return team;
}

/* The library returns it without a record. It is in the same nest if it is in the same team. */
static ompd_rc_t get_scheduling_task_handle(ompd_task_handle_t *handle, ompd_task_handle_t **ret)
{
	const struct llvm_object *task = llvm_object_of(handle);
	ompd_rc_t rc = llvm.library.get_scheduling_task_handle(handle, ret);
	struct llvm_object *below = rc == ompd_rc_ok ? llvm_object_of(*ret) : NULL;

	if (below && is_innermost_of_nest(task) && read_team(handle) && read_team(handle) == read_team(*ret))
		below->lwt = task->lwt;
	return rc;
}

static ompd_rc_t get_task_in_parallel(ompd_parallel_handle_t *parallel, int num, ompd_task_handle_t **ret)
{
	const struct llvm_object *region = llvm_object_of(parallel);
	ompd_rc_t rc = llvm.library.get_task_in_parallel(parallel, num, ret);
	struct llvm_object *task = rc == ompd_rc_ok ? llvm_object_of(*ret) : NULL;

	if (task && region) {
		task->lwt = region->lwt;
		task->th.segment = region->th.segment;
	}
	return rc;
}

/*
 * The team stores one function for its whole nest: the function of the region that a fork started last. That may be
 * another region.
 */
static ompd_rc_t get_task_function(ompd_task_handle_t *handle, ompd_address_t *ret)
{
	const struct llvm_object *task = llvm_object_of(handle);

	if (task && (task->lwt.address || (task->lwt.segment && is_implicit(handle))))
		return ret ? ompd_rc_unavailable : ompd_rc_bad_input;
	ompd_rc_t rc = llvm.library.get_task_function(handle, ret);

	if (rc == ompd_rc_ok && (ret->address == 0 || ret->address == UINT64_MAX))
		return ompd_rc_unavailable;
	return rc;
}

void quirks_llvm_apply_nests(struct ompd_routines *routines)
{
	routines->get_curr_parallel_handle = get_curr_parallel_handle;
	routines->get_enclosing_parallel_handle = get_enclosing_parallel_handle;
	routines->get_task_parallel_handle = get_task_parallel_handle;
	routines->get_curr_task_handle = get_curr_task_handle;
	routines->get_generating_task_handle = get_generating_task_handle;
	routines->get_scheduling_task_handle = get_scheduling_task_handle;
	routines->get_task_in_parallel = get_task_in_parallel;
	routines->get_task_function = get_task_function;
}
