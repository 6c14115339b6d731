/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readable forms of the results that are not snapshots. */
#ifndef OMPDD_CLI_INFO_H
#define OMPDD_CLI_INFO_H

#include "text.h"

struct json_object;

/* Append target.info or target.attach: one line per value, in the order of @result. */
void info_show(struct json_object *result, const struct style *style, struct buf *out);

/* Append target.list as a table. */
void targets_show(struct json_object *result, const struct style *style, struct buf *out);

/* Append the one line that attach and detach print on success. */
void attached_show(struct json_object *result, const struct style *style, struct buf *out);
void detached_show(struct json_object *result, const struct style *style, struct buf *out);

/* Append one line for an event. */
void event_show(struct json_object *event, const struct style *style, struct buf *out);

/* Append results of target.launch and target.kill. */
void launched_show(struct json_object *result, const struct style *style, struct buf *out);
void killed_show(struct json_object *result, const struct style *style, struct buf *out);

#endif
