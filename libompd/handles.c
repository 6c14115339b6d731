/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Create, check, compare and release handles. */
#include "handles.h"

#include <string.h>

#include "callbacks.h"

/*
 * The addresses of all live handles: an open-addressing table that is at most half full. The tool
 * owns the memory of handles and of a grown table. It reclaims that memory after ompd_finalize(),
 * so handle_release_all() must run first. A released handle's memory cannot show that it was
 * released.
 */
#define FIRST_ROOM 64

static struct {
	const void **slots; /* NULL: the table is `first`, which needs no memory of the tool */
	const void *first[FIRST_ROOM];
	size_t mask, n;
} live = {.mask = FIRST_ROOM - 1};

static const void **live_slots(void)
{
	return live.slots ? live.slots : live.first;
}

static size_t slot_wanted(const void *handle)
{
	return ((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15ull >> 32 & live.mask;
}

/* Return the slot of @handle, or the free slot where it belongs. */
static const void **slot_of(const void *handle)
{
	const void **slots = live_slots();
	size_t i = slot_wanted(handle);

	while (slots[i] && slots[i] != handle)
		i = (i + 1) & live.mask;
	return &slots[i];
}

static ompd_rc_t live_grow(void)
{
	const void **old = live_slots();
	size_t n_old = live.mask + 1;
	void *memory;

	RC_TRY(cb_alloc(2 * n_old * sizeof(*old), &memory));
	live.slots = memory;
	live.mask = 2 * n_old - 1;
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			*slot_of(old[i]) = old[i];
	if (old != live.first)
		cb_free(old);
	memset(live.first, 0, sizeof(live.first));
	return ompd_rc_ok;
}

static ompd_rc_t live_add(const void *handle)
{
	if (live.n >= (live.mask + 1) / 2)
		RC_TRY(live_grow());
	*slot_of(handle) = handle;
	live.n++;
	return ompd_rc_ok;
}

static void live_remove(const void *handle)
{
	const void **slots = live_slots();
	size_t hole = (size_t)(slot_of(handle) - slots);

	/* Move an entry up into the hole if the hole's entry had displaced it. */
	for (size_t i = (hole + 1) & live.mask; slots[i]; i = (i + 1) & live.mask) {
		if (((i - slot_wanted(slots[i])) & live.mask) < ((i - hole) & live.mask))
			continue;
		slots[hole] = slots[i];
		hole = i;
	}
	slots[hole] = NULL;
	if (--live.n == 0) {
		cb_free(live.slots);
		live.slots = NULL;
		live.mask = FIRST_ROOM - 1;
	}
}

bool handle_is_live(const void *handle)
{
	return handle && *slot_of(handle);
}

bool handle_is(const void *handle, enum handle_kind kind)
{
	return handle_is_live(handle) && ((const struct handle *)handle)->kind == kind;
}

static ompd_rc_t handle_create(struct process *process, enum handle_kind kind, size_t size, struct handle **ret)
{
	void *memory;

	RC_TRY(cb_alloc(size, &memory));
	ompd_rc_t rc = live_add(memory);

	if (rc != ompd_rc_ok) {
		cb_free(memory);
		return rc;
	}
	*ret = memory;
	(*ret)->kind = kind;
	(*ret)->process = process_ref(process);
	return ompd_rc_ok;
}

ompd_rc_t handle_create_address_space(struct process *process, ompd_address_space_handle_t **ret)
{
	struct handle *handle;

	RC_TRY(handle_create(process, HANDLE_ADDRESS_SPACE, sizeof(**ret), &handle));
	*ret = (ompd_address_space_handle_t *)handle;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_thread(struct process *process, const struct thread_ref *ref, ompd_thread_handle_t **ret)
{
	struct handle *handle;

	RC_TRY(handle_create(process, HANDLE_THREAD, sizeof(**ret), &handle));
	*ret = (ompd_thread_handle_t *)handle;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_parallel(struct process *process, const struct region_ref *ref, ompd_parallel_handle_t **ret)
{
	struct handle *handle;

	RC_TRY(handle_create(process, HANDLE_PARALLEL, sizeof(**ret), &handle));
	*ret = (ompd_parallel_handle_t *)handle;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_task(struct process *process, const struct task_ref *ref, ompd_task_handle_t **ret)
{
	struct handle *handle;

	RC_TRY(handle_create(process, HANDLE_TASK, sizeof(**ret), &handle));
	*ret = (ompd_task_handle_t *)handle;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

ompd_rc_t handle_release(void *memory, enum handle_kind kind)
{
	struct handle *handle = memory;

	REQUIRE_HANDLE(handle, kind);
	live_remove(handle);
	process_unref(handle->process);
	cb_free(handle);
	return ompd_rc_ok;
}

void handle_release_all(void)
{
	size_t i = 0;

	while (live.n > 0) {
		struct handle *handle = (struct handle *)(uintptr_t)live_slots()[i];

		/* Another handle may have moved up into the slot: look at it again. */
		if (handle)
			handle_release(handle, handle->kind);
		else
			i++;
	}
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
