/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM's OMPD library, corrected. Each routine here is called in place of the library's, and calls that. A caller sees
 * the fault's absence, or an honest code; nothing is made up.
 *
 * Serialized regions need the most. A thread has one team object T for a whole nest of n of them, with T's data being
 * those of the innermost, and a list of n - 1 records W1, W2, … for the outer ones. The library takes W1 for the
 * innermost, so that its chain has one region and one task too few, and gives T's level for all of them. Here the
 * innermost is T without record, W1 the next, and so on; that is done only where the levels of T and of its encloser
 * prove that there is a record for each level between them. What must be remembered for that stays in the handle, in
 * segment numbers: the library's and our callbacks do not use them.
 */
#include "openmp/runtimes/quirks_llvm.h"

#include <stdio.h>
#include <string.h>

#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/runtimes/profile.h"

#define MAX_ICVS  128
#define MAX_NEST  1024
#define MAX_VALUE 4096

static const char *const faults[] = {
	"not_started",	      /* before its first region the runtime's layout reads as zeroes, for good */
	"handle_compare",     /* differences of addresses are cut to 32 bits */
	"thread_in_parallel", /* a handle without the thread's context */
	"end_of_chain",	      /* unsupported, where there is no encloser or generating task */
	"serialized_nests",   /* see above */
	"task_function",      /* 0 or ~0 where there is none, another region's in serialized nests */
	"frame_flag",	      /* never written */
	"nthreads_var",	      /* incomplete, although it is one number */
	"bind_var",	      /* text of numbers */
	"run_sched_var",      /* a chunk size with auto, which has none */
	"icv_string",	      /* no text of numbers */
	"ended_regions",      /* still named for threads that wait for the next; see openmp/model/ended */
	NULL,
};

/* The library's handles, as far as they are looked into; each lies in a block of ours. */
struct llvm_thread {
	ompd_address_space_handle_t *aspace;
	ompd_thread_context_t *context;
	ompd_address_t th;
};

/* Of a region: @th is its team. Of a task: @th is its taskdata. */
struct llvm_object {
	ompd_address_space_handle_t *aspace;
	ompd_address_t th;  /* segment: number of this record, 1 for W1; 0: none */
	ompd_address_t lwt; /* address: the record; else segment: W1 of the nest of which this is the innermost */
};

static struct {
	struct ompd_routines library;
	ompd_address_space_handle_t *aspace;
	/* Numbers of variables; 0: there is none such. */
	ompd_icv_id_t levels, nthreads, bind, run_sched, implicit_task;
} llvm;

static bool is_needed(const char *version_string)
{
	return strncmp(version_string, "LLVM OpenMP ", 12) == 0;
}

/* Handles */

/* @handle as a region or task; NULL: it is not as we know them, and nothing is corrected. */
static struct llvm_object *object_of(void *handle)
{
	struct llvm_object *object = handle;
	size_t size;

	if (!blocks_size(handle, &size) || size != sizeof(*object) || object->aspace != llvm.aspace)
		return NULL;
	return object;
}

static struct llvm_thread *thread_of(void *handle)
{
	struct llvm_thread *thread = handle;
	size_t size;

	if (!blocks_size(handle, &size) || size != sizeof(*thread) || thread->aspace != llvm.aspace)
		return NULL;
	return thread;
}

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static bool compare_objects(void *a, void *b, int *ret)
{
	const struct llvm_object *x = object_of(a), *y = object_of(b);

	if (!x || !y)
		return false;
	*ret = compare_words(x->th.address, y->th.address);
	if (*ret == 0)
		*ret = compare_words(x->lwt.address, y->lwt.address);
	return true;
}

static ompd_rc_t thread_handle_compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b, int *ret)
{
	const struct llvm_thread *x = thread_of(a), *y = thread_of(b);

	if (!x || !y || !ret)
		return llvm.library.thread_handle_compare(a, b, ret);
	*ret = compare_words(x->th.address, y->th.address);
	return ompd_rc_ok;
}

