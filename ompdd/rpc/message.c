/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON-RPC 2.0 requests, responses and notifications. */
#include "rpc/message.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/errors.h"
#include "rpc/json_grammar.h"
#include "rpc/json_write.h"
#include "rpc/message_split.h"
#include "rpc/message_text.h"
#include "rpc/suggest.h"

void message_global_init(void)
{
	json_global_set_string_hash(JSON_C_STR_HASH_PERLLIKE);
}

static void message_deinit(struct message *m)
{
	json_object_put(m->params);
	free(m->method);
	json_object_put(m->id);
	*m = (struct message){0};
}

void message_batch_deinit(struct message_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->messages)
			message_deinit(&b->messages[i]);
		if (b->errors)
			error_destroy(b->errors[i]);
	}
	if (b->messages != &b->one) {
		free(b->messages);
		free(b->errors);
	}
	*b = (struct message_batch){0};
}

static struct error *refuse_request(const char *pointer, const char *what)
{
	return error_detail(error_create(ERR_INVALID_REQUEST, "%s", what), "pointer", "%s", pointer);
}

/* Return true if @id may be sent back: a string of bounded length, or an integer. */
static bool is_valid_id(struct json_object *id)
{
	if (json_object_is_type(id, json_type_string))
		return json_object_get_string_len(id) <= MESSAGE_MAX_ID;
	return json_object_is_type(id, json_type_int);
}

/* Refuse members that a request must not have; a similar name gets a hint. */
static struct error *check_members(struct json_object *request, bool trusted)
{
	static const char *const known[] = {"jsonrpc", "id", "method", "params"};

	json_object_object_foreach(request, key, value)
	{
		const char *best = NULL;
		bool found = trusted && !strcmp(key, "client");

		(void)value;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			found = found || !strcmp(key, known[i]);
		if (found)
			continue;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			suggest_consider(key, known[i], &best);
		struct error *err = error_create(ERR_INVALID_REQUEST, "a request has no member \"%.64s\"", key);
		if (best)
			err = error_hint(err, "did you mean \"%s\"?", best);
		return error_detail(err, "pointer", "/%.64s", key);
	}
	return NULL;
}

static struct error *read_client(struct json_object *request, struct message *m)
{
	struct json_object *client;

	if (!json_object_object_get_ex(request, "client", &client))
		return NULL;
	if (!json_object_is_type(client, json_type_int))
		return refuse_request("/client", "client must be an integer");
	m->client = json_object_get_int64(client);
	return NULL;
}

/* Fill @m from @request; on error, keeps the id if it could be read. */
static struct error *read_request(struct json_object *request, bool trusted, struct message *m)
{
	struct json_object *value;

	if (!json_object_is_type(request, json_type_object))
		return refuse_request("", "a request must be an object");
	if (json_object_object_get_ex(request, "id", &value)) {
		if (!is_valid_id(value))
			return error_hint(refuse_request("/id", "id must be a string or an integer"),
					  "use an integer or a string of at most %d bytes; omit id "
					  "in a notification",
					  MESSAGE_MAX_ID);
		m->id = json_object_get(value);
	}
	if (!json_object_object_get_ex(request, "jsonrpc", &value) || !json_object_is_type(value, json_type_string) ||
	    json_object_get_string_len(value) != 3 || strcmp(json_object_get_string(value), "2.0"))
		return refuse_request("/jsonrpc", "jsonrpc must be \"2.0\"");
	struct error *err = check_members(request, trusted);
	if (err)
		return err;
	if (!json_object_object_get_ex(request, "method", &value) || !json_object_is_type(value, json_type_string))
		return refuse_request("/method", "method must be a string");
	const char *method = json_object_get_string(value);
	if (json_object_object_get_ex(request, "params", &value) && !json_object_is_type(value, json_type_object))
		return error_hint(error_detail(error_create(ERR_INVALID_PARAMS, "params must be an object"), "pointer",
					       "/params"),
				  "parameters are given by name: \"params\":{\"target\":\"t1\"}");
	err = trusted ? read_client(request, m) : NULL;
	if (err)
		return err;
	m->params = value ? json_object_get(value) : json_object_new_object();
	m->method = strdup(method);
	return m->params && m->method ? NULL : &error_nomem;
}

static struct error *alloc_batch(size_t n, struct message_batch *b)
{
	b->messages = calloc(n, sizeof(*b->messages));
	b->errors = calloc(n, sizeof(*b->errors));
	if (!b->messages || !b->errors) {
		message_batch_deinit(b);
		return &error_nomem;
	}
	b->n = n;
	return NULL;
}

/* Set the params text of element @i if @where has it and it fits into a line. */
static void set_params_text(struct message *m, const char *text, const struct json_member *where, size_t i)
{
	if (i >= where->n || !where->at[i].len || !m->method)
		return;
	const char *params = text + where->at[i].start;
	if (memchr(params, '\n', where->at[i].len) || memchr(params, '\r', where->at[i].len))
		return;
	m->params_text = params;
	m->params_len = where->at[i].len;
}

static struct error *read_batch(struct json_object *array, bool trusted, struct message_batch *ret)
{
	struct message_batch b = {.is_batch = true};
	size_t n = json_object_array_length(array);

	if (n == 0)
		return refuse_request("", "a batch must not be empty");
	if (n > MESSAGE_MAX_BATCH)
		return error_create(ERR_LIMIT_EXCEEDED, "a batch of %zu requests: at most %d are allowed", n,
				    MESSAGE_MAX_BATCH);
	struct error *err = alloc_batch(n, &b);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		b.errors[i] = read_request(json_object_array_get_idx(array, i), trusted, &b.messages[i]);
	*ret = b;
	return NULL;
}

