/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts the command line into methods and their params. */
#include "request.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/utf8.h"
#include "text.h"

const char *request_attach_method(const struct args *args)
{
	if (args->program)
		return "target.launch";
	return args->core ? "target.open_core" : "target.attach";
}

const char *request_method(const struct args *args)
{
	const struct command_row *row = command_row(args->command);

	if (args->command == COMMAND_CALL)
		return args->method;
	if (args->command == COMMAND_BT && args->thread && args->json)
		return "stack.get";
	if (args->command == COMMAND_ATTACH || args->command == COMMAND_LAUNCH)
		return request_attach_method(args);
	return args->json ? row->json_method : row->method;
}

static void add_filters(struct json_object *params, const struct args *args)
{
	static const char *const keys[] = {"name", "runtime", "ranks", "job", "cgroup"};

	if (args->user)
		json_object_object_add(params, "user", json_object_new_string(args->user));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (args->filters[i])
			json_object_object_add(params, keys[i], json_object_new_string(args->filters[i]));
	}
}

/* Return the columns of `-o TID,waits-for` as keys of a view. */
static struct json_object *create_columns(const char *names)
{
	struct json_object *array = json_object_new_array();

	for (const char *name = names; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
		struct buf key = {0};

		text_add_bytes(&key, name, strcspn(name, ","));
		for (size_t i = 0; i < key.len; i++)
			key.data[i] = (char)(key.data[i] == '-' ? '_' : tolower((unsigned char)key.data[i]));
		json_object_array_add(array, json_object_new_string(key.data));
		buf_deinit(&key);
	}
	return array;
}

static void add_view(struct json_object *params, const struct args *args)
{
	const char *name = args->command == COMMAND_BT ? "stacks" : command_row(args->command)->name;

	json_object_object_add(params, "view", json_object_new_string(name));
	json_object_object_add(params, "fold", json_object_new_boolean(!args->all));
	json_object_object_add(params, "verbose", json_object_new_boolean(args->verbose));
	json_object_object_add(params, "full_names", json_object_new_boolean(args->full_names));
	if (args->columns)
		json_object_object_add(params, "columns", create_columns(args->columns));
}

struct json_object *request_params(const struct args *args, const char *target)
{
	struct json_object *params = json_object_new_object();

	if (target)
		json_object_object_add(params, "target", json_object_new_string(target));
	/* Functions of regions cost only one stack per region, that of one thread. */
	if (!strcmp(request_method(args), "snapshot.get") && args->command != COMMAND_CALL)
		json_object_object_add(params, "stacks", json_object_new_string("regions"));
	if (!strcmp(request_method(args), "view.get") && args->command != COMMAND_CALL)
		add_view(params, args);
	if (args->sample_ms)
		json_object_object_add(params, "sample_ms", json_object_new_int64(args->sample_ms));
	if (args->command == COMMAND_BT) {
		if (args->thread)
			json_object_object_add(params, "thread", json_object_new_int64(args->thread));
		json_object_object_add(params, "logical", json_object_new_boolean(args->logical));
	}
	if (args->command == COMMAND_PS)
		add_filters(params, args);
	return params;
}

/* Return @path as an absolute path, because ompdd has another working folder. */
static struct json_object *create_absolute_path(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	struct buf t = {0};

	if (here)
		text_printf(&t, "%s%s", here, strcmp(here, "/") ? "/" : "");
	text_add(&t, path);
	free(here);
	struct json_object *value = json_object_new_string(t.data);
	buf_deinit(&t);
	return value;
}

static void add_debug_dirs(struct json_object *params, const struct args *args)
{
	struct json_object *dirs;

	if (!args->n_debug_dirs)
		return;
	dirs = json_object_new_array();
	for (size_t i = 0; i < args->n_debug_dirs; i++)
		json_object_array_add(dirs, create_absolute_path(args->debug_dirs[i]));
	json_object_object_add(params, "debug_dirs", dirs);
}

static struct json_object *create_core_params(const struct args *args)
{
	struct json_object *params = json_object_new_object();

