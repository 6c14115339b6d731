/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads each function once, with all functions that it calls. */
#include "openmp/stacks/code/code_releases.h"

#include <stdlib.h>

static void summarize_function(struct code_releases *r, uint64_t address, unsigned depth, struct code_summary *ret);

bool code_call_has_argument(const struct code_call *call)
{
	return call->argument >= 0 && call->argument < DECODE_ARGS;
}

struct code_value code_call_argument(const struct code_node *node, const struct code_call *call)
{
	return node->in[decode_arch->arguments[call->argument]];
}

static void note_release(struct code_summary *s, const struct code_release *one)
{
	if (s->n == CODE_RELEASES_MAX)
		s->is_known = false;
	else
		s->released[s->n++] = *one;
}

/* Note that any lock may be released. A construct ends in the function that started it. */
static void note_any_lock(struct code_summary *s)
{
	note_release(s, &(struct code_release){.what = HOLDER_LOCK, .is_any = true});
	note_release(s, &(struct code_release){.what = HOLDER_NEST_LOCK, .is_any = true});
}

/* Compute what the call at @node may release. */
static void summarize_call(struct code_releases *r, const struct code_node *node, const struct code_call *call,
			   unsigned depth, struct code_summary *ret)
{
	struct code_release one = {.what = call->what, .is_only = !code_call_has_argument(call)};

	*ret = (struct code_summary){.is_known = true};
	switch (call->kind) {
	case CODE_CALL_RELEASES:
		if (code_call_has_argument(call))
			one.address = code_call_argument(node, call);
		note_release(ret, &one);
		break;
	case CODE_CALL_FUNCTION:
		summarize_function(r, call->address, depth + 1, ret);
		break;
	case CODE_CALL_CALLBACK:
		one.address = code_call_argument(node, call);
		if (!one.address.base) {
			summarize_function(r, (uint64_t)one.address.offset, depth + 1, ret);
			break;
		}
		note_any_lock(ret);
		break;
	case CODE_CALL_UNKNOWN:
		note_any_lock(ret);
		break;
	case CODE_CALL_RETURNS_TWICE:
		ret->is_known = false;
		break;
	case CODE_CALL_HARMLESS:
	case CODE_CALL_ACQUIRES:
	case CODE_CALL_NEVER:
	default:
		break;
	}
}

void code_releases_of_call(struct code_releases *r, const struct code_node *node, const struct code_call *call,
			   struct code_summary *ret)
{
	summarize_call(r, node, call, 0, ret);
}

void code_summary_add(struct code_summary *s, const struct code_summary *of_call)
{
	s->is_known &= of_call->is_known;
	for (size_t k = 0; k < of_call->n && s->is_known; k++) {
		struct code_release one = of_call->released[k];

		if (one.address.base) {
			one.address = (struct code_value){0, 0};
			one.is_any = true;
		}
		note_release(s, &one);
	}
}

/* A call at the end of a function is often compiled to a jump. */
static bool is_tail_jump(const struct code_node *node, const struct code_function *f)
{
	return (node->insn.kind == DECODE_JUMP || node->insn.kind == DECODE_BRANCH) && node->insn.target &&
	       (node->insn.target < f->start || node->insn.target >= f->end);
}

bool code_releases_tail_call(struct code_releases *r, const struct code_node *node, const struct code_function *f,
			     struct code_call *ret)
{
	if (node->insn.kind == DECODE_JUMP && !node->insn.target && node->address >= f->start &&
	    node->address < f->end) {
		*ret = (struct code_call){.kind = CODE_CALL_UNKNOWN};
		return true;
	}
	if (!is_tail_jump(node, f))
		return false;
	r->world->call(r->world->arg, node->address, &node->insn, ret);
	return ret->kind != CODE_CALL_FUNCTION || ret->address != node->insn.target;
}

static void summarize_graph(struct code_releases *r, const struct code_function *f, const struct code_graph *g,
			    unsigned depth, struct code_summary *ret)
{
	for (uint32_t i = 0; i < g->n && ret->is_known; i++) {
		const struct code_node *node = &g->nodes[i];
		struct code_summary of_call;
		struct code_call call;

		if (node->insn.kind == DECODE_CALL)
			r->world->call(r->world->arg, node->address, &node->insn, &call);
		else if (!code_releases_tail_call(r, node, f, &call))
			continue;
		summarize_call(r, node, &call, depth, &of_call);
		code_summary_add(ret, &of_call);
	}
}

static void summarize_function(struct code_releases *r, uint64_t address, unsigned depth, struct code_summary *ret)
{
	struct code_function f;
	struct code_graph g;
	size_t index;

	*ret = (struct code_summary){.address = address};
	for (size_t i = 0; i < r->n; i++) {
		if (r->summaries[i].address == address) {
			*ret = r->summaries[i];
			return;
		}
	}
	if (!r->summaries)
		r->summaries = calloc(CODE_RELEASES_MAX_FUNCTIONS, sizeof(*r->summaries));
	if (!r->summaries || r->n == CODE_RELEASES_MAX_FUNCTIONS || depth > CODE_RELEASES_MAX_DEPTH)
		return;
	index = r->n++;
	r->summaries[index] = *ret;
	if (!r->world->function(r->world->arg, address, &f) || f.start != address ||
	    !code_graph_make(&g, r->world->read, r->world->arg, f.start, f.end, f.entries, f.n_entries))
		return;
	ret->is_known = true;
	summarize_graph(r, &f, &g, depth, ret);
	code_graph_deinit(&g);
	r->summaries[index] = *ret;
}

bool code_summary_has(const struct code_summary *s, enum holder_kind what, bool is_only, struct code_value address)
{
	bool has = !s->is_known;

	for (size_t i = 0; i < s->n && !has; i++) {
		const struct code_release *one = &s->released[i];

		if (one->what != what)
			continue;
		/*
		 * With the same base, different offsets are different places. Different bases may still name the same
		 * place.
		 */
		has = one->is_any || (is_only || one->is_only ? is_only == one->is_only
							      : address.base != one->address.base ||
									address.offset == one->address.offset);
	}
	return has;
}

void code_releases_deinit(struct code_releases *r)
{
	free(r->summaries);
	*r = (struct code_releases){.world = r->world};
}
