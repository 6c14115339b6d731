/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of worker/capture/capture.c: views of a fake target. */
#include "worker/capture/capture.h"
#include "worker/worker.h"

#include "check_main.h"
#include "fake_target.h"
#include "methods/event.h"

static struct worker w;

/* The behaviour of one capture, and what it saw. */
struct call {
	int n;		/* calls so far */
	int fail_first; /* that many calls fail */
	enum error_code code;
	bool expire; /* the time limit ends the stop meanwhile */
	bool was_stopped;
	uint64_t epoch;
};

static struct error *look(struct worker *worker, void *arg)
{
	struct call *c = arg;

	c->n++;
	c->was_stopped = target_is_stopped(worker->target);
	c->epoch = worker->epoch;
	if (c->expire)
		fake_target_fail(worker->target, ERR_STOP_TIMEOUT);
	return c->n <= c->fail_first ? error_create(c->code, "as told") : NULL;
}

static void start(enum target_mode mode)
{
	w = (struct worker){.write_event = event_write, .plugin_options = {.timeout_ms = 1000}};
	ck_assert_no_err(worker_init(&w, "t1"));
	w.target = fake_target_create(mode);
}

static void teardown(void)
{
	worker_deinit(&w);
}

START_TEST(test_capture_without_target)
{
	struct call c = {0};
	struct view view;

	w = (struct worker){0};
	ck_assert_no_err(worker_init(&w, "t1"));
	ck_assert_err(worker_capture(&w, look, &c, &view), ERR_NO_SUCH_TARGET);
	ck_assert_int_eq(c.n, 0);
}
END_TEST

START_TEST(test_capture_stops_for_the_call_only)
{
	struct call c = {0};
	struct view view;

	start(TARGET_STOP);
	fake_target_set_stopped_us(w.target, 321);
	for (uint64_t i = 1; i <= 3; i++) {
		ck_assert_no_err(worker_capture(&w, look, &c, &view));
		ck_assert(c.was_stopped);
		ck_assert(!target_is_stopped(w.target));
		ck_assert_uint_eq(view.epoch, i);
		ck_assert_uint_eq(c.epoch, i);
		ck_assert_int_eq(view.consistency, VIEW_STOPPED);
		ck_assert_int_eq(view.stopped_us, 321);
	}
	ck_assert_uint_eq(fake_target_n_stops(w.target), 3);
	ck_assert_uint_eq(fake_target_n_resumes(w.target), 3);
}
END_TEST

START_TEST(test_capture_that_fails_resumes)
{
	struct call c = {.fail_first = 1, .code = ERR_PLUGIN_MISBEHAVED};
	struct view view;

	start(TARGET_STOP);
	ck_assert_err(worker_capture(&w, look, &c, &view), ERR_PLUGIN_MISBEHAVED);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_int_eq(c.n, 1);
}
END_TEST

START_TEST(test_capture_that_took_too_long_is_void)
{
	struct call c = {.expire = true};
	struct view view;

	start(TARGET_STOP);
	ck_assert_err(worker_capture(&w, look, &c, &view), ERR_STOP_TIMEOUT);
	ck_assert(!target_is_stopped(w.target));
}
END_TEST

START_TEST(test_capture_observes_without_a_stop)
{
	struct call c = {0};
	struct view view;

	start(TARGET_OBSERVE);
	ck_assert_no_err(worker_capture(&w, look, &c, &view));
	ck_assert_uint_eq(fake_target_n_stops(w.target), 0);
	ck_assert_int_eq(view.consistency, VIEW_RACY);
	ck_assert_int_eq(view.stopped_us, 0);
	ck_assert_uint_eq(view.epoch, 1);
}
END_TEST

START_TEST(test_capture_of_a_core_is_one_view_for_good)
{
	struct call c = {0};
	struct view view;

	start(TARGET_CORE);
	for (int i = 0; i < 3; i++) {
		ck_assert_no_err(worker_capture(&w, look, &c, &view));
		ck_assert_int_eq(view.consistency, VIEW_CORE);
		ck_assert_uint_eq(view.epoch, 1);
		ck_assert_int_eq(view.stopped_us, 0);
	}
	ck_assert_int_eq(c.n, 3);
	ck_assert_uint_eq(fake_target_n_stops(w.target), 0);
	/* Unreadable memory will be unreadable the next time, too. */
	c = (struct call){.fail_first = 1, .code = ERR_MEMORY_UNREADABLE};
	ck_assert_err(worker_capture(&w, look, &c, &view), ERR_MEMORY_UNREADABLE);
	ck_assert_int_eq(c.n, 1);
	ck_assert_err(worker_hold(&w, &view), ERR_MODE_UNSUPPORTED);
}
END_TEST

