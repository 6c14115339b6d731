/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of target.launch and target.kill with a real ompdd-tracer and small programs. A refused launch starts no
 * process.
 */
#include "check_main.h"
#include "error_detail.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_worker.h"
#include "methods/json/json.h"
#include "target/control.h"
#include "target/sandbox/broker.h"
#include "worker/control/control.h"

static char folder[64];

static void setup(void)
{
	setenv("OMPDD_TRACER", OMPDD_TRACER, 1);
	w = (struct worker){.write_event = event_write,
			    .plugin_options = {.libompd = FAKE_LIBOMPD, .timeout_ms = 1000}};
	ck_assert_no_err(worker_init(&w, "t1"));
	w.client = 1;
}

static void teardown(void)
{
	worker_deinit(&w);
	broker_end();
}

/* Outside the tests' processes: these are workers, and enter their sandbox. */
static void create_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/ompdd-unit-launch-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0); /* NOLINT: a path of our own */
}

/* Without "target", which fake_worker_try() adds: target.launch has no such parameter. */
static struct error *try(const char *method, const char *params, struct json_object **ret)
{
	struct json_object *p = json_tokener_parse(params);

	ck_assert_msg(p != NULL, "bad JSON in a test: %s", params);
	worker_begin_request(&w, w.client);
	struct error *err = dispatch_call(methods_worker, &w, method, p, ret);
	json_object_put(p);
	return err;
}

static struct json_object *call(const char *method, const char *params)
{
	struct json_object *ret = NULL;

	ck_assert_no_err(try(method, params, &ret));
	return ret;
}

static struct error *refused(const char *params)
{
	struct json_object *ret = NULL;
	struct error *err = try("target.launch", params, &ret);

	ck_assert_msg(err != NULL, "%s was launched", params);
	ck_assert_ptr_null(w.target);
	return err;
}

static void assert_refused(const char *params, const char *step, const char *part)
{
	struct error *err = refused(params);

	ck_assert_int_eq(err->code, ERR_LAUNCH_FAILED);
	ck_assert_str_eq(error_detail_of(err, "step"), step);
	ck_assert_msg(strstr(err->message, part) != NULL, "no %s in: %s", part, err->message);
	error_destroy(err);
}

