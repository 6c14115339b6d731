/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Protocol handles. A table for each connection, epoch and runtime numbers the objects of each kind from 1. The table
 * is sorted by the library's compare routine, so that one region always has the same name. When an epoch ends its
 * objects are released, but its counters stay for a while: they distinguish a stale handle from an invented one.
 */
#include "openmp/model/handle/handles.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/log.h"
#include "base/vector.h"
#include "openmp/model/handle/handle_tree.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"

/* The objects of one runtime that one connection received in one epoch. */
struct epoch {
	struct list link; /* in its client, oldest first */
	uint64_t number;
	unsigned runtime;
	uint32_t minted[HANDLE_KINDS];
	struct handle **handles[HANDLE_KINDS]; /* [n - 1]; NULL: released, or the epoch has ended */
	uint32_t cap[HANDLE_KINDS];
	struct handle *root[HANDLE_KINDS];
	struct handle *last[HANDLE_KINDS]; /* the latest hit: threads of a team are adjacent */
	size_t n_live;
	bool ended;
};

struct client {
	struct list link;
	int64_t id;
	struct list epochs;
	size_t n_live;
	size_t n_ended;
};

struct handles {
	struct plugin *plugins[CALLBACKS_MAX_SPACES];
	unsigned timeout_ms;
	uint32_t random;
	struct list clients;
};

struct handles *handles_create(unsigned timeout_ms)
{
	struct handles *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->timeout_ms = timeout_ms;
	h->random = 2463534242u;
	list_init(&h->clients);
	return h;
}

static void release_object(struct plugin *plugin, enum handle_kind kind, void *object)
{
	int rc = ompd_rc_ok;

	if (!plugin || !object)
		return;
	switch (kind) {
	case HANDLE_ASPACE:
		rc = plugin_call(plugin, rel_address_space_handle, object);
		break;
	case HANDLE_THREAD:
		rc = plugin_call(plugin, rel_thread_handle, object);
		break;
	case HANDLE_PARALLEL:
		rc = plugin_call(plugin, rel_parallel_handle, object);
		break;
	case HANDLE_TASK:
		rc = plugin_call(plugin, rel_task_handle, object);
		break;
	}
	if (rc != ompd_rc_ok)
		log_debug("handles: releasing a %s returned %s", handle_kind_name(kind), error_ompd_rc_name(rc));
}

/* Releases the objects of the epoch. Its handles become stale, and its numbers continue. */
static void clear_epoch(struct handles *h, struct client *c, struct epoch *e)
{
	guard_enter(h->timeout_ms);
	for (int kind = 0; kind < HANDLE_KINDS; kind++) {
		for (uint32_t i = 0; i < e->minted[kind] && !e->ended; i++) {
			struct handle *handle = e->handles[kind][i];

			if (handle)
				release_object(h->plugins[e->runtime], kind, handle->object);
			free(handle);
			e->handles[kind][i] = NULL;
		}
		e->root[kind] = e->last[kind] = NULL;
	}
	guard_leave();
	c->n_live -= e->n_live;
	e->n_live = 0;
}

/* Ends the epoch for good; its counters stay. */
static void end_epoch(struct handles *h, struct client *c, struct epoch *e)
{
	if (e->ended)
		return;
	clear_epoch(h, c, e);
	for (int kind = 0; kind < HANDLE_KINDS; kind++) {
		free(e->handles[kind]);
		e->handles[kind] = NULL;
		e->cap[kind] = 0;
	}
	e->ended = true;
	c->n_ended++;
	/* Forget the oldest epoch: its handles become unknown. */
	list_for_each (it, tmp, &c->epochs) {
		struct epoch *old = list_entry(it, struct epoch, link);

		if (c->n_ended <= HANDLES_MAX_ENDED)
			break;
		if (!old->ended)
			continue;
		list_remove(it);
		free(old);
		c->n_ended--;
	}
}

static void destroy_client(struct handles *h, struct client *c)
{
	list_for_each (it, tmp, &c->epochs) {
		struct epoch *e = list_entry(it, struct epoch, link);

		/* Keep the list unchanged: no epoch is forgotten while n_ended is 0. */
		c->n_ended = 0;
		end_epoch(h, c, e);
		list_remove(&e->link);
		free(e);
	}
	list_remove(&c->link);
	free(c);
}

void handles_destroy(struct handles *h)
{
	if (!h)
		return;
	list_for_each (it, tmp, &h->clients)
		destroy_client(h, list_entry(it, struct client, link));
	free(h);
}

void handles_set_plugin(struct handles *h, unsigned runtime, struct plugin *plugin)
{
	h->plugins[runtime] = plugin;
}

static struct client *find_client(struct handles *h, int64_t id)
{
	list_for_each (it, tmp, &h->clients) {
		struct client *c = list_entry(it, struct client, link);

		if (c->id == id)
			return c;
	}
	return NULL;
}

