/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expands the fields of an affinity format, such as %n or %{thread_num}, and stores the format. */
#include "core/affinity/affinity_format.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/state/icv.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "os/cpus.h"
#include "os/memory.h"
#include "os/message.h"

/* The caller's buffer. @len counts on when it is full. */
struct output {
	char *buffer;
	size_t size, len;
};

/* One field of a format. */
struct field {
	size_t width;
	bool zero, right;
	char type;
};

static void put_text(struct output *out, const char *text, size_t len)
{
	if (out->len < out->size)
		memcpy(out->buffer + out->len, text, len < out->size - out->len ? len : out->size - out->len);
	out->len += len;
}

static void put_char(struct output *out, char c, size_t times)
{
	if (out->len < out->size)
		memset(out->buffer + out->len, c, times < out->size - out->len ? times : out->size - out->len);
	out->len += times;
}

static void put_padded(struct output *out, const struct field *field, const char *text)
{
	size_t len = strlen(text), pad = len < field->width ? field->width - len : 0;

	if (field->right)
		put_char(out, ' ', pad);
	put_text(out, text, len);
	if (!field->right)
		put_char(out, ' ', pad);
}

/* A number with a prefix of @prefix characters (a sign, "0x"). Padding zeros go behind the prefix. */
static void put_number(struct output *out, const struct field *field, const char *text, size_t prefix)
{
	size_t len = strlen(text);

	if (!field->zero || len >= field->width) {
		put_padded(out, field, text);
		return;
	}
	put_text(out, text, prefix);
	put_char(out, '0', field->width - len);
	put_text(out, text + prefix, len - prefix);
}

static void put_int(struct output *out, const struct field *field, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put_number(out, field, text, value < 0);
}

/* Returns a list such as "0-3,8,10-11". The caller frees it. */
static char *list_cpus(const cpu_set_t *set, size_t size)
{
	size_t room = size * 8 * 8 + 1, n = 0;
	char *text = memory_alloc(room);

	text[0] = '\0';
	for (size_t cpu = 0; cpu < size * 8; cpu++) {
		size_t last = cpu;

		if (!CPU_ISSET_S(cpu, size, set))
			continue;
		while (last + 1 < size * 8 && CPU_ISSET_S(last + 1, size, set))
			last++;
		n += (size_t)snprintf(text + n, room - n, n ? ",%zu" : "%zu", cpu);
		if (last > cpu)
			n += (size_t)snprintf(text + n, room - n, "-%zu", last);
		cpu = last;
	}
	return text;
}

static void put_cpus(struct output *out, const struct field *field, const struct thread *t)
{
	char *text;

	if (t->place) {
		text = list_cpus(place_list_get(&places, (uint32_t)t->place - 1), places.set_size);
	} else {
		struct cpus now;

		cpus_read(&now);
		text = now.set ? list_cpus(now.set, now.size) : NULL;
		free(now.set);
		if (!text) {
			text = memory_alloc(16);
			snprintf(text, 16, "0-%d", now.count - 1);
		}
	}
	put_padded(out, field, text);
	free(text);
}

static void put_host(struct output *out, const struct field *field)
{
	char name[HOST_NAME_MAX + 1];

	if (gethostname(name, sizeof(name)))
		name[0] = '\0';
	name[HOST_NAME_MAX] = '\0';
	put_padded(out, field, name);
}

static void put_thread_id(struct output *out, const struct field *field)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)pthread_self());
	put_number(out, field, text, 2);
}

static void put_field(struct output *out, const struct field *field, const struct thread *t)
{
	switch (field->type) {
	case 't':
		put_int(out, field, t->team ? t->team->team_num : 0);
		break;
	case 'T':
		put_int(out, field, t->team ? t->team->num_teams : 1);
		break;
	case 'L':
		put_int(out, field, t->team->level);
		break;
	case 'n':
		put_int(out, field, t->thread_num);
		break;
	case 'N':
		put_int(out, field, t->team->n_threads);
		break;
	case 'a':
		put_int(out, field, t->team->level ? (int64_t)t->team->encountering->thread_num : -1);
		break;
	case 'H':
		put_host(out, field);
		break;
	case 'P':
		put_int(out, field, getpid());
		break;
	case 'i':
		put_thread_id(out, field);
		break;
	case 'A':
		put_cpus(out, field, t);
		break;
	default:
		message_fatal("unsupported type %c in affinity format", field->type ? field->type : ' ');
	}
}

