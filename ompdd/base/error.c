/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* struct error: creation, decoration, and the generated table of codes. */
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct error error_nomem = {
	.code = ERR_INTERNAL_ERROR,
	.message = (char *)"out of memory",
	.hint = (char *)"free memory on this machine, or request less at once",
};

static const struct {
	int number;
	const char *name;
	const char *hint;
} codes[] = {
#define X(ident, number, name, hint) [ERR_##ident] = {number, name, hint},
	ERROR_CODES(X)
#undef X
};

static const char *const ompd_rc_names[] = {
	"ompd_rc_ok",
	"ompd_rc_unavailable",
	"ompd_rc_stale_handle",
	"ompd_rc_bad_input",
	"ompd_rc_error",
	"ompd_rc_unsupported",
	"ompd_rc_needs_state_tracking",
	"ompd_rc_incompatible",
	"ompd_rc_device_read_error",
	"ompd_rc_device_write_error",
	"ompd_rc_nomem",
	"ompd_rc_incomplete",
	"ompd_rc_callback_error",
	"ompd_rc_incompatible_handle",
};

const char *error_ompd_rc_name(int rc)
{
	if (rc < 0 || (size_t)rc >= sizeof(ompd_rc_names) / sizeof(ompd_rc_names[0]))
		return "ompd_rc_unknown";
	return ompd_rc_names[rc];
}

static char *format_text(const char *format, va_list ap)
{
	char *text;

	if (vasprintf(&text, format, ap) < 0)
		return NULL;
	return text;
}

static struct error *create_error(enum error_code code, TAKES char *message)
{
	struct error *err = message ? calloc(1, sizeof(*err)) : NULL;

	if (!err) {
		free(message);
		return &error_nomem;
	}
	err->code = code;
	err->message = message;
	return err;
}

struct error *error_create(enum error_code code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	char *message = format_text(format, ap);
	va_end(ap);
	return create_error(code, message);
}

void error_destroy(struct error *err)
{
	if (!err || err == &error_nomem)
		return;
	for (int i = 0; i < err->n_details; i++)
		free(err->details[i].value);
	free(err->name);
	free(err->answer);
	free(err->hint);
	free(err->message);
	free(err);
}

struct error *error_create_ompd(int rc, const char *routine)
{
	struct error *err = error_create(ERR_OMPD, "%s returned %s", routine, error_ompd_rc_name(rc));

	if (err != &error_nomem)
		err->ompd_rc = rc;
	return err;
}

struct error *error_create_errno(int errnum, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	char *what = format_text(format, ap);
	va_end(ap);
	if (!what)
		return &error_nomem;
	struct error *err = error_create(ERR_INTERNAL_ERROR, "%s: %s", what, strerror(errnum));
	free(what);
	return err;
}

struct error *error_hint(struct error *err, const char *format, ...)
{
	va_list ap;

	if (!err || err == &error_nomem)
		return err;
	va_start(ap, format);
	char *hint = format_text(format, ap);
	va_end(ap);
	if (hint) {
		free(err->hint);
		err->hint = hint;
	}
	return err;
}

struct error *error_detail(struct error *err, const char *key, const char *format, ...)
{
	va_list ap;

	if (!err || err == &error_nomem || err->n_details == ERROR_MAX_DETAILS)
		return err;
	va_start(ap, format);
	char *value = format_text(format, ap);
	va_end(ap);
	if (value)
		err->details[err->n_details++] = (struct error_detail){key, value};
	return err;
}

struct error *error_wrap(struct error *err, const char *format, ...)
{
	va_list ap;
	char *message;

	if (!err || err == &error_nomem)
		return err;
	va_start(ap, format);
	char *prefix = format_text(format, ap);
	va_end(ap);
	if (prefix && asprintf(&message, "%s: %s", prefix, err->message) >= 0) {
		free(err->message);
		err->message = message;
	}
	free(prefix);
	return err;
}

bool error_is(const struct error *err, enum error_code code)
{
	return err && err->code == code;
}

bool error_catch(struct error **err, enum error_code code)
{
	if (!error_is(*err, code))
		return false;
	error_destroy(*err);
	*err = NULL;
	return true;
}

const char *error_name(const struct error *err)
{
	if (err->code > ERR_OMPD)
		return err->name;
	return err->code == ERR_OMPD ? error_ompd_rc_name(err->ompd_rc) : codes[err->code].name;
}

int error_number(const struct error *err)
{
	return err->code == ERR_OMPD ? 2000 + err->ompd_rc : codes[err->code].number;
}

const char *error_hint_text(const struct error *err)
{
	if (err->hint)
		return err->hint;
	return err->code >= ERR_OMPD ? "" : codes[err->code].hint;
}