/* Waits for the program's end; returns the text that it has written to the file "out". */
static const char *output(void)
{
	static char text[4096];
	char path[128];

	ck_assert_ptr_nonnull(w.target);
	for (int i = 0; w.exit_status < 0 && i < 300000; i++) {
		worker_target_events(&w);
		usleep(1000);
	}
	ck_assert_int_ge(w.exit_status, 0);
	snprintf(path, sizeof(path), "%s/out", folder);
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* @members: the params besides cwd, which is the scratch folder, and stdout, a file in it. */
static struct json_object *launch(const char *members)
{
	char params[1024];

	snprintf(params, sizeof(params), "{\"cwd\":\"%s\",\"stdout\":\"%s/out\",%s}", folder, folder, members);
	return call("target.launch", params);
}

START_TEST(test_what_cannot_be_started)
{
	assert_refused("{\"argv\":[\"no-such-program\"]}", "exec", "PATH");
	assert_refused("{\"argv\":[\"/no/such\"]}", "exec", "/no/such");
	assert_refused("{\"argv\":[\"/\"]}", "exec", "folder");
	assert_refused("{\"argv\":[\"true\"],\"cwd\":\"/no/such\"}", "cwd", "/no/such");
	assert_refused("{\"argv\":[\"true\"],\"stdin\":\"/no/such\"}", "stdin", "/no/such");
	assert_refused("{\"argv\":[\"true\"],\"stdout\":\"/\"}", "stdout", "directory");
	assert_refused("{\"argv\":[\"true\"],\"stderr\":\"/no/such\"}", "stderr", "/no/such");
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(test_name_of_the_program_is_checked)
{
	struct error *err = refused("{\"argv\":[\"\"]}");

	ck_assert_int_eq(err->code, ERR_INVALID_PARAMS);
	ck_assert_str_eq(error_detail_of(err, "pointer"), "/params/argv/0");
	error_destroy(err);
}
END_TEST

START_TEST(test_it_is_held_at_exec)
{
	struct json_object *o = launch("\"argv\":[\"sleep\",\"1000\"],\"stop_at\":\"exec\"");

	ck_assert_str_eq(text_at(o, "state"), "held");
	ck_assert_str_eq(text_at(o, "stop.reason"), "launch");
	ck_assert(json_object_get_boolean(at(o, "launched")));
	ck_assert_int_eq((int)w.holder, 1);
	ck_assert(target_is_stopped(w.target) && target_is_launched(w.target));
	json_object_put(o);
	/* A worker has only one target in its life. */
	struct json_object *ret = NULL;
	ck_assert_err(try("target.launch", "{\"argv\":[\"true\"]}", &ret), ERR_INVALID_REQUEST);
	json_object_put(call("target.kill", "{\"target\":\"t1\"}"));
}
END_TEST

START_TEST(test_it_is_held_at_main)
{
	struct json_object *o = launch("\"argv\":[\"sleep\",\"1000\"],\"stop_at\":\"main\"");

	ck_assert_str_eq(text_at(o, "state"), "held");
	ck_assert_str_eq(text_at(o, "stop.reason"), "launch");
	ck_assert_int_eq(strncmp(text_at(o, "stop.address"), "0x", 2), 0);
	ck_assert(!json_object_object_get_ex(o, "warnings", NULL));
	ck_assert_uint_eq(w.epoch, 1);
	json_object_put(o);
	json_object_put(call("target.kill", "{\"target\":\"t1\"}"));
}
END_TEST

/* The program is stopped before its own code, and the reason is reported. */
START_TEST(test_event_that_cannot_be_seen)
{
	struct json_object *o = launch("\"argv\":[\"sleep\",\"1000\"],\"stop_at\":\"task_begin\"");

	ck_assert_str_eq(text_at(o, "warnings.0.name"), "no_openmp_runtime");
	ck_assert_str_eq(text_at(o, "state"), "held");
	json_object_put(o);
	json_object_put(call("target.kill", "{\"target\":\"t1\"}"));
}
END_TEST

START_TEST(test_it_becomes_another_program)
{
	json_object_put(launch("\"argv\":[\"sh\",\"-c\",\"exec sleep 1000\"]"));
	struct json_object *o = NULL;

	for (int i = 0; i < 300000; i++) {
		usleep(1000);
		o = call("target.info", "{\"target\":\"t1\"}");
		const char *exe = text_at(o, "exe");
		if (strstr(exe, "sleep"))
			break;
		json_object_put(o);
		o = NULL;
	}
	ck_assert_ptr_nonnull(o);
	ck_assert(json_object_get_boolean(at(o, "launched")));
	json_object_put(o);
	json_object_put(call("target.kill", "{\"target\":\"t1\"}"));
}
END_TEST

START_TEST(test_only_the_holder_may_kill)
{
	struct json_object *ret = NULL;

	json_object_put(launch("\"argv\":[\"sleep\",\"1000\"],\"stop_at\":\"exec\""));
	w.client = 2;
	ck_assert_err(try("target.kill", "{\"target\":\"t1\"}", &ret), ERR_TARGET_HELD);
	w.client = 1;
	ret = call("target.kill", "{\"target\":\"t1\"}");
	ck_assert_str_eq(text_at(ret, "state"), "exited");
	json_object_put(ret);
	worker_await_status(&w);
	ck_assert_int_eq((int)w.holder, -1);
	ck_assert_int_eq((int)w.exit_status, SIGKILL);
	struct json_object *how = json_exit(&w);
	ck_assert_str_eq(text_at(how, "signal_name"), "SIGKILL");
	json_object_put(how);
	ck_assert_err(try("target.kill", "{\"target\":\"t1\"}", &ret), ERR_TARGET_EXITED);
}
END_TEST

START_TEST(test_kill_wants_a_launched_target)
{
	struct json_object *ret = NULL;

	ck_assert_err(try("target.kill", "{\"target\":\"t1\"}", &ret), ERR_NO_SUCH_TARGET);
	worker_deinit(&w);
	fake_worker_begin(TARGET_STOP, "");
	ck_assert_err(try("target.kill", "{\"target\":\"t1\"}", &ret), ERR_NOT_LAUNCHED);
}
END_TEST

START_TEST(test_status_of_its_end)
{
	json_object_put(launch("\"argv\":[\"sh\",\"-c\",\"pwd; exit 5\"]"));
	ck_assert_int_eq(strncmp(output(), folder, strlen(folder)), 0);
	struct json_object *how = json_exit(&w);
	ck_assert_str_eq(json_object_to_json_string_ext(how, JSON_C_TO_STRING_PLAIN), "{\"status\":5}");
	json_object_put(how);
}
END_TEST

START_TEST(test_environment_extends_ours)
{
	setenv("UNIT_KEPT", "1", 1);
	setenv("UNIT_CHANGED", "1", 1);
	setenv("UNIT_GONE", "1", 1);
	json_object_put(launch("\"argv\":[\"env\"],"
			       "\"env\":{\"UNIT_CHANGED\":\"2\",\"UNIT_GONE\":null,\"UNIT_NEW\":\"\"}"));
	const char *text = output();
	ck_assert_ptr_nonnull(strstr(text, "UNIT_KEPT=1\n"));
	ck_assert_ptr_nonnull(strstr(text, "UNIT_CHANGED=2\n"));
	ck_assert_ptr_nonnull(strstr(text, "UNIT_NEW=\n"));
	ck_assert_ptr_null(strstr(text, "UNIT_CHANGED=1"));
	ck_assert_ptr_null(strstr(text, "UNIT_GONE"));
}
END_TEST

/* In the format of server/worker_env.c. */
START_TEST(test_environment_from_the_daemon)
{
	setenv("UNIT_WORKERS_OWN", "1", 1);
	setenv("OMPDD_ENV_", "", 1);
	setenv("OMPDD_ENV_PATH", "/usr/bin:/bin", 1);
	setenv("OMPDD_ENV_UNIT_THEIRS", "a=b", 1);
	json_object_put(launch("\"argv\":[\"env\"]"));
	ck_assert_str_eq(output(), "PATH=/usr/bin:/bin\nUNIT_THEIRS=a=b\n");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("launch");
	TCase *t = tcase_create("launch");

	tcase_add_unchecked_fixture(t, create_folder, remove_folder);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_what_cannot_be_started);
	tcase_add_test(t, test_name_of_the_program_is_checked);
	tcase_add_test(t, test_it_is_held_at_exec);
	tcase_add_test(t, test_it_is_held_at_main);
	tcase_add_test(t, test_event_that_cannot_be_seen);
	tcase_add_test(t, test_it_becomes_another_program);
	tcase_add_test(t, test_only_the_holder_may_kill);
	tcase_add_test(t, test_kill_wants_a_launched_target);
	tcase_add_test(t, test_status_of_its_end);
	tcase_add_test(t, test_environment_extends_ours);
	tcase_add_test(t, test_environment_from_the_daemon);
	suite_add_tcase(s, t);
	return check_main(s);
}
