/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of ompdd/view as a whole. Each JSON file of golden/ has a source, the result of target.info, and requests. The
 * text file of the same name has the views. `OMPDD_GOLDEN=write unit_view_view` writes the text files anew; look at the
 * difference before you commit it.
 */
#include "view/view.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "rpc/json_read.h"
#include "view/phrase.h"

/* Build the view of an item {"view", "fold", "columns", …} of a golden file. */
static struct json_object *build(struct json_object *file, struct json_object *item)
{
	struct json_object *columns = json_read_member(item, "columns"), *fold = json_read_member(item, "fold"), *ret;
	const char *keys[16], *name = json_read_text(item, "view");
	struct view_request request = {.fold = !fold || json_read_bool(fold), .columns = columns ? keys : NULL};

	request.fold_above = (size_t)json_read_int(json_read_member(item, "fold_above"), 0);
	request.max_rows = (size_t)json_read_int(json_read_member(item, "max_rows"), 0);
	request.graph = json_read_bool(json_read_member(item, "graph"));
	request.numbered = json_read_bool(json_read_member(item, "numbered"));
	request.verbose = json_read_bool(json_read_member(item, "verbose"));
	while (request.kind < VIEW_DEVICES && strcmp(view_name(request.kind), name))
		request.kind++;
	for (; request.n_columns < json_read_length(columns); request.n_columns++)
		keys[request.n_columns] = json_object_get_string(json_object_array_get_idx(columns, request.n_columns));
	ck_assert_no_err(view_build(&request, json_read_member(file, "source"), json_read_member(file, "info"), &ret));
	return ret;
}

static void add_line(struct buf *text, const char *lead, struct json_object *value)
{
	phrase_printf(text, "%s%s\n", lead,
		      json_object_to_json_string_ext(value, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE));
}

/* Append the members of @result, and the items of its lists on a line each. */
static void add_result(struct buf *text, struct json_object *result)
{
	json_object_object_foreach(result, key, value)
	{
		phrase_printf(text, "%s: ", key);
		if (!json_object_is_type(value, json_type_array)) {
			add_line(text, "", value);
			continue;
		}
		phrase_add(text, "\n");
		for (size_t i = 0; i < json_object_array_length(value); i++)
			add_line(text, "  ", json_object_array_get_idx(value, i));
	}
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t len = 0;

	ck_assert_msg(file != NULL, "%s: no such file", path);
	ck_assert_int_gt(getdelim(&text, &len, 0, file), 0);
	fclose(file);
	return text;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

/* Compare the views of NAME.json with NAME.txt. */
static void check_file(const char *path)
{
	struct json_object *file = json_object_from_file(path), *views = json_read_member(file, "views");
	const char *mode = getenv("OMPDD_GOLDEN");
	struct buf text = {0};
	char expected[4096];

	ck_assert_uint_gt(json_read_length(views), 0);
	for (size_t i = 0; i < json_read_length(views); i++) {
		struct json_object *item = json_object_array_get_idx(views, i), *result = build(file, item);

		add_line(&text, i ? "\n== " : "== ", item);
		add_result(&text, result);
		json_object_put(result);
	}
	snprintf(expected, sizeof(expected), "%.*s.txt", (int)(strlen(path) - strlen(".json")), path);
	if (mode && !strcmp(mode, "write")) {
		write_file(expected, phrase_text(&text));
	} else {
		char *before = read_file(expected);

		ck_assert_str_eq(phrase_text(&text), before);
		free(before);
	}
	buf_deinit(&text);
	json_object_put(file);
}

START_TEST(test_view_golden_files)
{
	DIR *folder = opendir(GOLDEN);
	int n = 0;

	ck_assert_ptr_nonnull(folder);
	for (struct dirent *entry; (entry = readdir(folder));) {
		char path[4096];

		if (!strstr(entry->d_name, ".json"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", GOLDEN, entry->d_name);
		check_file(path);
		n++;
	}
	closedir(folder);
	ck_assert_int_gt(n, 0);
}
END_TEST

START_TEST(test_view_refuses_unknown_columns)
{
	const char *const keys[] = {"tid", "stat"};
	struct view_request request = {.kind = VIEW_THREADS, .columns = keys, .n_columns = 2};
	struct json_object *source = json_object_new_object(), *result;

	struct error *err = view_build(&request, source, NULL, &result);
	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err->message, "threads has no column 'stat'");
	error_destroy(err);
	json_object_put(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("view");
	TCase *build_case = tcase_create("view_build");

	tcase_add_test(build_case, test_view_golden_files);
	tcase_add_test(build_case, test_view_refuses_unknown_columns);
	suite_add_tcase(suite, build_case);
	return check_main(suite);
}