static struct epoch *find_epoch(struct client *c, uint64_t number, unsigned runtime)
{
	for (struct list *it = c->epochs.prev; it != &c->epochs; it = it->prev) {
		struct epoch *e = list_entry(it, struct epoch, link);

		if (e->number == number && e->runtime == runtime)
			return e;
	}
	return NULL;
}

void handles_epoch_ended(struct handles *h, uint64_t number)
{
	list_for_each (it, tmp, &h->clients) {
		struct client *c = list_entry(it, struct client, link);

		for (unsigned runtime = 0; runtime < CALLBACKS_MAX_SPACES; runtime++) {
			struct epoch *e = find_epoch(c, number, runtime);

			if (e)
				end_epoch(h, c, e);
		}
	}
}

static void void_epoch(struct handles *h, struct client *c, struct epoch *e)
{
	if (!e || e->ended)
		return;
	clear_epoch(h, c, e);
	for (int kind = 0; kind < HANDLE_KINDS; kind++)
		free(e->handles[kind]);
	list_remove(&e->link);
	free(e);
}

void handles_epoch_void(struct handles *h, uint64_t number)
{
	list_for_each (it, tmp, &h->clients) {
		struct client *c = list_entry(it, struct client, link);

		for (unsigned runtime = 0; runtime < CALLBACKS_MAX_SPACES; runtime++)
			void_epoch(h, c, find_epoch(c, number, runtime));
	}
}

void handles_client_gone(struct handles *h, int64_t id)
{
	struct client *c = find_client(h, id);

	if (c)
		destroy_client(h, c);
}

void handles_end_runtime(struct handles *h, unsigned runtime)
{
	list_for_each (it, tmp, &h->clients) {
		struct client *c = list_entry(it, struct client, link);

		list_for_each (at, etmp, &c->epochs) {
			struct epoch *e = list_entry(at, struct epoch, link);

			if (e->runtime == runtime)
				clear_epoch(h, c, e);
		}
	}
}

void handles_end_all(struct handles *h)
{
	for (unsigned runtime = 0; runtime < CALLBACKS_MAX_SPACES; runtime++)
		handles_end_runtime(h, runtime);
}

static struct client *get_client(struct handles *h, int64_t id)
{
	struct client *c = find_client(h, id);

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->id = id;
	list_init(&c->epochs);
	list_append(&h->clients, &c->link);
	return c;
}

/* In observe mode the worker never ends old epochs, so the oldest one is replaced by the current one. */
static void end_oldest_epoch(struct handles *h, struct client *c, const struct epoch *present)
{
	list_for_each (it, tmp, &c->epochs) {
		struct epoch *e = list_entry(it, struct epoch, link);

		if (e == present || e->ended)
			continue;
		end_epoch(h, c, e);
		return;
	}
}

static size_t count_views(const struct client *c)
{
	size_t n = 0;

	for (const struct list *it = c->epochs.next; it != &c->epochs; it = it->next)
		n++;
	return n - c->n_ended;
}

static struct epoch *get_epoch(struct handles *h, struct client *c, uint64_t number, unsigned runtime)
{
	struct epoch *e = find_epoch(c, number, runtime);

	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->number = number;
	e->runtime = runtime;
	if (count_views(c) >= HANDLES_MAX_VIEWS)
		end_oldest_epoch(h, c, NULL);
	/* The latest epoch is kept even when empty; see handles_take(). */
	if (!list_is_empty(&c->epochs)) {
		struct epoch *before = list_entry(c->epochs.prev, struct epoch, link);

		if (before->n_live == 0)
			end_epoch(h, c, before);
	}
	list_append(&c->epochs, &e->link);
	return e;
}

static uint32_t draw_random(struct handles *h)
{
	h->random ^= h->random << 13;
	h->random ^= h->random >> 17;
	h->random ^= h->random << 5;
	return h->random;
}

static struct error *append_handle(struct epoch *e, enum handle_kind kind, struct handle *handle)
{
	if (!VECTOR_GROW(e->handles[kind], e->minted[kind], e->cap[kind]))
		return &error_nomem;
	e->handles[kind][e->minted[kind]++] = handle;
	handle->number = e->minted[kind];
	return NULL;
}

