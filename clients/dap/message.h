/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of the Debug Adapter Protocol: parsing incoming ones, creating outgoing ones. */
#ifndef OMPDD_DAP_MESSAGE_H
#define OMPDD_DAP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Ids of the protocol (frames, variables, breakpoints) are integers below 2^31. Ours start above those of all
 * adapters. */
#define MESSAGE_OWN_IDS 0x7f000000
#define MESSAGE_MAX_ID	0x7fffffff

enum dap_message_type { MESSAGE_BAD, MESSAGE_REQUEST, MESSAGE_RESPONSE, MESSAGE_EVENT };

/* Parse one message, which must be an object. Returns NULL if it is invalid; the caller owns it. Native adapters are
 * not always strict. */
struct json_object *dap_message_parse(const char *text, size_t len);

/* Return the type; MESSAGE_BAD if it lacks a member that all messages of its type have. */
enum dap_message_type dap_message_type(struct json_object *message);

/* Return a request's command or an event's name; borrowed; NULL for other messages. */
const char *dap_message_name(struct json_object *message);

/* Return a member at a path of keys, @path ended by NULL; NULL if it is missing. Borrowed. */
struct json_object *dap_message_get(struct json_object *message, ...) __attribute__((sentinel));
/* Return a member of @object as a value of its type. */
const char *dap_message_string(struct json_object *object, const char *key);
int64_t dap_message_int(struct json_object *object, const char *key, int64_t otherwise);
bool dap_message_bool(struct json_object *object, const char *key);
struct json_object *dap_message_array(struct json_object *object, const char *key);
size_t dap_message_length(struct json_object *array);

/* Return a shallow copy of @object, which the caller owns. */
struct json_object *dap_message_copy(struct json_object *object);
/* Return a shallow copy of the array dap_message_array(@object, @key), empty if it is missing, for appending. The
 * caller owns it. */
struct json_object *dap_message_copy_array(struct json_object *object, const char *key);

void dap_message_put_string(struct json_object *object, const char *key, const char *value);
void dap_message_put_int(struct json_object *object, const char *key, int64_t value);
void dap_message_put_bool(struct json_object *object, const char *key, bool value);

/* Create messages without `seq`, which the sender adds. They take ownership of @body and @arguments, which may be
 * NULL. */
struct json_object *dap_message_request(const char *command, struct json_object *arguments);
struct json_object *dap_message_event(const char *event, struct json_object *body);
/* Create the body of `stopped`, when all threads have stopped because of thread @tid. @description may be NULL. */
struct json_object *dap_message_stopped_body(const char *reason, const char *description, int64_t tid);
/* Create the response to @request, with its `seq` as `request_seq`. */
struct json_object *dap_message_response(struct json_object *request, struct json_object *body);
/* Create the response to a failed @request: @text is for the user. */
struct json_object *dap_message_failure(struct json_object *request, const char *text);

#endif
