/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/device_tree.c. */
#include "device_tree.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "message.h"
#include "variables.h"

static struct json_object *parse_lines(const char *nodes)
{
	struct json_object *array = json_tokener_parse(nodes), *lines;

	ck_assert_ptr_nonnull(array);
	lines = device_tree_lines(array);
	json_object_put(array);
	return lines;
}

/* Check the variable number @i of @reference, and return its own reference. */
static int64_t assert_variable(struct variables *v, int64_t reference, size_t i, const char *name, const char *value)
{
	struct json_object *list = variables_list(v, reference, 0, 0), *one = json_object_array_get_idx(list, i);
	int64_t inner = dap_message_int(one, "variablesReference", -1);

	ck_assert_str_eq(dap_message_string(one, "name"), name);
	ck_assert_str_eq(dap_message_string(one, "value"), value);
	json_object_put(list);
	return inner;
}

START_TEST(test_device_tree_lines_have_those_below_them)
{
	struct json_object *lines = parse_lines("[{\"depth\":0,\"label\":\"runtime\",\"text\":\"libgomp 12\"},"
						"{\"depth\":1,\"label\":\"device 0\",\"text\":\"nvptx\"},"
						"{\"depth\":2,\"label\":\"map\",\"text\":\"a\"},"
						"{\"depth\":2,\"label\":\"map\",\"text\":\"b\"},"
						"{\"depth\":1,\"label\":\"device 1\",\"text\":\"nvptx\"},"
						"{\"depth\":2,\"label\":\"map\",\"text\":\"c\"},"
						"{\"depth\":0,\"label\":\"runtime\"}]");
	struct variables v = {0};
	int64_t root = variables_add(&v, lines), runtime, device;

	runtime = assert_variable(&v, root, 0, "runtime", "libgomp 12");
	ck_assert_int_eq(assert_variable(&v, root, 1, "runtime 2", ""), 0);
	device = assert_variable(&v, runtime, 0, "device 0", "nvptx");
	ck_assert_int_eq(assert_variable(&v, device, 0, "map", "a"), 0);
	assert_variable(&v, device, 1, "map 2", "b");
	device = assert_variable(&v, runtime, 1, "device 1", "nvptx");
	assert_variable(&v, device, 0, "map", "c");
	json_object_put(lines);
	variables_clear(&v);
}
END_TEST

START_TEST(test_device_tree_runtimes_without_devices_are_nothing)
{
	ck_assert_ptr_null(parse_lines("[]"));
	ck_assert_ptr_null(parse_lines("[{\"depth\":0,\"label\":\"runtime\",\"text\":\"libgomp 12, 0 devices\"}]"));
	ck_assert_ptr_null(device_tree_lines(NULL));
}
END_TEST

START_TEST(test_device_tree_nodes_that_fit_nowhere_are_left_out)
{
	struct json_object *lines = parse_lines("[{\"depth\":1,\"label\":\"lost\"},{\"depth\":-1},7,{},"
						"{\"depth\":0,\"label\":\"runtime\"},{\"depth\":2,\"label\":\"lost\"},"
						"{\"depth\":1},{\"depth\":2},{\"depth\":3},{\"depth\":4},"
						"{\"depth\":9000000000000000000}]");
	struct variables v = {0};
	int64_t reference = variables_add(&v, lines);

	ck_assert_int_eq(json_object_object_length(lines), 1);
	reference = assert_variable(&v, reference, 0, "runtime", "");
	for (int i = 0; i < 3; i++) {
		ck_assert_int_gt(reference, 0);
		reference = assert_variable(&v, reference, 0, "", "");
	}
	ck_assert_int_eq(reference, 0);
	json_object_put(lines);
	variables_clear(&v);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/device_tree");
	TCase *tcase = tcase_create("device_tree");

	tcase_add_test(tcase, test_device_tree_lines_have_those_below_them);
	tcase_add_test(tcase, test_device_tree_runtimes_without_devices_are_nothing);
	tcase_add_test(tcase, test_device_tree_nodes_that_fit_nowhere_are_left_out);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
