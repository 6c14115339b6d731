/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/watch/sight.c, with a folder in place of /proc. */
#include "watch/sight.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "check_main.h"
#include "format.h"

static char proc[] = "/tmp/ompdd-sight-XXXXXX";
static struct sight sight;

static void write_file(const char *name, const char *text)
{
	FILE *stream = fopen(name, "w");

	ck_assert_ptr_nonnull(stream);
	fputs(text, stream);
	fclose(stream);
}

static void set_sleeps(int tid, int n)
{
	char name[100], text[200];

	snprintf(name, sizeof(name), "7/task/%d/status", tid);
	snprintf(text, sizeof(text), "Name:\tx\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t9\n", n);
	write_file(name, text);
}

static void set_up(void)
{
	strcpy(strstr(proc, "sight-"), "sight-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(proc));
	ck_assert_int_eq(chdir(proc) + mkdir("7", 0700) + mkdir("7/task", 0700) + mkdir("7/task/7", 0700) +
				 mkdir("7/task/8", 0700),
			 0);
	write_file("7/stat", "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 100 300 0 0 20 0 2 0 4711 1 1\n");
	set_sleeps(7, 10);
	set_sleeps(8, 20);
	sight = (struct sight){.pid = 7};
}

static void tear_down(void)
{
	char command[100];

	sight_deinit(&sight);
	snprintf(command, sizeof(command), "rm -r %s", proc);
	ck_assert_int_eq(system(command), 0);
}

/* Two threads of a team; 8 waits at a barrier at which @arrived threads have arrived. */
static void examine(const char *state, int arrived, const char *diagnosis, int64_t now_ms)
{
	char text[1000];

	snprintf(text, sizeof(text),
		 "{\"threads\":[{\"tid\":8,\"openmp\":true,\"kernel\":{\"state\":\"%s\"},\"state\":{\"name\":"
		 "\"ompt_state_wait_barrier_implicit\"}},{\"tid\":9,\"openmp\":false,\"kernel\":{\"state\":\"running\"}"
		 "},"
		 "{\"tid\":7,\"openmp\":true,\"kernel\":{\"state\":\"asleep\"},\"state\":{\"name\":\"x\"}}],"
		 "\"parallels\":[{\"team_size\":1,\"threads\":[7]},{\"team_size\":2,\"threads\":[7,8],\"arrived\":"
		 "{\"threads\":%d,\"exact\":true}}]}",
		 state, arrived);
	struct json_object *snapshot = answer_parse(text, strlen(text));
	struct json_object *about = diagnosis ? answer_parse(diagnosis, strlen(diagnosis)) : NULL;
	ck_assert_ptr_nonnull(snapshot);
	ck_assert_int_eq(!about, !diagnosis);
	sight_update(&sight, proc, snapshot, about, now_ms);
	json_object_put(snapshot);
	json_object_put(about);
}

static int fulfils(const char *when, int64_t now_ms)
{
	struct watch_rules rules = {0};
	struct buf fact = {0};

	ck_assert_no_err(watch_rules_add(&rules, when));
	int ret = sight_fulfils(&sight, &rules.items[0], now_ms, &fact);
	ck_assert_int_eq(ret, fact.len > 0);
	buf_deinit(&fact);
	watch_rules_deinit(&rules);
	return ret;
}

#define BLOCKED "{\"verdict\":\"blocked\",\"title\":\"blocked: x\",\"findings\":[],\"notes\":[]}"
#define POLLS                                                                                                          \
	"{\"verdict\":\"blocked\",\"title\":\"x\",\"findings\":[{\"threads\":[{\"tid\":8,\"progress\":\"polls\"}]}],"  \
	"\"notes\":[]}"

START_TEST(test_sight_metrics)
{
	examine("running", 1, NULL, 1000);
	ck_assert(fulfils("metric:team_threads>1.5", 1000) && fulfils("metric:team_threads<3", 1000));
	ck_assert(fulfils("metric:busy_threads>0", 1000) && !fulfils("metric:busy_threads>1", 1000));
	ck_assert(fulfils("metric:barrier_threads>0", 1000) && !fulfils("metric:barrier_seconds>0", 1000));
	ck_assert(fulfils("metric:cpu_seconds_total>0", 1000));
	examine("running", 2, NULL, 2000);
	ck_assert(!fulfils("metric:barrier_threads>0", 2000));
}
END_TEST

START_TEST(test_sight_barrier)
{
	examine("asleep", 1, NULL, 1000);
	ck_assert(!fulfils("barrier>2", 1000));
	examine("asleep", 1, NULL, 4000);
	ck_assert(fulfils("barrier>2", 4000) && !fulfils("barrier>3", 4000));
	/* It has woken in between: another barrier, or the next one. */
	set_sleeps(8, 21);
	examine("asleep", 1, NULL, 5000);
	ck_assert(!fulfils("barrier>0.1", 5000));
	/* All have arrived: the team is about to go on. */
	examine("asleep", 2, NULL, 9000);
	ck_assert(!fulfils("barrier>0.1", 9000));
	/* An ended thread has no number. */
	unlink("7/task/8/status");
	examine("asleep", 1, NULL, 10000);
	ck_assert(!fulfils("barrier>0.1", 10000));
}
END_TEST

START_TEST(test_sight_no_progress)
{
	examine("asleep", 1, BLOCKED, 1000);
	ck_assert(!fulfils("no-progress>1", 1000));
	examine("asleep", 1, BLOCKED, 3000);
	ck_assert(fulfils("no-progress>1", 3000) && !fulfils("no-progress>2", 3000));
	set_sleeps(7, 11);
	examine("asleep", 1, BLOCKED, 5000);
	ck_assert(!fulfils("no-progress>1", 5000));
	examine("running", 1, POLLS, 7000);
	ck_assert(fulfils("no-progress>1", 7000));
	examine("running", 1, BLOCKED, 9000);
	ck_assert(!fulfils("no-progress>1", 9000));
}
END_TEST

START_TEST(test_sight_of_a_suspended_or_busy_process)
{
	static const char halted[] = "{\"verdict\":\"waiting\",\"title\":\"x\",\"findings\":[],\"notes\":[{\"kind\":"
				     "\"halted\"}]}";
	static const char busy[] = "{\"verdict\":\"busy\",\"title\":\"x\",\"findings\":[],\"notes\":[]}";

	for (int i = 1; i < 4; i++)
		examine("asleep", 1, i % 2 ? halted : busy, i * 1000);
	ck_assert(!fulfils("no-progress>1", 4000));
	ck_assert(!fulfils("deadlock", 4000));
	examine("asleep", 1, "{\"verdict\":\"deadlock\",\"title\":\"x\"}", 5000);
	ck_assert(fulfils("deadlock", 5000));
}
END_TEST

START_TEST(test_sight_start)
{
	uint64_t start = 0;

	ck_assert(sight_read_start(proc, 7, &start));
	ck_assert_uint_eq(start, 4711);
	ck_assert(!sight_read_start(proc, 8, &start));
	write_file("7/stat", "7 (a) Z 1 7 7 0 -1 0 0 0 0 0 100 300 0 0 20 0 2 0 4711 1 1\n");
	ck_assert(!sight_read_start(proc, 7, &start));
	write_file("7/stat", "7 (a");
	ck_assert(!sight_read_start(proc, 7, &start));
}
END_TEST

START_TEST(test_sight_of_nonsense)
{
	static const char *const texts[] = {"{}", "{\"threads\":7,\"parallels\":{}}",
					    "{\"threads\":[7,{\"tid\":\"x\",\"openmp\":true}],\"parallels\":[{"
					    "\"team_size\":9,\"threads\":[{}],\"arrived\":{\"threads\":-1}}]}"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct json_object *o = answer_parse(texts[i], strlen(texts[i]));

		sight_update(&sight, proc, o, o, (int64_t)(i + 1) * 1000);
		ck_assert(!fulfils("no-progress>1", 4000) && !fulfils("barrier>1", 4000) && !fulfils("deadlock", 4000));
		json_object_put(o);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sight");
	TCase *tc = tcase_create("sight");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_sight_metrics);
	tcase_add_test(tc, test_sight_barrier);
	tcase_add_test(tc, test_sight_no_progress);
	tcase_add_test(tc, test_sight_of_a_suspended_or_busy_process);
	tcase_add_test(tc, test_sight_start);
	tcase_add_test(tc, test_sight_of_nonsense);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
