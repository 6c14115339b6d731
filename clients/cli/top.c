/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of top in ompdctl itself. The screen is in top_main.c, because it needs ncurses. */
#include "top.h"

#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "format.h"
#include "interrupt.h"
#include "recordings.h"
#include "top_view.h"

#define DEFAULT_SECONDS 2
/* Time between two searches for new processes. */
#define STEP_MS 1000

/* Wait, and start the recordings of new processes meanwhile. */
static struct error *wait_end(struct recordings *rs)
{
	int64_t end_ms =
		clock_now_ms() + (int64_t)((rs->args->seconds > 0 ? rs->args->seconds : DEFAULT_SECONDS) * 1000);
	struct connection *c = &rs->items[0]->s.rpc.conn;
	struct error *f = NULL;

	for (int64_t left; !f && (left = end_ms - clock_now_ms()) > 0;) {
		if (interrupt_wait(c, rs->args->children && left > STEP_MS ? STEP_MS : left))
			break;
		f = recordings_update(rs);
	}
	interrupt_forget(c);
	return f;
}

static void show_item(const struct args *args, const struct recordings_item *item, const struct style *style,
		      struct buf *out)
{
	if (args->json) {
		format_json(out, item->now, args->pretty);
		return;
	}
	text_add(out, out->len ? "\n" : "");
	top_view_draw(&(struct top_view){.program = item->r.program,
					 .now = item->now,
					 .sort = TOP_BY_TIME,
					 .width = style->width,
					 .utf8 = style->utf8},
		      out);
}

struct error *top_once(const struct args *args, const struct processes *processes, const struct style *style,
		       follow_write *write)
{
	struct recordings rs = {.args = args};
	struct buf out = {0};
	int gone = 0;
	struct error *f = recordings_begin(&rs, args, processes, 1);

	if (!f)
		f = wait_end(&rs);
	if (!f)
		f = recordings_finish(&rs, 0, !args->json);
	for (size_t i = 0; i < rs.n && !f; i++)
		show_item(args, rs.items[i], style, &out);
	if (!f)
		f = write(out.data ? out.data : "", out.len, &gone);
	buf_deinit(&out);
	return recordings_end(&rs, f);
}

struct error *top_live(char **argv)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return failure_usage("--once prints one screen", "top needs a terminal");
	char *program = spawn_beside_us("ompdctl-top");
	if (program)
		execv(program, argv);
	free(program);
	return failure_create(ERR_CONNECT, "cannot_start", "--once prints one screen",
			      "cannot find ompdctl-top beside ompdctl: it was built without ncurses");
}
