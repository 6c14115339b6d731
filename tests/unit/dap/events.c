/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/events.c. */
#include "events.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "message.h"

static struct json_object *parse(const char *text)
{
	return dap_message_parse(text, strlen(text));
}

START_TEST(test_events_have_names_and_labels)
{
	for (int i = 0; i < EVENTS_N; i++) {
		ck_assert_int_eq(events_number(events_name(i)), i);
		ck_assert(!strncmp(events_label(i), "OpenMP: ", 8));
	}
	ck_assert_int_eq(events_number("omp_parallel_begin"), EVENTS_NONE);
	ck_assert_int_eq(events_number(NULL), EVENTS_NONE);
}
END_TEST

START_TEST(test_events_of_a_clients_words)
{
	bool is_ours;

	ck_assert_int_eq(events_of_filter("omp_task_begin"), events_number("task_begin"));
	ck_assert_int_eq(events_of_filter("task_begin"), EVENTS_NONE);
	ck_assert_int_eq(events_of_filter(NULL), EVENTS_NONE);
	ck_assert_int_eq(events_of_function("omp:lock_acquire", &is_ours), events_number("lock_acquire"));
	ck_assert(is_ours);
	ck_assert_int_eq(events_of_function("omp:nothing", &is_ours), EVENTS_NONE);
	ck_assert(is_ours);
	ck_assert_int_eq(events_of_function("omp_get_thread_num", &is_ours), EVENTS_NONE);
	ck_assert(!is_ours);
}
END_TEST

START_TEST(test_events_take_what_is_ours_and_leave_the_rest)
{
	struct events e = {0};
	struct json_object *asked = parse(
		"{\"filters\":[\"cpp\",\"omp_task_begin\"],\"filterOptions\":[{\"filterId\":\"omp_single_enter\"},"
		"{\"filterId\":\"cpp\"}]}");
	struct json_object *rest = events_take_filters(&e, asked);

	ck_assert_str_eq(json_object_to_json_string_ext(rest, 0),
			 "{\"filters\":[\"cpp\"],\"filterOptions\":[{\"filterId\":\"cpp\"}]}");
	ck_assert(events_is_wanted(&e, events_number("task_begin")) &&
		  events_is_wanted(&e, events_number("single_enter")));
	ck_assert(!events_is_wanted(&e, events_number("parallel_begin")));
	json_object_put(rest);
	json_object_put(asked);
	asked = parse("{\"breakpoints\":[{\"name\":\"omp:parallel_begin\"},{\"name\":\"main\",\"condition\":\"1\"},{"
		      "\"name\":\"omp:x\"}]}");
	rest = events_take_functions(&e, asked);
	ck_assert_str_eq(json_object_to_json_string_ext(rest, 0),
			 "{\"breakpoints\":[{\"name\":\"main\",\"condition\":\"1\"}]}");
	ck_assert(events_is_wanted(&e, events_number("parallel_begin")));
	json_object_put(rest);
	json_object_put(asked);
	asked = parse("{\"filters\":[]}");
	json_object_put(events_take_filters(&e, asked));
	ck_assert(events_any_wanted(&e));
	json_object_put(asked);
	asked = parse("{}");
	json_object_put(events_take_functions(&e, asked));
	ck_assert(!events_any_wanted(&e));
	json_object_put(asked);
}
END_TEST

START_TEST(test_events_take_anything)
{
	static const char *const texts[] = {"{\"filters\":7,\"breakpoints\":{}}",
					    "{\"filters\":[1,null,{}],\"breakpoints\":[1,null,[]]}",
					    "{\"filterOptions\":[{\"filterId\":[]}]}"};
	struct events e = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct json_object *asked = parse(texts[i]);

		json_object_put(events_take_filters(&e, asked));
		json_object_put(events_take_functions(&e, asked));
		json_object_put(asked);
	}
	ck_assert(!events_any_wanted(&e));
}
END_TEST

START_TEST(test_events_addresses_of_places_that_are_reached)
{
	struct json_object *result = parse("{\"events\":[{\"event\":\"parallel_begin\",\"places\":[{\"address\":"
					   "\"0x10\",\"point\":\"call\"},{\"address\":\"0x20\","
					   "\"point\":\"return\"},{\"address\":\"0x30\",\"point\":\"call\"}]},{"
					   "\"event\":\"task_begin\",\"places\":[{\"address\":"
					   "\"0x40\",\"point\":\"argument_call\"}]},{\"event\":\"thread_end\","
					   "\"places\":{\"rc\":\"x\",\"message\":\"none\"}}]}");
	uint64_t addresses[2];
	char *why = NULL;

	ck_assert_uint_eq(events_addresses(result, events_number("parallel_begin"), addresses, 2, &why), 2);
	ck_assert_uint_eq(addresses[0], 0x10);
	ck_assert_uint_eq(addresses[1], 0x30);
	ck_assert_uint_eq(events_addresses(result, events_number("parallel_begin"), addresses, 1, &why), 1);
	ck_assert_uint_eq(events_addresses(result, events_number("task_begin"), addresses, 2, &why), 0);
	ck_assert(strstr(why, "\"stop\""));
	free(why);
	ck_assert_uint_eq(events_addresses(result, events_number("thread_end"), addresses, 2, &why), 0);
	ck_assert_str_eq(why, "none");
	free(why);
	json_object_put(result);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/events");
	TCase *tcase = tcase_create("events");

	tcase_add_test(tcase, test_events_have_names_and_labels);
	tcase_add_test(tcase, test_events_of_a_clients_words);
	tcase_add_test(tcase, test_events_take_what_is_ours_and_leave_the_rest);
	tcase_add_test(tcase, test_events_take_anything);
	tcase_add_test(tcase, test_events_addresses_of_places_that_are_reached);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
