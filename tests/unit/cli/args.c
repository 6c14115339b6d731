/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/args.c. */
#include "args.h"

#include <string.h>

#include "check_main.h"

#define MAX_WORDS 40

/* Parses a command line whose words are separated by single spaces. */
static struct error *parse(const char *line, struct args *ret)
{
	static char copy[1000];
	static char *words[MAX_WORDS + 1];
	int n = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	words[0] = (char *)"ompdctl";
	for (char *word = strtok(copy, " "); word && n < MAX_WORDS; word = strtok(NULL, " "))
		words[n++] = word;
	words[n] = NULL;
	return args_parse(n, words, ret);
}

static struct args good(const char *line)
{
	struct args args = {0};
	struct error *f = parse(line, &args);

	ck_assert_msg(!f, "%s: %s", line, f ? f->message : "");
	return args;
}

static void assert_bad(const char *line, const char *message)
{
	struct args args = {0};
	struct error *f = parse(line, &args);

	ck_assert_msg(f, "accepted: %s", line);
	ck_assert_int_eq(f->code, ERR_USAGE);
	ck_assert_msg(strstr(f->message, message), "%s: %s", line, f->message);
	error_destroy(f);
}

START_TEST(test_args_options_may_stand_on_either_side_of_the_command)
{
	struct args before = good("-p 4711 --json threads");

	ck_assert_int_eq(before.command, COMMAND_THREADS);
	ck_assert_str_eq(before.processes[0], "4711");
	ck_assert_int_eq(before.json, 1);
	struct args behind = good("threads --json -p 4711");
	ck_assert_int_eq(behind.command, COMMAND_THREADS);
	ck_assert_str_eq(behind.processes[0], "4711");
	ck_assert_int_eq(behind.json, 1);
}
END_TEST

START_TEST(test_args_defaults)
{
	struct args args = good("-p 1 tree");

	ck_assert_int_eq(args.timeout_s, 60);
	ck_assert_int_eq(args.colour, COLOUR_AUTO);
	ck_assert_int_eq(args.max_stop_ms, 0);
	ck_assert_ptr_null(args.mode);
	ck_assert_ptr_null(args.uri);
	ck_assert_int_eq(args.json + args.pretty + args.all + args.verbose, 0);
}
END_TEST

START_TEST(test_args_launch)
{
	struct args args = good("launch --cwd /d --stdout o --stderr e -- prog -n -- --stdin x");

	ck_assert_int_eq(args.command, COMMAND_LAUNCH);
	ck_assert_str_eq(args.cwd, "/d");
	ck_assert_ptr_null(args.files[0]);
	ck_assert_str_eq(args.files[1], "o");
	ck_assert_str_eq(args.files[2], "e");
	/* Only the first "--" belongs to ompdctl. */
	ck_assert_str_eq(args.program[0], "prog");
	ck_assert_str_eq(args.program[1], "-n");
	ck_assert_str_eq(args.program[2], "--");
	ck_assert_str_eq(args.program[4], "x");
	ck_assert_ptr_null(args.program[5]);
	/* The option needs a daemon that stays. */
	ck_assert(!args_is_private(&args));
	ck_assert_str_eq(good("kill -t t3").target, "t3");
	ck_assert_str_eq(good("kill t3").target, "t3");
	ck_assert_str_eq(good("detach t4").target, "t4");
}
END_TEST

START_TEST(test_args_break)
{
	struct args args = good("break parallel_begin a.c:12 -p 7 -n 3 work");

	ck_assert_int_eq(args.command, COMMAND_BREAK);
	ck_assert_uint_eq(args.n_places, 3);
	ck_assert_str_eq(args.places[1], "a.c:12");
	ck_assert_str_eq(args.places[2], "work");
	ck_assert_int_eq(args.count, 3);
	ck_assert(args_is_private(&args));
	args = good("break work -- prog 1");
	ck_assert(args_is_private(&args));
	ck_assert_uint_eq(args.n_places, 1);
	args = good("break work -s unix:/x -- prog 1");
	ck_assert(!args_is_private(&args));
	ck_assert_int_eq(good("events").command, COMMAND_EVENTS);
	ck_assert_int_eq(good("events -t t1 --count 5").count, 5);
}
END_TEST

