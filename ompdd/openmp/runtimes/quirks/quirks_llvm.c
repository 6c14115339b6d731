/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Corrects LLVM's OMPD library. Each routine here replaces one of the library's routines and calls it. A caller gets
 * the correct value or an honest code, never an invented value. Regions and tasks are corrected in quirks_llvm_nests.c,
 * control variables in quirks_llvm_icvs.c.
 */
#include "openmp/runtimes/quirks/quirks_llvm.h"

#include <string.h>

#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/runtimes/quirks/quirks.h"
#include "openmp/runtimes/quirks/quirks_llvm_internal.h"

static const char *const faults[] = {
	"not_started",	      /* before its first region the layout reads as zeroes, permanently */
	"handle_compare",     /* differences of addresses are cut to 32 bits */
	"thread_in_parallel", /* a handle without the thread's context */
	"end_of_chain",	      /* unsupported, where no encloser or generating task exists */
	"serialized_nests",   /* see quirks_llvm_nests.c */
	"task_function",      /* 0 or ~0 without a function; another region's in serialized nests */
	"frame_flag",	      /* never written */
	"nthreads_var",	      /* incomplete, although it is a single number */
	"bind_var",	      /* text with numbers instead of names */
	"run_sched_var",      /* a chunk size for auto, which has no chunk size */
	"icv_string",	      /* text without numbers */
	"ended_regions", /* still reported for threads that wait for the next; see openmp/model/walk/ended_regions */
	NULL,
};

/* The fields of the library's thread handle that are read here. The handle lies in one of our blocks. */
struct llvm_thread {
	ompd_address_space_handle_t *aspace;
	ompd_thread_context_t *context;
	ompd_address_t th;
};

struct llvm llvm;

static bool is_needed(const char *version_string)
{
	return strncmp(version_string, "LLVM OpenMP ", 12) == 0;
}

/* Handles */

static struct llvm_thread *get_thread(void *handle)
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
	const struct llvm_object *x = llvm_object_of(a), *y = llvm_object_of(b);

	if (!x || !y)
		return false;
	*ret = compare_words(x->th.address, y->th.address);
	if (*ret == 0)
		*ret = compare_words(x->lwt.address, y->lwt.address);
	return true;
}

static ompd_rc_t thread_handle_compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b, int *ret)
{
	const struct llvm_thread *x = get_thread(a), *y = get_thread(b);

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

/* The runtime publishes its layout when it starts, and then the path of its library. Data read earlier stays wrong. */
static ompd_rc_t has_started(ompd_address_space_context_t *context)
{
	const ompd_callbacks_t *callbacks = callbacks_table();
	ompd_address_t address;
	uint64_t locations;
	ompd_rc_t rc = callbacks->symbol_addr_lookup(context, NULL, "ompd_dll_locations", &address, NULL);

	if (rc != ompd_rc_ok)
		return ompd_rc_ok; /* the library reports the error */
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
		quirks_llvm_learn_icvs(*ret);
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

/* Tasks */

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

static void apply_quirks(struct ompd_routines *routines)
{
	llvm.library = *routines;
	llvm.aspace = NULL;
	routines->process_initialize = process_initialize;
	routines->thread_handle_compare = thread_handle_compare;
	routines->parallel_handle_compare = parallel_handle_compare;
	routines->task_handle_compare = task_handle_compare;
	routines->get_thread_in_parallel = get_thread_in_parallel;
	routines->get_task_frame = get_task_frame;
	quirks_llvm_apply_nests(routines);
	quirks_llvm_apply_icvs(routines);
}

const struct library_quirks quirks_llvm = {.names = faults, .is_needed = is_needed, .apply = apply_quirks};
