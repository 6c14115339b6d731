/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws a diagnosis on one screen, for any number of threads; with --all, all evidence. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "draw.h"
#include "draw_table.h"
#include "rpc/json_read.h"

/* Lines between head and foot, and columns of the terminal, when the size is not known. */
#define MAX_LINES     20
#define DEFAULT_WIDTH 80
#define MAX_WIDTH     100
#define MIN_WIDTH     20

struct page {
	const struct style *style;
	struct buf *out;
	size_t width;
	size_t n_lines, n_left_out;
};

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
	struct buf safe = {0};
	const char *lead = first;
	char *all, *at, *line;

	text_add_safe(&safe, text, p->style->utf8);
	all = at = text_take(&safe);
	do {
		size_t n = find_break(at, p->width - text_width(lead));

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

/* Append what was left out, above the first line that is not evidence. */
static void add_left_out(struct page *p)
{
	if (p->n_left_out)
		text_printf(p->out, "  … and %zu more: --all\n", p->n_left_out);
	p->n_left_out = 0;
}

/* Append a claim or a further finding, unless the page is full. */
static void add_evidence(struct page *p, struct json_object *node, int is_claim)
{
	const char *text = json_read_text(node, "text");
	struct buf lead = {0};

	if (!p->style->all && p->n_lines >= MAX_LINES) {
		p->n_left_out++;
		return;
	}
	if (is_claim) {
		add_wrapped(p, "  - ", "    ", COLOUR_NONE, text);
		return;
	}
	text_printf(&lead, "%.10s: ", strcmp(json_read_text(node, "label"), "maybe") ? "also" : "maybe");
	add_wrapped(p, lead.data, "  ", COLOUR_BOLD, text);
	buf_deinit(&lead);
}

static void add_node(struct page *p, struct json_object *node)
{
	const char *kind = json_read_text(node, "kind"), *text = json_read_text(node, "text");
	int is_claim = !strcmp(kind, "claim");

	if (is_claim || !strcmp(kind, "finding")) {
		add_evidence(p, node, is_claim);
		return;
	}
	if (!strcmp(kind, "advice")) {
		add_wrapped(p, "  change: ", "    ", COLOUR_GREEN, text);
		return;
	}
	add_left_out(p);
	if (!strcmp(kind, "verdict"))
		add_wrapped(p, "", "  ", draw_colour(json_read_member(node, "state")), text);
	else if (!strcmp(kind, "note"))
		add_wrapped(p, "note: ", "  ", COLOUR_NONE, text);
	else
		add_wrapped(p, "", "", COLOUR_DIM, text);
}

void draw_why(struct json_object *nodes, const struct style *style, struct buf *out)
{
	struct page p = {.style = style, .out = out, .width = style->width > 0 ? (size_t)style->width : DEFAULT_WIDTH};

	if (p.width > MAX_WIDTH)
		p.width = MAX_WIDTH;
	if (p.width < MIN_WIDTH)
		p.width = MIN_WIDTH;
	for (size_t i = 0; i < json_read_length(nodes); i++)
		add_node(&p, json_object_array_get_idx(nodes, i));
	add_left_out(&p);
}