/* Read a text that is not an array, the most frequent case: needs no memory for arrays. */
static void read_single_message(struct json_object *object, bool trusted, struct message_batch *ret)
{
	*ret = (struct message_batch){.n = 1, .messages = &ret->one, .errors = &ret->one_error};
	ret->one_error = read_request(object, trusted, &ret->one);
}

/* Read a line of our own daemon: its content is already checked. Returns false if the line has another form. */
static bool read_forwarded(const char *text, size_t len, struct message_batch *ret)
{
	struct json_object *params = NULL;
	struct split_request r;

	if (!message_split_request(text, len, &r))
		return false;
	struct error *err = message_text_parse_checked(r.params, r.params_len, &params);
	struct message m = {.params = params, .client = r.client};
	if (!err && json_object_is_type(params, json_type_object)) {
		m.id = json_object_new_int64(r.seq);
		m.method = strndup(r.method, r.method_len);
	}
	error_destroy(err);
	if (!m.id || !m.method) {
		message_deinit(&m);
		return false;
	}
	*ret = (struct message_batch){.n = 1, .messages = &ret->one, .errors = &ret->one_error};
	ret->one = m;
	return true;
}

struct error *message_parse(const char *text, size_t len, bool trusted, struct message_batch *ret)
{
	struct json_member params = {.name = "params"};
	struct json_object *value = NULL;

	if (trusted && read_forwarded(text, len, ret))
		return NULL;
	struct error *err = message_text_parse(text, len, &params, &value);
	if (err)
		return err;
	if (json_object_is_type(value, json_type_array))
		err = read_batch(value, trusted, ret);
	else if (json_object_is_type(value, json_type_object))
		read_single_message(value, trusted, ret);
	else
		err = refuse_request("", "neither a request object nor a batch");
	for (size_t i = 0; !err && i < ret->n; i++)
		set_params_text(&ret->messages[i], text, &params, i);
	json_object_put(value);
	return err;
}

static struct error *append_text(struct buf *out, const char *text)
{
	return buf_append(out, text, strlen(text));
}

/* Append everything before the payload: {"jsonrpc":"2.0","id":ID, */
static struct error *append_head(struct buf *out, struct json_object *id)
{
	struct error *err = append_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");

	if (!err)
		err = json_write(out, id);
	return err ? err : append_text(out, ",");
}

/* Remove the bytes appended since @len after an error: a partial message must never be sent. */
static struct error *finish_message(struct buf *out, size_t len, struct error *err)
{
	if (err)
		out->len = len;
	return err;
}

struct error *message_write_result(struct buf *out, struct json_object *id, struct json_object *result)
{
	size_t len = out->len;
	struct error *err = append_head(out, id);

	if (!err)
		err = append_text(out, "\"result\":");
	if (!err)
		err = json_write(out, result);
	if (!err)
		err = append_text(out, "}");
	return finish_message(out, len, err);
}

struct error *message_write_error(struct buf *out, struct json_object *id, const struct error *error)
{
	struct json_object *object = errors_to_json(error);
	size_t len = out->len;
	struct error *err = object ? append_head(out, id) : &error_nomem;

	if (!err)
		err = append_text(out, "\"error\":");
	if (!err)
		err = json_write(out, object);
	if (!err)
		err = append_text(out, "}");
	json_object_put(object);
	return finish_message(out, len, err);
}

struct error *message_write_notification(struct buf *out, const char *method, struct json_object *params)
{
	struct json_object *name = json_object_new_string(method);
	size_t len = out->len;
	struct error *err = name ? append_text(out, "{\"jsonrpc\":\"2.0\",\"method\":") : &error_nomem;

	if (!err)
		err = json_write(out, name);
	if (!err)
		err = append_text(out, ",\"params\":");
	if (!err)
		err = params ? json_write(out, params) : append_text(out, "{}");
	if (!err)
		err = append_text(out, "}");
	json_object_put(name);
	return finish_message(out, len, err);
}

struct error *message_write_request(struct buf *out, int64_t seq, int64_t client, const char *method,
				    const char *params, size_t params_len)
{
	char head[96];
	size_t len = out->len;

	int n = snprintf(head, sizeof(head),
			 "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"client\":%" PRId64 ",\"method\":\"", seq, client);
	struct error *err = buf_append(out, head, (size_t)n);
	if (!err)
		err = append_text(out, method);
	if (!err)
		err = append_text(out, "\",\"params\":");
	if (!err)
		err = buf_append(out, params, params_len);
	return finish_message(out, len, err ? err : append_text(out, "}"));
}

struct error *message_write_raw(struct buf *out, struct json_object *id, const char *payload, size_t payload_len)
{
	size_t len = out->len;
	struct error *err = append_head(out, id);

	if (!err)
		err = buf_append(out, payload, payload_len);
	return finish_message(out, len, err);
}

bool message_get_integer(const struct message *m, const char *name, int64_t *ret)
{
	struct json_object *value = json_object_object_get(m->params, name);

	if (!json_object_is_type(value, json_type_int))
		return false;
	/* json-c returns INT64_MAX for a number above it. */
	if (json_object_get_int64(value) == INT64_MAX && json_object_get_uint64(value) > INT64_MAX)
		return false;
	*ret = json_object_get_int64(value);
	return true;
}
