/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A view as a reader sees it: built by the service's code, drawn by ompdctl's. */
#ifndef OMPDD_SUPPORT_DRAWN_VIEW_H
#define OMPDD_SUPPORT_DRAWN_VIEW_H

#include <json-c/json.h>

#include "check_main.h"
#include "draw.h"
#include "view/view.h"

/* Return the text of a view of @source, the JSON of a method's result. The caller frees it. */
static inline char *draw_source(const char *source, enum view_kind kind, const struct style *style)
{
	struct view_request request = {.kind = kind, .fold = !style->all, .verbose = style->verbose};
	struct json_object *result = json_tokener_parse(source), *view;
	struct buf out = {0};

	ck_assert_ptr_nonnull(result);
	ck_assert_no_err(view_build(&request, result, NULL, &view));
	draw_view(view, style, &out);
	json_object_put(view);
	json_object_put(result);
	return text_take(&out);
}

#endif
