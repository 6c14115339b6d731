/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of events as notifications of the protocol: each kind with its members, and no other members. */
#include "methods/event.h"

#include <string.h>

#include "base/buf.h"
#include "check_main.h"
#include "fake_worker.h"
#include "worker/context/emit.h"

static void setup(void)
{
	fake_worker_begin(TARGET_STOP, "");
	w.epoch = 7;
}

static void teardown(void)
{
	fake_worker_end();
}

static void assert_written(struct worker_event e, const char *params)
{
	struct buf out = {0};
	char expected[256];

	snprintf(expected, sizeof(expected), "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":%s}", params);
	ck_assert_no_err(event_write(&w, &e, &out));
	ck_assert_msg(out.len == strlen(expected) && !memcmp(buf_head(&out), expected, out.len), "%.*s", (int)out.len,
		      buf_head(&out));
	buf_deinit(&out);
}

START_TEST(test_what_the_target_does_by_itself)
{
	assert_written((struct worker_event){.kind = WORKER_EVENT_THREAD_STARTED, .tid = 5},
		       "{\"tid\":5,\"type\":\"thread_started\"}");
	assert_written((struct worker_event){.kind = WORKER_EVENT_THREAD_EXITED, .tid = 5},
		       "{\"tid\":5,\"type\":\"thread_exited\"}");
	assert_written((struct worker_event){.kind = WORKER_EVENT_FORK, .tid = 5, .child = 6},
		       "{\"tid\":5,\"child\":6,\"type\":\"fork\"}");
	assert_written((struct worker_event){.kind = WORKER_EVENT_EXEC}, "{\"type\":\"exec\"}");
	assert_written((struct worker_event){.kind = WORKER_EVENT_TRACER_LOST}, "{\"type\":\"tracer_lost\"}");
	assert_written((struct worker_event){.kind = WORKER_EVENT_LOST, .n_lost = 4000000000u},
		       "{\"count\":4000000000,\"type\":\"lost\"}");
}
END_TEST

START_TEST(test_stops_say_why)
{
	const struct worker_event stopped = {.kind = WORKER_EVENT_STOPPED}, hit = {.kind = WORKER_EVENT_BREAKPOINT};

	w.stop = (struct worker_stop){.reason = STOP_REQUEST};
	assert_written(stopped, "{\"epoch\":7,\"type\":\"stopped\"}");
	w.stop = (struct worker_stop){.reason = STOP_LAUNCH, .tid = 5, .address = 0x10};
	assert_written(stopped, "{\"epoch\":7,\"type\":\"stopped\"}");
	w.stop = (struct worker_stop){.reason = STOP_STEP, .tid = 5, .address = 0xfffffffffffffff0};
	assert_written(
		stopped,
		"{\"epoch\":7,\"tid\":5,\"reason\":\"step\",\"address\":\"0xfffffffffffffff0\",\"type\":\"stopped\"}");
	w.stop = (struct worker_stop){.reason = STOP_BREAKPOINT, .tid = 5, .breakpoint = 3, .address = 0x10};
	assert_written(hit, "{\"epoch\":7,\"tid\":5,\"breakpoint\":3,\"address\":\"0x10\",\"type\":\"breakpoint\"}");
	w.stop.has_event = true;
	w.stop.event = EVENT_TASK_BEGIN;
	assert_written(hit, "{\"epoch\":7,\"tid\":5,\"breakpoint\":3,\"address\":\"0x10\",\"event\":\"task_begin\","
			    "\"type\":\"breakpoint\"}");
	assert_written((struct worker_event){.kind = WORKER_EVENT_RESUMED}, "{\"epoch\":7,\"type\":\"resumed\"}");
}
END_TEST

START_TEST(test_ends_say_how)
{
	const struct worker_event exited = {.kind = WORKER_EVENT_EXITED};

	assert_written(exited, "{\"type\":\"exited\"}");
	w.exit_status = 3 << 8;
	assert_written(exited, "{\"exit\":{\"status\":3},\"type\":\"exited\"}");
	w.exit_status = 11 | 0x80;
	assert_written(
		exited,
		"{\"exit\":{\"signal\":11,\"signal_name\":\"SIGSEGV\",\"core_dumped\":true},\"type\":\"exited\"}");
	/* A real-time signal has no name. */
	w.exit_status = 40;
	assert_written(exited, "{\"exit\":{\"signal\":40,\"core_dumped\":false},\"type\":\"exited\"}");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("methods/event");
	TCase *tc = tcase_create("event");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_what_the_target_does_by_itself);
	tcase_add_test(tc, test_stops_say_why);
	tcase_add_test(tc, test_ends_say_how);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