START_TEST(test_args_page)
{
	struct args args = good("page -p 12,13 -m stop");

	ck_assert_int_eq(args.command, COMMAND_PAGE);
	ck_assert_uint_eq(args.n_processes, 2);
	ck_assert(args_is_private(&args));
	/* Without a target as well: it starts an ompdd of its own. */
	args = good("page --libompd /x");
	ck_assert(args_is_private(&args));
	ck_assert_str_eq(good("page --core c").core, "c");
	assert_bad("page -s unix:/x", "--server belongs to");
	assert_bad("page -p 1 --core c", "give either");
	assert_bad("page -m stop", "belong to -p PID");
}
END_TEST

START_TEST(test_args_process_as_a_word)
{
	static const char *const commands[] = {"why", "tree", "record", "attach", "events", "serialize", "page", "top"};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		char line[80];

		snprintf(line, sizeof(line), "%s solver -m stop", commands[i]);
		struct args args = good(line);
		ck_assert_uint_eq(args.n_processes, 1);
		ck_assert_str_eq(args.processes[0], "solver");
		ck_assert(args_is_private(&args) || args.command == COMMAND_ATTACH);
	}
	ck_assert_uint_eq(good("why solver,12").n_processes, 2);
	struct args args = good("bt 4711 4713");
	ck_assert_str_eq(args.processes[0], "4711");
	ck_assert_int_eq(args.thread, 4713);
	args = good("step out 4711 4713");
	ck_assert_str_eq(args.processes[0], "4711");
	ck_assert_int_eq(args.thread, 4713);
	args = good("step out 4713 -p 4711");
	ck_assert_str_eq(args.processes[0], "4711");
	ck_assert_int_eq(args.thread, 4713);
	/* A place may be a function, so only a number is a process. */
	args = good("break work 4711");
	ck_assert_uint_eq(args.n_places, 1);
	ck_assert_str_eq(args.processes[0], "4711");
	args = good("call snapshot.get 4711");
	ck_assert_str_eq(args.params, "4711");
	ck_assert_uint_eq(args.n_processes, 0);
	assert_bad("why 0", "must be a number from 1");
	assert_bad("why 4711 4712", "unexpected argument '4712'");
	assert_bad("why 4711 -p 4712", "unexpected argument '4711'");
	assert_bad("targets 4711", "unexpected argument '4711'");
}
END_TEST

START_TEST(test_args_process_left_to_ompdctl)
{
	struct args args = good("why -m observe --debug-dir d");

	ck_assert(args_chooses_process(&args));
	ck_assert(args_is_private(&args));
	args = good("record");
	ck_assert(args_chooses_process(&args));
	args = good("why 4711");
	ck_assert(!args_chooses_process(&args));
	args = good("why --core c");
	ck_assert(!args_chooses_process(&args));
	args = good("ps");
	ck_assert(!args_chooses_process(&args));
}
END_TEST

START_TEST(test_args_timeout_needs_no_dashes)
{
	struct args args = good("timeout -k 5 60 prog -h -- x");

	ck_assert_str_eq(args.duration, "60");
	ck_assert_str_eq(args.kill_after, "5");
	ck_assert_str_eq(args.program[0], "prog");
	ck_assert_str_eq(args.program[1], "-h");
	ck_assert_str_eq(args.program[2], "--");
	args = good("timeout 60 -k 5 -- prog -s 9");
	ck_assert_str_eq(args.kill_after, "5");
	ck_assert_ptr_null(args.signal);
	ck_assert_str_eq(args.program[0], "prog");
	args = good("-v timeout 60 prog timeout");
	ck_assert_int_eq(args.verbose, 1);
	ck_assert_str_eq(args.program[1], "timeout");
}
END_TEST

