/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognizes the fixed prefixes of the lines between daemon and worker; used at both ends. */
#include "rpc/message_split.h"

#include <string.h>

#define MAX_DIGITS 18

/* Move *@p past @prefix; false if the text at *@p does not start with it. */
static bool skip_prefix(const char **p, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	if ((size_t)(end - *p) < n || memcmp(*p, prefix, n))
		return false;
	*p += n;
	return true;
}

static bool skip_number(const char **p, const char *end, int64_t *ret)
{
	int64_t value = 0;
	int digits = 0;

	while (*p < end && **p >= '0' && **p <= '9') {
		if (++digits > MAX_DIGITS)
			return false;
		value = value * 10 + (*(*p)++ - '0');
	}
	*ret = value;
	return digits > 0;
}

/* Remove white space at the end of a line: text after the last brace is not part of the payload. */
static const char *trim_end(const char *text, size_t len)
{
	const char *end = text + len;

	while (end > text && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' '))
		end--;
	return end;
}

bool message_split_request(const char *text, size_t len, struct split_request *ret)
{
	const char *p = text, *end = trim_end(text, len);
	struct split_request r;

	if (!skip_prefix(&p, end, "{\"jsonrpc\":\"2.0\",\"id\":") || !skip_number(&p, end, &r.seq) ||
	    !skip_prefix(&p, end, ",\"client\":") || !skip_number(&p, end, &r.client) ||
	    !skip_prefix(&p, end, ",\"method\":\""))
		return false;
	r.method = p;
	while (p < end && ((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '_' || *p == '.'))
		p++;
	r.method_len = (size_t)(p - r.method);
	if (!skip_prefix(&p, end, "\",\"params\":"))
		return false;
	/* At least {} and the closing brace of the request. */
	if (end - p < 3 || *p != '{' || end[-1] != '}' || end[-2] != '}')
		return false;
	r.params = p;
	r.params_len = (size_t)(end - 1 - p);
	*ret = r;
	return true;
}

bool message_split_response(const char *text, size_t len, int64_t *seq_ret, const char **payload_ret,
			    size_t *payload_len_ret)
{
	const char *p = text, *end = trim_end(text, len);
	int64_t seq;

	if (!skip_prefix(&p, end, "{\"jsonrpc\":\"2.0\",\"id\":") || !skip_number(&p, end, &seq) ||
	    !skip_prefix(&p, end, ",") || end[-1] != '}')
		return false;
	const char *payload = p;
	if (!skip_prefix(&p, end, "\"result\":") && !skip_prefix(&p, end, "\"error\":"))
		return false;
	/* At least {} and the closing brace of the response. */
	if (end - p < 3 || *p != '{' || end[-2] != '}')
		return false;
	*seq_ret = seq;
	*payload_ret = payload;
	*payload_len_ret = (size_t)(end - payload);
	return true;
}

bool message_split_number(const char *text, size_t len, const char *method, const char *member, int64_t *ret)
{
	const char *p = text, *end = trim_end(text, len);

	return skip_prefix(&p, end, "{\"jsonrpc\":\"2.0\",\"method\":\"") && skip_prefix(&p, end, method) &&
	       skip_prefix(&p, end, "\",\"params\":{\"") && skip_prefix(&p, end, member) &&
	       skip_prefix(&p, end, "\":") && skip_number(&p, end, ret) && skip_prefix(&p, end, "}}") && p == end;
}
