/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One table of phrases: what hints say, and what one types instead. */
#include "hints.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "failure.h"
#include "text.h"

/* Longer phrases stand before those that they begin with. */
static const struct phrase {
	const char *json, *typed;
	int of_private; /* only where ompdctl started ompdd */
} phrases[] = {
	{"attach with mode \"observe\", which needs no ptrace", "-m observe needs no ptrace", 0},
	{"attach with a larger max_stop_ms, or with mode \"observe\"", "give a larger --max-stop-ms, or -m observe", 0},
	{"attach with mode \"observe\"", "use -m observe", 0},
	{"attached with mode \"stop\"", "attached with -m stop", 0},
	{"attach again with mode \"stop\"", "attach again with -m stop", 0},
	{"attach with mode \"stop\"", "use -m stop", 0},
	{"mode \"stop\"", "-m stop", 0},
	{"mode \"observe\"", "-m observe", 0},
	{"max_stop_ms", "--max-stop-ms", 0},
	{"\"exe\" (ompdctl --exe)", "--exe FILE", 0},
	{"\"sysroot\" (ompdctl --sysroot)", "--sysroot DIR", 0},
	{"with exe or sysroot", "with --exe FILE or --sysroot DIR", 0},
	{"--debug-dir DIR or debug_dirs", "--debug-dir DIR", 0},
	{"in debug_dirs", "with --debug-dir DIR", 0},
	{"send the token that ompdd wrote to its --token-file",
	 "--token-file FILE, or $OMPDD_TOKEN_FILE, names the file that ompdd wrote its token to", 0},
	{"the PATH of env", "$PATH", 0},
	{"target.launch with stop_at \"ompd_dll_locations_valid\"", "ompdctl break ompd_dll_locations_valid -- PROGRAM",
	 0},
	{"target.attach comes first", "ompdctl attach -p PID comes first", 0},
	{"target.attach makes one", "ompdctl attach -p PID makes one", 0},
	{"target.list shows", "ompdctl targets shows", 0},
	{"thread.list shows the threads", "ompdctl threads --all shows the threads", 0},
	{"target.info and stack.get show", "ompdctl info and bt show", 0},
	{"task.list has what is known of that task; stack.get without logical shows",
	 "ompdctl tasks has what is known of that task; bt without --logical shows", 0},
	{"or give sample_ms", "or give threads --sample MS", 0},
	{"stack.get shows where each", "ompdctl bt shows where each", 0},
	{"diagnose.get looks at its stack", "ompdctl why looks at its stack", 0},
	{"ask with a larger max_frames", "ompdctl call stack.get takes a larger max_frames", 0},
	{"ask within target.stop", "ask while a debugger, or a client with target.stop, holds the process", 0},
	{"breakpoint.addresses shows", "ompdctl call breakpoint.addresses -p PID --pretty shows", 0},
	{"breakpoint.list shows", "ompdctl call breakpoint.list shows", 0},
	{"profile.get reads that one, profile.stop ends it",
	 "ompdctl call profile.get reads that one, ompdctl call profile.stop ends it", 0},
	{"profile.start begins one", "ompdctl call profile.start begins one", 0},
	{"rpc.discover and", "ompdctl call rpc.discover and", 0},
	{"rpc.discover lists", "ompdctl call rpc.discover lists", 0},
	{"daemon.info shows", "ompdctl call daemon.info shows", 0},
	{"start ompdd with --libompd PATH", "give --libompd PATH", 1},
	{"run ompdd as", "run ompdctl as", 1},
};

char *hints_translate(const char *hint, int is_private)
{
	const size_t n = sizeof(phrases) / sizeof(*phrases);
	struct text t = {0};

	text_add(&t, "");
	while (*hint) {
		const struct phrase *p = phrases;

		while (p < phrases + n && ((p->of_private && !is_private) || strncmp(hint, p->json, strlen(p->json))))
			p++;
		if (p < phrases + n) {
			text_add(&t, p->typed);
			hint += strlen(p->json);
		} else {
			text_add_bytes(&t, hint++, 1);
		}
	}
	return text_take(&t);
}

/* Of a construct, as in "barrier": whether it has events. */
static bool add_events_of(struct text *hint, const char *construct)
{
	size_t len = strlen(construct);
	bool any = false;

	for (const char *const *event = command_events; *event; event++) {
		if (strncmp(*event, construct, len) != 0 || (*event)[len] != '_')
			continue;
		text_printf(hint, any ? ", %s" : "its events are %s", *event);
		any = true;
	}
	if (any)
		text_add(hint, "; ");
	return any;
}

void hints_suggest_event(const char *place, struct failure *failure)
{
	struct text hint = {0};
	const char *meant = command_suggest_event(place);

	if (!failure->name || strcmp(failure->name, "symbol_not_found") || strpbrk(place, ".:"))
		return;
	/* It may be that of a condition. */
	if (!strstr(failure->message, place))
		return;
	if (!add_events_of(&hint, place) && meant)
		text_printf(&hint, "did you mean the event %s? ", meant);
	text_add(&hint, "ompdctl help break names the events; a function may be in a library that is loaded later");
	free(failure->hint);
	failure->hint = text_take(&hint);
}
