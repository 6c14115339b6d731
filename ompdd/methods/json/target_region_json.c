/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds the place, the device's kind and name, and the waiting tasks to what the stacks show of a target construct. */
#include "methods/json/target_region_json.h"

#include <omp-tools.h>

#include "methods/json/json.h"
#include "methods/json/stack_json.h"
#include "openmp/devices/devices.h"
#include "openmp/model/wait/holder.h"
#include "openmp/stacks/stack_target.h"
#include "rpc/json_write.h"
#include "target/modules/modules.h"

static struct json_object *task_json(struct state_builder *b, uint32_t task)
{
	return task == SNAPSHOT_NONE ? state_builder_rc(b, ompd_rc_unavailable)
				     : state_builder_handle(b, HANDLE_TASK, b->s->tasks[task].number);
}

static struct json_object *activity_json(struct state_builder *b, enum stack_target_activity activity)
{
	static const char *const names[] = {
		[STACK_TARGET_START] = "initialisation", [STACK_TARGET_DATA] = "data",
		[STACK_TARGET_DEVICE] = "device",	 [STACK_TARGET_HOST] = "host",
		[STACK_TARGET_QUEUED] = "queued",
	};

	return activity == STACK_TARGET_WAITS ? state_builder_rc(b, ompd_rc_unavailable)
					      : json_object_new_string(names[activity]);
}

static struct json_object *nowait_json(struct state_builder *b, enum construct_nowait nowait)
{
	return nowait == CONSTRUCT_NOWAIT_UNKNOWN ? state_builder_rc(b, ompd_rc_unavailable)
						  : json_object_new_boolean(nowait == CONSTRUCT_NOWAIT_YES);
}

/* Return the function of the region: by its name, or by its address. */
static struct json_object *function_json(struct state_builder *b, const struct stack_target *target)
{
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset;

	if (target->function)
		return json_function(target->function);
	if (target->address && target_symbol_at(b->w->target, target->address, symbol, sizeof(symbol), &offset) &&
	    !offset)
		return json_function(symbol);
	return state_builder_rc(b, ompd_rc_unavailable);
}

static void put_thread(struct state_builder *b, struct json_object *o, const struct stack_target *target)
{
	const struct snapshot_thread *thread = target->thread == SNAPSHOT_NONE ? NULL : &b->s->threads[target->thread];
	uint32_t parallel = thread ? thread->parallel.index : SNAPSHOT_NONE;

	json_put(o, "thread", json_object_new_int(target->tid));
	json_put(o, "thread_num",
		 thread ? state_builder_int(b, &thread->thread_num) : state_builder_rc(b, ompd_rc_unavailable));
	json_put(o, "helper",
		 json_object_new_boolean(parallel != SNAPSHOT_NONE && b->s->parallels[parallel].is_of_helpers));
	if (thread && thread->is_racy)
		json_put(o, "racy", json_object_new_boolean(true));
}

static void put_device(struct state_builder *b, struct json_object *o, const struct stack_target *target,
		       const struct devices *devices)
{
	const struct device *device = NULL;

	if (target->activity == STACK_TARGET_HOST)
		return;
	json_put(o, "device",
		 target->has_device ? json_object_new_int(target->device) : state_builder_rc(b, ompd_rc_unavailable));
	if (!target->has_device)
		return;
	for (size_t i = 0; i < devices->n && !device; i++) {
		if (devices->list[i].number == (unsigned)target->device)
			device = &devices->list[i];
	}
	if (device && device->kind[0])
		json_put(o, "device_kind", json_text(device->kind));
	else
		json_put(o, "device_kind",
			 devices->why ? json_reason(devices->why) : state_builder_rc(b, ompd_rc_unavailable));
	if (device && device->name[0])
		json_put(o, "device_name", json_text(device->name));
	else
		json_put(o, "device_name",
			 devices->why ? json_reason(devices->why) : state_builder_rc(b, ompd_rc_unavailable));
}

/* Return whether the library lists @task among the tasks of the wait. */
static bool is_awaited(const struct holder_wait *wait, uint32_t task)
{
	if (wait->kind != HOLDER_TASKWAIT && wait->kind != HOLDER_TASKGROUP)
		return false;
	for (uint32_t i = 0; i < wait->n_holders; i++) {
		if (wait->holders[i].task == task && wait->holders[i].source == HOLDER_FROM_PLUGIN)
			return true;
	}
	return false;
}

static struct json_object *awaited_by_json(struct state_builder *b, uint32_t task, const struct holders *holders)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < holders->n && task != SNAPSHOT_NONE; i++) {
		const struct holder_wait *wait = &holders->waits[i];

		if (!is_awaited(wait, task))
			continue;
		struct json_object *o = json_object_new_object();
		const struct snapshot_thread *thread = &b->s->threads[wait->thread];

		json_put(o, "thread", json_object_new_int(thread->tid));
		json_put(o, "thread_num", state_builder_int(b, &thread->thread_num));
		json_put(o, "task", task_json(b, wait->task));
		json_put(o, "construct", json_object_new_string(holder_kind_name(wait->kind)));
		json_object_array_add(array, o);
	}
	return array;
}

struct json_object *target_region_json(struct state_builder *b, const struct stack_target *target,
				       const struct holders *holders, const struct devices *devices)
{
	struct json_object *o = json_object_new_object();

	state_builder_put_runtime(b, o);
	if (target->tid)
		put_thread(b, o, target);
	else
		json_put(o, "thread", state_builder_rc(b, ompd_rc_unavailable));
	json_put(o, "task", task_json(b, target->task));
	json_put(o, "construct",
		 target->has_kind ? json_object_new_string(construct_target_name(target->kind))
				  : state_builder_rc(b, ompd_rc_unavailable));
	json_put(o, "entry", target->callee ? json_text(target->callee) : state_builder_rc(b, ompd_rc_unavailable));
	json_put(o, "call_site",
		 target->place ? stack_inlined_call_json(b->stacks, target->place, target->inlined)
			       : state_builder_rc(b, ompd_rc_unavailable));
	if (target->task != SNAPSHOT_NONE && target->nowait == CONSTRUCT_NOWAIT_YES)
		state_builder_put_location(b, o, b->s->tasks[target->task].location);
	json_put(o, "function", function_json(b, target));
	json_put(o, "activity", activity_json(b, target->activity));
	json_put(o, "nowait", nowait_json(b, target->nowait));
	put_device(b, o, target, devices);
	json_put(o, "awaited_by", awaited_by_json(b, target->task, holders));
	return o;
}
