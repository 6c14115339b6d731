/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of worker/loop.c on pipes, with handlers of the test. */
#include "worker/loop.h"

#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "fake_target.h"
#include "methods/event.h"
#include "worker/worker.h"

static struct worker w;
static char output[65536];

static struct error *on_client(void *context, struct json_object *params, struct json_object **ret)
{
	struct worker *worker = context;

	(void)params;
	*ret = json_object_new_object();
	json_object_object_add(*ret, "client", json_object_new_int64(worker->client));
	return NULL;
}

static struct error *on_fail(void *context, struct json_object *params, struct json_object **ret)
{
	(void)context, (void)params, (void)ret;
	return error_create(ERR_NOT_STOPPED, "as told");
}

static struct error *on_leave(void *context, struct json_object *params, struct json_object **ret)
{
	((struct worker *)context)->detached = true;
	return on_client(context, params, ret);
}

static struct error *on_hold(void *context, struct json_object *params, struct json_object **ret)
{
	struct worker *worker = context;
	struct view view;
	struct error *err = worker_hold(worker, &view);

	return err ? err : on_client(context, params, ret);
}

static struct error *on_terminate(void *context, struct json_object *params, struct json_object **ret)
{
	kill(getpid(), SIGTERM);
	return on_client(context, params, ret);
}

static const struct method_handler handlers[] = {
	{"test.client", on_client}, {"test.fail", on_fail},	      {"test.leave", on_leave},
	{"test.hold", on_hold},	    {"test.terminate", on_terminate}, {NULL, NULL},
};

#define REQUEST(id, method, rest) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\"" rest "}\n"

static void setup(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w = (struct worker){.write_event = event_write, .plugin_options = {.timeout_ms = 1000}};
	ck_assert_no_err(worker_init(&w, "t1"));
	w.target = fake_target_create(TARGET_STOP);
}

static void teardown(void)
{
	worker_deinit(&w);
}

/* Runs the loop on @input up to its end; the answers are in output[]. */
static void run_len(const char *input, size_t len)
{
	int in[2], out[2];

	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	ck_assert_int_eq(write(in[1], input, len), len);
	close(in[1]);
	ck_assert_no_err(worker_loop(&w, handlers, in[0], out[1]));
	close(out[1]);
	ssize_t n = read(out[0], output, sizeof(output) - 1);
	output[n > 0 ? n : 0] = '\0';
	close(in[0]);
	close(out[0]);
}

static void run(const char *input)
{
	run_len(input, strlen(input));
}

static int count(const char *what)
{
	int n = 0;

	for (const char *p = output; (p = strstr(p, what)); p++)
		n++;
	return n;
}

START_TEST(test_loop_answers_each_line)
{
	run(REQUEST(1, "test.client", ",\"client\":42") REQUEST(2, "test.client", ""));
	ck_assert_str_eq(output, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"client\":42}}\n"
				 "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"client\":0}}\n");
}
END_TEST

START_TEST(test_loop_last_line_needs_no_newline)
{
	run("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"test.client\"}");
	ck_assert_int_eq(count("\"result\""), 1);
}
END_TEST

START_TEST(test_loop_reports_errors_by_name)
{
	run(REQUEST(1, "test.fail", "") REQUEST(2, "no.such", ""));
	ck_assert_int_eq(count("\"not_stopped\""), 1);
	ck_assert_int_eq(count("-32601"), 1);
}
END_TEST

START_TEST(test_loop_notification_gets_no_answer)
{
	run("{\"jsonrpc\":\"2.0\",\"method\":\"test.client\"}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"test.fail\"}\n");
	ck_assert_str_eq(output, "");
}
END_TEST

START_TEST(test_loop_batch_is_answered_as_one)
{
	run("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"test.client\"},"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"test.client\"},"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"test.client\"},7]\n");
	struct json_object *answer = json_tokener_parse(output);
	ck_assert(json_object_is_type(answer, json_type_array));
	ck_assert_uint_eq(json_object_array_length(answer), 3);
	json_object_put(answer);
}
END_TEST

START_TEST(test_loop_batch_of_notifications_gets_no_answer)
{
	run("[{\"jsonrpc\":\"2.0\",\"method\":\"test.client\"}]\n" REQUEST(5, "test.client", ""));
	ck_assert_str_eq(output, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"client\":0}}\n");
}
END_TEST

