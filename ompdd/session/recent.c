/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps a few answers by method and parameters; replaces the oldest one first. */
#include "session/recent.h"

#include <stdlib.h>
#include <string.h>

static void forget_answer(struct recent_answer *a)
{
	free(a->method);
	free(a->params);
	free(a->payload);
	*a = (struct recent_answer){0};
}

static bool is_for_request(const struct recent_answer *a, const char *method, const char *params, size_t params_len)
{
	return a->method && a->params_len == params_len && !strcmp(a->method, method) &&
	       !memcmp(a->params, params, params_len);
}

const struct recent_answer *recent_find(const struct recent *r, const char *method, const char *params,
					size_t params_len, int64_t max_age_ms, int64_t now_ms)
{
	for (size_t i = 0; i < RECENT_ANSWERS; i++) {
		const struct recent_answer *a = &r->answers[i];

		if (is_for_request(a, method, params, params_len) && now_ms - a->at_ms <= max_age_ms)
			return a;
	}
	return NULL;
}

static char *copy_text(const char *text, size_t len)
{
	char *to = malloc(len + 1);

	if (!to)
		return NULL;
	memcpy(to, text, len);
	to[len] = '\0';
	return to;
}

void recent_put(struct recent *r, const char *method, const char *params, size_t params_len, const char *payload,
		size_t payload_len, int64_t now_ms)
{
	struct recent_answer *place = &r->answers[0];

	for (size_t i = 0; i < RECENT_ANSWERS; i++) {
		struct recent_answer *a = &r->answers[i];

		if (is_for_request(a, method, params, params_len)) {
			place = a;
			break;
		}
		if (place->method && (!a->method || a->at_ms < place->at_ms))
			place = a;
	}
	forget_answer(place);
	if (payload_len > RECENT_BYTES)
		return;
	*place = (struct recent_answer){.method = copy_text(method, strlen(method)),
					.params = copy_text(params, params_len),
					.payload = copy_text(payload, payload_len),
					.params_len = params_len,
					.payload_len = payload_len,
					.at_ms = now_ms};
	if (!place->method || !place->params || !place->payload)
		forget_answer(place);
}

bool recent_expire(struct recent *r, int64_t now_ms)
{
	bool left = false;

	for (size_t i = 0; i < RECENT_ANSWERS; i++) {
		struct recent_answer *a = &r->answers[i];

		if (a->method && now_ms - a->at_ms > RECENT_AGE_MS)
			forget_answer(a);
		left |= a->method != NULL;
	}
	return left;
}

void recent_deinit(struct recent *r)
{
	for (size_t i = 0; i < RECENT_ANSWERS; i++)
		forget_answer(&r->answers[i]);
}
