/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A user of the installed <ompdd/client.h>, for tests/system/test_client_library.py: client_library STEP... Each step
 * prints one line.
 *
 *	connect ADDRESS [TOKEN_FILE or -] | worker FOLDER | limit MS | call METHOD PARAMS | object METHOD KEY VALUE
 *	subscribe TARGET or - | event MS | poll MS | usage | close
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <ompdd/client.h>

static struct ompdd_client *client;

static void print_outcome(struct ompdd_error *error, const char *result)
{
	static const char *const kinds[] = {"", "answer", "connection", "timeout", "usage", "memory"};

	if (!error)
		printf("%s\n", result);
	else
		printf("error\t%s\t%d\t%s\t%s\t%s\t%s\n", kinds[ompdd_error_kind(error)], ompdd_error_code(error),
		       ompdd_error_name(error), ompdd_error_message(error), ompdd_error_hint(error),
		       ompdd_error_json(error));
	fflush(stdout);
	ompdd_error_free(error);
}

static void open_client(char **step)
{
	struct ompdd_client_options options = {.size = sizeof(options), .timeout_ms = 60000};

	if (!strcmp(step[0], "worker")) {
		options.programs = step[1];
		print_outcome(ompdd_client_start_worker(&options, &client), "started");
		return;
	}
	options.token_file = strcmp(step[2], "-") ? step[2] : NULL;
	print_outcome(ompdd_client_connect(strcmp(step[1], "-") ? step[1] : NULL, &options, &client), "connected");
}

static void call_text(char **step)
{
	char *text = NULL;
	struct ompdd_error *error = ompdd_client_call_text(client, step[1], step[2], &text);

	print_outcome(error, text);
	free(text);
}

static void call_object(char **step)
{
	struct json_object *params = json_object_new_object(), *result = NULL;

	json_object_object_add(params, step[2], json_object_new_string(step[3]));
	struct ompdd_error *error = ompdd_client_call(client, step[1], params, &result);
	print_outcome(error, json_object_to_json_string(result));
	json_object_put(result);
	json_object_put(params);
}

static void next_event(int timeout_ms)
{
	struct json_object *event = NULL;
	struct ompdd_error *error = ompdd_client_next_event(client, timeout_ms, &event);

	print_outcome(error, event ? json_object_to_json_string(event) : "none");
	json_object_put(event);
}

/* The loop of the header: fetch events until no event is left, then poll. Ends after the first events. */
static void poll_events(int timeout_ms)
{
	struct pollfd watch = {.fd = ompdd_client_fd(client), .events = POLLIN};
	struct json_object *event = NULL;
	int n = 0;

	do {
		while (!ompdd_client_next_event(client, 0, &event) && event) {
			n++;
			json_object_put(event);
		}
	} while (!n && poll(&watch, 1, timeout_ms) > 0);
	printf("%d\n", n);
	fflush(stdout);
}

static void print_usage_errors(void)
{
	struct ompdd_client_options options = {.size = 4711};
	struct json_object *array = json_object_new_array();
	struct ompdd_client *none;

	print_outcome(ompdd_client_connect("unix:/nowhere", &options, &none), "connected");
	options = (struct ompdd_client_options){.size = sizeof(options), .timeout_ms = -1};
	print_outcome(ompdd_client_start_worker(&options, &none), "started");
	print_outcome(ompdd_client_call(client, "daemon.info", array, NULL), "called");
	print_outcome(ompdd_client_call_text(client, "daemon.info", "[]", NULL), "called");
	print_outcome(ompdd_client_call_text(client, "daemon.info", "{", NULL), "called");
	json_object_put(array);
}

int main(int argc, char **argv)
{
	for (char **step = argv + 1; step < argv + argc;) {
		const char *name = step[0];
		int n = 2;

		if (!strcmp(name, "connect") || !strcmp(name, "worker")) {
			open_client(step);
			n = !strcmp(name, "connect") ? 3 : 2;
		} else if (!strcmp(name, "limit")) {
			ompdd_client_set_timeout(client, atoi(step[1]));
		} else if (!strcmp(name, "call")) {
			call_text(step);
			n = 3;
		} else if (!strcmp(name, "object")) {
			call_object(step);
			n = 4;
		} else if (!strcmp(name, "subscribe")) {
			print_outcome(ompdd_client_subscribe(client, strcmp(step[1], "-") ? step[1] : NULL),
				      "subscribed");
		} else if (!strcmp(name, "event")) {
			next_event(atoi(step[1]));
		} else if (!strcmp(name, "poll")) {
			poll_events(atoi(step[1]));
		} else if (!strcmp(name, "usage")) {
			print_usage_errors();
			n = 1;
		} else {
			ompdd_client_close(client);
			client = NULL;
			n = 1;
		}
		step += n;
	}
	ompdd_client_close(client);
	printf("%s\n", ompdd_client_version());
	return 0;
}
