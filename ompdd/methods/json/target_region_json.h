/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Target constructs in progress as JSON: `target_region` of target_region.list. */
#ifndef OMPDD_METHODS_TARGET_REGION_JSON_H
#define OMPDD_METHODS_TARGET_REGION_JSON_H

#include "methods/json/state_builder.h"

struct devices;
struct holders;
struct json_object;
struct stack_target;

/*
 * Return @target, of the snapshot of @b. @holders are those of the snapshot. @devices are those of its runtime, for
 * kind and name of the device.
 */
struct json_object *target_region_json(struct state_builder *b, const struct stack_target *target,
				       const struct holders *holders, const struct devices *devices);

#endif
