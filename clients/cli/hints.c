/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table of phrases: those in the daemon's hints, and their forms on the command line. */
#include "hints.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "failure.h"
#include "text.h"

/* Order: longer phrases before their prefixes, phrases for some commands before those for all. */
static const struct phrase {
	const char *json, *typed;
	enum { FOR_ALL, FOR_PRIVATE, FOR_ATTACHED } is_for;
} phrases[] = {
	{"attach with mode \"observe\", which needs no ptrace", "ompdctl attach -p PID -m observe needs no ptrace",
	 FOR_ATTACHED},
	{"attach with a larger max_stop_ms, or with mode \"observe\"",
	 "attach again: ompdctl attach -p PID, with a larger --max-stop-ms or with -m observe", FOR_ATTACHED},
	{"attach with mode \"observe\"", "attach again: ompdctl attach -p PID -m observe", FOR_ATTACHED},
	{"attach with mode \"stop\"", "attach again: ompdctl attach -p PID -m stop", FOR_ATTACHED},
	{"--debug-dir DIR or debug_dirs", "ompdctl attach -p PID --debug-dir DIR", FOR_ATTACHED},
	{"--debug-dir DIR", "ompdctl attach -p PID --debug-dir DIR", FOR_ATTACHED},
	{"in debug_dirs", "with ompdctl attach -p PID --debug-dir DIR", FOR_ATTACHED},
	{"attach with mode \"observe\", which needs no ptrace", "-m observe needs no ptrace", FOR_ALL},
	{"attach with a larger max_stop_ms, or with mode \"observe\"", "give a larger --max-stop-ms, or -m observe",
	 FOR_ALL},
	{"attach with mode \"observe\"", "use -m observe", FOR_ALL},
	{"attached with mode \"stop\"", "attached with -m stop", FOR_ALL},
	{"attach again with mode \"stop\"", "attach again with -m stop", FOR_ALL},
	{"attach with mode \"stop\"", "use -m stop", FOR_ALL},
	{"mode \"stop\"", "-m stop", FOR_ALL},
	{"mode \"observe\"", "-m observe", FOR_ALL},
	{"max_stop_ms", "--max-stop-ms", FOR_ALL},
	{"\"exe\" (ompdctl --exe)", "--exe FILE", FOR_ALL},
	{"\"sysroot\" (ompdctl --sysroot)", "--sysroot DIR", FOR_ALL},
	{"with exe or sysroot", "with --exe FILE or --sysroot DIR", FOR_ALL},
	{"--debug-dir DIR or debug_dirs", "--debug-dir DIR", FOR_ALL},
	{"in debug_dirs", "with --debug-dir DIR", FOR_ALL},
	{"send the token that ompdd wrote to its --token-file",
	 "--token-file FILE, or $OMPDD_TOKEN_FILE, names the file with ompdd's token", FOR_ALL},
	{"the PATH of env", "$PATH", FOR_ALL},
	{"target.launch with stop_at \"ompd_dll_locations_valid\"", "ompdctl break ompd_dll_locations_valid -- PROGRAM",
	 FOR_ALL},
	{"call target.attach first", "run ompdctl attach -p PID first", FOR_ALL},
	{"target.attach creates one", "ompdctl attach -p PID creates one", FOR_ALL},
	{"target.list shows", "ompdctl targets shows", FOR_ALL},
	{"thread.list shows the threads", "ompdctl threads --all shows the threads", FOR_ALL},
	{"target.info and stack.get show", "ompdctl info and bt show", FOR_ALL},
	{"task.list shows that task; stack.get without logical shows",
	 "ompdctl tasks shows that task; bt without --logical shows", FOR_ALL},
	{"or give sample_ms", "or give threads --sample MS", FOR_ALL},
	{"stack.get shows each", "ompdctl bt shows each", FOR_ALL},
	{"diagnose.get examines its stack", "ompdctl why examines its stack", FOR_ALL},
	{"repeat the request with a larger max_frames", "ompdctl call stack.get takes a larger max_frames", FOR_ALL},
	{"repeat the request while target.stop holds the target",
	 "repeat the command while a debugger, or a client with target.stop, holds the process", FOR_ALL},
	{"breakpoint.addresses lists", "ompdctl call breakpoint.addresses -p PID --pretty lists", FOR_ALL},
	{"breakpoint.list shows", "ompdctl call breakpoint.list shows", FOR_ALL},
	{"profile.get reads it, profile.stop ends it",
	 "ompdctl call profile.get reads it, ompdctl call profile.stop ends it", FOR_ALL},
	{"profile.start starts one", "ompdctl call profile.start starts one", FOR_ALL},
	{"rpc.discover and", "ompdctl call rpc.discover and", FOR_ALL},
	{"rpc.discover lists", "ompdctl call rpc.discover lists", FOR_ALL},
	{"daemon.info shows", "ompdctl call daemon.info shows", FOR_ALL},
	{"start ompdd with --libompd PATH", "give --libompd PATH", FOR_PRIVATE},
	{"run ompdd as", "run ompdctl as", FOR_PRIVATE},
};

char *hints_translate(const char *hint, bool is_private, bool is_attached)
{
	const size_t n = sizeof(phrases) / sizeof(*phrases);
	struct buf t = {0};

	text_add(&t, "");
	while (*hint) {
		const struct phrase *p = phrases;

		while (p < phrases + n &&
		       ((p->is_for == FOR_PRIVATE && !is_private) || (p->is_for == FOR_ATTACHED && !is_attached) ||
			strncmp(hint, p->json, strlen(p->json)) != 0))
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

/* Add the events of a construct, such as "barrier". Returns whether it has any. */
static bool add_construct_events(struct buf *hint, const char *construct)
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

void hints_suggest_event(const char *place, struct error *failure)
{
	struct buf hint = {0};
	const char *meant = command_suggest_event(place);

	if (!failure->name || strcmp(failure->name, "symbol_not_found") || strpbrk(place, ".:"))
		return;
	/* The failure may be about a condition. */
	if (!strstr(failure->message, place))
		return;
	if (!add_construct_events(&hint, place) && meant)
		text_printf(&hint, "did you mean the event %s? ", meant);
	text_add(&hint, "ompdctl help break names the events; a function may be in a library that is loaded later");
	error_hint(failure, "%s", hint.data);
	buf_deinit(&hint);
}
