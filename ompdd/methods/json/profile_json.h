/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data of a profile, as the members of profile.get's result. */
#ifndef OMPDD_METHODS_PROFILE_JSON_H
#define OMPDD_METHODS_PROFILE_JSON_H

#include <stdint.h>

struct json_object;
struct sampler;
struct tally;
struct tally_place;

/* Return profile_status of the schema. */
struct json_object *profile_status_json(const struct sampler *s);

/* Return profile_place of the schema. */
struct json_object *profile_json_place(const struct tally *t, const struct tally_place *place);

/* Add "total", "regions", "locks", "tasks", "threads". */
void profile_json_put_tables(struct json_object *o, const struct tally *t);
/* Add "stacks". */
void profile_json_put_stacks(struct json_object *o, const struct tally *t);
/* Add "timeline": the cells that last beyond @since_us, up to @end_us. */
void profile_json_put_timeline(struct json_object *o, const struct tally *t, uint64_t since_us, uint64_t end_us);

#endif
