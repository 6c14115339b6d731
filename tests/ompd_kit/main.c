/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The conformance kit for OMPD libraries: options, the lines of all chapters, and the exit status. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "accepted.h"
#include "modules.h"
#include "report.h"

#define LIMIT_MS 30000

static const struct lines *const chapters[] = {
	&lines_library, &lines_process, &lines_thread, &lines_parallel,
	&lines_task,	&lines_state,	&lines_icv,    &lines_draft,
};

struct options {
	enum report_form form;
	const char *accepted;
	int limit_ms;
	pid_t pid;
};

static _Noreturn void print_usage(FILE *to, int status)
{
	fputs("usage: ompd_kit [OPTIONS] LIBRARY PROGRAM [ARGS]  examine PROGRAM when it has\n"
	      "                                                  printed a line\n"
	      "       ompd_kit [OPTIONS] -p PID LIBRARY          examine a running process\n"
	      "\n"
	      "  -s, --summary      print only the number of lines with each verdict\n"
	      "  -n, --not-ok       print only lines with another verdict than ok\n"
	      "  -j, --json         print JSON\n"
	      "  -a, --accept FILE  FILE lists lines that may have another verdict than ok:\n"
	      "                     all others must be ok, and all in FILE must occur\n"
	      "  -l, --limit MS     time limit for one line (30000)\n"
	      "\n"
	      "exit status: 0 nothing differs, 1 a line differs, 2 the kit cannot run\n",
	      to);
	exit(status);
}

static int read_number(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!*text || *end || value < 1 || value > 1000000000)
		target_fail("not a positive number: %s", text);
	return (int)value;
}

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {
		{"summary", no_argument, NULL, 's'},	   {"not-ok", no_argument, NULL, 'n'},
		{"json", no_argument, NULL, 'j'},	   {"accept", required_argument, NULL, 'a'},
		{"limit", required_argument, NULL, 'l'}, {"pid", required_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},	   {NULL, 0, NULL, 0},
	};
	struct options ret = {.form = REPORT_TABLE, .limit_ms = LIMIT_MS};
	int option;

	while ((option = getopt_long(argc, argv, "+snja:l:p:h", names, NULL)) >= 0) {
		switch (option) {
		case 's':
			ret.form = REPORT_SUMMARY;
			break;
		case 'n':
			ret.form = REPORT_NOT_OK;
			break;
		case 'j':
			ret.form = REPORT_JSON;
			break;
		case 'a':
			ret.accepted = optarg;
			break;
		case 'l':
			ret.limit_ms = read_number(optarg);
			break;
		case 'p':
			ret.pid = (pid_t)read_number(optarg);
			break;
		case 'h':
			print_usage(stdout, 0);
		default:
			print_usage(stderr, 2);
		}
	}
	if (argc - optind < (ret.pid ? 1 : 2))
		print_usage(stderr, 2);
	return ret;
}

/* Run all lines. Returns the number of answers that are not ok and not accepted. */
static size_t run_lines(const struct options *options, const char *library, const struct target *target)
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(chapters) / sizeof(chapters[0]); i++) {
		for (size_t j = 0; j < chapters[i]->n; j++) {
			struct answer answer;

			verdict_find(&chapters[i]->lines[j], library, target, options->limit_ms, &answer);
			bool is_accepted = answer.verdict != VERDICT_OK && accepted_has(&answer);

			report_add(&answer, is_accepted);
			n += answer.verdict != VERDICT_OK && !is_accepted;
		}
	}
	return n;
}

int main(int argc, char **argv)
{
	struct options options = read_options(argc, argv);
	const char *library = argv[optind];
	struct target target;

	if (options.accepted)
		accepted_read(options.accepted);
	if (options.pid)
		target_attach(options.pid, &target);
	else
		target_start(argv + optind + 1, &target);
	target_stop(&target);
	modules_read(&target);
	report_begin(options.form);
	size_t n = run_lines(&options, library, &target);
	report_end();
	target_end(&target);
	if (!options.accepted)
		return report_count(VERDICT_DIFFERS) ? 1 : 0;
	if (n)
		fprintf(stderr, "ompd_kit: %zu lines are not ok and not in %s\n", n, options.accepted);
	return accepted_report_unused() || n ? 1 : 0;
}
