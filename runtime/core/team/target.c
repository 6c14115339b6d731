/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Target regions and target tasks on the host, and the device numbers that mean the host. */
#include "core/team/target.h"

#include <stdlib.h>
#include <string.h>

#include "core/state/icv.h"
#include "core/task/task_construct.h"
#include "core/team/region.h"
#include "core/team/registration.h"
#include "os/memory.h"
#include "os/message.h"
#include "tools/ompd.h"
#include "tools/ompt.h"
#include "tools/point.h"

#define ON_STACK_MAX 4096 /* bytes of arguments and copies */

static uint32_t has_image; /* atomic; false again when that was reported */

void target_note_image(void)
{
	__atomic_store_n(&has_image, true, __ATOMIC_RELAXED);
}

static void report_fallback(void)
{
	if (icv_process.target_offload != OFFLOAD_DEFAULT || !__atomic_load_n(&has_image, __ATOMIC_RELAXED) ||
	    !__atomic_exchange_n(&has_image, false, __ATOMIC_RELAXED))
		return;
	message_error("this runtime has no devices: the host executes the program's target regions "
		      "(OMP_TARGET_OFFLOAD=disabled omits this message)");
}

static void report_missing(int device)
{
	if (icv_process.target_offload != OFFLOAD_MANDATORY)
		return;
	if (device < 0)
		message_fatal("OMP_TARGET_OFFLOAD is set to MANDATORY, but only the host device is available");
	message_fatal("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
}

/* Ends the program if @device is omp_invalid_device. */
static void refuse_invalid(int device)
{
	if (device != TARGET_INVALID)
		return;
	report_missing(device);
	message_fatal("omp_invalid_device encountered");
}

void target_check_device(const struct thread *t, int device)
{
	if (device == TARGET_HOST)
		return;
	if (device == TARGET_DEFAULT || device == TARGET_DEFAULT_61)
		device = t->task->icv->default_device;
	if (device == TARGET_INITIAL || device == TARGET_IF_FALSE)
		return;
	refuse_invalid(device);
	if (device != TARGET_HOST)
		report_missing(device);
	report_fallback();
}

static int get_default_device(void)
{
	const struct task *task = thread_get_introduced()->task;

	return (task ? task->icv : &icv_process.initial)->default_device;
}

bool target_device_is_there(int device)
{
	if (device == TARGET_DEFAULT_61)
		device = get_default_device();
	return device == TARGET_HOST || device == TARGET_INITIAL;
}

bool target_device_is_host(int device)
{
	bool is_host = target_device_is_there(device);

	refuse_invalid(device);
	if (!is_host)
		report_missing(device);
	return is_host;
}

/* Returns the size of the arguments and the copies behind them. *@align_ret: alignment of the whole. */
static size_t measure_copies(const struct target_region *region, size_t *align_ret)
{
	size_t size = region->n * sizeof(void *), max = sizeof(void *);

	for (size_t i = 0; region->align && i < region->n; i++) {
		if (!TARGET_IS_COPIED(region->align[i]))
			continue;
		size_t align = (size_t)1 << (region->align[i] - 1);
		if (align > max)
			max = align;
		size = ((size + align - 1) & ~(align - 1)) + region->sizes[i];
	}
	*align_ret = max;
	return size;
}

/* Argument @i is TARGET_ATTACHED; @args are the new arguments. A null pointer stays null. */
static void attach_copy(const struct target_region *region, void **args, size_t i)
{
	size_t at = (size_t)((void **)region->args[i] - region->args);
	char *pointer;

	memcpy(&pointer, args[at], sizeof(pointer));
	if (!pointer)
		return;
	pointer = (char *)args[i - 1] + (pointer - (char *)region->args[i - 1]);
	memcpy(args[at], &pointer, sizeof(pointer));
}

/* Writes the arguments to @room. Firstprivate arguments point to copies behind them. */
static void create_copies(const struct target_region *region, char *room)
{
	void **args = (void **)(void *)room;
	size_t at = region->n * sizeof(void *);

	if (!region->n)
		return;
	memcpy(args, region->args, at);
	for (size_t i = 0; region->align && i < region->n; i++) {
		if (!TARGET_IS_COPIED(region->align[i]))
			continue;
		size_t align = (size_t)1 << (region->align[i] - 1);
		at = (at + align - 1) & ~(align - 1);
		memcpy(room + at, region->args[i], region->sizes[i]);
		args[i] = room + at;
		at += region->sizes[i];
	}
	for (size_t i = 0; region->align && i < region->n; i++) {
		if (region->align[i] == TARGET_ATTACHED)
			attach_copy(region, args, i);
	}
}

/* Executes the region with its own arguments. */
static void run_region(struct thread *t, ompt_target_t kind, void (*fn)(void *), void *args, uint32_t thread_limit,
		       struct site site)
{
	struct point_target report = {0};

	POINT(target_begin, t, kind, &report, site);
	/* A device has its own ICVs, with the values from the program's start. */
	team_begin_nested_initial(t, fn, args, &icv_process.initial, thread_limit, site);
	POINT(initial_begin, t, false);
	OMPD_POINT(target_begin);
	fn(args);
	OMPD_POINT(target_end);
	team_end_nested_initial(t);
	POINT(target_end, t, kind, &report, site);
}

void target_run(struct thread *t, const struct target_region *region)
{
	char small[ON_STACK_MAX] __attribute__((aligned(CACHE_LINE))), *room = small, *base = NULL;
	size_t align, size;

	if (!region->align) {
		run_region(t, ompt_target, region->fn, region->args, region->thread_limit, region->site);
		return;
	}
	size = measure_copies(region, &align);
	if (size > sizeof(small) || align > CACHE_LINE) {
		base = memory_alloc(size + align);
		room = base + (-(uintptr_t)base & (align - 1));
	}
	create_copies(region, room);
	run_region(t, ompt_target, region->fn, room, region->thread_limit, region->site);
	free(base);
}

/* The data of a target task precedes its arguments. */
struct launch {
	void (*fn)(void *);
	size_t offset; /* of the arguments */
	uint32_t thread_limit;
	struct site site;
};

static void fill_launch(void *to, void *from)
{
	const struct target_region *region = from;
	struct launch *launch = to;
	size_t align;

	measure_copies(region, &align);
	*launch = (struct launch){region->fn, (sizeof(*launch) + align - 1) & ~(align - 1), region->thread_limit,
				  region->site};
	create_copies(region, (char *)to + launch->offset);
}

static void run_target_task(void *data)
{
	struct thread *t = thread_self();
	struct launch *launch = data;
	ompt_target_t kind = t->task->flags & TASK_UNDEFERRED ? ompt_target : ompt_target_nowait;

	run_region(t, kind, launch->fn, (char *)data + launch->offset, launch->thread_limit, launch->site);
}

static void do_nothing(void *data)
{
	(void)data;
}

void target_order(struct thread *t, ompt_target_t kind, void **depend, bool deferred, struct site site)
{
	struct point_target report = {0};
	struct task_construct construct = {
		.fn = do_nothing,
		.depend = depend,
		.flags = TASK_TARGET | (deferred ? 0 : TASK_UNDEFERRED),
		.site = site,
	};

	POINT(target_begin, t, kind, &report, site);
	if (depend)
		task_construct(t, &construct);
	POINT(target_end, t, kind, &report, site);
}

void target_spawn(struct thread *t, const struct target_region *region, void **depend, bool deferred)
{
	size_t align, size = measure_copies(region, &align);
	struct task_construct construct = {
		.fn = run_target_task,
		.data = (void *)(uintptr_t)region,
		.copy = fill_launch,
		.size = ((sizeof(struct launch) + align - 1) & ~(align - 1)) + size,
		.align = align,
		.depend = depend,
		.flags = TASK_TARGET | (deferred ? 0 : TASK_UNDEFERRED),
		.site = region->site,
	};

	task_construct(t, &construct);
}

void target_defer(struct thread *t, void (*fn)(void *), void *data, void (*copy)(void *to, void *from), size_t size,
		  void **depend, struct site site)
{
	struct task_construct construct = {
		.fn = fn,
		.data = data,
		.copy = copy,
		.size = size,
		.align = _Alignof(max_align_t),
		.depend = depend,
		.flags = TASK_TARGET | (t->task->flags & TASK_FINAL ? TASK_FINAL | TASK_UNDEFERRED : 0),
		.site = site,
	};

	task_construct(t, &construct);
}
