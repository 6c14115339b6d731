/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A session of ompdd-dap whose client and native adapter send arbitrary messages. The input is lines: 'c' and a message
 * of the client, 'n' and one of the native adapter, 's' and an answer of ompdd to snapshot.get. The fuzzer starts no
 * process, daemon or adapter: it removes all members that would name one.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "format.h"
#include "frames.h"
#include "../fuzz.h"
#include "message.h"
#include "session.h"

static const struct options options = {.uri = "unix:/nowhere/at.all"};

/* Members that would open a program, a file or an address. */
static void disarm(struct json_object *message)
{
	struct json_object *arguments = dap_message_get(message, "arguments", NULL);

	if (!json_object_is_type(arguments, json_type_object))
		return;
	json_object_object_del(arguments, "connect");
	json_object_object_del(arguments, "nativeAdapter");
	json_object_object_del(arguments, "tokenFile");
	json_object_object_del(arguments, "program");
}

/* A view of the snapshot, and the stacks of the native adapter's last answer. */
static void look(struct companion *c, struct json_object *result)
{
	static const char text[] = "{\"bodies\":[\"_omp_fn\"],\"regions\":[\"GOMP_parallel\"],\"runtime\":[\"GOMP_\"]}";
	struct json_object *names = dap_message_parse(text, sizeof(text) - 1);
	struct json_object *sample = json_object_new_object();
	struct view *v;

	json_object_object_add(sample, "raw", json_object_get(result));
	json_object_object_add(sample, "rows", json_object_get(json_read_member(result, "rows")));
	v = view_create(sample, names);
	json_object_put(sample);

	for (size_t i = 0; i < v->s.n_threads && i < 16; i++) {
		size_t threads[FRAMES_MAX_THREADS], n = frames_threads(v, i, threads);
		struct json_object *stacks[FRAMES_MAX_THREADS];
		struct frames f;
		char *name = view_thread_name(v, i);

		FUZZ_ASSERT(n >= 1 && n <= FRAMES_MAX_THREADS && strlen(name) > 0);
		for (size_t k = 0; k < n; k++)
			stacks[k] = dap_message_array(result, "stackFrames");
		frames_merge(v, threads, stacks, n, &f);
		frames_deinit(&f);
		free(name);
	}
	json_object_put(names);
	view_destroy(c->target.view);
	c->target.view = v;
	c->target.is_fresh = true;
}

static void take(struct dap_session *s, char side, const char *text, size_t len)
{
	struct json_object *message = dap_message_parse(text, len);

	if (!message)
		return;
	disarm(message);
	if (side == 'c')
		s->client.stream.received(s->client.stream.arg, message);
	else if (side == 'n' && s->companion.adapter.is_open)
		s->companion.adapter.process.stream.received(&s->companion.adapter, message);
	else if (side == 's')
		look(&s->companion, message);
	json_object_put(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dap_session s;
	struct adapter *adapter = &s.companion.adapter;
	int files[4];

	for (int i = 0; i < 4; i++)
		files[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
	dap_session_init(&s, &options, files[0], files[1]);
	adapter->process = (struct native){.loop = &s.client.loop, .name = strdup("fuzz"), .kind = NATIVE_LLDB};
	adapter->process.messages.fd = -1;
	stream_open(&adapter->process.stream, &s.client.loop, "fuzz", FRAMING_CONTENT_LENGTH, files[2], files[3]);
	adapter_listen(adapter);
	for (size_t at = 0; at < size;) {
		const uint8_t *end = memchr(data + at, '\n', size - at);
		size_t len = end ? (size_t)(end - data) - at : size - at;

		if (len > 1)
			take(&s, (char)data[at], (const char *)data + at + 1, len - 1);
		at += len + 1;
	}
	if (!debuggee_is_open(&s.companion.target))
		view_destroy(s.companion.target.view);
	dap_session_deinit(&s);
	return 0;
}