START_TEST(test_args_mistakes_of_launch_and_break)
{
	assert_bad("launch", "-- PROGRAM");
	assert_bad("timeout 5", "timeout needs");
	assert_bad("timeout -- prog", "timeout needs");
	assert_bad("timeout -k 5 7", "timeout needs");
	assert_bad("timeout 5 -p 1 -- prog", "");
	assert_bad("tree -p 1 --report x", "belongs to timeout");
	assert_bad("launch --", "-- PROGRAM");
	assert_bad("launch prog", "unexpected argument");
	assert_bad("launch -p 7 -- prog", "either");
	assert_bad("-p 7 tree -- prog", "either");
	assert_bad("targets -- prog", "launch, timeout, break");
	assert_bad("-p 7 tree --cwd /d", "--cwd");
	assert_bad("launch --stdout= -- prog", "empty path");
	assert_bad("kill", "kill needs a TARGET");
	assert_bad("kill -p 7", "kill needs a TARGET");
	assert_bad("kill t1 t2", "unexpected argument 't2'");
	assert_bad("break -p 7", "needs a place");
	assert_bad("break work", "break needs a process");
	assert_bad("break work -p 7 -t t1", "either");
	assert_bad("break work -p 7 -m observe", "--mode stop");
	assert_bad("break work --core c", "core");
	assert_bad("break work -p 7 -n 0", "-n must be");
	assert_bad("events --core c", "core");
	assert_bad("-p 7 tree -n 2", "--count");
	assert_bad("launch -- \xff", "UTF-8");
}
END_TEST

START_TEST(test_args_of_control)
{
	struct args some = good("break work -p 7 --thread-num 0 --after 5"), none = good("break work -p 7");
	struct args step = good("step over 4713 -p 7"), program = good("step into -- prog");

	ck_assert_int_eq(some.conditions[0], 0);
	ck_assert_int_eq(some.conditions[1], -1);
	ck_assert_int_eq(some.conditions[2], 5);
	ck_assert_int_eq(none.conditions[0], -1);
	ck_assert_str_eq(good("break f -p 7 --region f._omp_fn.0").region, "f._omp_fn.0");
	ck_assert_str_eq(step.step, "over_parallel");
	ck_assert_int_eq(step.thread, 4713);
	ck_assert_str_eq(program.step, "into_parallel");
	ck_assert(args_is_private(&program));
	ck_assert_int_eq(good("serialize -p 7 -n 3").count, 3);
	assert_bad("step -p 7", "step needs a kind");
	assert_bad("step sideways -p 7", "step needs a kind");
	assert_bad("step into", "step needs a process");
	assert_bad("step into -p 7 -m observe", "--mode stop");
	assert_bad("serialize", "serialize needs a process");
	assert_bad("serialize --core c", "core");
	assert_bad("break f -p 7 --every 0", "from 1");
	assert_bad("events -p 7 --after 1", "--after belongs to break");
}
END_TEST

START_TEST(test_args_bt_takes_a_thread)
{
	struct args all = good("-p 7 bt -l"), one = good("bt 4711 -p 7");

	ck_assert_int_eq(all.command, COMMAND_BT);
	ck_assert_int_eq(all.thread, 0);
	ck_assert_int_eq(all.logical, 1);
	ck_assert_int_eq(one.thread, 4711);
	ck_assert_int_eq(one.logical, 0);
	assert_bad("-p 7 bt 0", "bt must be a number");
	assert_bad("-p 7 bt main", "bt must be a number");
	assert_bad("-p 7 bt 1 2", "unexpected argument '2'");
	assert_bad("-p 7 tree --logical", "--logical belongs to bt");
}
END_TEST

START_TEST(test_args_all_options_arrive)
{
	struct args args = good("-p 7 -m observe --max-stop-ms 5 --timeout 9 --ompdd /o --libompd /l "
				"--plugin-dir /d --plugin-dir /e -a -v --pretty --color=always tasks");

	ck_assert_str_eq(args.mode, "observe");
	ck_assert_int_eq(args.max_stop_ms, 5);
	ck_assert_int_eq(args.timeout_s, 9);
	ck_assert_str_eq(args.ompdd, "/o");
	ck_assert_uint_eq(args.n_daemon_options, 6);
	ck_assert_str_eq(args.daemon_options[0], "--libompd");
	ck_assert_str_eq(args.daemon_options[1], "/l");
	ck_assert_str_eq(args.daemon_options[4], "--plugin-dir");
	ck_assert_str_eq(args.daemon_options[5], "/e");
	ck_assert_int_eq(args.all, 1);
	ck_assert_int_eq(args.verbose, 1);
	ck_assert_int_eq(args.pretty, 1);
	ck_assert_int_eq(args.json, 1);
	ck_assert_int_eq(args.colour, COLOUR_ALWAYS);
}
END_TEST

