/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl break --children`: one ompdd with a target for each process, whose events come on one connection. */
#include "follow_children.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "family.h"
#include "follow_break.h"
#include "interrupt.h"
#include "offspring.h"
#include "rpc/json_read.h"

/* Time between two searches for new processes. */
#define STEP_MS 1000

struct member {
	long pid;
	struct json_object *info; /* result of target.attach; owned */
	struct breakpoints points;
};

struct children {
	struct args args; /* the command line; args.pid is the process to attach to */
	struct conversation s;
	struct follower f;
	struct family family;
	struct member *members; /* owned */
	size_t n, cap;
};

static const char *get_target(const struct member *m)
{
	return json_read_string(json_read_member(m->info, "target"));
}

/* Direct the conversation and the output to a member. */
static void select_member(struct children *c, const struct member *m)
{
	struct json_object *before = c->s.info;

	c->s.info = json_object_get(m->info);
	json_object_put(before);
	c->f.target = get_target(m);
	c->f.pid = m->pid;
}

/* Detach a member, after @failure, which may be NULL. Returns @failure, or a new failure. */
static struct error *remove_member(struct children *c, size_t i, struct error *failure)
{
	struct member *m = &c->members[i];

	select_member(c, m);
	failure = conversation_detach(&c->s, failure);
	json_object_put(c->s.info);
	c->s.info = NULL;
	c->f.target = NULL;
	json_object_put(m->info);
	memmove(m, m + 1, (--c->n - i) * sizeof(*m));
	return failure;
}

static struct error *add_member(struct children *c, long pid)
{
	json_object_put(c->s.info);
	c->s.info = NULL;
	c->args.pid = pid;
	struct error *failure = conversation_attach(&c->s);
	/* An interrupted attach may have created the target. */
	if (!c->s.info)
		return failure;
	TEXT_GROW(c->members, c->n, c->cap);
	struct member *m = &c->members[c->n++];
	*m = (struct member){.pid = pid, .info = json_object_get(c->s.info)};
	select_member(c, m);
	if (!failure)
		failure = break_set(&c->f, &m->points);
	if (!failure)
		failure = break_start(&c->f, &m->points);
	return failure ? remove_member(c, c->n - 1, failure) : NULL;
}

static int has_more(const struct children *c)
{
	return !c->f.gone && c->f.n < break_count(&c->f);
}

/* Set breakpoints in processes that are new. One that cannot be a target is reported once. */
static struct error *add_new(struct children *c)
{
	struct processes found;
	struct error *failure = family_update(&c->family, &c->args, &found);

	for (size_t i = 0; !failure && has_more(c) && i < found.n; i++) {
		failure = add_member(c, found.pids[i]);
		/* The first one shows whether the breakpoints can be set at all. */
		if (failure && failure->code == ERR_ANSWER && (c->n || i + 1 < found.n)) {
			family_leave_out(&c->family, found.pids[i], failure, 0);
			failure = NULL;
		}
	}
	return failure;
}

/* @searched_ms is set to 0 if a process has a new program, which may use OpenMP. */
static struct error *take_event(struct children *c, struct json_object *event, int64_t *searched_ms)
{
	static const char *const execs[] = {"exec", NULL};
	const char *target = json_read_string(json_read_member(event, "target"));
	int has_new_program = follower_is_one_of(event, execs);
	size_t i = 0;

	while (i < c->n && (!target || strcmp(get_target(&c->members[i]), target) != 0))
		i++;
	if (i == c->n)
		return NULL;
	long pid = c->members[i].pid;
	select_member(c, &c->members[i]);
	struct error *failure = break_take(&c->f, &c->members[i].points, event);
	if (failure && failure->code != ERR_ANSWER)
		return failure;
	if (failure || break_is_over(event))
		error_destroy(remove_member(c, i, NULL));
	if (has_new_program) {
		family_forget(&c->family, pid);
		*searched_ms = 0;
	}
	if (failure)
		family_leave_out(&c->family, pid, failure, 0);
	return NULL;
}

/* Return whether a hit may still come: a member or a process of the command line lives. */
static int may_hit(const struct children *c)
{
	for (size_t i = 0; i < c->family.roots.n; i++) {
		if (offspring_is_alive((pid_t)c->family.roots.pids[i]))
			return 1;
	}
	return c->n != 0;
}

static struct error *follow_members(struct children *c)
{
	struct error *failure = add_new(c);
	int64_t searched_ms = clock_now_ms();

	if (!failure && !c->n && has_more(c))
		failure = family_refuse(&c->family);
	while (!failure && has_more(c) && may_hit(c)) {
		struct json_object *event = NULL;

		failure = rpc_next_event_until(&c->s.rpc, searched_ms + STEP_MS, &event);
		if (event)
			failure = take_event(c, event, &searched_ms);
		json_object_put(event);
		if (!failure && clock_now_ms() >= searched_ms + STEP_MS) {
			failure = add_new(c);
			searched_ms = clock_now_ms();
		}
	}
	return failure;
}

struct error *follow_children(const struct args *args, const struct processes *roots, const struct style *style,
			      follow_write *write)
{
	struct children c = {.args = *args, .family.roots = *roots, .f.style = style, .f.write = write};
	struct connection *connection = &c.s.rpc.conn;

	conversation_init(&c.s, &c.args);
	c.f.s = &c.s;
	struct error *failure = conversation_open(&c.s);
	if (!failure)
		failure = follower_subscribe(&c.f);
	/* A running ompdd would keep the targets. */
	if (!failure && !args_is_private(args))
		interrupt_catch(connection);
	if (!failure)
		failure = follow_members(&c);
	connection->interrupted = NULL;
	while (c.n)
		failure = remove_member(&c, c.n - 1, failure);
	interrupt_release(connection);
	buf_deinit(&c.f.out);
	free(c.members);
	conversation_deinit(&c.s);
	return failure;
}
