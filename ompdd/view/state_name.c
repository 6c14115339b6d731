/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of thread states. */
#include "view/state_name.h"

#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/phrase.h"
#include "view/value.h"

static const struct {
	const char *suffix; /* after ompt_state_ */
	const char *key, *text;
	char letter;
} states[] = {
	{"work_serial", "work", "serial", 'S'},
	{"work_parallel", "work", "work", 'W'},
	{"work_reduction", "work", "reduction", 'R'},
	{"wait_barrier", "wait", "barrier", 'B'},
	{"wait_barrier_implicit_parallel", "wait", "barrier", 'B'},
	{"wait_barrier_implicit_workshare", "wait", "barrier", 'B'},
	{"wait_barrier_implicit", "wait", "barrier", 'B'},
	{"wait_barrier_explicit", "wait", "barrier", 'B'},
	{"wait_barrier_implementation", "wait", "barrier", 'B'},
	{"wait_barrier_teams", "wait", "barrier", 'B'},
	{"wait_taskwait", "wait", "taskwait", 'T'},
	{"wait_taskgroup", "wait", "taskgroup", 'G'},
	{"wait_mutex", "mutex", "mutex", 'M'},
	{"wait_lock", "mutex", "lock", 'L'},
	{"wait_critical", "mutex", "critical", 'C'},
	{"wait_atomic", "mutex", "atomic", 'A'},
	{"wait_ordered", "mutex", "ordered", 'O'},
	{"wait_target", "wait", "target", 'X'},
	{"wait_target_map", "wait", "target", 'X'},
	{"wait_target_update", "wait", "target", 'X'},
	{"idle", "idle", "idle", '-'},
	{"overhead", "overhead", "overhead", 'r'},
	{"undefined", "other", "undefined", 'U'},
};

/* The states of samples: profile_state of the protocol. */
static const struct {
	const char *state;
	const char *key, *text;
	char letter;
	const char *group;
} profile_states[] = {
	{"work", "work", "work", 'W', "work"},
	{"serial", "work", "serial", 'S', "work"},
	{"target", "wait", "target", 'X', "target"},
	{"barrier_explicit", "wait", "explicit barrier", 'B', "barrier"},
	{"barrier_implicit", "wait", "implicit barrier", 'b', "barrier"},
	{"barrier", "wait", "barrier", 'B', "barrier"},
	{"critical", "mutex", "critical", 'C', "lock"},
	{"lock", "mutex", "lock", 'L', "lock"},
	{"atomic", "mutex", "atomic", 'A', "lock"},
	{"mutex", "mutex", "mutex", 'M', "lock"},
	{"ordered", "mutex", "ordered", 'O', "lock"},
	{"taskwait", "wait", "taskwait", 'T', "task"},
	{"taskgroup", "wait", "taskgroup", 'G', "task"},
	{"idle", "idle", "idle", '-', "idle"},
	{"asleep", "other", "asleep", 'z', "sleep"},
	{"overhead", "overhead", "overhead", 'r', "rest"},
	{"unknown", "other", "unknown", '?', "rest"},
};

struct json_object *state_name_other_json(const char *key, const char *text)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "key", json_object_new_string(key));
	json_object_object_add(o, "text", json_object_new_string(text));
	return o;
}

struct json_object *state_name_profile_json(void)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < sizeof(profile_states) / sizeof(*profile_states); i++) {
		struct json_object *o = state_name_other_json(profile_states[i].key, profile_states[i].text);

		json_object_object_add(o, "letter", json_object_new_string_len(&profile_states[i].letter, 1));
		json_object_object_add(o, "name", json_object_new_string(profile_states[i].state));
		json_object_object_add(o, "group", json_object_new_string(profile_states[i].group));
		json_object_array_add(array, o);
	}
	return array;
}

struct state_name state_name_find(struct json_object *state)
{
	const char *name = json_read_string(json_read_member(state, "name"));

	if (!name)
		return (struct state_name){"other", "not known", '?', STATE_NAME_UNKNOWN};
	if (!strncmp(name, "ompt_state_", 11))
		name += 11;
	else if (!strncmp(name, "omp_state_", 10))
		name += 10;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (!strcmp(name, states[i].suffix))
			return (struct state_name){states[i].key, states[i].text, states[i].letter, (int)i};
	}
	return (struct state_name){"other", name, '?', STATE_NAME_UNKNOWN - 1};
}

struct json_object *state_name_json(struct json_object *state, int verbose)
{
	struct json_object *name = json_read_member(state, "name");
	const char *reason = json_read_reason(state);
	int inferred = !strcmp(json_read_text(state, "source"), "inferred");
	struct state_name found = state_name_find(state);
	struct buf text = {0};

	if (json_read_string(name))
		phrase_printf(&text, "%s%s", found.text, inferred ? "~" : "");
	else
		value_add(&text, state, verbose);
	struct json_object *o = state_name_other_json(found.key, phrase_text(&text));
	buf_deinit(&text);
	json_object_object_add(o, "letter", json_object_new_string_len(&found.letter, 1));
	if (json_read_string(name)) {
		json_object_object_add(o, "name", json_object_get(name));
		json_object_object_add(o, "inferred", json_object_new_boolean(inferred));
	} else if (reason) {
		json_object_object_add(o, "reason", json_object_new_string(reason));
	}
	return o;
}