START_TEST(test_args_a_core_and_its_places_arrive)
{
	struct args args = good("--core c.gz --exe a.out --sysroot / --debug-dir d --debug-dir e tree");

	ck_assert_str_eq(args.core, "c.gz");
	ck_assert_str_eq(args.exe, "a.out");
	ck_assert_str_eq(args.sysroot, "/");
	ck_assert_uint_eq(args.n_debug_dirs, 2);
	ck_assert_str_eq(args.debug_dirs[1], "e");
	ck_assert_uint_eq(good("-p 1 --debug-dir d threads").n_debug_dirs, 1);
	assert_bad("-t t1 --debug-dir d threads", "--debug-dir belongs to -p PID");
	ck_assert_uint_eq(args.n_processes, 0);
	ck_assert(args_is_private(&args));
	args = good("attach --core c");
	ck_assert(!args_is_private(&args));
	args = good("-s unix:/x --core c tree");
	ck_assert(!args_is_private(&args));
}
END_TEST

START_TEST(test_args_call_takes_a_method_and_params)
{
	struct args args = good("call target.attach {\"pid\":1} -s unix:/x --token-file /t");

	ck_assert_int_eq(args.command, COMMAND_CALL);
	ck_assert_str_eq(args.method, "target.attach");
	ck_assert_str_eq(args.params, "{\"pid\":1}");
	ck_assert_str_eq(args.uri, "unix:/x");
	ck_assert_str_eq(args.token_file, "/t");
	ck_assert_ptr_null(good("call daemon.info").params);
	ck_assert_str_eq(good("call x -").params, "-");
}
END_TEST

START_TEST(test_args_processes_by_name_and_several)
{
	struct args args = good("-p a.out,12 -p 13 threads -o TID,STATE --no-headers");

	ck_assert_uint_eq(args.n_processes, 3);
	ck_assert_str_eq(args.processes[0], "a.out");
	ck_assert_str_eq(args.processes[2], "13");
	ck_assert_str_eq(args.columns, "TID,STATE");
	ck_assert_int_eq(args.no_headers, 1);
	ck_assert(args_is_private(&args));
	ck_assert_str_eq(good("-p 12x threads").processes[0], "12x");
}
END_TEST

START_TEST(test_args_a_mistyped_command_is_suggested)
{
	struct args args = {0};
	struct error *f = parse("-p 1 treads", &args);

	ck_assert_ptr_nonnull(strstr(f->hint, "did you mean threads?"));
	error_destroy(f);
	f = parse("-p 1 xylophone", &args);
	ck_assert_ptr_null(strstr(f->hint, "did you mean"));
	error_destroy(f);
}
END_TEST

START_TEST(test_args_help_and_version_win_over_mistakes_behind_them)
{
	ck_assert_int_eq(good("--help").command, COMMAND_HELP);
	ck_assert_int_eq(good("help").command, COMMAND_HELP);
	ck_assert_int_eq(good("threads -h --nonsense").command, COMMAND_HELP);
	ck_assert_int_eq(good("-V").command, COMMAND_VERSION);
	ck_assert_str_eq(good("threads -h --nonsense").topic, "threads");
	ck_assert_str_eq(good("-p 7 -h bt").topic, "bt");
	ck_assert_str_eq(good("help bt").topic, "bt");
	ck_assert_ptr_null(good("help").topic);
}
END_TEST

