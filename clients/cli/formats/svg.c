/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A flame graph in one file, as SVG or inside of HTML: a box for each stack, callers above, the width is the time. A
 * viewer without scripts shows all of it. In a browser it can be zoomed and searched (svg.js).
 */
#include "svg.h"

#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "recorded.h"
#include "view/value.h"

#define WIDTH  1200.0
#define ROW    18
#define TOP    44 /* two lines of text */
#define LETTER 6.7
/* Limits for the rows, for the boxes, and for the narrowest box. */
#define MAX_ROWS  400
#define MAX_BOXES 20000
#define NARROWEST 0.0002

struct box {
	double x, width; /* in parts of the whole width */
	unsigned row;
};

struct graph {
	const struct recorded *r;
	int64_t *total_us; /* by node */
	size_t *sorted;	   /* nodes by parent, then by time, longest first */
	struct buf *out;
	size_t n_boxes, n_hidden;
	unsigned n_rows;
};

/* Append text of the target as text of XML. It has no control characters. */
static void add_escaped(struct buf *out, const char *s)
{
	for (const char *p = s; *p; p++) {
		if (*p == '<')
			text_add(out, "&lt;");
		else if (*p == '>')
			text_add(out, "&gt;");
		else if (*p == '&')
			text_add(out, "&amp;");
		else if (*p == '"')
			text_add(out, "&quot;");
		else
			text_add_bytes(out, p, 1);
	}
}

static void sum_times(struct graph *g)
{
	/* A parent has a smaller index. */
	for (size_t i = g->r->n_nodes; i-- > 0;) {
		int64_t parent = g->r->nodes[i].parent;

		g->total_us[i] += g->r->nodes[i].self_us;
		if (parent >= 0)
			g->total_us[parent] += g->total_us[i];
	}
}

