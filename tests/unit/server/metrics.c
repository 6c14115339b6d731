/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/metrics: the text format of Prometheus, for a server whose session has fake workers. */
#include "server/metrics.h"

#include <stdio.h>

#include "fake_session.h"
#include "server/internal.h"

static struct server server;
static char text[65536];

static void setup(void)
{
	fake_setup();
	server = (struct server){.session = session};
}

/* Writes the metrics that @c gets into text[]. */
static void write_for(const struct fake_conn *c)
{
	struct buf out = {0};

	ck_assert_no_err(metrics_write(&server, c->client, false, &out));
	ck_assert_uint_lt(out.len, sizeof(text));
	memcpy(text, buf_head(&out), out.len);
	text[out.len] = '\0';
	buf_deinit(&out);
}

static void assert_line(const char *line)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	ck_assert_msg(strstr(text, whole), "no line %s", line);
}

static void assert_no(const char *what)
{
	ck_assert_msg(!strstr(text, what), "%s is there", what);
}

static void stop_ended(struct fake_worker *w, const char *us)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"method\":\"stop.ended\",\"params\":{\"us\":%s}}",
			 us);

	session_worker_message(w->target, line, (size_t)n);
}

START_TEST(test_figures_are_the_server_s)
{
	server.n_connections = 3;
	server.stats = (struct server_stats){11, 12, 13, UINT64_MAX};
	fake_attach(&conn);
	fake_request(&conn, 1, "target.info", "t1");
	write_for(&conn);
	assert_line("ompdd_connections 3");
	assert_line("ompdd_connections_opened_total 11");
	assert_line("ompdd_connections_refused_total 12");
	assert_line("ompdd_bytes_total{direction=\"in\"} 13");
	assert_line("ompdd_bytes_total{direction=\"out\"} 18446744073709551615");
	assert_line("ompdd_targets 1");
	assert_line("ompdd_workers_started_total 1");
	assert_line("ompdd_requests_pending 1");
	assert_line("ompdd_requests_total{outcome=\"ok\"} 1");
	assert_line("ompdd_target_info{target=\"t1\",mode=\"stop\",pid=\"4711\"} 1");
}
END_TEST

/* Each class includes the classes below it, and the sum is exact. */
START_TEST(test_histograms_add_up)
{
	struct fake_worker *w = fake_attach(&conn);

	stop_ended(w, "100");
	stop_ended(w, "1500");
	stop_ended(w, "40000000");
	write_for(&conn);
	assert_line("ompdd_target_stop_duration_seconds_bucket{target=\"t1\",le=\"0.0001\"} 1");
	assert_line("ompdd_target_stop_duration_seconds_bucket{target=\"t1\",le=\"0.001\"} 1");
	assert_line("ompdd_target_stop_duration_seconds_bucket{target=\"t1\",le=\"30\"} 2");
	assert_line("ompdd_target_stop_duration_seconds_bucket{target=\"t1\",le=\"+Inf\"} 3");
	assert_line("ompdd_target_stop_duration_seconds_sum{target=\"t1\"} 40.001600");
	assert_line("ompdd_target_stop_duration_seconds_count{target=\"t1\"} 3");
	assert_line("ompdd_stop_duration_seconds_bucket{le=\"30\"} 2");
	assert_line("ompdd_stop_duration_seconds_sum 40.001600");
	assert_line("ompdd_stop_duration_seconds_count 3");
}
END_TEST

START_TEST(test_targets_of_another_user_are_not_shown)
{
	fake_attach(&conn);
	fake_connect(&other, 2000, true);
	write_for(&other);
	assert_no("t1");
	assert_line("ompdd_targets 1");
	write_for(&conn);
	ck_assert_ptr_nonnull(strstr(text, "\"t1\""));
}
END_TEST

/* A family has its HELP, its TYPE, then all its lines. No line of it is elsewhere. */
START_TEST(test_families_stand_together)
{
	char family[128] = "", seen[8192] = " ";

	fake_attach(&conn);
	fake_attach(&conn);
	write_for(&conn);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char name[128], entry[130];

		if (sscanf(line, "# HELP %127s", name) == 1) {
			snprintf(entry, sizeof(entry), " %s ", name);
			ck_assert_msg(!strstr(seen, entry), "%s comes twice", name);
			ck_assert_uint_lt(strlen(seen) + strlen(entry), sizeof(seen));
			strcat(seen, entry);
			strcpy(family, name);
		} else if (sscanf(line, "# TYPE %127s", name) == 1) {
			ck_assert_str_eq(name, family);
		} else {
			size_t len = strcspn(line, "{ ");

			ck_assert_uint_gt(strlen(family), 0);
			ck_assert_msg(!strncmp(line, family, strlen(family)), "%s in %s", line, family);
			const char *rest = line + strlen(family);
			ck_assert_msg(len == strlen(family) || !strncmp(rest, "_bucket{", 8) ||
					      !strncmp(rest, "_sum", 4) || !strncmp(rest, "_count", 6),
				      "%s in %s", line, family);
		}
	}
	ck_assert_ptr_nonnull(strstr(seen, " ompdd_target_stop_duration_seconds "));
	ck_assert_ptr_nonnull(strstr(seen, " process_open_fds "));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("server_metrics");
	TCase *tc = tcase_create("metrics_write");

	tcase_add_checked_fixture(tc, setup, fake_teardown);
	tcase_add_test(tc, test_figures_are_the_server_s);
	tcase_add_test(tc, test_histograms_add_up);
	tcase_add_test(tc, test_targets_of_another_user_are_not_shown);
	tcase_add_test(tc, test_families_stand_together);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