START_TEST(test_args_mistakes_are_named)
{
	assert_bad("", "no command");
	assert_bad("-p 1", "no command");
	assert_bad("-p 1 treads", "unknown command 'treads'");
	assert_bad("-s unix:/x threads", "no process given");
	assert_bad("-s unix:/x top", "no process given");
	assert_bad("-p 1 -t t1 threads", "either -p PID, --core FILE or -t TARGET");
	assert_bad("--core c -t t1 threads", "either -p PID, --core FILE or -t TARGET");
	assert_bad("--core c -p 1 threads", "either -p PID, --core FILE or -t TARGET");
	assert_bad("-p 1 --exe a.out threads", "belong to --core FILE");
	assert_bad("-t t1 --sysroot / threads", "belong to --core FILE");
	assert_bad("--core c --mode stop threads", "belong to -p PID");
	assert_bad("--core= threads", "an empty path");
	assert_bad("-p 0 threads", "-p must be a number from 1");
	assert_bad("-p 1 break work --thread-num x", "--thread-num must be a number from 0");
	assert_bad("-p 1 break work --every=0", "--every must be a number from 1");
	assert_bad("-p -5 threads", "-p must be a number from 1");
	assert_bad("-p 12,0 threads", "-p must be a number from 1");
	assert_bad("-p a,,b threads", "-p must be a number from 1");
	assert_bad("-p 1,2 attach", "attach accepts one process");
	assert_bad("-p 1 targets", "--pid belongs to threads, ");
	assert_bad("-p 1 tree -o TID", "--columns belongs to threads");
	assert_bad("help treads", "unknown command 'treads'");
	assert_bad("completion", "bash, zsh or fish");
	assert_bad("-p 99999999999999999999 threads", "-p must be a number from 1");
	assert_bad("-p", "-p needs a value");
	assert_bad("-p 1 --mode slow threads", "observe or stop");
	assert_bad("-p 1 --max-stop-ms 60001 threads", "1 to 60000");
	assert_bad("-t t1 --mode stop threads", "belong to -p PID");
	assert_bad("-p 1 --timeout 0 threads", "--timeout must be");
	assert_bad("-p 1 threads tree", "unexpected argument 'tree'");
	assert_bad("call", "needs a METHOD");
	assert_bad("call m {\"a\": 1}", "unexpected argument '1}'");
	assert_bad("attach", "attach needs -p");
	assert_bad("detach", "detach needs a TARGET");
	assert_bad("-x targets", "unknown option -x");
	assert_bad("--bogus targets", "--bogus");
	assert_bad("--color=blue targets", "auto, always or never");
	assert_bad("-s unix:/x -p 1 --libompd /l threads", "configure an ompdd that ompdctl starts");
	assert_bad("-t t1 --ompdd /o threads", "this command uses a running one");
}
END_TEST

START_TEST(test_args_a_failure_leaves_the_result_alone)
{
	struct args args = {.pid = 42};
	struct error *f = parse("-p 1 --bogus threads", &args);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(args.pid, 42);
	error_destroy(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("args");
	TCase *parsing = tcase_create("args_parse");

	tcase_add_test(parsing, test_args_options_may_stand_on_either_side_of_the_command);
	tcase_add_test(parsing, test_args_defaults);
	tcase_add_test(parsing, test_args_of_control);
	tcase_add_test(parsing, test_args_bt_takes_a_thread);
	tcase_add_test(parsing, test_args_all_options_arrive);
	tcase_add_test(parsing, test_args_a_core_and_its_places_arrive);
	tcase_add_test(parsing, test_args_call_takes_a_method_and_params);
	tcase_add_test(parsing, test_args_processes_by_name_and_several);
	tcase_add_test(parsing, test_args_a_mistyped_command_is_suggested);
	tcase_add_test(parsing, test_args_help_and_version_win_over_mistakes_behind_them);
	tcase_add_test(parsing, test_args_launch);
	tcase_add_test(parsing, test_args_break);
	tcase_add_test(parsing, test_args_page);
	tcase_add_test(parsing, test_args_process_as_a_word);
	tcase_add_test(parsing, test_args_process_left_to_ompdctl);
	tcase_add_test(parsing, test_args_timeout_needs_no_dashes);
	tcase_add_test(parsing, test_args_mistakes_of_launch_and_break);
	tcase_add_test(parsing, test_args_mistakes_are_named);
	tcase_add_test(parsing, test_args_a_failure_leaves_the_result_alone);
	suite_add_tcase(suite, parsing);
	return check_main(suite);
}