/* Reads "{thread_num}" behind the brace, and sets the letter with the same meaning. */
static const char *parse_long_name(const char *s, char *type)
{
	static const struct {
		const char *name;
		char type;
	} names[] = {{"team_num", 't'},		{"num_teams", 'T'},	 {"nesting_level", 'L'}, {"thread_num", 'n'},
		     {"num_threads", 'N'},	{"ancestor_tnum", 'a'},	 {"host", 'H'},		 {"process_id", 'P'},
		     {"native_thread_id", 'i'}, {"thread_affinity", 'A'}};
	const char *end = strchr(s, '}');

	if (!end)
		message_fatal("unterminated long type name '%s' in affinity format", s);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strlen(names[i].name) == (size_t)(end - s) && !memcmp(names[i].name, s, (size_t)(end - s))) {
			*type = names[i].type;
			return end + 1;
		}
	}
	message_fatal("unsupported long type name '%.*s' in affinity format", (int)(end - s), s);
}

/* Reads a field behind its percent sign. Returns the text behind the field. */
static const char *parse_field(const char *s, struct field *field)
{
	*field = (struct field){0};
	if (*s == '0') {
		field->zero = true;
		if (*++s != '.')
			message_fatal("leading zero not followed by dot in affinity format");
	}
	if (*s == '.') {
		field->right = true;
		s++;
	}
	if (*s >= '1' && *s <= '9') {
		for (; *s >= '0' && *s <= '9'; s++) {
			if (field->width <= SIZE_MAX / 16)
				field->width = field->width * 10 + (size_t)(*s - '0');
		}
	} else if (field->right) {
		message_fatal("leading zero or right justification in affinity format requires size");
	}
	if (*s == '{')
		return parse_long_name(s + 1, &field->type);
	field->type = *s;
	return *s ? s + 1 : s;
}

static void print_affinity(struct output *out, const struct thread *t, const char *format)
{
	struct field field;

	if (!format || !*format)
		format = icv_process.affinity_format;
	while (*format) {
		size_t plain = strcspn(format, "%");

		put_text(out, format, plain);
		format += plain;
		if (!*format)
			break;
		if (*++format == '%') {
			put_char(out, '%', 1);
			format++;
			continue;
		}
		format = parse_field(format, &field);
		put_field(out, &field, t);
	}
}

void affinity_set_format(const char *format, size_t len)
{
	char *old = icv_process.affinity_format;

	len = strnlen(format, len);
	char *copy = memory_alloc(len + 1);
	memcpy(copy, format, len);
	copy[len] = '\0';
	icv_process.affinity_format = copy;
	icv_process.affinity_format_len = len;
	icv_process.affinity_format_generation++;
	free(old);
}

size_t affinity_get_format(char *buffer, size_t size)
{
	size_t len = icv_process.affinity_format_len;

	if (size) {
		size_t n = len < size ? len : size - 1;

		memcpy(buffer, icv_process.affinity_format, n);
		buffer[n] = '\0';
	}
	return len;
}

size_t affinity_capture(const struct thread *t, char *buffer, size_t size, const char *format)
{
	struct output out = {buffer, size, 0};

	print_affinity(&out, t, format);
	if (size)
		buffer[out.len < size ? out.len : size - 1] = '\0';
	return out.len;
}

void affinity_display(const struct thread *t, const char *format)
{
	char small[256], *line = small;
	struct output out = {small, sizeof(small), 0};

	print_affinity(&out, t, format);
	if (out.len + 1 > sizeof(small)) {
		line = memory_alloc(out.len + 1);
		out = (struct output){line, out.len + 1, 0};
		print_affinity(&out, t, format);
	}
	put_char(&out, '\n', 1);
	fwrite(line, 1, out.len < out.size ? out.len : out.size, stderr);
	if (line != small)
		free(line);
}