START_TEST(test_capture_observes_what_another_debugger_stopped)
{
	struct call c = {0};
	struct view view;

	start(TARGET_OBSERVE);
	fake_target_set_stopped_by_other(w.target, true);
	ck_assert_no_err(worker_capture(&w, look, &c, &view));
	ck_assert_int_eq(view.consistency, VIEW_STOPPED);
}
END_TEST

START_TEST(test_capture_looks_again_when_memory_went_away)
{
	struct call c = {.fail_first = 2, .code = ERR_MEMORY_UNREADABLE};
	struct view view;

	start(TARGET_OBSERVE);
	ck_assert_no_err(worker_capture(&w, look, &c, &view));
	ck_assert_int_eq(c.n, 3);
	c = (struct call){.fail_first = 100, .code = ERR_MEMORY_UNREADABLE};
	ck_assert_err(worker_capture(&w, look, &c, &view), ERR_MEMORY_UNREADABLE);
	ck_assert_int_eq(c.n, 3);
}
END_TEST

START_TEST(test_capture_within_a_held_stop)
{
	struct call c = {0};
	struct view view;
	int64_t us;

	start(TARGET_STOP);
	w.client = 7;
	ck_assert_no_err(worker_hold(&w, &view));
	w.client = 8; /* every client may read */
	for (int i = 0; i < 2; i++) {
		ck_assert_no_err(worker_capture(&w, look, &c, &view));
		ck_assert_uint_eq(view.epoch, 1);
		ck_assert_int_eq(view.consistency, VIEW_STOPPED);
		ck_assert(target_is_stopped(w.target));
	}
	ck_assert_uint_eq(fake_target_n_stops(w.target), 1);
	w.client = 7;
	ck_assert_no_err(worker_release(&w, &us));
	ck_assert_no_err(worker_capture(&w, look, &c, &view));
	ck_assert_uint_eq(view.epoch, 2);
}
END_TEST

START_TEST(test_capture_of_a_target_that_is_gone)
{
	struct call c = {0};
	struct view view;

	start(TARGET_STOP);
	fake_target_fail(w.target, ERR_TARGET_EXITED);
	ck_assert_err(worker_capture(&w, look, &c, &view), ERR_TARGET_EXITED);
	ck_assert_int_eq(c.n, 0);
}
END_TEST

/* A list of three pages: each one has the address of the next. */
#define PAGE_1 0x100000
#define PAGE_2 0x200000
#define PAGE_3 0x300000

struct chain {
	int n;
	int n_stopped; /* calls while the target was stopped */
	bool moves;    /* each call finds the list at another place */
	bool moves_once;
	uint64_t last;
};

static struct error *follow(struct worker *worker, void *arg)
{
	struct chain *c = arg;
	uint64_t at = PAGE_1;

	c->n++;
	c->n_stopped += target_is_stopped(worker->target);
	for (int i = 0; i < 2; i++) {
		struct error *err = target_read(worker->target, at, &at, sizeof(at));

		if (err)
			return err;
	}
	c->last = at;
	/* The program continues. */
	if (c->moves || (c->moves_once && c->n == 1)) {
		uint64_t next = PAGE_2 + 0x1000 * (uint64_t)(c->n + 1);

		fake_target_map(worker->target, next, NULL, 4096);
		fake_target_poke_u64(worker->target, next, at);
		fake_target_poke_u64(worker->target, PAGE_1, next);
	}
	return NULL;
}

static void start_chain(void)
{
	start(TARGET_STOP);
	target_destroy(w.target);
	w.target = fake_target_create_copying();
	fake_target_map(w.target, PAGE_1, NULL, 4096);
	fake_target_map(w.target, PAGE_2, NULL, 4096);
	fake_target_poke_u64(w.target, PAGE_1, PAGE_2);
	fake_target_poke_u64(w.target, PAGE_2, PAGE_3);
}

START_TEST(test_copy_is_read_while_the_target_runs)
{
	struct chain c = {0};
	struct view view;

	start_chain();
	for (uint64_t i = 1; i <= 3; i++) {
		ck_assert_no_err(worker_capture(&w, follow, &c, &view));
		ck_assert_uint_eq(c.last, PAGE_3);
		ck_assert_uint_eq(view.epoch, i);
		ck_assert_int_eq(view.consistency, VIEW_STOPPED);
	}
	/* Once before the first stop, to see which memory is read. */
	ck_assert_int_eq(c.n, 4);
	ck_assert_int_eq(c.n_stopped, 0);
	ck_assert_uint_eq(fake_target_n_stops(w.target), 3);
}
END_TEST

