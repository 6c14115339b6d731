/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * rpc/message: an accepted message can be written, and is accepted again with the same meaning. Every written answer is
 * strict JSON.
 */
#include <json-c/json.h>
#include <string.h>

#include "fuzz.h"
#include "base/utf8.h"
#include "rpc/message.h"
#include "rpc/message_split.h"
#include "rpc/message_text.h"

static void check_reparses(const struct buf *out)
{
	struct json_object *value = NULL;
	FUZZ_ASSERT(utf8_is_valid(buf_head(out), out->len));
	struct error *err = message_text_parse(buf_head(out), out->len, NULL, &value);

	FUZZ_ASSERT(!err);
	json_object_put(value);
}

/* An error answer is short, strict JSON for every input. */
static void check_error(struct json_object *id, const struct error *error)
{
	struct buf out = {0};

	FUZZ_ASSERT(!message_write_error(&out, id, error));
	FUZZ_ASSERT(out.len < 4096);
	check_reparses(&out);
	buf_deinit(&out);
}

static void check_request(const struct message *m)
{
	struct message_batch again = {0};
	struct buf out = {0};

	FUZZ_ASSERT(m->method && json_object_is_type(m->params, json_type_object));
	if (!m->params_text)
		return;
	FUZZ_ASSERT(!message_write_request(&out, 1, 2, "target.info", m->params_text, m->params_len));
	FUZZ_ASSERT(!memchr(buf_head(&out), '\n', out.len));
	FUZZ_ASSERT(!message_parse(buf_head(&out), out.len, true, &again));
	FUZZ_ASSERT(again.n == 1 && !again.errors[0] && again.messages[0].client == 2);
	FUZZ_ASSERT(!strcmp(again.messages[0].method, "target.info"));
	FUZZ_ASSERT(json_object_equal(again.messages[0].params, m->params));
	message_batch_deinit(&again);
	buf_deinit(&out);
}

static void check_batch(const struct message_batch *b)
{
	FUZZ_ASSERT(b->n >= 1 && b->n <= MESSAGE_MAX_BATCH && (b->is_batch || b->n == 1));
	for (size_t i = 0; i < b->n; i++) {
		if (b->errors[i])
			check_error(b->messages[i].id, b->errors[i]);
		else
			check_request(&b->messages[i]);
	}
}

static void try_parse(const char *text, size_t size, bool trusted)
{
	struct message_batch b = {0};
	struct error *err = message_parse(text, size, trusted, &b);

	if (err)
		check_error(NULL, err);
	else
		check_batch(&b);
	error_destroy(err);
	message_batch_deinit(&b);
}

static void try_split(const char *text, size_t size)
{
	struct buf out = {0};
	const char *payload;
	size_t len;
	int64_t seq;

	if (!message_split_response(text, size, &seq, &payload, &len))
		return;
	FUZZ_ASSERT(payload > text && payload + len <= text + size && seq >= 0);
	FUZZ_ASSERT(!message_write_raw(&out, NULL, payload, len));
	FUZZ_ASSERT(out.len > len);
	buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_parse((const char *)data, size, false);
	try_parse((const char *)data, size, true);
	try_split((const char *)data, size);
	return 0;
}
