/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NAME_ALL, NAME_DEV and NAME_DEV_N: the environment variables of devices. */
#include "core/icv/env_devices.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/icv/env_parse.h"
#include "core/icv/env_text.h"
#include "core/state/icv.h"
#include "os/memory.h"
#include "os/message.h"
#include "os/parse.h"

/* Writes the value @text as OMP_DISPLAY_ENV prints it, at most ENV_TEXT_MAX bytes. Returns false if it is invalid. */
typedef bool format_fn(const char *text, char *shown);

static bool format_bool(const char *text, char *shown)
{
	bool on;

	if (!env_parse_bool(text, &on))
		return false;
	snprintf(shown, ENV_TEXT_MAX, "%s", env_text_of_bool(on));
	return true;
}

static bool format_number(const char *text, char *shown, uint64_t min, uint64_t max, uint64_t shown_max)
{
	uint64_t value;

	if (!env_parse_number(text, min, max, &value))
		return false;
	snprintf(shown, ENV_TEXT_MAX, "%" PRIu64, value < shown_max ? value : shown_max);
	return true;
}

static bool format_positive(const char *text, char *shown)
{
	return format_number(text, shown, 1, INT_MAX, INT_MAX);
}

static bool format_natural(const char *text, char *shown)
{
	return format_number(text, shown, 0, INT_MAX, INT_MAX);
}

static bool format_levels(const char *text, char *shown)
{
	return format_number(text, shown, 0, INT64_MAX, ICV_ACTIVE_LEVELS);
}

static bool format_limit(const char *text, char *shown)
{
	return format_number(text, shown, 1, INT64_MAX, UINT32_MAX);
}

static bool format_size(const char *text, char *shown)
{
	uint64_t bytes;

	if (!env_parse_size(text, &bytes))
		return false;
	snprintf(shown, ENV_TEXT_MAX, "%" PRIu64, bytes);
	return true;
}

static bool format_nthreads(const char *text, char *shown)
{
	uint32_t list[ENV_LIST_MAX], n;

	if (!env_parse_nthreads(text, list, &n))
		return false;
	env_text_list(shown, list, n);
	return true;
}

static bool format_bind(const char *text, char *shown)
{
	uint8_t list[ENV_LIST_MAX];
	uint32_t n;

	if (!env_parse_bind(text, list, &n))
		return false;
	env_text_bind(shown, list, n);
	return true;
}

static bool format_schedule(const char *text, char *shown)
{
	uint32_t sched, chunk;

	if (env_parse_schedule(text, &sched, &chunk) != ENV_SCHEDULE_OK)
		return false;
	env_text_schedule(shown, sched, chunk);
	return true;
}

static bool format_policy(const char *text, char *shown)
{
	static const char *const policies[] = {"passive", "active", NULL};
	unsigned i;

	if (!env_parse_choice(text, policies, &i))
		return false;
	snprintf(shown, ENV_TEXT_MAX, "%s", i ? "ACTIVE" : "PASSIVE");
	return true;
}

#define LEVELS "OMP_MAX_ACTIVE_LEVELS"

static const struct variable {
	const char *name;
	format_fn *format; /* NULL: it is of the whole process, and has no form for devices */
} variables[] = {
	{"OMP_CANCELLATION", NULL},
	{"OMP_DEFAULT_DEVICE", format_natural},
	{"OMP_DISPLAY_AFFINITY", NULL},
	{"OMP_DYNAMIC", format_bool},
	{LEVELS, format_levels},
	{"OMP_MAX_TASK_PRIORITY", NULL},
	{"OMP_NUM_TEAMS", format_positive},
	{"OMP_NUM_THREADS", format_nthreads},
	{"OMP_PROC_BIND", format_bind},
	{"OMP_SCHEDULE", format_schedule},
	{"OMP_STACKSIZE", format_size},
	{"OMP_TARGET_OFFLOAD", NULL},
	{"OMP_TEAMS_THREAD_LIMIT", format_positive},
	{"OMP_THREAD_LIMIT", format_limit},
	{"OMP_WAIT_POLICY", format_policy},
};

/* Scopes of a value that are not a device's number. */
enum { SCOPE_ALL = -2, SCOPE_DEVICES = -1 };

struct value {
	const char *name; /* a name of variables[] */
	int64_t scope;
	char *text; /* as displayed; NULL: invalid */
};

