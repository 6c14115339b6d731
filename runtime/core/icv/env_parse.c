/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Parses values of environment variables: words, numbers, sizes, schedules. It accepts the forms of the OpenMP
 * specification (5.2, 21), and of gcc's manual for gcc's own variables.
 */
#include "core/icv/env_parse.h"

#include <limits.h>

#include "core/state/icv.h"
#include "os/parse.h"

bool env_parse_choice(const char *text, const char *const *words, unsigned *ret)
{
	unsigned i;

	if (!parse_one_of(&text, words, &i) || !parse_end(text))
		return false;
	*ret = i;
	return true;
}

bool env_parse_bool(const char *text, bool *ret)
{
	static const char *const words[] = {"false", "true", NULL};
	unsigned i;

	if (!env_parse_choice(text, words, &i))
		return false;
	*ret = i == 1;
	return true;
}

bool env_parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value;

	if (!parse_unsigned(&text, max, &value) || value < min || !parse_end(text))
		return false;
	*ret = value;
	return true;
}

bool env_parse_nthreads(const char *text, uint32_t *ret, uint32_t *n)
{
	uint32_t count = 0;
	uint64_t value;

	do {
		if (count == ENV_LIST_MAX || !parse_unsigned(&text, INT_MAX, &value) || value == 0)
			return false;
		ret[count++] = (uint32_t)value;
	} while (parse_char(&text, ','));
	if (!parse_end(text))
		return false;
	*n = count;
	return true;
}

bool env_parse_bind(const char *text, uint8_t *ret, uint32_t *n)
{
	/* In the order of omp_proc_bind_t; "master" is the old name of "primary". */
	static const char *const words[] = {"false", "true", "primary", "close", "spread", "master", NULL};
	uint32_t count = 0;
	unsigned i;

	do {
		if (count == ENV_LIST_MAX || !parse_one_of(&text, words, &i))
			return false;
		if (i < 2) {
			/* Only allowed alone. */
			if (count || !parse_end(text))
				return false;
		}
		ret[count++] = (uint8_t)(i == 5 ? 2 : i);
	} while (parse_char(&text, ','));
	if (!parse_end(text))
		return false;
	*n = count;
	return true;
}

bool env_parse_size(const char *text, uint64_t *ret)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = {{"b", 1}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}};
	uint64_t value, unit = 1 << 10;

	if (!parse_unsigned(&text, UINT64_MAX, &value))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (parse_word(&text, units[i].unit)) {
			unit = units[i].bytes;
			break;
		}
	}
	if (!parse_end(text) || __builtin_mul_overflow(value, unit, &value))
		return false;
	*ret = value;
	return true;
}

bool env_parse_spin(const char *text, uint64_t *ret)
{
	static const struct {
		const char *unit;
		uint64_t factor;
	} units[] = {{"k", 1000}, {"m", 1000000}, {"g", 1000000000}, {"t", 1000000000000}};
	uint64_t value;

	if (parse_word(&text, "infinite") || parse_word(&text, "infinity")) {
		value = UINT64_MAX;
	} else {
		if (!parse_unsigned(&text, UINT64_MAX, &value))
			return false;
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
			if (!parse_word(&text, units[i].unit))
				continue;
			if (__builtin_mul_overflow(value, units[i].factor, &value))
				return false;
			break;
		}
	}
	if (!parse_end(text))
		return false;
	*ret = value;
	return true;
}

enum env_schedule env_parse_schedule(const char *text, uint32_t *sched, uint32_t *chunk)
{
	static const char *const modifiers[] = {"nonmonotonic", "monotonic", NULL};
	static const char *const kinds[] = {"static", "dynamic", "guided", "auto", NULL};
	unsigned kind, modifier;
	uint64_t size;

	bool modified = parse_one_of(&text, modifiers, &modifier);
	if (modified && !parse_char(&text, ':'))
		return ENV_SCHEDULE_UNKNOWN;
	if (!parse_one_of(&text, kinds, &kind))
		return ENV_SCHEDULE_UNKNOWN;
	uint32_t result = SCHEDULE_STATIC + kind;

	size = result == SCHEDULE_STATIC ? 0 : 1;
	if (parse_char(&text, ',')) {
		if (!parse_unsigned(&text, INT_MAX, &size) || !parse_end(text))
			return ENV_SCHEDULE_BAD_CHUNK;
		if (size == 0 && result != SCHEDULE_STATIC)
			size = 1;
	} else if (!parse_end(text)) {
		return ENV_SCHEDULE_UNKNOWN;
	}
	if (modified ? modifier == 1 : result == SCHEDULE_STATIC)
		result |= SCHEDULE_MONOTONIC;
	*sched = result;
	*chunk = (uint32_t)size;
	return ENV_SCHEDULE_OK;
}