static ompd_rc_t parallel_handle_compare(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b, int *ret)
{
	if (ret && compare_objects(a, b, ret))
		return ompd_rc_ok;
	return llvm.library.parallel_handle_compare(a, b, ret);
}

static ompd_rc_t task_handle_compare(ompd_task_handle_t *a, ompd_task_handle_t *b, int *ret)
{
	if (ret && compare_objects(a, b, ret))
		return ompd_rc_ok;
	return llvm.library.task_handle_compare(a, b, ret);
}

/* The process */

static void learn_icvs(ompd_address_space_handle_t *aspace)
{
	ompd_icv_id_t id = ompd_icv_undefined;
	int more = 1;

	llvm.levels = llvm.nthreads = llvm.bind = llvm.run_sched = llvm.implicit_task = 0;
	for (int i = 0; more && i < MAX_ICVS; i++) {
		const char *name = NULL;
		ompd_scope_t scope;

		if (llvm.library.enumerate_icvs(aspace, id, &id, &name, &scope, &more) != ompd_rc_ok || !name)
			return;
		if (strcmp(name, "levels-var") == 0)
			llvm.levels = id;
		else if (strcmp(name, "nthreads-var") == 0)
			llvm.nthreads = id;
		else if (strcmp(name, "bind-var") == 0)
			llvm.bind = id;
		else if (strcmp(name, "run-sched-var") == 0)
			llvm.run_sched = id;
		else if (strcmp(name, "implicit-task-var") == 0)
			llvm.implicit_task = id;
		callbacks_free(name);
	}
}

/* The runtime tells its layout when it starts, and then where its library is: what is read before stays wrong. */
static ompd_rc_t has_started(ompd_address_space_context_t *context)
{
	const ompd_callbacks_t *callbacks = callbacks_table();
	ompd_address_t address;
	uint64_t locations;
	ompd_rc_t rc = callbacks->symbol_addr_lookup(context, NULL, "ompd_dll_locations", &address, NULL);

	if (rc != ompd_rc_ok)
		return ompd_rc_ok; /* let the library say so */
	rc = callbacks->read_memory(context, NULL, &address, sizeof(locations), &locations);
	if (rc != ompd_rc_ok)
		return rc;
	return locations ? ompd_rc_ok : ompd_rc_unavailable;
}

static ompd_rc_t process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **ret)
{
	ompd_rc_t rc = has_started(context);

	if (rc == ompd_rc_ok)
		rc = llvm.library.process_initialize(context, ret);
	if (rc == ompd_rc_ok) {
		llvm.aspace = *ret;
		learn_icvs(*ret);
	}
	return rc;
}

/* Threads */

static ompd_rc_t get_thread_in_parallel(ompd_parallel_handle_t *parallel, int num, ompd_thread_handle_t **ret)
{
	ompd_thread_handle_t *bare = NULL;
	uint64_t pthread = 0;
	ompd_rc_t rc = llvm.library.get_thread_in_parallel(parallel, num, ret ? &bare : NULL);

	if (rc != ompd_rc_ok || !bare)
		return rc;
	rc = llvm.library.get_thread_id(bare, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread);
	llvm.library.rel_thread_handle(bare);
	if (rc != ompd_rc_ok)
		return rc;
	return llvm.library.get_thread_handle(llvm.aspace, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread, ret);
}

/* Serialized nests */

static bool level_of(const struct llvm_object *region, ompd_word_t *ret)
{
	return llvm.levels &&
	       llvm.library.get_icv_from_scope((void *)region, ompd_scope_parallel, llvm.levels, ret) == ompd_rc_ok;
}