START_TEST(test_copy_that_lacks_a_page_is_taken_again)
{
	struct chain c = {.moves_once = true};
	struct view view;

	start_chain();
	ck_assert_no_err(worker_capture(&w, follow, &c, &view));
	ck_assert_uint_eq(c.last, PAGE_3);
	/* To learn, to fail, to learn again, and then to succeed. */
	ck_assert_int_eq(c.n, 4);
	ck_assert_int_eq(c.n_stopped, 0);
	ck_assert_uint_eq(fake_target_n_stops(w.target), 2);
	ck_assert_uint_eq(view.epoch, 1);
}
END_TEST

START_TEST(test_copy_that_always_lacks_something_is_given_up)
{
	struct chain c = {.moves = true};
	struct view view;

	start_chain();
	ck_assert_no_err(worker_capture(&w, follow, &c, &view));
	ck_assert_uint_eq(c.last, PAGE_3);
	ck_assert_int_eq(c.n_stopped, 1);
	ck_assert_uint_eq(view.epoch, 1);
	ck_assert(!target_is_stopped(w.target));
}
END_TEST

START_TEST(test_copy_answers_nothing_of_another_moment)
{
	uint64_t value;
	int64_t us;

	start_chain();
	/* Memory that is known to be needed, and was read. */
	target_learn(w.target, true);
	ck_assert_no_err(target_read(w.target, PAGE_1, &value, sizeof(value)));
	target_learn(w.target, false);
	ck_assert_no_err(target_copy(w.target, &us));
	fake_target_poke_u64(w.target, PAGE_1, 1);
	ck_assert_no_err(target_read(w.target, PAGE_1, &value, sizeof(value)));
	ck_assert_uint_eq(value, PAGE_2);
	ck_assert(target_copy_end(w.target));
	/* Memory that is not known to be needed, on a present page and on a missing one. */
	ck_assert_no_err(target_copy(w.target, &us));
	ck_assert_err(target_read(w.target, PAGE_1 + 2048, &value, sizeof(value)), ERR_STOP_TIMEOUT);
	ck_assert(!target_copy_end(w.target));
	ck_assert_no_err(target_copy(w.target, &us));
	ck_assert_err(target_read(w.target, PAGE_2, &value, sizeof(value)), ERR_STOP_TIMEOUT);
	ck_assert(!target_copy_end(w.target));
	/* The failure of that read is an answer. */
	target_learn(w.target, true);
	ck_assert_err(target_read(w.target, 0x900000, &value, sizeof(value)), ERR_MEMORY_UNREADABLE);
	target_learn(w.target, false);
	ck_assert_no_err(target_copy(w.target, &us));
	fake_target_map(w.target, 0x900000, NULL, 4096);
	ck_assert_err(target_read(w.target, 0x900000, &value, sizeof(value)), ERR_MEMORY_UNREADABLE);
	ck_assert(target_copy_end(w.target));
}
END_TEST

START_TEST(test_view_within_a_stop_reads_what_it_likes)
{
	struct chain c = {.moves = true};
	struct view view;

	start_chain();
	ck_assert_no_err(worker_capture_stopped(&w, follow, &c, &view));
	ck_assert_int_eq(c.n, 1);
	ck_assert_int_eq(c.n_stopped, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker_capture");
	TCase *tc = tcase_create("capture");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_capture_without_target);
	tcase_add_test(tc, test_capture_stops_for_the_call_only);
	tcase_add_test(tc, test_capture_that_fails_resumes);
	tcase_add_test(tc, test_capture_that_took_too_long_is_void);
	tcase_add_test(tc, test_capture_observes_without_a_stop);
	tcase_add_test(tc, test_capture_of_a_core_is_one_view_for_good);
	tcase_add_test(tc, test_capture_observes_what_another_debugger_stopped);
	tcase_add_test(tc, test_capture_looks_again_when_memory_went_away);
	tcase_add_test(tc, test_capture_within_a_held_stop);
	tcase_add_test(tc, test_capture_of_a_target_that_is_gone);
	tcase_add_test(tc, test_copy_is_read_while_the_target_runs);
	tcase_add_test(tc, test_copy_that_lacks_a_page_is_taken_again);
	tcase_add_test(tc, test_copy_that_always_lacks_something_is_given_up);
	tcase_add_test(tc, test_copy_answers_nothing_of_another_moment);
	tcase_add_test(tc, test_view_within_a_stop_reads_what_it_likes);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
