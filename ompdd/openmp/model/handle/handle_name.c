/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The protocol's form of handles: written, and parsed from the text that clients send. */
#include "openmp/model/handle/handle_name.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[HANDLE_KINDS] = {"as", "thr", "par", "task"};

const char *handle_kind_name(enum handle_kind kind)
{
	return kind_names[kind];
}

size_t handle_name_write(const char *target_id, uint64_t epoch, unsigned runtime, enum handle_kind kind,
			 uint32_t number, char ret[HANDLE_NAME_SIZE])
{
	char of_runtime[16] = "";

	if (runtime > 0)
		snprintf(of_runtime, sizeof(of_runtime), ":r%u", runtime);
	int n = snprintf(ret, HANDLE_NAME_SIZE, "%s:e%llu%s:%s:%u", target_id, (unsigned long long)epoch, of_runtime,
			 kind_names[kind], number);

	return n < 0 ? 0 : (size_t)n;
}

/* Parses digits without leading zeros, up to @max. Returns false for anything else. */
static bool parse_number(const char **text, uint64_t max, uint64_t *ret)
{
	const char *p = *text;
	uint64_t value = 0;

	if (*p < '0' || *p > '9' || (p[0] == '0' && p[1] >= '0' && p[1] <= '9'))
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (value > (max - (uint64_t)(*p - '0')) / 10)
			return false;
		value = value * 10 + (uint64_t)(*p - '0');
	}
	*text = p;
	*ret = value;
	return true;
}

static bool skip_text(const char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*text, word, len) != 0)
		return false;
	*text += len;
	return true;
}

bool handle_name_parse(const char *text, struct handle_name *ret)
{
	struct handle_name name;
	uint64_t target, runtime = 0;
	int kind = 0;

	if (!skip_text(&text, "t") || !parse_number(&text, 999999999, &target) || !skip_text(&text, ":e") ||
	    !parse_number(&text, INT64_MAX, &name.epoch) || !skip_text(&text, ":"))
		return false;
	/* The number of the first runtime is not written. */
	if (skip_text(&text, "r") &&
	    (!parse_number(&text, HANDLE_MAX_RUNTIMES - 1, &runtime) || runtime == 0 || !skip_text(&text, ":")))
		return false;
	name.runtime = (unsigned)runtime;
	while (kind < HANDLE_KINDS) {
		const char *rest = text;

		if (skip_text(&rest, kind_names[kind]) && skip_text(&rest, ":")) {
			text = rest;
			break;
		}
		kind++;
	}
	if (kind == HANDLE_KINDS)
		return false;
	name.kind = (enum handle_kind)kind;
	if (!parse_number(&text, INT64_MAX, &name.number) || *text)
		return false;
	*ret = name;
	return true;
}
