/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of cli/top_view.c: columns, strips and the legend are drawn with the states of profile.get. */
#include "top_view.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "format.h"

static const char profile[] =
	"{\"pid\":7,\"profile\":{\"elapsed_us\":400000,\"reached_hz\":100.0},"
	"\"total\":{\"times\":{\"work\":300,\"barrier_implicit\":100},\"threads\":1},"
	"\"states\":[{\"name\":\"work\",\"key\":\"work\",\"text\":\"work\",\"letter\":\"W\",\"group\":\"work\"},"
	"{\"name\":\"barrier_implicit\",\"key\":\"wait\",\"text\":\"implicit barrier\",\"letter\":\"b\",\"group\":"
	"\"barrier\"},{\"name\":\"idle\",\"key\":\"idle\",\"text\":\"idle\",\"letter\":\"-\",\"group\":\"idle\"}],"
	"\"regions\":[{\"index\":0,\"outside\":false,\"place\":{\"function\":\"solve\"},\"level\":1,\"team_size\":1,"
	"\"times\":{\"work\":300,\"barrier_implicit\":80,\"new_state\":20},\"calls\":1}],\"locks\":[],\"tasks\":[],"
	"\"timeline\":{\"states\":[\"work\",\"barrier_implicit\",\"new_state\"],\"end_us\":400000,\"threads\":["
	"{\"tid\":12,\"t_us\":[0,100000,200000],\"state\":[0,1,2],\"region\":[0,0,0]}]}}";

static char *draw(const char *json)
{
	struct json_object *now = answer_parse(json, strlen(json));
	struct buf out = {0};

	ck_assert_ptr_nonnull(now);
	top_view_draw(&(struct top_view){.program = "p", .now = now, .width = 80, .utf8 = 1}, &out);
	json_object_put(now);
	return text_take(&out);
}

static void assert_has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part), "no \"%s\" in:\n%s", part, text);
}

START_TEST(test_columns_are_groups_of_states)
{
	char *text = draw(profile);

	assert_has(text, "TIME%  WORK%  BARR%  REST%  CALLS");
	/* Columns without a value are left out, because the terminal is narrow. A state without a group is part of the
	 * rest. */
	assert_has(text, "100.0   75.0   20.0    5.0");
	free(text);
}
END_TEST

START_TEST(test_strips_have_letters)
{
	char *text = draw(profile);

	assert_has(text, "\nsolve\n          12  ");
	assert_has(text, " Wb\n");
	free(text);
}
END_TEST

START_TEST(test_legend_names_seen_states)
{
	char *text = draw(profile);

	assert_has(text, "\nW work  b implicit barrier\n");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("top_view");
	TCase *states = tcase_create("states");

	tcase_add_test(states, test_columns_are_groups_of_states);
	tcase_add_test(states, test_strips_have_letters);
	tcase_add_test(states, test_legend_names_seen_states);
	suite_add_tcase(suite, states);
	return check_main(suite);
}