static int compare_nodes(const void *pa, const void *pb, void *arg)
{
	const struct graph *g = arg;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	int64_t parent_a = g->r->nodes[a].parent, parent_b = g->r->nodes[b].parent;

	if (parent_a != parent_b)
		return parent_a < parent_b ? -1 : 1;
	if (g->total_us[a] != g->total_us[b])
		return g->total_us[a] > g->total_us[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Return the first place in the sorted nodes of @parent's children; they end with another parent. */
static size_t find_children(const struct graph *g, int64_t parent)
{
	size_t low = 0, high = g->r->n_nodes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (g->r->nodes[g->sorted[middle]].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Append "solve() at /src/a.c:40: 1.5 s (12.3 %)". */
static void add_title(const struct graph *g, const char *name, const struct recorded_frame *f, int64_t us)
{
	struct buf t = {0};

	text_add(&t, name);
	if (f && f->file) {
		text_add(&t, " at ");
		text_add_safe(&t, f->file, 1);
		if (f->line)
			text_printf(&t, ":%lld", (long long)f->line);
	}
	text_add(&t, ": ");
	format_duration(&t, &(struct style){.utf8 = 1}, us);
	text_printf(&t, " (%.1f %%)", 100.0 * (double)us / (double)g->r->total_us);
	add_escaped(g->out, t.data);
	buf_deinit(&t);
}

static void add_label(const struct graph *g, const char *name, const struct box *b)
{
	double wide = b->width * WIDTH - 6;
	size_t n = wide > 2 * LETTER ? (size_t)(wide / LETTER) : 0, len = strlen(name), shown = text_fit(name, n);
	struct buf t = {0};

	if (shown < len)
		shown = text_fit(name, n ? n - 1 : 0);
	text_add_bytes(&t, name, shown);
	text_add(&t, n && shown < len ? "…" : "");
	text_printf(g->out, "<text x=\"%.1f\" y=\"%u\">", b->x * WIDTH + 3, TOP + b->row * ROW + 13);
	add_escaped(g->out, t.data ? t.data : "");
	text_add(g->out, "</text></g>\n");
	buf_deinit(&t);
}

/* Append a box; @f: its frame, NULL for the box of all stacks. */
static void add_box(struct graph *g, const struct recorded_frame *f, int64_t us, const struct box *b)
{
	const char *name = f ? f->name : "all threads";

	g->n_boxes++;
	if (b->row >= g->n_rows)
		g->n_rows = b->row + 1;
	text_add(g->out, "<g class=\"");
	add_escaped(g->out, f ? f->kind : "state");
	text_printf(g->out, "\" data-x=\"%.7f\" data-w=\"%.7f\" data-d=\"%u\" data-n=\"", b->x, b->width, b->row);
	add_escaped(g->out, name);
	text_add(g->out, "\"><title>");
	add_title(g, name, f, us);
	text_printf(g->out, "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/>", b->x * WIDTH,
		    TOP + b->row * ROW, b->width * WIDTH > 0.8 ? b->width * WIDTH - 0.5 : 0.3, ROW - 1);
	add_label(g, name, b);
}

static void add_children(struct graph *g, int64_t parent, double x, unsigned row)
{
	for (size_t i = find_children(g, parent); i < g->r->n_nodes; i++) {
		size_t node = g->sorted[i];
		struct box b = {x, (double)g->total_us[node] / (double)g->r->total_us, row};

		if (g->r->nodes[node].parent != parent)
			return;
		if (b.width < NARROWEST || row == MAX_ROWS || g->n_boxes == MAX_BOXES) {
			g->n_hidden++;
			continue;
		}
		add_box(g, &g->r->frames[g->r->nodes[node].frame], g->total_us[node], &b);
		add_children(g, (int64_t)node, x, row + 1);
		x += b.width;
	}
}

/* Append the boxes of all stacks. */
static void add_boxes(struct graph *g)
{
	size_t n = g->r->n_nodes;

	g->total_us = text_calloc(n ? n : 1, sizeof(*g->total_us));
	g->sorted = text_calloc(n ? n : 1, sizeof(*g->sorted));
	for (size_t i = 0; i < n; i++)
		g->sorted[i] = i;
	sum_times(g);
	qsort_r(g->sorted, n, sizeof(*g->sorted), compare_nodes, g);
	if (g->r->total_us > 0) {
		add_box(g, NULL, g->r->total_us, &(struct box){0, 1, 0});
		add_children(g, -1, 0, 1);
	}
	free(g->total_us);
	free(g->sorted);
}

/* Append "name (pid 7): 3.0 s; the width is 5.9 s of all threads together". */
static void add_head(const struct graph *g, struct buf *out)
{
	const struct style style = {.utf8 = 1};
	struct buf t = {0};

	text_add_safe(&t, g->r->program, 1);
	text_printf(&t, " (pid %lld): ", (long long)g->r->pid);
	format_duration(&t, &style, g->r->elapsed_us);
	text_add(&t, "; the width is ");
	format_duration(&t, &style, g->r->total_us);
	text_add(&t, " of all threads together");
	if (g->n_hidden) {
		text_add(&t, "; too small to be drawn: ");
		value_add_count(&t, g->n_hidden, "frame");
	}
	add_escaped(out, t.data);
	buf_deinit(&t);
}

struct error *svg_write(const struct recorded *r, struct buf *out)
{
	struct buf boxes = {0};
	struct graph g = {.r = r, .out = &boxes, .n_rows = 1};

	text_add(&boxes, "");
	add_boxes(&g);
	text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"100%\" "
		      "preserveAspectRatio=\"xMidYMin\" ");
	text_printf(out, "viewBox=\"0 0 %.0f %u\">\n<title>Flame graph of ", WIDTH, TOP + g.n_rows * ROW + 4);
	add_escaped(out, r->program);
	text_printf(out, "</title>\n<style>%s</style>\n<text class=\"head\" x=\"3\" y=\"15\">", svg_css);
	add_head(&g, out);
	text_printf(out, "</text>\n<text class=\"search\" x=\"%.0f\" y=\"33\" text-anchor=\"end\">Search (/)</text>\n",
		    WIDTH - 4);
	text_add(
		out,
		"<text class=\"status\" x=\"3\" y=\"33\">Click a frame to zoom in, press Escape to zoom out.</text>\n");
	text_add_bytes(out, boxes.data, boxes.len);
	text_printf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", svg_js);
	buf_deinit(&boxes);
	return NULL;
}

struct error *html_write(const struct recorded *r, struct buf *out)
{
	text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Flame graph of ");
	add_escaped(out, r->program);
	text_add(out, "</title></head>\n<body>\n");
	struct error *f = svg_write(r, out);
	text_add(out, "</body>\n</html>\n");
	return f;
}
