/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks that the options and arguments of the command line fit together. */
#include "args_check.h"

#include <string.h>

#include "base/utf8.h"
#include "help.h"
#include "text.h"

/* Check the program to launch, and the requirements of the commands that control a program. */
static struct error *check_program(const struct args *args)
{
	enum command c = args->command;
	int has_files = args->cwd || args->files[0] || args->files[1] || args->files[2];

	if (args->program && c != COMMAND_LAUNCH && !args_command_controls(c) && c != COMMAND_TIMEOUT)
		return failure_usage(HELP_HINT, "-- PROGRAM belongs to launch, timeout, break, step and serialize");
	if (c == COMMAND_TIMEOUT && (!args->program || !args->duration))
		return failure_usage(NULL, "timeout needs DURATION PROGRAM [ARGUMENTS]");
	/* ompdctl timeout starts the program itself. */
	if (c == COMMAND_TIMEOUT)
		return NULL;
	if (!args->program && has_files)
		return failure_usage(NULL, "--cwd, --stdin, --stdout and --stderr belong to -- PROGRAM");
	for (char *const *word = args->program; word && *word; word++) {
		if (!utf8_is_valid(*word, strlen(*word)))
			return failure_usage(NULL, "an argument of the program is not UTF-8: JSON cannot carry it");
	}
	if (c == COMMAND_LAUNCH && !args->program)
		return failure_usage(NULL, "launch needs -- PROGRAM [ARGUMENTS]");
	if (args->core && (args_command_controls(c) || c == COMMAND_EVENTS))
		return failure_usage(NULL, "a core file has no events");
	if (!args_command_controls(c))
		return NULL;
	if (c == COMMAND_BREAK && !args->n_places)
		return failure_usage(HELP_HINT,
				     "break needs a place: an OpenMP event, a function, FILE:LINE or 0xADDRESS");
	if (!args->n_processes && !args->target && !args->program)
		return failure_usage(HELP_HINT, "%s needs a process: give -p PID, -t TARGET or -- PROGRAM",
				     command_row(c)->name);
	if (args->mode && strcmp(args->mode, "stop"))
		return failure_usage(NULL, "breakpoints, steps and serialize need --mode stop");
	return NULL;
}

struct error *args_check(const struct args *args, int n_left, char **left)
{
	enum command c = args->command;
	int has_process = args->n_processes || args_chooses_process(args);

	if (n_left)
		return failure_usage(c == COMMAND_CALL
					     ? "put the JSON in quotes: call accepts one argument after METHOD"
					     : HELP_HINT,
				     "unexpected argument '%s'", left[0]);
	if (!!args->n_processes + !!args->target + !!args->core + !!args->program > 1)
		return failure_usage(NULL, args_command_controls(c) ? "give either -p PID, -t TARGET or -- PROGRAM"
								    : "give either -p PID, --core FILE or -t TARGET");
	if (args->waits && args->n_processes > 1)
		return failure_usage(NULL, "--wait takes one name, and no process beside it");
	if (args->children && !has_process)
		return failure_usage(NULL, "--children needs a process: PID, a name or --wait NAME");
	int has_filter = args->user || args_filter(args, OPT_NAME) || args_filter(args, OPT_RANK) ||
			 args_filter(args, OPT_CGROUP) || (args_filter(args, OPT_RUNTIME) && c != COMMAND_BREAK);
	if (has_filter && c != COMMAND_PS && c != COMMAND_WATCH)
		return failure_usage("ompdctl ps lists the processes",
				     "--user, --name, --runtime, --rank and --cgroup belong to ps, watch, --job and "
				     "--nodes (--runtime to break, too)");
	if (c == COMMAND_WATCH && args->n_processes && (has_filter || args_filter(args, OPT_JOB)))
		return failure_usage(NULL, "give watch either processes or filters");
	struct error *f = check_program(args);
	if (f)
		return f;
	if (!args->core && (args->exe || args->sysroot))
		return failure_usage(NULL, "--exe and --sysroot belong to --core FILE");
	if (!args->core && !has_process && !args->program && args->n_debug_dirs)
		return failure_usage(NULL, "--debug-dir belongs to -p PID, --core FILE or -- PROGRAM");
	if (args->uri && args_lacks_process(args))
		return failure_usage("ompdctl targets lists the targets",
				     "no process given: give PID, --core FILE, or -t TARGET of that ompdd");
	if (c == COMMAND_TOP && args->json && !args->once)
		return failure_usage(NULL, "top --json needs --once");
	if (c == COMMAND_DUMP && args->mode && strcmp(args->mode, "stop"))
		return failure_usage(NULL, "dump needs --mode stop: only a stop shows the registers of all threads");
	if (c == COMMAND_WHY && args->core && args->slow)
		return failure_usage(NULL, "a core file shows one moment: --slow needs a process");
	if (c == COMMAND_WHY && args->seconds > 0 && !args->slow)
		return failure_usage(NULL, "-d belongs to why --slow, record and top");
	if (c == COMMAND_ATTACH && !args->n_processes && !args->core)
		return failure_usage(NULL, "attach needs -p PID or --core FILE");
	if ((c == COMMAND_DETACH || c == COMMAND_KILL) && !args->target)
		return failure_usage("ompdctl targets lists them", "%s needs a TARGET", command_row(c)->name);
	if ((args->mode || args->max_stop_ms) && !has_process && c != COMMAND_TIMEOUT && c != COMMAND_WATCH &&
	    !(args->max_stop_ms && args->program))
		return failure_usage(NULL, "--mode and --max-stop-ms belong to -p PID: an attached target has its own");
	if (!args_is_private(args) && (args->ompdd || args->n_daemon_options))
		return failure_usage("give such options to that ompdd itself",
				     "--ompdd, --libompd and --plugin-dir configure an ompdd that ompdctl starts, but "
				     "this command uses a running one");
	if (args->n_processes > 1 && !args_command_takes_several(c))
		return failure_usage(NULL, "%s accepts one process", command_row(c)->name);
	return NULL;
}

struct error *args_check_groups(const struct args *args, const int *given, size_t n_given)
{
	for (size_t i = 0; i < n_given; i++) {
		const struct option_row *option = option_row(given[i]);

		if (option->group & command_row(args->command)->groups)
			continue;
		struct buf takers = {0};
		help_add_takers(&takers, option->group);
		struct error *f = failure_usage(NULL, "--%s belongs to %s", option->name, takers.data);
		buf_deinit(&takers);
		return f;
	}
	return NULL;
}
