/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * rpc/framing: the same texts and the same end come out, however the bytes are cut into reads. The first byte of the
 * input chooses the size of the reads and whether HTTP is allowed.
 */
#include <string.h>

#include "fuzz.h"
#include "rpc/framing.h"

#define MAX_MESSAGE 512
#define MAX_TEXTS   256

struct outcome {
	size_t n;
	size_t lens[MAX_TEXTS];
	uint32_t sums[MAX_TEXTS];
	int error; /* -1: none */
	enum framing_kind kind;
};

static uint32_t checksum(const char *text, size_t len)
{
	uint32_t sum = 2166136261u;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)text[i]) * 16777619u;
	return sum;
}

/* Takes all complete texts; returns false when the connection must be closed. */
static bool drain(struct framing *f, struct buf *in, bool eof, struct outcome *o)
{
	for (;;) {
		const char *text;
		size_t len;
		struct error *err = framing_next(f, in, eof, &text, &len);

		if (err) {
			o->error = (int)err->code;
			error_destroy(err);
			return false;
		}
		if (!text)
			return true;
		FUZZ_ASSERT(len <= MAX_MESSAGE && len <= in->len);
		if (o->n < MAX_TEXTS) {
			o->lens[o->n] = len;
			o->sums[o->n] = checksum(text, len);
		}
		o->n++;
		framing_done(f, in, len);
	}
}

static void run(const uint8_t *data, size_t size, size_t chunk, bool http, struct outcome *o)
{
	struct framing f;
	struct buf in = {0};
	bool open = true;

	memset(o, 0, sizeof(*o));
	o->error = -1;
	framing_init(&f, http, MAX_MESSAGE);
	for (size_t at = 0; open && at < size && f.kind != FRAMING_HTTP; at += chunk) {
		size_t n = size - at < chunk ? size - at : chunk;

		if (buf_append(&in, data + at, n))
			abort();
		open = drain(&f, &in, false, o);
	}
	if (open && f.kind != FRAMING_HTTP)
		drain(&f, &in, true, o);
	o->kind = f.kind;
	buf_deinit(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct outcome whole, pieces;

	if (size < 1)
		return 0;
	size_t chunk = 1 + (data[0] & 63);
	bool http = data[0] & 64;
	data++;
	size--;
	run(data, size, size ? size : 1, http, &whole);
	run(data, size, chunk, http, &pieces);
	FUZZ_ASSERT(!memcmp(&whole, &pieces, sizeof(whole)));
	return 0;
}
