/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Capabilities of an adapter, and the requests that need them. */
#ifndef OMPDD_DAP_CAPABILITIES_H
#define OMPDD_DAP_CAPABILITIES_H

#include "client.h"

/* Return the capability without which @command must not be sent; NULL: every adapter accepts it, or it is unknown. */
const char *capabilities_needed(const char *command);

/* Return the native adapter's @body of `initialize` with our capabilities added. @steps: steps by regions are
 * available. The caller owns it. */
struct json_object *capabilities_with_ours(struct json_object *body, bool steps);

/*
 * Return the capabilities to announce before an adapter is chosen: those common to all native adapters that speak
 * DAP, and ours. An event later withdraws those that the chosen adapter lacks. The caller owns it.
 */
struct json_object *capabilities_before_choice(void);

/* Return the capabilities of the observer, in mode stop if @stops; the caller owns it. */
struct json_object *capabilities_of_observer(bool stops);

/* Return the change to announce to a client that knows @before: @now, and false for withdrawn capabilities. The
 * caller owns it. */
struct json_object *capabilities_change(struct json_object *before, struct json_object *now);
/* Send the change to the client. Takes ownership of @now. */
void capabilities_announce(struct dap_client *client, struct json_object *now);

#endif
