/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of control variables as texts. */
#include "core/icv/env_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/state/icv.h"

const char *env_text_of_bool(bool on)
{
	return on ? "TRUE" : "FALSE";
}

void env_text_list(char *text, const uint32_t *list, uint32_t n)
{
	const char *end = text + ENV_TEXT_MAX;

	for (uint32_t i = 0; i < n; i++)
		text += snprintf(text, (size_t)(end - text), "%s%" PRIu32, i ? "," : "", list[i]);
}

void env_text_bind(char *text, const uint8_t *list, uint32_t n)
{
	static const char *const names[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
	const char *end = text + ENV_TEXT_MAX;

	for (uint32_t i = 0; i < n; i++)
		text += snprintf(text, (size_t)(end - text), "%s%s", i ? "," : "", names[list[i]]);
}

/* Only a static schedule is monotonic by default. The modifier is shown where it differs from that. */
void env_text_schedule(char *text, uint32_t sched, uint32_t chunk)
{
	static const char *const kinds[] = {"RUNTIME", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
	const char *end = text + ENV_TEXT_MAX;
	uint32_t kind = SCHEDULE_KIND(sched);
	bool monotonic = sched & SCHEDULE_MONOTONIC;

	if (monotonic != (kind == SCHEDULE_STATIC))
		text += snprintf(text, (size_t)(end - text), "%s:", monotonic ? "MONOTONIC" : "NONMONOTONIC");
	text += snprintf(text, (size_t)(end - text), "%s", kinds[kind]);
	if (kind != SCHEDULE_AUTO && chunk != (kind == SCHEDULE_STATIC ? 0 : 1))
		snprintf(text, (size_t)(end - text), ",%" PRIu32, chunk);
}
