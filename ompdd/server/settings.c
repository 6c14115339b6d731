/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of all settings, and the conversion of a text to the value of a setting. */
#include "server/settings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "session/limits.h"

#define MAX_TIMEOUT_MS (24 * 3600 * 1000)
#define MAX_MB	       (1 << 24)
#define MAX_NAME       32

enum kind { TEXT, LIST, NUMBER, FLAG, MODE, WHEN, LEVEL };

/* The place of a setting in struct server_options, and its valid values. */
struct place {
	enum kind kind;
	size_t at;
	size_t count_at; /* place of a list's length */
	int64_t max;	 /* of a number; of a list: its maximum length */
};

#define AT(member) offsetof(struct server_options, member)

static const struct setting settings[] = {
	{.name = "allow", .is_list = true},
	{.name = "allow-origin", .is_list = true},
	{.name = "allow-remote", .is_flag = true, .is_fixed = true},
	{.name = "auth", .is_fixed = true},
	{.name = "core-space"},
	{.name = "debug-dir", .is_list = true},
	{.name = "exit-when", .is_fixed = true},
	{.name = "libompd"},
	{.name = "listen", .is_list = true, .is_fixed = true},
	{.name = "log-level"},
	{.name = "metrics-file"},
	{.name = "metrics-for", .is_list = true},
	{.name = "plugin-dir", .is_list = true},
	{.name = "plugin-timeout"},
	{.name = "request-timeout"},
	{.name = "rule", .is_list = true, .is_fixed = true},
	{.name = "socket-group", .is_fixed = true},
	{.name = "socket-mode", .is_fixed = true},
	{.name = "tls-cert", .is_fixed = true},
	{.name = "tls-key", .is_fixed = true},
	{.name = "token-file", .is_fixed = true},
	{.name = "user-connections"},
	{.name = "user-targets"},
	{.name = "worker"},
	{.name = "worker-cpu"},
	{.name = "worker-memory"},
};
#define N_SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* In the same order as settings[]. */
static const struct place places[N_SETTINGS] = {
	{LIST, AT(allow), AT(n_allow), SERVER_MAX_ALLOW},
	{LIST, AT(allow_origins), AT(n_allow_origins), SERVER_MAX_ORIGINS},
	{FLAG, AT(allow_remote), 0, 0},
	{TEXT, AT(auth), 0, 0},
	{NUMBER, AT(core_space_mb), 0, MAX_MB},
	{LIST, AT(debug_dirs), AT(n_debug_dirs), SERVER_MAX_DEBUG_DIRS},
	{WHEN, AT(exit_when), 0, MAX_TIMEOUT_MS / 1000},
	{TEXT, AT(libompd), 0, 0},
	{LIST, AT(listen), AT(n_listen), SERVER_MAX_LISTENERS},
	{LEVEL, AT(log_level), 0, 0},
	{TEXT, AT(metrics_file), 0, 0},
	{LIST, AT(metrics_for), AT(n_metrics_for), SERVER_MAX_METRICS_FOR},
	{LIST, AT(plugin_dirs), AT(n_plugin_dirs), SERVER_MAX_PLUGIN_DIRS},
	{NUMBER, AT(plugin_timeout_ms), 0, MAX_TIMEOUT_MS},
	{NUMBER, AT(request_timeout_ms), 0, MAX_TIMEOUT_MS},
	{LIST, AT(rules), AT(n_rules), SERVER_MAX_RULES},
	{TEXT, AT(socket_group), 0, 0},
	{MODE, AT(socket_mode), 0, 0777},
	{TEXT, AT(tls_cert), 0, 0},
	{TEXT, AT(tls_key), 0, 0},
	{TEXT, AT(token_file), 0, 0},
	{NUMBER, AT(user_connections), 0, LIMIT_CONNECTIONS},
	{NUMBER, AT(user_targets), 0, LIMIT_TARGETS},
	{TEXT, AT(worker), 0, 0},
	{NUMBER, AT(worker_cpu_s), 0, MAX_TIMEOUT_MS / 1000},
	{NUMBER, AT(worker_memory_mb), 0, MAX_MB},
};

const struct setting *settings_list(size_t *n_ret)
{
	*n_ret = N_SETTINGS;
	return settings;
}

const struct setting *settings_find(const char *name)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	}
	return NULL;
}

