/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A session between fake workers and fake connections, with a clock that the test sets. */
#ifndef OMPDD_SUPPORT_FAKE_SESSION_H
#define OMPDD_SUPPORT_FAKE_SESSION_H

#include "check_main.h"

#include <string.h>

#include "session/limits.h"
#include "session/session.h"

#define FAKE_TIMEOUT_MS 1000
#define FAKE_TOKEN	"0123456789abcdef"
#define FAKE_MAX_TEXTS	256

struct fake_texts {
	char *items[FAKE_MAX_TEXTS];
	size_t n;
};

struct fake_worker {
	struct session_target *target;
	struct fake_texts got; /* texts that the session sent to it */
	uid_t uid;
	bool ended;
	enum worker_ending ending;
};

struct fake_conn {
	struct client *client;
	struct fake_texts got; /* answers */
	size_t room;	       /* length of the longest text that it accepts */
	bool finished;
	bool full; /* it accepts no events */
};

extern struct session *session;
extern int64_t fake_now_ms;
extern struct fake_worker fake_workers[LIMIT_TARGETS + 8];
extern size_t fake_n_workers;
extern bool fake_start_fails;
/* Connections of one user, who may use the session. */
extern struct fake_conn conn, other;

/* Fixtures: a session with `conn`, and one with `other` as well. */
void fake_setup(void);
void fake_setup_two(void);
void fake_teardown(void);

void fake_connect(struct fake_conn *c, uid_t uid, bool authenticated);
void fake_disconnect(struct fake_conn *c);
/* Feed one text, which must not be a parse error. Returns whether an answer follows. */
bool fake_send(struct fake_conn *c, const char *text);
/* Send request @id of @method for target @target; NULL: no target. */
void fake_request(struct fake_conn *c, int id, const char *method, const char *target);
/* Send request @id to attach, without an answer yet. */
void fake_request_attach(struct fake_conn *c, int id);
/* Attach on a new fake worker, answer the request, and drop the answer. The id is t<number of workers>. */
struct fake_worker *fake_attach(struct fake_conn *c);
/* Let the worker answer its request number @i (of all requests that it ever got) with {"n":i}. */
void fake_answer(struct fake_worker *w, size_t i);
void fake_answer_with(struct fake_worker *w, size_t i, const char *payload);
/* Let the worker report an event. */
void fake_event(struct fake_worker *w, const char *params);
/* Expect one text of @c since the last call, which contains @part (and @part2, if given). */
void fake_expect(struct fake_conn *c, const char *part, const char *part2);
void fake_forget(struct fake_texts *t);

#endif
