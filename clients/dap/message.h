/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The messages of the Debug Adapter Protocol: taking apart what comes, making what goes. */
#ifndef OMPDD_DAP_MESSAGE_H
#define OMPDD_DAP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Ids of the protocol (frames, variables, breakpoints) are integers below 2^31. Ours begin where no adapter's come. */
#define MESSAGE_OWN_IDS 0x7f000000
#define MESSAGE_MAX_ID	0x7fffffff

enum message_type { MESSAGE_BAD, MESSAGE_REQUEST, MESSAGE_RESPONSE, MESSAGE_EVENT };

/* Parse one message: an object. NULL when it is none; the caller owns it. Native adapters are not always strict. */
struct json_object *message_parse(const char *text, size_t len);

/* What it is; MESSAGE_BAD when it lacks what every one of its type has. */
enum message_type message_type(struct json_object *message);

/* Of a request its command, of an event its name; borrowed, NULL for others. */
const char *message_name(struct json_object *message);

/* A member at a path of keys, @path ended by NULL; NULL when it is not there. Borrowed. */
struct json_object *message_get(struct json_object *message, ...) __attribute__((sentinel));
/* The same, as values. */
const char *message_string(struct json_object *object, const char *key);
int64_t message_int(struct json_object *object, const char *key, int64_t otherwise);
bool message_bool(struct json_object *object, const char *key);
struct json_object *message_array(struct json_object *object, const char *key);
size_t message_length(struct json_object *array);

/* An object of its own with the members of @object, not of what is below them. */
struct json_object *message_copy(struct json_object *object);
/* The same of the array message_array(@object, @key), empty if there is none: for more to be added. */
struct json_object *message_copy_array(struct json_object *object, const char *key);

void message_put_string(struct json_object *object, const char *key, const char *value);
void message_put_int(struct json_object *object, const char *key, int64_t value);
void message_put_bool(struct json_object *object, const char *key, bool value);

/* New messages without `seq`, which who sends them adds. They take @body and @arguments, which may be NULL. */
struct json_object *message_request(const char *command, struct json_object *arguments);
struct json_object *message_event(const char *event, struct json_object *body);
/* To @request, with its `seq` as `request_seq`. */
struct json_object *message_response(struct json_object *request, struct json_object *body);
/* The same for one that failed: @text is for people. */
struct json_object *message_failure(struct json_object *request, const char *text);

#endif
