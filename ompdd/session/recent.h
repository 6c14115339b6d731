/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The last answers of a target's worker, for requests that accept a recent answer (max_age_ms). Many clients that watch
 * one target then cost one inspection.
 */
#ifndef OMPDD_SESSION_RECENT_H
#define OMPDD_SESSION_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of answers kept per target, and the maximum bytes of one. */
#define RECENT_ANSWERS 8
#define RECENT_BYTES   (4 * 1024 * 1024)
/* The largest max_age_ms. */
#define RECENT_AGE_MS 10000

struct recent_answer {
	char *method; /* NULL: free slot */
	char *params;
	char *payload;
	size_t params_len, payload_len;
	int64_t at_ms;
};

struct recent {
	struct recent_answer answers[RECENT_ANSWERS];
};

/*
 * Find a kept answer to @method with exactly this text of parameters, at most @max_age_ms old. Returns NULL if there is
 * no such answer. The result is valid until the next call.
 */
const struct recent_answer *recent_find(const struct recent *r, const char *method, const char *params,
					size_t params_len, int64_t max_age_ms, int64_t now_ms);

/*
 * Keep a copy of an answer; replaces an older one if necessary. Drops an answer that is too large, and any answer if
 * memory is out.
 */
void recent_put(struct recent *r, const char *method, const char *params, size_t params_len, const char *payload,
		size_t payload_len, int64_t now_ms);

/* Drop answers older than any max_age_ms. Returns true if any are left. */
bool recent_expire(struct recent *r, int64_t now_ms);

void recent_deinit(struct recent *r);

#endif