	json_object_object_add(params, "core", create_absolute_path(args->core));
	if (args->exe)
		json_object_object_add(params, "exe", create_absolute_path(args->exe));
	if (args->sysroot)
		json_object_object_add(params, "sysroot", create_absolute_path(args->sysroot));
	add_debug_dirs(params, args);
	return params;
}

/* Return our environment, without variables that are not UTF-8: JSON cannot contain them. */
static struct json_object *create_environment(void)
{
	struct json_object *env = json_object_new_object();

	for (char **e = environ; *e; e++) {
		const char *equals = strchr(*e, '=');

		if (!equals || equals == *e || !utf8_is_valid(*e, strlen(*e)))
			continue;
		char *name = strndup(*e, (size_t)(equals - *e));
		json_object_object_add(env, name, json_object_new_string(equals + 1));
		free(name);
	}
	return env;
}

/*
 * Return the path of the program's output when the user names none: our own output, so that `| less` and `> file`
 * get both. The program opens the path anew. NULL: /dev/null; the caller frees it.
 */
static char *find_output_file(const struct args *args, int is_elsewhere, int fd)
{
	const char *terminal = ttyname(fd);
	struct buf path = {0};
	struct stat st;

	if (terminal)
		return text_strdup(terminal);
	/*
	 * A program of `launch` outlives this process. With our output, it would make a reader of that output wait
	 * for its exit.
	 */
	if (!args_command_controls(args->command) || is_elsewhere)
		return NULL;
	/* The program's output would corrupt the lines of JSON. */
	if (args->json)
		fd = STDERR_FILENO;
	text_printf(&path, "/proc/%d/fd/%d", (int)getpid(), fd);
	/* A socket cannot be opened by path, nor can a file that only another user may open. */
	int again = open(path.data, O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (again < 0) {
		buf_deinit(&path);
		return NULL;
	}
	/* Two writers, each with its own file offset, would overwrite each other. */
	if (!fstat(again, &st) && S_ISREG(st.st_mode))
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_APPEND);
	close(again);
	return text_take(&path);
}

static struct json_object *create_launch_params(const struct args *args, int is_elsewhere)
{
	static const char *const files[] = {"stdin", "stdout", "stderr"};
	struct json_object *params = json_object_new_object(), *argv = json_object_new_array();

	for (char *const *word = args->program; *word; word++)
		json_object_array_add(argv, json_object_new_string(*word));
	json_object_object_add(params, "argv", argv);
	json_object_object_add(params, "env", create_environment());
	json_object_object_add(params, "cwd", create_absolute_path(args->cwd ? args->cwd : "."));
	for (int i = 0; i < 3; i++) {
		/*
		 * A launched program must not read input typed for another program: its standard input is ours only
		 * if it was named.
		 */
		char *ours = args->files[i] || i == STDIN_FILENO ? NULL : find_output_file(args, is_elsewhere, i);
		const char *file = ours ? ours : args->files[i];

		if (file)
			json_object_object_add(params, files[i], create_absolute_path(file));
		free(ours);
	}
	if (args_command_controls(args->command))
		json_object_object_add(params, "stop_at", json_object_new_string("main"));
	if (args->max_stop_ms)
		json_object_object_add(params, "max_stop_ms", json_object_new_int64(args->max_stop_ms));
	add_debug_dirs(params, args);
	return params;
}

struct json_object *request_attach_params(const struct args *args, int is_elsewhere)
{
	if (args->core)
		return create_core_params(args);
	if (args->program)
		return create_launch_params(args, is_elsewhere);
	struct json_object *params = json_object_new_object();

	json_object_object_add(params, "pid", json_object_new_int64(args->pid));
	if (args->mode)
		json_object_object_add(params, "mode", json_object_new_string(args->mode));
	if (args->max_stop_ms)
		json_object_object_add(params, "max_stop_ms", json_object_new_int64(args->max_stop_ms));
	add_debug_dirs(params, args);
	return params;
}
