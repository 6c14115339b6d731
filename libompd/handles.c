/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Create, check, compare and release handles. */
#include "handles.h"

#include <string.h>

#include "callbacks.h"
#include "records.h"

/*
 * The addresses of all live handles: a released handle's memory cannot show that it was released.
 * The tool owns the memory of handles and of this set. It reclaims that memory after
 * ompd_finalize(), so handle_release_all() must run first.
 */
static struct records live = {.size = sizeof(void *), .key_size = sizeof(void *)};

bool handle_is_live(const void *handle)
{
	return handle && records_find(&live, &handle);
}

bool handle_is(const void *handle, enum handle_kind kind)
{
	return handle_is_live(handle) && ((const struct handle *)handle)->kind == kind;
}

ompd_rc_t handle_require(const void *handle, enum handle_kind kind)
{
	REQUIRE_CALLBACKS();
	return handle_is(handle, kind) ? ompd_rc_ok : ompd_rc_stale_handle;
}

struct subject handle_subject(const struct handle *handle)
{
	struct subject ret = {0};

	if (handle && handle->kind == HANDLE_THREAD)
		ret.thread = &((const ompd_thread_handle_t *)handle)->ref;
	else if (handle && handle->kind == HANDLE_PARALLEL)
		ret.region = &((const ompd_parallel_handle_t *)handle)->ref;
	else if (handle && handle->kind == HANDLE_TASK)
		ret.task = &((const ompd_task_handle_t *)handle)->ref;
	return ret;
}

/* Create a handle of @size bytes with zeros after its struct handle. */
static ompd_rc_t create_handle(struct process *process, enum handle_kind kind, size_t size, void **ret)
{
	struct handle *handle;
	void *memory;

	RC_TRY(cb_alloc(size, &memory));
	ompd_rc_t rc = records_add(&live, &memory);

	if (rc != ompd_rc_ok) {
		cb_free(memory);
		return rc;
	}
	handle = memory;
	handle->kind = kind;
	handle->process = process_ref(process);
	*ret = memory;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_address_space(struct process *process, ompd_address_space_handle_t **ret)
{
	void *memory;

	RC_TRY(create_handle(process, HANDLE_ADDRESS_SPACE, sizeof(**ret), &memory));
	*ret = memory;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_thread(struct process *process, const struct thread_ref *ref, ompd_thread_handle_t **ret)
{
	void *memory;

	RC_TRY(create_handle(process, HANDLE_THREAD, sizeof(**ret), &memory));
	*ret = memory;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_parallel(struct process *process, const struct region_ref *ref, ompd_parallel_handle_t **ret)
{
	void *memory;

	RC_TRY(create_handle(process, HANDLE_PARALLEL, sizeof(**ret), &memory));
	*ret = memory;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_task(struct process *process, const struct task_ref *ref, ompd_task_handle_t **ret)
{
	void *memory;

	RC_TRY(create_handle(process, HANDLE_TASK, sizeof(**ret), &memory));
	*ret = memory;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

static void release_live(struct handle *handle)
{
	records_remove(&live, &handle);
	if (!live.n)
		records_deinit(&live);
	process_unref(handle->process);
	cb_free(handle);
}

ompd_rc_t handle_release(void *handle, enum handle_kind kind)
{
	RC_TRY(handle_require(handle, kind));
	release_live(handle);
	return ompd_rc_ok;
}

void handle_release_list(void *list, size_t n)
{
	struct handle **handles = list;

	while (n-- > 0)
		release_live(handles[n]);
	cb_free(handles);
}

void handle_release_all(void)
{
	while (live.n > 0)
		release_live(((struct handle **)(void *)live.all)[live.n - 1]);
}

int handle_compare_addresses(ompd_addr_t a, ompd_addr_t b)
{
	return a < b ? -1 : a > b;
}

/* Order by address, then by sequence number: the memory may have been used several times. */
static int compare_uses(ompd_addr_t a, uint64_t use_a, ompd_addr_t b, uint64_t use_b)
{
	return a == b ? handle_compare_addresses(use_a, use_b) : handle_compare_addresses(a, b);
}

int handle_compare_regions(const struct region_ref *a, const struct region_ref *b)
{
	if (a->team || b->team)
		return compare_uses(a->team, a->sequence, b->team, b->sequence);
	if (a->pool || b->pool)
		return handle_compare_addresses(a->pool, b->pool);
	return handle_compare_addresses(a->root, b->root);
}

int handle_compare_tasks(const struct task_ref *a, const struct task_ref *b)
{
	/* An initial task without a record is identified by its region. */
	if (!a->task && !b->task)
		return handle_compare_regions(&a->region, &b->region);
	int cmp = compare_uses(a->task, a->sequence, b->task, b->sequence);

	return cmp ? cmp : handle_compare_addresses(a->region.sequence, b->region.sequence);
}