/* Count the letters to insert, remove or replace that turn one name into the other. */
static size_t count_edits(const char *a, const char *b)
{
	size_t row[MAX_NAME + 1], len = strlen(b);

	for (size_t k = 0; k <= len; k++)
		row[k] = k;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t k = 0; k < len; k++) {
			size_t best = diagonal + (a[i] != b[k]);

			if (row[k] + 1 < best)
				best = row[k] + 1;
			if (row[k + 1] + 1 < best)
				best = row[k + 1] + 1;
			diagonal = row[k + 1];
			row[k + 1] = best;
		}
	}
	return row[len];
}

const char *settings_nearest(const char *name)
{
	const char *best = NULL;
	/* At least half of the letters must be right. */
	size_t least = strlen(name) / 2 + 1;

	for (size_t i = 0; i < N_SETTINGS && strlen(name) <= MAX_NAME; i++) {
		size_t d = count_edits(name, settings[i].name);

		if (d < least) {
			least = d;
			best = settings[i].name;
		}
	}
	return best;
}

static bool parse_exit_when(const char *text, int64_t max, struct server_options *o)
{
	if (!strcmp(text, "never"))
		o->exit_when = EXIT_NEVER;
	else if (!strcmp(text, "last-client"))
		o->exit_when = EXIT_LAST_CLIENT;
	else if (!strncmp(text, "idle:", 5) && number_parse(text + 5, 1, max, &o->idle_seconds))
		o->exit_when = EXIT_IDLE;
	else
		return false;
	return true;
}

static bool parse_mode(const char *text, int64_t max, mode_t *ret)
{
	char *end;
	long value = strtol(text, &end, 8);

	if (*end || value < 1 || value > max)
		return false;
	*ret = (mode_t)value;
	return true;
}

static bool apply_setting(const struct place *p, const char *value, struct server_options *o)
{
	char *at = (char *)o + p->at;
	enum log_level level;

	switch (p->kind) {
	case TEXT:
		*(const char **)at = value;
		return *value;
	case LIST: {
		size_t *n = (size_t *)((char *)o + p->count_at);

		if (*n == (size_t)p->max || !*value)
			return false;
		((const char **)at)[(*n)++] = value;
		return true;
	}
	case NUMBER:
		return number_parse(value, 1, p->max, (int64_t *)at);
	case FLAG:
		*(bool *)at = !strcmp(value, "yes");
		return *(bool *)at || !strcmp(value, "no");
	case MODE:
		return parse_mode(value, p->max, (mode_t *)at);
	case WHEN:
		return parse_exit_when(value, p->max, o);
	case LEVEL:
		*(const char **)at = value;
		return log_level_parse(value, &level);
	}
	return false;
}

struct error *settings_apply(const struct setting *s, const char *value, struct server_options *o)
{
	const struct place *p = &places[s - settings];
	static const char hint[] = "ompdd --help and ompdd.conf(5) list the values";

	if (apply_setting(p, value, o))
		return NULL;
	if (p->kind == NUMBER)
		return error_hint(error_create(ERR_INVALID_PARAMS, "%s " NUMBER_MUST_BE ", not '%.128s'", s->name,
					       INT64_C(1), p->max, value),
				  hint);
	return error_hint(error_create(ERR_INVALID_PARAMS, "%s %.128s: wrong value%s", s->name, value,
				       s->is_list ? ", or one value too many" : ""),
			  hint);
}

static bool is_same_text(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

static bool is_same(const struct place *p, const struct server_options *a, const struct server_options *b)
{
	const char *x = (const char *)a + p->at, *y = (const char *)b + p->at;

	switch (p->kind) {
	case TEXT:
	case LEVEL:
		return is_same_text(*(const char *const *)x, *(const char *const *)y);
	case LIST: {
		size_t n = *(const size_t *)((const char *)a + p->count_at);

		if (n != *(const size_t *)((const char *)b + p->count_at))
			return false;
		for (size_t i = 0; i < n; i++) {
			if (!is_same_text(((const char *const *)x)[i], ((const char *const *)y)[i]))
				return false;
		}
		return true;
	}
	case NUMBER:
		return *(const int64_t *)x == *(const int64_t *)y;
	case FLAG:
		return *(const bool *)x == *(const bool *)y;
	case MODE:
		return *(const mode_t *)x == *(const mode_t *)y;
	case WHEN:
		return a->exit_when == b->exit_when && a->idle_seconds == b->idle_seconds;
	}
	return false;
}

const struct setting *settings_find_fixed(const struct server_options *a, const struct server_options *b)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		if (settings[i].is_fixed && !is_same(&places[i], a, b))
			return &settings[i];
	}
	return NULL;
}
