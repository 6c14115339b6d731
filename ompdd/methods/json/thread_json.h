/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread of a snapshot as JSON: `thread` of protocol/schema/common. */
#ifndef OMPDD_METHODS_THREAD_JSON_H
#define OMPDD_METHODS_THREAD_JSON_H

#include "methods/json/state_builder.h"

struct json_object *thread_json(struct state_builder *b, const struct snapshot_thread *thread);

#endif
