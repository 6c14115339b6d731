/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a profile has added up, as the members of profile.get's result. */
#ifndef OMPDD_METHODS_PROFILE_JSON_H
#define OMPDD_METHODS_PROFILE_JSON_H

#include <stdint.h>

struct json_object;
struct sampler;
struct tally;

/* profile_status of the schema. */
struct json_object *profile_status_json(const struct sampler *s);

/* Add "total", "regions", "locks", "tasks", "threads". */
void profile_json_put_tables(struct json_object *o, const struct tally *t);
/* Add "stacks". */
void profile_json_put_stacks(struct json_object *o, const struct tally *t);
/* Add "timeline": what goes on after @since_us, until @end_us. */
void profile_json_put_timeline(struct json_object *o, const struct tally *t, uint64_t since_us, uint64_t end_us);

#endif
