/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Asynchronous routines of device memory (OpenMP 5.2, 18.8.7 and 18.8.8; 6.0 for memset). Target tasks do what the
 * synchronous routines do.
 */
#include "abi/omp_abi.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/omp_newer.h"
#include "core/team/target.h"
#include "os/memory.h"

enum { DEPEND_HEAD = 5, ON_STACK_MAX = 32, DIMS_ARRAYS = 5 };

/* Runs @fn as a task after the dependences of the @n objects at @depend. */
static void defer_task(void (*fn)(void *), void *data, void (*copy)(void *to, void *from), size_t size, int n,
		       omp_depend_t *depend, struct site site)
{
	struct thread *t = thread_self();
	void *small[DEPEND_HEAD + ON_STACK_MAX], **list = small;

	if (n <= 0 || !depend) {
		target_defer(t, fn, data, copy, size, NULL, site);
		return;
	}
	if (n > ON_STACK_MAX)
		list = memory_alloc((DEPEND_HEAD + (size_t)n) * sizeof(*list));
	/* The layout of core/task/depend.h: all of them are depend objects. */
	memset(list, 0, DEPEND_HEAD * sizeof(*list));
	list[1] = (void *)(uintptr_t)n;
	for (int i = 0; i < n; i++)
		list[DEPEND_HEAD + i] = &depend[i];
	target_defer(t, fn, data, copy, size, list, site);
	if (list != small)
		free(list);
}

struct copy {
	void *to;
	const void *from;
	size_t size;
};

static void run_copy(void *data)
{
	const struct copy *c = data;

	if (c->size)
		memcpy(c->to, c->from, c->size);
}

ABI int omp_target_memcpy_async(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset,
				int to_device, int from_device, int n_depend, omp_depend_t *depend)
{
	struct copy c = {(char *)to + to_offset, (const char *)from + from_offset, size};

	abi_is_used();
	if (!target_device_is_host(to_device) || !target_device_is_host(from_device) || (size && (!to || !from)))
		return EINVAL;
	defer_task(run_copy, &c, NULL, sizeof(c), n_depend, depend, SITE_HERE());
	return 0;
}

/* The caller's arrays may be gone when the task runs. Their copies follow this struct. */
struct rect {
	void *to;
	const void *from;
	size_t element;
	int n_dims;
	const size_t *dims[DIMS_ARRAYS];
};

static void make_rect(void *to, void *from)
{
	struct rect *r = to;
	size_t *room = (size_t *)(r + 1);

	*r = *(const struct rect *)from;
	for (int i = 0; i < DIMS_ARRAYS; i++, room += r->n_dims) {
		memcpy(room, r->dims[i], (size_t)r->n_dims * sizeof(*room));
		r->dims[i] = room;
	}
}

static void run_rect(void *data)
{
	const struct rect *r = data;

	omp_target_memcpy_rect(r->to, r->from, r->element, r->n_dims, r->dims[0], r->dims[1], r->dims[2], r->dims[3],
			       r->dims[4], TARGET_HOST, TARGET_HOST);
}

ABI int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int n_dims, const size_t *volume,
				     const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dims,
				     const size_t *from_dims, int to_device, int from_device, int n_depend,
				     omp_depend_t *depend)
{
	struct rect r = {to, from, element, n_dims, {volume, to_offsets, from_offsets, to_dims, from_dims}};

	abi_is_used();
	/* Two null pointers ask for the greatest number of dimensions. */
	if (!to && !from)
		return INT_MAX;
	if (!target_device_is_host(to_device) || !target_device_is_host(from_device) || n_dims < 1 || !to || !from)
		return EINVAL;
	defer_task(run_rect, &r, make_rect, sizeof(r) + DIMS_ARRAYS * (size_t)n_dims * sizeof(size_t), n_depend, depend,
		   SITE_HERE());
	return 0;
}

struct fill {
	void *memory;
	int value;
	size_t size;
};

static void run_fill(void *data)
{
	const struct fill *f = data;

	if (f->size)
		memset(f->memory, f->value, f->size);
}

ABI void *omp_target_memset_async(void *memory, int value, size_t size, int device, int n_depend, omp_depend_t *depend)
{
	struct fill f = {memory, value, size};

	abi_is_used();
	target_device_is_host(device);
	defer_task(run_fill, &f, NULL, sizeof(f), n_depend, depend, SITE_HERE());
	return memory;
}