START_TEST(test_loop_ends_after_what_is_no_json)
{
	run("{nonsense\n" REQUEST(1, "test.client", ""));
	ck_assert_int_eq(count("-32700"), 1);
	run("\x01\x02\x03\n" REQUEST(1, "test.client", ""));
	ck_assert_int_eq(count("-32700"), 1);
	ck_assert_int_eq(count("\"result\""), 0);
}
END_TEST

START_TEST(test_loop_leaves_after_detach)
{
	run(REQUEST(1, "test.leave", "") REQUEST(2, "test.client", ""));
	ck_assert_int_eq(count("\"result\""), 1);
}
END_TEST

START_TEST(test_loop_client_gone_resumes)
{
	run(REQUEST(1, "test.hold",
		    ",\"client\":9") "{\"jsonrpc\":\"2.0\",\"method\":\"client.gone\",\"params\":{\"client\":8}}\n");
	ck_assert_int_eq(w.holder, 9);
	ck_assert(target_is_stopped(w.target));
	run("{\"jsonrpc\":\"2.0\",\"method\":\"client.gone\",\"params\":{\"client\":9}}\n");
	ck_assert_int_eq(w.holder, -1);
	ck_assert(!target_is_stopped(w.target));
}
END_TEST

START_TEST(test_loop_sends_events_behind_the_answer)
{
	run(REQUEST(1, "test.hold",
		    ",\"client\":9") "{\"jsonrpc\":\"2.0\",\"method\":\"client.gone\",\"params\":{\"client\":9}}\n");
	ck_assert_str_eq(output,
			 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"client\":9}}\n"
			 "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"epoch\":1,\"type\":\"stopped\"}}\n"
			 "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"epoch\":1,\"type\":\"resumed\"}}\n");
}
END_TEST

START_TEST(test_loop_client_gone_without_client_is_harmless)
{
	run("{\"jsonrpc\":\"2.0\",\"method\":\"client.gone\"}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"client.gone\",\"params\":{\"client\":\"x\"}}\n" REQUEST(1, "test.client",
												       ""));
	ck_assert_int_eq(count("\"result\""), 1);
}
END_TEST

START_TEST(test_loop_sigterm_leaves_with_input_open)
{
	static const char request[] = REQUEST(1, "test.terminate", "");
	int in[2], out[2];

	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	ck_assert_int_eq(write(in[1], request, sizeof(request) - 1), sizeof(request) - 1);
	/* Returns although the other end of the input stays open. */
	ck_assert_no_err(worker_loop(&w, handlers, in[0], out[1]));
}
END_TEST

START_TEST(test_loop_long_line_is_refused)
{
	size_t len = LOOP_MAX_MESSAGE + 100;
	char *text = malloc(len);
	int out[2];

	memset(text, ' ', len);
	text[0] = '{';
	FILE *f = tmpfile();
	ck_assert_uint_eq(fwrite(text, 1, len, f), len);
	ck_assert_int_eq(fflush(f), 0);
	rewind(f);
	ck_assert_int_eq(pipe(out), 0);
	ck_assert_no_err(worker_loop(&w, handlers, fileno(f), out[1]));
	close(out[1]);
	ssize_t n = read(out[0], output, sizeof(output) - 1);
	output[n > 0 ? n : 0] = '\0';
	ck_assert_int_eq(count("limit_exceeded"), 1);
	fclose(f);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker_loop");
	TCase *tc = tcase_create("loop");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_loop_answers_each_line);
	tcase_add_test(tc, test_loop_last_line_needs_no_newline);
	tcase_add_test(tc, test_loop_reports_errors_by_name);
	tcase_add_test(tc, test_loop_notification_gets_no_answer);
	tcase_add_test(tc, test_loop_batch_is_answered_as_one);
	tcase_add_test(tc, test_loop_batch_of_notifications_gets_no_answer);
	tcase_add_test(tc, test_loop_ends_after_what_is_no_json);
	tcase_add_test(tc, test_loop_leaves_after_detach);
	tcase_add_test(tc, test_loop_client_gone_resumes);
	tcase_add_test(tc, test_loop_sends_events_behind_the_answer);
	tcase_add_test(tc, test_loop_client_gone_without_client_is_harmless);
	tcase_add_test(tc, test_loop_sigterm_leaves_with_input_open);
	tcase_add_test(tc, test_loop_long_line_is_refused);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
