/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks that the options and arguments of the command line fit together. */
#include "args_check.h"

#include <string.h>

#include "help.h"
#include "text.h"

/* Check the program to launch, and the requirements of the commands that control a program. */
static struct failure *check_program(const struct args *args)
{
	enum command c = args->command;
	int has_files = args->cwd || args->files[0] || args->files[1] || args->files[2];

	if (args->program && c != COMMAND_LAUNCH && !args_command_controls(c) && c != COMMAND_TIMEOUT)
		return failure_usage(HELP_HINT, "-- PROGRAM belongs to launch, timeout, break, step and serialize");
	if (c == COMMAND_TIMEOUT && (!args->program || !args->duration))
		return failure_usage(NULL, "timeout wants DURATION -- PROGRAM [ARGUMENTS]");
	/* ompdctl timeout starts the program itself. */
	if (c == COMMAND_TIMEOUT)
		return NULL;
	if (!args->program && has_files)
		return failure_usage(NULL, "--cwd, --stdin, --stdout and --stderr belong to -- PROGRAM");
	for (char *const *word = args->program; word && *word; word++) {
		if (!text_is_utf8(*word))
			return failure_usage(NULL, "an argument of the program is not UTF-8, which JSON cannot tell");
	}
	if (c == COMMAND_LAUNCH && !args->program)
		return failure_usage(NULL, "launch wants -- PROGRAM [ARGUMENTS]");
	if (args->core && (args_command_controls(c) || c == COMMAND_EVENTS))
		return failure_usage(NULL, "nothing happens in a core file");
	if (!args_command_controls(c))
		return NULL;
	if (c == COMMAND_BREAK && !args->n_places)
		return failure_usage(HELP_HINT,
				     "break wants a place: an OpenMP event, a function, FILE:LINE or 0xADDRESS");
	if (!args->n_processes && !args->target && !args->program)
		return failure_usage(HELP_HINT, "%s where? Give -p PID, -t TARGET or -- PROGRAM", command_row(c)->name);
	if (args->mode && strcmp(args->mode, "stop"))
		return failure_usage(NULL, "breakpoints, steps and serialize need --mode stop");
	return NULL;
}

struct failure *args_check(const struct args *args, int n_left, char **left)
{
	enum command c = args->command;

	if (n_left)
		return failure_usage(c == COMMAND_CALL	    ? "quote the JSON: 'call METHOD {...}' takes one"
				     : c == COMMAND_TIMEOUT ? "-- stands before the program"
							    : HELP_HINT,
				     "unexpected argument '%s'", left[0]);
	if (!!args->n_processes + !!args->target + !!args->core + !!args->program > 1)
		return failure_usage(NULL, args_command_controls(c) ? "give either -p PID, -t TARGET or -- PROGRAM"
								    : "give either -p PID, --core FILE or -t TARGET");
	int has_filter = args->user || args_filter(args, OPT_NAME) || args_filter(args, OPT_RANK) ||
			 args_filter(args, OPT_CGROUP) || (args_filter(args, OPT_RUNTIME) && c != COMMAND_BREAK);
	if (has_filter && c != COMMAND_PS)
		return failure_usage("ompdctl ps shows which processes these are",
				     "--user, --name, --runtime, --rank and --cgroup belong to ps, --job and --nodes "
				     "(--runtime to break, too)");
	struct failure *f = check_program(args);
	if (f)
		return f;
	if (!args->core && (args->exe || args->sysroot))
		return failure_usage(NULL, "--exe and --sysroot belong to --core FILE");
	if (!args->core && !args->n_processes && !args->program && args->n_debug_dirs)
		return failure_usage(NULL, "--debug-dir belongs to -p PID, --core FILE or -- PROGRAM");
	if (args_command_needs_target(c) && !args->n_processes && !args->target && !args->core)
		return failure_usage("ompdctl targets lists what ompdd is attached to",
				     "which process? Give -p PID, --core FILE, or -t TARGET of a running ompdd");
	if ((c == COMMAND_TOP || c == COMMAND_RECORD) && !args->n_processes && !args->target)
		return failure_usage("ompdctl ps lists OpenMP processes",
				     "which process? Give -p PID, or -t TARGET of a running ompdd");
	if (c == COMMAND_TOP && args->json && !args->once)
		return failure_usage(NULL, "with --json top wants --once");
	if (c == COMMAND_ATTACH && !args->n_processes && !args->core)
		return failure_usage(NULL, "attach wants -p PID or --core FILE");
	if ((c == COMMAND_DETACH || c == COMMAND_KILL) && !args->target)
		return failure_usage("ompdctl targets lists them", "%s wants a TARGET", command_row(c)->name);
	if ((args->mode || args->max_stop_ms) && !args->n_processes && c != COMMAND_TIMEOUT &&
	    !(args->max_stop_ms && args->program))
		return failure_usage(
			NULL,
			"--mode and --max-stop-ms belong to -p PID: a target that is attached already has its own");
	if (!args_is_private(args) && (args->ompdd || args->n_daemon_options))
		return failure_usage("give such options to that ompdd itself",
				     "--ompdd, --libompd and --plugin-dir are for an ompdd that ompdctl starts, but "
				     "this asks one that runs");
	if (args->n_processes > 1 && !args_command_needs_target(c) && c != COMMAND_PAGE)
		return failure_usage(NULL, "%s takes one process", command_row(c)->name);
	return NULL;
}

struct failure *args_check_groups(const struct args *args, const int *given, size_t n_given)
{
	for (size_t i = 0; i < n_given; i++) {
		const struct option_row *option = option_row(given[i]);

		if (option->group & command_row(args->command)->groups)
			continue;
		struct text takers = {0};
		help_add_takers(&takers, option->group);
		struct failure *f = failure_usage(NULL, "--%s belongs to %s", option->name, takers.data);
		text_deinit(&takers);
		return f;
	}
	return NULL;
}
