/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frames, boundaries and the reasons of missing frames. */
#include "methods/json/stack_json.h"

#include <omp-tools.h>

#include "methods/json/json.h"
#include "openmp/model/handle/handles.h"
#include "openmp/stacks/stack_device.h"
#include "rpc/json_write.h"
#include "target/modules/emulator.h"
#include "target/modules/modules.h"

static struct json_object *text_json(const char *text)
{
	return text ? json_text(text) : json_rc(ompd_rc_unavailable);
}

static struct json_object *function_name_json(const char *symbol)
{
	return symbol ? json_function(symbol) : json_rc(ompd_rc_unavailable);
}

static struct json_object *module_json(const struct source *source)
{
	return text_json(source->module ? source->module->path : NULL);
}

struct json_object *stack_where_json(const struct stack_where *where)
{
	struct json_object *o = json_object_new_object();

	if (!where->is_python)
		json_put(o, "pc", json_hex(where->pc));
	json_put(o, "function", function_name_json(where->function));
	json_put(o, "module", text_json(where->module ? where->module->path : NULL));
	json_put(o, "location", json_line(where->file, where->line));
	return o;
}

struct json_object *stack_inlined_call_json(struct stacks *st, struct stacks_place *place, uint8_t inlined)
{
	const struct source *source = stacks_source(st, place);
	const struct source_place *at = &source->places[inlined < source->n_places ? inlined : 0];
	struct json_object *o = json_object_new_object();

	json_put(o, "pc", json_hex(place->pc));
	json_put(o, "function", function_name_json(at->function));
	json_put(o, "module", module_json(source));
	json_put(o, "location", json_line(at->file, at->line));
	json_put(o, "source", json_object_new_string("inferred"));
	return o;
}

struct json_object *stack_call_site_json(struct stacks *st, struct stacks_place *place)
{
	return stack_inlined_call_json(st, place, 0);
}

static void put_entry(struct json_object *o, const struct stacks_place *entry)
{
	const char *construct = entry ? construct_name(entry->construct) : NULL;

	json_put(o, "entry", text_json(entry ? entry->callee : NULL));
	if (construct)
		json_put(o, "construct", json_object_new_string(construct));
}

struct json_object *stack_in_construct_json(struct stacks *st, struct stacks_place *entry)
{
	struct json_object *o = json_object_new_object();

	put_entry(o, entry);
	json_put(o, "call_site", stack_call_site_json(st, entry));
	json_put(o, "source", json_object_new_string("inferred"));
	return o;
}

/* Items */

static struct json_object *handle_json(const struct stack_view *v, enum handle_kind kind, uint32_t number)
{
	char text[HANDLE_NAME_SIZE];
	size_t len = handle_name_write(v->w->target_id, v->s->epoch, v->s->runtime, kind, number, text);

	return json_object_new_string_len(text, (int)len);
}

static struct json_object *word_json(const struct snapshot_word *word)
{
	return word->rc == ompd_rc_ok ? json_object_new_int64(word->value) : json_rc(word->rc);
}

static struct json_object *thread_json(pid_t tid)
{
	return tid ? json_object_new_int(tid) : json_rc(ompd_rc_unavailable);
}

static struct json_object *function_json(const struct stack_view *v, const struct snapshot_task *task)
{
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset, address = (uint64_t)task->function.value;

	if (task->function.rc != ompd_rc_ok)
		return json_rc(task->function.rc);
	struct json_object *o = json_object_new_object();

	json_put(o, "address", json_hex(address));
	if (target_symbol_at(v->w->target, address, symbol, sizeof(symbol), &offset) && offset == 0)
		json_put(o, "symbol", json_function(symbol));
	else
		json_put(o, "symbol", json_rc(ompd_rc_unavailable));
	if (task->function_is_inferred)
		json_put(o, "source", json_object_new_string("inferred"));
	return o;
}

static bool is_exact(const struct stack_list *l, uint32_t i)
{
	return i < l->n && l->items[i].kind == ITEM_FRAME && l->items[i].place->module_kind != PLACE_PYTHON &&
	       l->items[i].place->is_exact;
}

/*
 * Return whether a signal handler returns to item @i. The program counters of that frame and of the interrupted one
 * are exact; those of other callers are return addresses. @is_after_signal: the item before it is such a frame.
 */
static bool is_signal_frame(const struct stack_list *l, uint32_t i, bool is_after_signal)
{
	return i > 0 && !is_after_signal && is_exact(l, i) && is_exact(l, i + 1);
}

/* Add one object per function that was inlined here, then the object of the frame itself. */
static void add_frame(const struct stack_view *v, struct json_object *array, const struct stack_item *item,
		      bool is_signal)
{
	static const char *const kinds[FRAME_KINDS] = {"user", "runtime", "start"};
	const struct source *source = stacks_source(v->st, item->place);

	for (int i = item->from; i < (item->to ? item->to : source->n_places); i++) {
		const struct source_place *place = &source->places[i];
		struct json_object *o = json_object_new_object();

		if (item->place->module_kind == PLACE_PYTHON) {
			json_put(o, "kind", json_object_new_string("python"));
			json_put(o, "function", json_text(place->function));
			json_put(o, "location", json_line(place->file, place->line));
			json_object_array_add(array, o);
			continue;
		}
		json_put(o, "kind", json_object_new_string(kinds[item->frame_kind]));
		json_put(o, "pc", json_hex(item->place->pc));
		if (item->sp && !v->group)
			json_put(o, "sp", json_hex(item->sp));
		if (is_signal) {
			json_put(o, "function", json_object_new_string("<signal handler called>"));
			json_put(o, "signal", json_object_new_boolean(true));
		} else {
			json_put(o, "function", function_name_json(place->function));
		}
		if (!place->is_inlined && source->function_start && item->place->pc >= source->function_start)
			json_put(o, "offset",
				 json_object_new_int64((int64_t)(item->place->pc - source->function_start)));
		json_put(o, "module", module_json(source));
		json_put(o, "location", json_line(place->file, place->line));
		if (place->is_inlined)
			json_put(o, "inlined", json_object_new_boolean(true));
		if (item->device != STACK_DEVICE_NONE)
			json_put(o, "device",
				 item->device >= 0 ? json_object_new_int(item->device) : json_rc(ompd_rc_unavailable));
		json_object_array_add(array, o);
	}
}

