/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An adapter without a native one: ompdd alone looks at a process or a core; in mode stop it also stops. */
#ifndef OMPDD_DAP_OBSERVER_H
#define OMPDD_DAP_OBSERVER_H

#include "session.h"

struct observer *observer_create(void);
void observer_init(struct observer *o, struct session *s);
void observer_destroy(struct observer *o);

/* Whether a `launch` or `attach` is for mode stop. */
bool observer_stops(struct json_object *request);
/* The client's `launch` or `attach`; then all others. */
void observer_begin(struct observer *o, struct json_object *request);
void observer_request(struct observer *o, struct json_object *request);

#endif
