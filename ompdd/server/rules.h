/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The rules of ompdd.conf: the daemon starts `ompdctl watch` with them as its own user, restarts it, and reports its
 * actions in the audit log and at /metrics. The daemon itself examines no process.
 */
#ifndef OMPDD_SERVER_RULES_H
#define OMPDD_SERVER_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct rules;
struct server;

/* Check a rule, "when CONDITION then ACTION...", with ompdctl. Returns ERR_INVALID_PARAMS. */
MUST_USE struct error *rules_check(const char *rule);

/* Start `ompdctl watch` if the options have rules. */
MUST_USE struct error *rules_start(struct server *s);

/* Reap `ompdctl watch`, if it has ended, and start it again later. */
void rules_reap(struct server *s);

/* End `ompdctl watch`, without waiting for it, and close the handles. */
void rules_stop(struct server *s);

/* Free the memory, after the loop has ended. */
void rules_destroy(struct rules *r);

bool rules_are_watched(const struct rules *r);
/* Return the number of actions of rule @i, and of those that failed. */
uint64_t rules_count_actions(const struct rules *r, size_t i);
uint64_t rules_count_failures(const struct rules *r, size_t i);

#endif
