/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of top in ompdctl itself. The screen is in top_main.c, because it needs ncurses. */
#include "top.h"

#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "format.h"
#include "recording.h"
#include "top_view.h"

#define DEFAULT_SECONDS 2

struct error *top_once(struct conversation *s, const struct style *style, follow_write *write)
{
	struct json_object *result = NULL;
	struct recording r;
	struct buf out = {0};
	int gone = 0;
	struct error *f = recording_begin(&r, s, 1);

	if (!f)
		f = recording_run(&r, DEFAULT_SECONDS);
	if (!f)
		f = recording_get(&r, 0, !s->args->json, 0, &result);
	if (!f && s->args->json)
		format_json(&out, result, s->args->pretty);
	else if (!f)
		top_view_draw(&(struct top_view){.program = r.program,
						 .now = result,
						 .sort = TOP_BY_TIME,
						 .width = style->width,
						 .utf8 = style->utf8},
			      &out);
	if (!f)
		f = write(out.data ? out.data : "", out.len, &gone);
	buf_deinit(&out);
	json_object_put(result);
	return recording_end(&r, f);
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
