/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `why --slow`: records for some seconds, then requests the findings. */
#include "slow.h"

#include <json-c/json.h>

#include "draw.h"
#include "format.h"
#include "recording.h"

/* Three hundred samples: shares of one percent are seen. */
#define DEFAULT_SECONDS 3

struct error *slow_show(struct conversation *s, const struct style *style, follow_write *write)
{
	struct json_object *result = NULL, *params;
	struct recording r;
	struct buf out = {0};
	int gone = 0;
	struct error *f = recording_begin(&r, s, 0);

	if (!f)
		f = recording_run(&r, DEFAULT_SECONDS);
	if (!f) {
		params = json_object_new_object();
		json_object_object_add(params, "target", json_object_new_string(r.target));
		if (!s->args->json)
			json_object_object_add(params, "view", json_object_new_string("slow"));
		if (!s->args->json && s->args->full_names)
			json_object_object_add(params, "full_names", json_object_new_boolean(1));
		f = conversation_call(s, s->args->json ? "diagnose.performance" : "view.get", params, &result);
	}
	if (!f && s->args->json)
		format_json(&out, result, s->args->pretty);
	else if (!f)
		draw_view(result, style, &out);
	if (!f)
		f = write(out.data ? out.data : "", out.len, &gone);
	buf_deinit(&out);
	json_object_put(result);
	return recording_end(&r, f);
}