/* The library's encloser of @region in *@region; false: there is none. */
static bool step_out(struct llvm_object *region)
{
	ompd_parallel_handle_t *next = NULL;

	if (llvm.library.get_enclosing_parallel_handle((ompd_parallel_handle_t *)region, &next) != ompd_rc_ok)
		return false;
	const struct llvm_object *object = object_of(next);

	if (object)
		*region = *object;
	llvm.library.rel_parallel_handle(next);
	return object != NULL;
}

/* Whether the records from that of @innermost on are one for each level between its team's and that of the team's
 * encloser. */
static bool is_complete(const struct llvm_object *innermost)
{
	struct llvm_object region = *innermost;
	ompd_word_t level, outer = -1;

	if (!level_of(innermost, &level))
		return false;
	for (int records = 1; records <= MAX_NEST; records++) {
		uint64_t team = region.th.address;

		if (!step_out(&region))
			return level == records;
		if (region.th.address == team)
			continue;
		return level_of(&region, &outer) && level - records - 1 == outer;
	}
	return false;
}

/* A region as the library gave it: its team's innermost. */
static void correct_region(ompd_parallel_handle_t *handle)
{
	struct llvm_object *region = object_of(handle);

	if (!region || !region->lwt.address || !is_complete(region))
		return;
	region->lwt.segment = region->lwt.address;
	region->lwt.address = 0;
}

static void correct_task(ompd_task_handle_t *handle)
{
	struct llvm_object *task = object_of(handle), *region;
	ompd_parallel_handle_t *parallel = NULL;

	if (!task || !task->lwt.address || llvm.library.get_task_parallel_handle(handle, &parallel) != ompd_rc_ok)
		return;
	region = object_of(parallel);
	if (region && is_complete(region)) {
		task->lwt.segment = task->lwt.address;
		task->lwt.address = 0;
	}
	llvm.library.rel_parallel_handle(parallel);
}

/* W1's region or task, for that of the innermost. */
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

/* The next record of the same team: its number follows from that of @before. True when that is what @next is. */
static bool is_next_record(const struct llvm_object *before, struct llvm_object *next)
{
	if (!before || !next || next->th.address != before->th.address || !before->lwt.address)
		return false;
	next->th.segment = before->th.segment ? before->th.segment + 1 : 0;
	return true;
}

static ompd_rc_t end_of_chain(ompd_rc_t rc)
{
	return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
}

static ompd_rc_t get_curr_parallel_handle(ompd_thread_handle_t *thread, ompd_parallel_handle_t **ret)
{
	ompd_rc_t rc = llvm.library.get_curr_parallel_handle(thread, ret);

	if (rc == ompd_rc_ok)
		correct_region(*ret);
	return end_of_chain(rc);
}

static ompd_rc_t get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel, ompd_parallel_handle_t **ret)
{
	const struct llvm_object *region = object_of(parallel);

	if (ret && is_innermost_of_nest(region))
		return make_first_outer(region, ret);
	ompd_rc_t rc = llvm.library.get_enclosing_parallel_handle(parallel, ret);

	if (rc == ompd_rc_ok && !is_next_record(region, object_of(*ret)))
		correct_region(*ret);
	return end_of_chain(rc);
}

static ompd_rc_t get_task_parallel_handle(ompd_task_handle_t *handle, ompd_parallel_handle_t **ret)
{
	const struct llvm_object *task = object_of(handle);
	ompd_rc_t rc = llvm.library.get_task_parallel_handle(handle, ret);
	struct llvm_object *region = rc == ompd_rc_ok ? object_of(*ret) : NULL;

	if (task && region)
		region->th.segment = task->th.segment;
	return rc;
}

static ompd_rc_t get_curr_task_handle(ompd_thread_handle_t *thread, ompd_task_handle_t **ret)
{
	ompd_rc_t rc = llvm.library.get_curr_task_handle(thread, ret);

	if (rc == ompd_rc_ok)
		correct_task(*ret);
	return end_of_chain(rc);
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
	const struct llvm_object *task = object_of(handle);

	if (ret && is_innermost_of_nest(task) && is_implicit(handle))
		return make_first_outer(task, ret);
	ompd_rc_t rc = llvm.library.get_generating_task_handle(handle, ret);

	if (rc == ompd_rc_ok && !is_next_record(task, object_of(*ret)))
		correct_task(*ret);
	return end_of_chain(rc);
}

