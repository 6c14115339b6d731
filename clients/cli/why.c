/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl why`: prints the verdict, its evidence with sources, then the other findings. */
#include "why.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "overview.h"

/* Lines between head and foot, and columns of the terminal, when the size is not known. */
#define MAX_LINES     20
#define DEFAULT_WIDTH 80
#define MAX_WIDTH     100

struct page {
	const struct style *style;
	struct text *out;
	size_t width;
	size_t n_lines, n_left_out;
};

static size_t get_length(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static const char *get_string(struct json_object *o, const char *key)
{
	const char *s = format_string(format_member(o, key));

	return s ? s : "";
}

static int is_full(const struct page *p)
{
	return !p->style->all && p->n_lines >= MAX_LINES;
}

/* Return where a line that starts at @s ends: at the last space that fits, otherwise at the full width. */
static size_t find_break(const char *s, size_t width)
{
	size_t fits = text_fit(s, width), last = 0;

	if (!s[fits])
		return fits;
	for (size_t i = 1; i <= fits; i++) {
		if (s[i] == ' ')
			last = i;
	}
	return last ? last : fits ? fits : 1;
}

/* Append @text in lines that start with @first and then with @rest. */
static void add_wrapped(struct page *p, const char *first, const char *rest, enum colour colour, const char *text)
{
	struct text safe = {0};
	const char *lead = first;
	char *all, *at, *line;

	text_add_safe(&safe, text, p->style->utf8);
	all = at = text_take(&safe);
	do {
		size_t n = find_break(at, p->width - strlen(lead));

		line = text_calloc(n + 1, 1);
		memcpy(line, at, n);
		text_add(p->out, lead);
		text_add_coloured(p->out, p->style, colour, line);
		text_add(p->out, "\n");
		p->n_lines++;
		free(line);
		at += n;
		at += strspn(at, " ");
		lead = rest;
	} while (*at);
	free(all);
}

static void add_claim(struct page *p, struct json_object *claim)
{
	struct text t = {0};
	char *line;

	if (is_full(p)) {
		p->n_left_out++;
		return;
	}
	text_printf(&t, "%s [%s]", get_string(claim, "text"), get_string(claim, "source"));
	line = text_take(&t);
	add_wrapped(p, "  - ", "    ", COLOUR_NONE, line);
	free(line);
}

/* Append a finding. The title of the first one is the title of the whole page. */
static void add_finding(struct page *p, struct json_object *finding, int is_first)
{
	struct json_object *claims = format_member(finding, "claims");

	if (is_full(p)) {
		p->n_left_out++;
		return;
	}
	if (!is_first) {
		const char *certainty = get_string(finding, "certainty");

		add_wrapped(p, strcmp(certainty, "candidate") ? "also: " : "maybe: ", "  ", COLOUR_BOLD,
			    get_string(finding, "title"));
	}
	for (size_t i = 0; i < get_length(claims); i++)
		add_claim(p, json_object_array_get_idx(claims, i));
}

static enum colour get_verdict_colour(const char *verdict)
{
	if (!strcmp(verdict, "deadlock") || !strcmp(verdict, "blocked"))
		return COLOUR_RED;
	return strcmp(verdict, "busy") ? COLOUR_YELLOW : COLOUR_GREEN;
}

static void add_samples(struct page *p, struct json_object *result)
{
	struct json_object *looks = format_member(result, "looks");
	int64_t n_ran = format_int(format_member(looks, "n_ran"), 0);

	int64_t n = format_int(format_member(looks, "n"), 1);

	if (n < 2) {
		add_wrapped(p, "", "", COLOUR_DIM, "looked once: what moves, and what does not, cannot be told");
		return;
	}
	struct text t = {0};
	if (n == 2)
		text_add(&t, "looked twice, ");
	else
		text_printf(&t, "looked %" PRId64 " times, within ", n);
	format_duration(&t, p->style, format_int(format_member(looks, "interval_us"), 0));
	text_add(&t, n == 2 ? " apart: " : ": ");
	if (n_ran) {
		text_printf(&t, "%" PRId64 " of %" PRId64 " threads ran, for ", n_ran,
			    format_int(format_member(format_member(result, "threads"), "all"), 0));
		format_duration(&t, p->style, format_int(format_member(looks, "cpu_us"), 0));
		text_add(&t, " of CPU time");
	} else {
		text_add(&t, "no thread ran");
	}
	char *line = text_take(&t);
	add_wrapped(p, "", "", COLOUR_DIM, line);
	free(line);
}

static void add_head(const struct page *p, const struct overview *s)
{
	struct json_object *runtime = format_member(s->json, "runtime");
	char *program = overview_program(s, p->style);
	int64_t n = format_int(format_member(format_member(s->json, "threads"), "all"), 0);

	text_add_coloured(p->out, p->style, COLOUR_BOLD, program);
	free(program);
	text_printf(p->out, " (pid %" PRId64 ")", format_int(format_member(s->json, "pid"), 0));
	if (format_string(format_member(runtime, "kind"))) {
		text_add(p->out, ", ");
		text_add_safe(p->out, get_string(runtime, "kind"), p->style->utf8);
	}
	text_add(p->out, ", ");
	overview_count(p->out, n > 0 ? (size_t)n : 0, "thread");
	overview_view(s, p->style, p->out);
	text_add(p->out, "\n");
}

void why_show(struct json_object *result, struct json_object *info, const struct style *style, struct text *out)
{
	struct overview s = {.json = result, .info = info};
	struct json_object *findings = format_member(result, "findings"), *notes = format_member(result, "notes");
	struct page p = {.style = style, .out = out, .width = style->width > 0 ? (size_t)style->width : DEFAULT_WIDTH};

	if (p.width > MAX_WIDTH)
		p.width = MAX_WIDTH;
	if (p.width < 20)
		p.width = 20;
	add_head(&p, &s);
	add_wrapped(&p, "", "  ", get_verdict_colour(get_string(result, "verdict")), get_string(result, "title"));
	for (size_t i = 0; i < get_length(findings); i++)
		add_finding(&p, json_object_array_get_idx(findings, i), i == 0);
	if (p.n_left_out)
		text_printf(out, "  … and %zu more: --all\n", p.n_left_out);
	for (size_t i = 0; i < get_length(notes); i++)
		add_wrapped(&p, "note: ", "  ", COLOUR_NONE, get_string(json_object_array_get_idx(notes, i), "text"));
	add_samples(&p, result);
	overview_foot(&s, style, out);
}
