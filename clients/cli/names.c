/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short names of thread states, for tables and trees. */
#include "names.h"

#include <string.h>

#include "format.h"

static const struct {
	const char *suffix; /* after ompt_state_ */
	const char *name;
	enum colour colour;
} states[] = {
	{"work_serial", "serial", COLOUR_GREEN},
	{"work_parallel", "work", COLOUR_GREEN},
	{"work_reduction", "reduction", COLOUR_GREEN},
	{"wait_barrier", "barrier", COLOUR_YELLOW},
	{"wait_barrier_implicit_parallel", "barrier", COLOUR_YELLOW},
	{"wait_barrier_implicit_workshare", "barrier", COLOUR_YELLOW},
	{"wait_barrier_implicit", "barrier", COLOUR_YELLOW},
	{"wait_barrier_explicit", "barrier", COLOUR_YELLOW},
	{"wait_barrier_implementation", "barrier", COLOUR_YELLOW},
	{"wait_barrier_teams", "barrier", COLOUR_YELLOW},
	{"wait_taskwait", "taskwait", COLOUR_YELLOW},
	{"wait_taskgroup", "taskgroup", COLOUR_YELLOW},
	{"wait_mutex", "mutex", COLOUR_RED},
	{"wait_lock", "lock", COLOUR_RED},
	{"wait_critical", "critical", COLOUR_RED},
	{"wait_atomic", "atomic", COLOUR_RED},
	{"wait_ordered", "ordered", COLOUR_RED},
	{"wait_target", "target", COLOUR_YELLOW},
	{"wait_target_map", "target", COLOUR_YELLOW},
	{"wait_target_update", "target", COLOUR_YELLOW},
	{"idle", "idle", COLOUR_DIM},
	{"overhead", "overhead", COLOUR_MAGENTA},
	{"undefined", "undefined", COLOUR_NONE},
};

struct state_name names_state(const struct style *style, struct json_object *state)
{
	struct state_name ret = {.colour = COLOUR_NONE};
	const char *name = format_string(format_member(state, "name"));
	const char *source = format_string(format_member(state, "source"));
	struct text t = {0};

	if (!name) {
		ret.text = format_value_string(style, state);
		return ret;
	}
	const char *shown = name;
	if (!strncmp(name, "ompt_state_", 11))
		shown = name + 11;
	else if (!strncmp(name, "omp_state_", 10))
		shown = name + 10;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (strcmp(shown, states[i].suffix))
			continue;
		shown = states[i].name;
		ret.colour = states[i].colour;
		break;
	}
	text_add_safe(&t, shown, style->utf8);
	if (source && !strcmp(source, "inferred"))
		text_add(&t, "~");
	ret.text = text_take(&t);
	return ret;
}
