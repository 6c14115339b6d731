/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Capabilities of DAP: ours, the observer's and the native adapters'. */
#include "capabilities.h"

#include <string.h>

#include <json-c/json.h>

#include "events.h"
#include "message.h"

static const struct {
	const char *command, *capability;
} needs[] = {
	{"breakpointLocations", "supportsBreakpointLocationsRequest"},
	{"cancel", "supportsCancelRequest"},
	{"completions", "supportsCompletionsRequest"},
	{"configurationDone", "supportsConfigurationDoneRequest"},
	{"dataBreakpointInfo", "supportsDataBreakpoints"},
	{"disassemble", "supportsDisassembleRequest"},
	{"exceptionInfo", "supportsExceptionInfoRequest"},
	{"goto", "supportsGotoTargetsRequest"},
	{"gotoTargets", "supportsGotoTargetsRequest"},
	{"loadedSources", "supportsLoadedSourcesRequest"},
	{"modules", "supportsModulesRequest"},
	{"readMemory", "supportsReadMemoryRequest"},
	{"restart", "supportsRestartRequest"},
	{"restartFrame", "supportsRestartFrame"},
	{"reverseContinue", "supportsStepBack"},
	{"setDataBreakpoints", "supportsDataBreakpoints"},
	{"setExpression", "supportsSetExpression"},
	{"setInstructionBreakpoints", "supportsInstructionBreakpoints"},
	{"setVariable", "supportsSetVariable"},
	{"stepBack", "supportsStepBack"},
	{"stepInTargets", "supportsStepInTargetsRequest"},
	{"terminate", "supportsTerminateRequest"},
	{"terminateThreads", "supportsTerminateThreadsRequest"},
	{"writeMemory", "supportsWriteMemoryRequest"},
};

const char *capabilities_needed(const char *command)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (!strcmp(needs[i].command, command))
			return needs[i].capability;
	}
	return NULL;
}

/* Append the filters of @body, then ours. */
static void add_filters(struct json_object *own, struct json_object *body)
{
	struct json_object *filters = dap_message_copy_array(body, "exceptionBreakpointFilters");

	events_add_filters(filters);
	json_object_object_add(own, "exceptionBreakpointFilters", filters);
}

struct json_object *capabilities_with_ours(struct json_object *body, bool steps)
{
	struct json_object *own = dap_message_copy(body);

	add_filters(own, body);
	dap_message_put_bool(own, "supportsFunctionBreakpoints", true);
	if (steps)
		dap_message_put_bool(own, "supportsStepInTargetsRequest", true);
	return own;
}

struct json_object *capabilities_of_observer(bool stops)
{
	struct json_object *own = json_object_new_object();

	dap_message_put_bool(own, "supportsConfigurationDoneRequest", true);
	dap_message_put_bool(own, "supportsDelayedStackTraceLoading", true);
	dap_message_put_bool(own, "supportsEvaluateForHovers", false);
	/* Neither is safe for a process that existed before the session: a client would end it. */
	dap_message_put_bool(own, "supportTerminateDebuggee", false);
	dap_message_put_bool(own, "supportsTerminateRequest", false);
	if (stops) {
		add_filters(own, NULL);
		dap_message_put_bool(own, "supportsFunctionBreakpoints", true);
		dap_message_put_bool(own, "supportsStepInTargetsRequest", true);
	}
	return own;
}

struct json_object *capabilities_before_choice(void)
{
	/* Common to lldb-vscode 14, lldb-dap 19 and gdb 14. */
	static const char *const common[] = {"supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints",
					     "supportsEvaluateForHovers", "supportsSetVariable"};
	struct json_object *own = capabilities_of_observer(true);

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		dap_message_put_bool(own, common[i], true);
	return own;
}

struct json_object *capabilities_change(struct json_object *before, struct json_object *now)
{
	struct json_object *change = dap_message_copy(now);

	if (json_object_is_type(before, json_type_object)) {
		json_object_object_foreach(before, key, value)
		{
			bool is_known = json_object_object_get_ex(now, key, NULL);

			if (!is_known && json_object_is_type(value, json_type_boolean) &&
			    json_object_get_boolean(value))
				dap_message_put_bool(change, key, false);
			else if (!is_known && json_object_is_type(value, json_type_array))
				json_object_object_add(change, key, json_object_new_array());
		}
	}
	return change;
}

void capabilities_announce(struct dap_client *client, struct json_object *now)
{
	struct json_object *body = json_object_new_object();

	json_object_object_add(body, "capabilities", capabilities_change(client->announced, now));
	dap_client_send_event(client, "capabilities", body);
	json_object_put(client->announced);
	client->announced = now;
}
