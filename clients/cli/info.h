/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readable forms of the results that are not snapshots. */
#ifndef OMPDD_CLI_INFO_H
#define OMPDD_CLI_INFO_H

#include "text.h"

struct json_object;

/* target.info and target.attach: one line for each value, in the order in which they came. */
void info_show(struct json_object *result, const struct style *style, struct text *out);

/* target.list: a table. */
void targets_show(struct json_object *result, const struct style *style, struct text *out);

/* What attach and detach say when they succeeded: one line. */
void attached_show(struct json_object *result, const struct style *style, struct text *out);
void detached_show(struct json_object *result, const struct style *style, struct text *out);

/* One line for an event. */
void event_show(struct json_object *event, const struct style *style, struct text *out);

/* Results of target.launch and target.kill. */
void launched_show(struct json_object *result, const struct style *style, struct text *out);
void killed_show(struct json_object *result, const struct style *style, struct text *out);

#endif
