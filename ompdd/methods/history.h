/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The history of states as JSON: samples come from answers of view.get, and history.get returns them. */
#ifndef OMPDD_METHODS_HISTORY_H
#define OMPDD_METHODS_HISTORY_H

#include "base/error.h"
#include "worker/history.h"

struct json_object;

/*
 * Record a sample at @now_ms (CLOCK_MONOTONIC, not decreasing), unless the second of @now_ms has one. @states: a result
 * of view.get, with "states", "tids", "numbers", "names" and "codes". Without memory, the sample is left out.
 */
void history_read(struct history *h, struct json_object *states, int64_t now_ms);

/*
 * Add the samples of the last ten minutes to @result: "ages_ms", "states", "threads" and "n_threads_left_out" (see
 * history.get). Fails if memory is out.
 */
MUST_USE struct error *history_write(const struct history *h, int64_t now_ms, struct json_object *result);

#endif
