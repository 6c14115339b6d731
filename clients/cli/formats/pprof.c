/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * pprof's format: the message Profile of its profile.proto, in gzip. The encoding, varints and lengths only, is
 * implemented here. Each sample has two values: its count, and nanoseconds of threads.
 */
#include "recorded.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* Field numbers of profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING };
enum { PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS, PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_DEFAULT_TYPE = 14 };
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES, MAPPING_HAS_LINES };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

/* Indices of the first strings. */
enum { STRING_EMPTY, STRING_SAMPLES, STRING_COUNT, STRING_TIME, STRING_NANOSECONDS, STRING_STATE, N_STRINGS };
static const char *const first_strings[N_STRINGS] = {"", "samples", "count", "time", "nanoseconds", "state"};

struct encoder {
	struct buf out;
	int64_t n_strings;
};

static void add_varint(struct buf *t, uint64_t value)
{
	do {
		char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

		text_add_bytes(t, &byte, 1);
		value >>= 7;
	} while (value);
}

static void add_number(struct buf *t, int field, int64_t value)
{
	add_varint(t, (uint64_t)field << 3);
	add_varint(t, (uint64_t)value);
}

static void add_bytes(struct buf *t, int field, const char *bytes, size_t len)
{
	add_varint(t, (uint64_t)field << 3 | 2);
	add_varint(t, len);
	text_add_bytes(t, bytes ? bytes : "", len);
}

/* Append the submessage @message, which is empty afterwards. */
static void add_message(struct buf *t, int field, struct buf *message)
{
	add_bytes(t, field, message->data, message->len);
	buf_deinit(message);
}

static int64_t add_string(struct encoder *e, const char *s)
{
	if (!s || !*s)
		return STRING_EMPTY;
	add_bytes(&e->out, PROFILE_STRING, s, strlen(s));
	return e->n_strings++;
}

static void add_value_type(struct encoder *e, int field, int type, int unit)
{
	struct buf m = {0};

	add_number(&m, VALUE_TYPE, type);
	add_number(&m, VALUE_UNIT, unit);
	add_message(&e->out, field, &m);
}

/* Return the mapping of a module: the index of the module's first frame plus 1; 0: none. */
static int64_t find_mapping(const struct recorded *r, size_t i)
{
	for (size_t k = 0; k < i && r->frames[i].module; k++) {
		if (r->frames[k].module && !strcmp(r->frames[k].module, r->frames[i].module))
			return (int64_t)k + 1;
	}
	return r->frames[i].module ? (int64_t)i + 1 : 0;
}

/* Add a frame as a location with a function of its own. */
static void add_frame(struct encoder *e, const struct recorded *r, size_t i)
{
	const struct recorded_frame *f = &r->frames[i];
	int64_t id = (int64_t)i + 1, mapping = find_mapping(r, i);
	struct buf m = {0}, line = {0};

	if (mapping == id) {
		add_number(&m, MAPPING_ID, id);
		add_number(&m, MAPPING_FILE, add_string(e, f->module));
		add_number(&m, MAPPING_HAS_FUNCTIONS, 1);
		add_number(&m, MAPPING_HAS_FILES, 1);
		add_number(&m, MAPPING_HAS_LINES, 1);
		add_message(&e->out, PROFILE_MAPPING, &m);
	}
	add_number(&m, FUNCTION_ID, id);
	add_number(&m, FUNCTION_NAME, add_string(e, f->name));
	add_number(&m, FUNCTION_SYSTEM_NAME, add_string(e, f->function));
	add_number(&m, FUNCTION_FILE, add_string(e, f->file));
	add_message(&e->out, PROFILE_FUNCTION, &m);

	add_number(&line, LINE_FUNCTION, id);
	add_number(&line, LINE_LINE, f->line);
	add_number(&m, LOCATION_ID, id);
	if (mapping)
		add_number(&m, LOCATION_MAPPING, mapping);
	add_message(&m, LOCATION_LINE, &line);
	add_message(&e->out, PROFILE_LOCATION, &m);
}

/* Add a sample. @states: the string of each frame that is a state. */
static void add_sample(struct encoder *e, const struct recorded *r, size_t node, size_t *stack, const int64_t *states)
{
	struct buf m = {0}, packed = {0};
	size_t n = recorded_stack(r, node, stack);

	for (size_t k = 0; k < n; k++)
		add_varint(&packed, stack[k] + 1);
	add_message(&m, SAMPLE_LOCATION, &packed);
	add_varint(&packed, (uint64_t)r->nodes[node].samples);
	add_varint(&packed, (uint64_t)r->nodes[node].self_us * 1000);
	add_message(&m, SAMPLE_VALUE, &packed);
	if (n && states[stack[0]]) {
		add_number(&packed, LABEL_KEY, STRING_STATE);
		add_number(&packed, LABEL_STRING, states[stack[0]]);
		add_message(&m, SAMPLE_LABEL, &packed);
	}
	add_message(&e->out, PROFILE_SAMPLE, &m);
}

static struct error *compress_gzip(const struct buf *in, struct buf *out)
{
	z_stream z = {.next_in = (unsigned char *)in->data, .avail_in = (unsigned)in->len};

	if (in->len > UINT32_MAX || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY))
		return failure_create(ERR_OUTPUT, "cannot_write", NULL, "cannot compress the profile");
	size_t size = deflateBound(&z, (unsigned long)in->len);
	char *buf = text_calloc(size, 1);
	z.next_out = (unsigned char *)buf;
	z.avail_out = (unsigned)size;
	int done = deflate(&z, Z_FINISH) == Z_STREAM_END;
	if (done)
		text_add_bytes(out, buf, size - z.avail_out);
	deflateEnd(&z);
	free(buf);
	return done ? NULL : failure_create(ERR_OUTPUT, "cannot_write", NULL, "cannot compress the profile");
}

struct error *pprof_write(const struct recorded *r, struct buf *out)
{
	struct encoder e = {.n_strings = N_STRINGS};
	size_t *stack = text_calloc(RECORDED_MAX_DEPTH, sizeof(*stack));
	int64_t *states = text_calloc(r->n_frames + 1, sizeof(*states));

	for (int i = 0; i < N_STRINGS; i++)
		add_bytes(&e.out, PROFILE_STRING, first_strings[i], strlen(first_strings[i]));
	add_value_type(&e, PROFILE_SAMPLE_TYPE, STRING_SAMPLES, STRING_COUNT);
	add_value_type(&e, PROFILE_SAMPLE_TYPE, STRING_TIME, STRING_NANOSECONDS);
	for (size_t i = 0; i < r->n_frames; i++) {
		if (!strcmp(r->frames[i].kind, "state"))
			states[i] = add_string(&e, r->frames[i].function);
		add_frame(&e, r, i);
	}
	for (size_t i = 0; i < r->n_nodes; i++) {
		if (r->nodes[i].self_us)
			add_sample(&e, r, i, stack, states);
	}
	add_number(&e.out, PROFILE_TIME_NANOS, r->begun_us * 1000);
	add_number(&e.out, PROFILE_DURATION_NANOS, r->elapsed_us * 1000);
	add_value_type(&e, PROFILE_PERIOD_TYPE, STRING_TIME, STRING_NANOSECONDS);
	add_number(&e.out, PROFILE_PERIOD, r->rate_hz > 0 ? (int64_t)(1e9 / r->rate_hz) : 0);
	add_number(&e.out, PROFILE_DEFAULT_TYPE, STRING_TIME);
	struct error *f = compress_gzip(&e.out, out);
	buf_deinit(&e.out);
	free(states);
	free(stack);
	return f;
}