static struct json_object *construct_json(const struct stack_item *item)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "kind", json_object_new_string("construct"));
	put_entry(o, item->place);
	json_put(o, "frames", json_object_new_int64(item->n_folded));
	json_put(o, "source", json_object_new_string("inferred"));
	return o;
}

static struct json_object *parallel_json(const struct stack_view *v, const struct stack_item *item, bool is_same)
{
	static const struct snapshot_word unknown = {.rc = ompd_rc_unavailable};
	const struct snapshot_parallel *p = item->parallel == SNAPSHOT_NONE ? NULL : &v->s->parallels[item->parallel];
	struct json_object *o = json_object_new_object();

	json_put(o, "kind", json_object_new_string("parallel"));
	json_put(o, "parallel",
		 p && is_same ? handle_json(v, HANDLE_PARALLEL, p->number) : json_rc(ompd_rc_unavailable));
	json_put(o, "level", word_json(p ? &p->level : &unknown));
	json_put(o, "team_size", word_json(p && is_same ? &p->team_size : &unknown));
	json_put(o, "thread_num",
		 item->number >= 0 && !v->group ? json_object_new_int64(item->number) : json_rc(ompd_rc_unavailable));
	json_put(o, "thread", thread_json(is_same ? item->thread : 0));
	return o;
}

static struct json_object *task_json(const struct stack_view *v, const struct stack_item *item)
{
	const struct snapshot_task *task = &v->s->tasks[item->task];
	struct json_object *o = json_object_new_object();
	bool is_one = !v->group || v->group->n_threads == 1;

	json_put(o, "kind", json_object_new_string("task"));
	json_put(o, "task", is_one ? handle_json(v, HANDLE_TASK, task->number) : json_rc(ompd_rc_unavailable));
	json_put(o, "function", function_json(v, task));
	json_put(o, "thread", thread_json(is_one ? item->thread : 0));
	return o;
}

struct json_object *stack_items_json(const struct stack_view *v, const struct stack_list *l)
{
	struct json_object *array = json_object_new_array_ext((int)l->n);
	bool is_signal = false;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct stack_item *item = &l->items[i];

		switch (item->kind) {
		case ITEM_FRAME:
			is_signal = is_signal_frame(l, i, is_signal);
			add_frame(v, array, item, is_signal);
			break;
		case ITEM_CONSTRUCT:
			json_object_array_add(array, construct_json(item));
			break;
		case ITEM_PARALLEL:
			json_object_array_add(array, parallel_json(v, item, !v->group || v->group->same_parallel[i]));
			break;
		case ITEM_TASK:
			json_object_array_add(array, task_json(v, item));
			break;
		}
	}
	return array;
}

/* Reasons */

static struct error *explain_end(const struct stack_view *v, const struct stack_list *l, pid_t tid)
{
	switch (l->end) {
	case STACK_OUTERMOST:
		break;
	case STACK_CUT:
		return error_hint(error_create(ERR_STACK_INCOMPLETE, "there are more than max_frames frames"),
				  "repeat the request with a larger max_frames");
	case STACK_NO_REGISTERS:
		if (target_emulator(v->w->target))
			return error_create(
				ERR_STACK_UNAVAILABLE,
				"%s executes the program: registers and stack of thread %d are those of the emulator",
				target_emulator(v->w->target), (int)tid);
		return error_create(ERR_STACK_UNAVAILABLE, "thread %d was running", (int)tid);
	case STACK_FEW_REGISTERS:
		return error_hint(error_create(ERR_STACK_INCOMPLETE,
					       "only the program counter and the stack pointer of a running thread are "
					       "known; the next frame needs more registers"),
				  "attach with mode \"stop\"");
	case STACK_MOVED:
		return error_hint(
			error_create(ERR_STACK_INCOMPLETE, "thread %d ran while its stack was read", (int)tid),
			"ask again, or attach with mode \"stop\"");
	case STACK_NOT_COPIED:
		if (target_mode(v->w->target) == TARGET_CORE)
			return error_create(ERR_STACK_INCOMPLETE,
					    "the core does not contain the memory of the next frame");
		return error_hint(
			error_create(ERR_STACK_INCOMPLETE,
				     "the stack is deeper than the part that was copied while the target was stopped"),
			"repeat the request while target.stop holds the target");
	case STACK_BROKEN:
		return error_create(ERR_STACK_INCOMPLETE, "the next frame has no unwind information");
	}
	if (!l->is_lost)
		return NULL;
	(void)v;
	return error_hint(
		error_create(ERR_STACK_INCOMPLETE, "the task that generated the last task is not on any stack"),
		"task.list shows that task; stack.get without logical shows the thread's own frames");
}

struct json_object *stack_complete_json(const struct stack_view *v, const struct stack_list *l, pid_t tid)
{
	struct error *err = explain_end(v, l, tid);

	if (!err)
		return json_object_new_boolean(true);
	struct json_object *o = json_reason(err);
	error_destroy(err);
	return o;
}
