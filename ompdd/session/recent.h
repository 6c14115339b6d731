/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The last answers of a target's worker, for requests that are content with one of a moment ago (max_age_ms): however
 * many clients watch a target, it is looked at once.
 */
#ifndef OMPDD_SESSION_RECENT_H
#define OMPDD_SESSION_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Answers that are kept for a target, and the bytes of one. */
#define RECENT_ANSWERS 8
#define RECENT_BYTES   (4 * 1024 * 1024)
/* The largest max_age_ms. */
#define RECENT_AGE_MS 10000

struct recent_answer {
	char *method; /* NULL: the slot is free */
	char *params;
	char *payload;
	size_t params_len, payload_len;
	int64_t at_ms;
};

struct recent {
	struct recent_answer answers[RECENT_ANSWERS];
};

/*
 * The answer to that method with that very text of parameters, if one is kept that is at most @max_age_ms old; else
 * NULL. Valid until the next call.
 */
const struct recent_answer *recent_find(const struct recent *r, const char *method, const char *params,
					size_t params_len, int64_t max_age_ms, int64_t now_ms);

/*
 * Keep a copy of an answer, in the place of an older one if need be. One that is too large, or for which there is no
 * memory, is not kept.
 */
void recent_put(struct recent *r, const char *method, const char *params, size_t params_len, const char *payload,
		size_t payload_len, int64_t now_ms);

/* Forget what is too old for anybody. Returns whether something is left. */
bool recent_expire(struct recent *r, int64_t now_ms);

void recent_deinit(struct recent *r);

#endif