/* Written by env_devices_read() alone. In the order of the environment. */
static struct value *values;
static size_t n_values;

/* Parses "N=" with a device number as libgomp does: without sign, white space and leading zeros. */
static bool parse_device(const char *text, int64_t *ret)
{
	uint64_t number;

	if (*text < '0' || *text > '9' || (*text == '0' && text[1] != '='))
		return false;
	if (!parse_unsigned(&text, INT_MAX, &number) || *text != '=')
		return false;
	*ret = (int64_t)number;
	return true;
}

/* @entry: "NAME=VALUE"; @text: its VALUE. */
static void report_value(const struct variable *variable, const char *entry, const char *text)
{
	uint32_t sched, chunk;
	bool of_chunk = variable->format == format_schedule &&
			env_parse_schedule(text, &sched, &chunk) == ENV_SCHEDULE_BAD_CHUNK;

	message_error("Invalid value for %senvironment variable %.*s: %s", of_chunk ? "chunk size in " : "",
		      (int)(text - 1 - entry), entry, text);
}

static void read_value(const struct variable *variable, const char *entry, int64_t scope)
{
	const char *text = strchr(entry, '=') + 1;
	char shown[ENV_TEXT_MAX];
	struct value *value;

	values = memory_realloc(values, (n_values + 1) * sizeof(*values));
	value = &values[n_values++];
	*value = (struct value){.name = variable->name, .scope = scope};
	if (variable->format(text, shown))
		value->text = memcpy(memory_alloc(strlen(shown) + 1), shown, strlen(shown) + 1);
	else
		report_value(variable, entry, text);
}

/* @form: the rest of @entry behind the variable's name. */
static void read_form(const struct variable *variable, const char *entry, const char *form)
{
	int64_t device;

	if (!variable->format)
		message_error("Invalid environment variable in %s", entry);
	else if (!strncmp(form, "_ALL=", 5))
		read_value(variable, entry, SCOPE_ALL);
	else if (!strncmp(form, "_DEV=", 5))
		read_value(variable, entry, SCOPE_DEVICES);
	else if (strncmp(form, "_DEV_", 5))
		message_error("Invalid environment variable in %s", entry);
	else if (parse_device(form + 5, &device))
		read_value(variable, entry, device);
	else
		message_error("Invalid device number in %s", entry);
}

static void read_entry(const char *entry)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *form = entry + strlen(variables[i].name);

		if (strncmp(entry, variables[i].name, (size_t)(form - entry)))
			continue;
		if (*form != '=')
			read_form(&variables[i], entry, form);
		return;
	}
}

void env_devices_read(void)
{
	for (char **entry = environ; entry && *entry; entry++) {
		if (!strncmp(*entry, "OMP_", 4) && strchr(*entry, '='))
			read_entry(*entry);
	}
}

bool env_devices_all_is_valid(const char *name)
{
	for (size_t i = 0; i < n_values; i++) {
		if (values[i].scope == SCOPE_ALL && !strcmp(values[i].name, name))
			return values[i].text != NULL;
	}
	return true;
}

static const char *text_of(const char *name, int64_t scope)
{
	for (size_t i = 0; i < n_values; i++) {
		if (values[i].scope == scope && !strcmp(values[i].name, name))
			return values[i].text;
	}
	return NULL;
}

/* Returns whether no value before number @at is of the same device. */
static bool is_first_of_device(size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (values[i].scope == values[at].scope)
			return false;
	}
	return true;
}

void env_devices_display(const char *name)
{
	const char *all = text_of(name, SCOPE_ALL), *devices = text_of(name, SCOPE_DEVICES);

	if (all)
		fprintf(stderr, "  [all] %s = '%s'\n", name, all);
	if (devices)
		fprintf(stderr, "  [device] %s = '%s'\n", name, devices);
	for (size_t i = 0; i < n_values; i++) {
		const char *text;

		if (values[i].scope < 0 || !is_first_of_device(i))
			continue;
		text = text_of(name, values[i].scope);
		/* As libgomp, each device that a variable names has a line for its levels. */
		if (!text && !strcmp(name, LEVELS))
			text = "1";
		if (text)
			fprintf(stderr, "  [%" PRId64 "] %s = '%s'\n", values[i].scope, name, text);
	}
}