static uint64_t team_of(ompd_task_handle_t *handle)
{
	ompd_parallel_handle_t *parallel = NULL;
	uint64_t team = 0;

	if (llvm.library.get_task_parallel_handle(handle, &parallel) != ompd_rc_ok)
		return 0;
	const struct llvm_object *region = object_of(parallel);

	if (region)
		team = region->th.address;
	llvm.library.rel_parallel_handle(parallel);
	return team;
}

/* The library gives it without a record: it is in the same nest when it is in the same team. */
static ompd_rc_t get_scheduling_task_handle(ompd_task_handle_t *handle, ompd_task_handle_t **ret)
{
	const struct llvm_object *task = object_of(handle);
	ompd_rc_t rc = llvm.library.get_scheduling_task_handle(handle, ret);
	struct llvm_object *below = rc == ompd_rc_ok ? object_of(*ret) : NULL;

	if (below && is_innermost_of_nest(task) && team_of(handle) && team_of(handle) == team_of(*ret))
		below->lwt = task->lwt;
	return rc;
}

static ompd_rc_t get_task_in_parallel(ompd_parallel_handle_t *parallel, int num, ompd_task_handle_t **ret)
{
	const struct llvm_object *region = object_of(parallel);
	ompd_rc_t rc = llvm.library.get_task_in_parallel(parallel, num, ret);
	struct llvm_object *task = rc == ompd_rc_ok ? object_of(*ret) : NULL;

	if (task && region) {
		task->lwt = region->lwt;
		task->th.segment = region->th.segment;
	}
	return rc;
}

/* What is asked of tasks */

/* The team has one function for its whole nest: that of the region which was last begun by a fork, perhaps another's.
 */
static ompd_rc_t get_task_function(ompd_task_handle_t *handle, ompd_address_t *ret)
{
	const struct llvm_object *task = object_of(handle);

	if (task && (task->lwt.address || (task->lwt.segment && is_implicit(handle))))
		return ret ? ompd_rc_unavailable : ompd_rc_bad_input;
	ompd_rc_t rc = llvm.library.get_task_function(handle, ret);

	if (rc == ompd_rc_ok && (ret->address == 0 || ret->address == UINT64_MAX))
		return ompd_rc_unavailable;
	return rc;
}

static ompd_rc_t get_task_frame(ompd_task_handle_t *handle, ompd_frame_info_t *exit, ompd_frame_info_t *enter)
{
	/* The runtime describes all its frames with these flags. */
	const ompd_word_t flag = ompt_frame_runtime | ompt_frame_cfa;

	if (exit)
		exit->frame_flag = flag;
	if (enter)
		enter->frame_flag = flag;
	return llvm.library.get_task_frame(handle, exit, enter);
}

/* Control variables */

/* An outer region's implicit task has no variables of its own in the runtime: what is there is the innermost's. */
static bool is_outer_task(void *handle, ompd_scope_t scope, ompd_icv_id_t id)
{
	const struct llvm_object *task = scope == ompd_scope_task ? object_of(handle) : NULL;

	return task && task->th.segment && id != llvm.implicit_task;
}

static bool has_comma(const char *text)
{
	size_t len = callbacks_strlen(text, MAX_VALUE);

	return len == SIZE_MAX || memchr(text, ',', len);
}

