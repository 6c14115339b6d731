/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of events that wait for the loop: one per line, none twice, and a count of those that did not fit. */
#include "worker/context/emit.h"

#include <string.h>

#include "base/contract.h"
#include "check_main.h"
#include "fake_target.h"
#include "rpc/message_split.h"
#include "worker/worker.h"

static struct worker w;
static bool write_fails;

/* The kind, and for LOST the number of lost events. */
static struct error *write_short(const struct worker *of, const struct worker_event *e, struct buf *out)
{
	ck_assert_ptr_eq(of, &w);
	struct error *err = buf_append(out, worker_event_name(e->kind), strlen(worker_event_name(e->kind)));
	if (!err && e->kind == WORKER_EVENT_LOST)
		err = buf_append(out, " 123456789", 1 + e->n_lost);
	/* After the first bytes were written. */
	return err ? err : write_fails ? error_create(ERR_INTERNAL_ERROR, "as told") : NULL;
}

static void setup(void)
{
	write_fails = false;
	w = (struct worker){.write_event = write_short};
	ck_assert_no_err(worker_init(&w, "t1"));
}

static void teardown(void)
{
	worker_deinit(&w);
}

static void assert_waiting(const char *text)
{
	ck_assert_uint_eq(w.events.len, strlen(text));
	/* An empty buffer has no head. */
	ck_assert(!w.events.len || !memcmp(buf_head(&w.events), text, w.events.len));
}

START_TEST(test_each_on_a_line)
{
	worker_emit_kind(&w, WORKER_EVENT_STOPPED);
	worker_emit(&w, &(struct worker_event){.kind = WORKER_EVENT_FORK, .tid = 1, .child = 2});
	assert_waiting("stopped\nfork\n");
}
END_TEST

START_TEST(test_a_stop_is_told_apart_from_events)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"method\":\"stop.ended\",\"params\":{\"us\":1234}}\n";

	worker_report_stop(&w, 1234);
	assert_waiting("");
	ck_assert_uint_eq(w.told.len, strlen(line));
	ck_assert(!memcmp(buf_head(&w.told), line, w.told.len));
}
END_TEST

START_TEST(test_a_process_is_told_in_the_daemon_s_words)
{
	int64_t pid = 0;

	w.target = fake_target_create(TARGET_STOP);
	ck_assert_no_err(worker_report_pid(&w));
	assert_waiting("");
	ck_assert(message_split_number(buf_head(&w.told), w.told.len, CONTRACT_TARGET_PID, "pid", &pid));
	ck_assert_int_eq(pid, target_pid(w.target));
}
END_TEST

START_TEST(test_an_exec_is_reported_once)
{
	worker_report_exec(&w);
	worker_report_exec(&w);
	assert_waiting("exec\n");
}
END_TEST

START_TEST(test_what_cannot_be_written_leaves_no_half_line)
{
	worker_emit_kind(&w, WORKER_EVENT_STOPPED);
	write_fails = true;
	worker_emit_kind(&w, WORKER_EVENT_RESUMED);
	worker_emit_kind(&w, WORKER_EVENT_STOPPED);
	assert_waiting("stopped\n");
	ck_assert_uint_eq(w.events_lost, 2);
	/* The next event that fits comes behind the number of the lost ones. */
	write_fails = false;
	worker_emit_kind(&w, WORKER_EVENT_RESUMED);
	assert_waiting("stopped\nlost 12\nresumed\n");
	ck_assert_uint_eq(w.events_lost, 0);
}
END_TEST

START_TEST(test_with_too_many_waiting_they_are_counted)
{
	while (!w.events_lost)
		worker_emit_kind(&w, WORKER_EVENT_THREAD_STARTED);
	ck_assert_uint_gt(w.events.len, EMIT_MAX_BYTES);
	ck_assert_uint_lt(w.events.len, EMIT_MAX_BYTES + 100);
	worker_emit_kind(&w, WORKER_EVENT_THREAD_EXITED);
	ck_assert_uint_eq(w.events_lost, 2);
	buf_consume(&w.events, w.events.len);
	worker_emit_kind(&w, WORKER_EVENT_EXITED);
	assert_waiting("lost 12\nexited\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker/context/emit");
	TCase *tc = tcase_create("emit");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_each_on_a_line);
	tcase_add_test(tc, test_an_exec_is_reported_once);
	tcase_add_test(tc, test_a_stop_is_told_apart_from_events);
	tcase_add_test(tc, test_a_process_is_told_in_the_daemon_s_words);
	tcase_add_test(tc, test_what_cannot_be_written_leaves_no_half_line);
	tcase_add_test(tc, test_with_too_many_waiting_they_are_counted);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