/* Takes ownership of @object only if it succeeds with a new handle. */
static struct error *intern_object(struct handles *h, struct client *c, struct epoch *e, enum handle_kind kind,
				   void *object, struct handle **ret)
{
	struct plugin *plugin = h->plugins[e->runtime];
	_cleanup_free_ struct handle *node = NULL;
	struct handle *found = NULL;
	struct error *err;
	int value = 1;

	if (e->last[kind] && kind != HANDLE_ASPACE) {
		err = handle_tree_compare(plugin, kind, object, e->last[kind]->object, &value);
		if (err)
			return err;
		if (value == 0)
			found = e->last[kind];
	}
	if (!found && kind != HANDLE_ASPACE) {
		err = handle_tree_find(plugin, e->root[kind], kind, object, &found);
		if (err)
			return err;
	}
	if (found) {
		e->last[kind] = found;
		*ret = found;
		return NULL;
	}

	if (c->n_live >= CONTRACT_MAX_HANDLES)
		end_oldest_epoch(h, c, e);
	if (c->n_live >= CONTRACT_MAX_HANDLES)
		return error_create(ERR_LIMIT_EXCEEDED, "this connection has %d handles already, its limit",
				    CONTRACT_MAX_HANDLES);
	node = calloc(1, sizeof(*node));
	if (!node)
		return &error_nomem;
	node->kind = kind;
	node->epoch = e->number;
	node->runtime = e->runtime;
	node->object = object;
	node->priority = draw_random(h);
	err = append_handle(e, kind, node);
	if (err)
		return err;
	err = handle_tree_insert(plugin, &e->root[kind], node);
	struct handle *kept = no_cleanup(node);

	e->n_live++;
	c->n_live++;
	e->last[kind] = kept;
	*ret = kept;
	return err;
}

struct error *handles_intern(struct handles *h, unsigned runtime, int64_t client, uint64_t epoch, enum handle_kind kind,
			     TAKES void *object, struct handle **ret)
{
	struct client *c = get_client(h, client);
	struct epoch *e = c ? get_epoch(h, c, epoch, runtime) : NULL;
	struct handle *handle = NULL;
	struct error *err;

	if (!e)
		err = &error_nomem;
	else if (e->ended)
		err = error_create(ERR_INTERNAL_ERROR, "epoch %llu has ended", (unsigned long long)epoch);
	else
		err = intern_object(h, c, e, kind, object, &handle);
	if (!handle || handle->object != object)
		release_object(h->plugins[runtime], kind, object);
	if (err)
		return err;
	*ret = handle;
	return NULL;
}

static struct error *report_invalid_handle(const char *text, int kind, const char *pointer)
{
	struct error *err;

	if (kind >= 0)
		err = error_create(ERR_INVALID_PARAMS, "%s: \"%.64s\" is not a handle of kind \"%s\"", pointer, text,
				   handle_kind_name(kind));
	else
		err = error_create(ERR_INVALID_PARAMS, "%s: \"%.64s\" is not a handle", pointer, text);
	return error_detail(err, "pointer", "%s", pointer);
}

static struct error *report_unknown_handle(const char *text)
{
	return error_detail(
		error_create(ERR_UNKNOWN_HANDLE, "handle \"%.64s\" was never given to this connection", text), "handle",
		"%.64s", text);
}

static struct error *report_stale_handle(const char *text)
{
	struct error *err = error_create_ompd(ompd_rc_stale_handle, "handle lookup");

	error_detail(err, "handle", "%.64s", text);
	return error_hint(err, "target.stop holds the target so that handles stay valid");
}

struct error *handles_find(struct handles *h, int64_t client, const char *target_id, const char *text, int kind,
			   const char *pointer, struct handle **ret)
{
	struct handle_name name;

	if (!handle_name_parse(text, &name) || (kind >= 0 && kind != (int)name.kind))
		return report_invalid_handle(text, kind, pointer);

	size_t prefix = strcspn(text, ":");
	struct client *c = find_client(h, client);

	if (strlen(target_id) != prefix || strncmp(text, target_id, prefix) != 0 || !c)
		return report_unknown_handle(text);
	struct epoch *e = name.runtime < CALLBACKS_MAX_SPACES ? find_epoch(c, name.epoch, name.runtime) : NULL;

	if (!e || name.number == 0 || name.number > e->minted[name.kind])
		return report_unknown_handle(text);
	if (e->ended || !e->handles[name.kind][name.number - 1])
		return report_stale_handle(text);
	*ret = e->handles[name.kind][name.number - 1];
	return NULL;
}

void *handles_take(struct handles *h, int64_t client, struct handle *handle)
{
	struct client *c = find_client(h, client);
	struct epoch *e = c ? find_epoch(c, handle->epoch, handle->runtime) : NULL;
	void *object = handle->object;

	if (!e || e->ended)
		return NULL;
	guard_enter(h->timeout_ms);
	handle_tree_remove(h->plugins[e->runtime], &e->root[handle->kind], handle);
	guard_leave();
	if (e->last[handle->kind] == handle)
		e->last[handle->kind] = NULL;
	e->handles[handle->kind][handle->number - 1] = NULL;
	e->n_live--;
	c->n_live--;
	free(handle);
	if (e->n_live == 0 && c->epochs.prev != &e->link)
		end_epoch(h, c, e);
	return object;
}

void handles_release(struct handles *h, int64_t client, struct handle *handle)
{
	enum handle_kind kind = handle->kind;
	struct plugin *plugin = h->plugins[handle->runtime];
	void *object = handles_take(h, client, handle);

	guard_enter(h->timeout_ms);
	release_object(plugin, kind, object);
	guard_leave();
}