static ompd_rc_t get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, ompd_word_t *ret)
{
	const char *text = NULL;

	if (is_outer_task(handle, scope, id))
		return ompd_rc_unavailable;
	ompd_rc_t rc = llvm.library.get_icv_from_scope(handle, scope, id, ret);

	if (rc == ompd_rc_incomplete && id == llvm.nthreads &&
	    llvm.library.get_icv_string_from_scope(handle, scope, id, &text) == ompd_rc_ok) {
		if (!has_comma(text))
			rc = ompd_rc_ok;
		callbacks_free(text);
	}
	if (rc == ompd_rc_ok && id == llvm.levels && scope == ompd_scope_parallel) {
		const struct llvm_object *region = object_of(handle);

		if (region)
			*ret -= (ompd_word_t)region->th.segment;
	}
	return rc;
}

static ompd_rc_t copy_text(const char *text, const char **ret)
{
	size_t size = strlen(text) + 1;
	char *copy = blocks_alloc(size);

	if (!copy)
		return ompd_rc_nomem;
	memcpy(copy, text, size);
	*ret = copy;
	return ompd_rc_ok;
}

/* "3,0" -> "close,false"; leaves alone what is no list of numbers that have a name. */
static ompd_rc_t name_binds(const char **text)
{
	static const char *const names[] = {"false", "true", "primary", "close", "spread", "intel", "default"};
	size_t len = callbacks_strlen(*text, MAX_VALUE), used = 0;
	char named[MAX_VALUE * 8];

	if (len == SIZE_MAX)
		return ompd_rc_ok;
	for (const char *p = *text; p < *text + len; p += 2) {
		size_t number = (size_t)(p[0] - '0');

		if (p[0] < '0' || number >= sizeof(names) / sizeof(names[0]) || (p[1] && p[1] != ','))
			return ompd_rc_ok;
		used += (size_t)snprintf(named + used, sizeof(named) - used, "%s%s", names[number], p[1] ? "," : "");
	}
	if (!used)
		return ompd_rc_ok;
	callbacks_free(*text);
	return copy_text(named, text);
}

static ompd_rc_t get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, const char **ret)
{
	ompd_word_t number = 0;
	char text[24];

	if (is_outer_task(handle, scope, id))
		return ompd_rc_unavailable;
	ompd_rc_t rc = llvm.library.get_icv_string_from_scope(handle, scope, id, ret);

	if (rc == ompd_rc_ok && id == llvm.bind)
		return name_binds(ret);
	if (rc == ompd_rc_ok && id == llvm.run_sched && callbacks_strlen(*ret, MAX_VALUE) != SIZE_MAX &&
	    strncmp(*ret, "auto,", 5) == 0) {
		callbacks_free(*ret);
		return copy_text("auto", ret);
	}
	if (rc != ompd_rc_unsupported || !ret || get_icv_from_scope(handle, scope, id, &number) != ompd_rc_ok)
		return rc;
	snprintf(text, sizeof(text), "%lld", (long long)number);
	return copy_text(text, ret);
}

static void apply(struct ompd_routines *routines)
{
	llvm.library = *routines;
	llvm.aspace = NULL;
	routines->process_initialize = process_initialize;
	routines->thread_handle_compare = thread_handle_compare;
	routines->parallel_handle_compare = parallel_handle_compare;
	routines->task_handle_compare = task_handle_compare;
	routines->get_thread_in_parallel = get_thread_in_parallel;
	routines->get_curr_parallel_handle = get_curr_parallel_handle;
	routines->get_enclosing_parallel_handle = get_enclosing_parallel_handle;
	routines->get_task_parallel_handle = get_task_parallel_handle;
	routines->get_curr_task_handle = get_curr_task_handle;
	routines->get_generating_task_handle = get_generating_task_handle;
	routines->get_scheduling_task_handle = get_scheduling_task_handle;
	routines->get_task_in_parallel = get_task_in_parallel;
	routines->get_task_function = get_task_function;
	routines->get_task_frame = get_task_frame;
	routines->get_icv_from_scope = get_icv_from_scope;
	routines->get_icv_string_from_scope = get_icv_string_from_scope;
}

const struct profile_quirks quirks_llvm = {.names = faults, .is_needed = is_needed, .apply = apply};
