/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The filter is a binary search, not a list. When a filter is set, the kernel runs it once for each call number, to
 * find calls that need no filter later. With a list of 130 calls that takes longer than the rest of a worker's start.
 */
#include "target/sandbox/sandbox_filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>

/* The numbers from @first up to the next piece. */
struct piece {
	uint32_t first;
	uint16_t rule; /* index in `order` of its first rule */
	uint16_t n_rules;
	uint32_t action; /* for these numbers without a true rule */
};

struct filter {
	struct sock_filter *code;
	size_t n;
	const struct sandbox_rule *rules;
	uint16_t order[SANDBOX_FILTER_MAX_RULES]; /* the rules by number; equal numbers in the given order */
	struct piece pieces[2 * SANDBOX_FILTER_MAX_RULES + 1];
	size_t n_pieces;
};

static void add_instruction(struct filter *f, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	f->code[f->n++] = (struct sock_filter){code, jt, jf, k};
}

static void add_result(struct filter *f, uint32_t action)
{
	add_instruction(f, BPF_RET | BPF_K, action, 0, 0);
}

static void sort_rules(struct filter *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		for (; at > 0 && f->rules[f->order[at - 1]].nr > f->rules[i].nr; at--)
			f->order[at] = f->order[at - 1];
		f->order[at] = (uint16_t)i;
	}
}

static void add_piece(struct filter *f, struct piece p)
{
	struct piece *last = f->n_pieces ? &f->pieces[f->n_pieces - 1] : NULL;

	/* The last piece is empty. */
	if (last && last->first == p.first)
		f->n_pieces--;
	last = f->n_pieces ? &f->pieces[f->n_pieces - 1] : NULL;
	if (last && !last->n_rules && !p.n_rules && last->action == p.action)
		return;
	f->pieces[f->n_pieces++] = p;
}

/* Divide all numbers into pieces. */
static void divide_rules(struct filter *f, size_t n, uint32_t otherwise)
{
	add_piece(f, (struct piece){.action = otherwise});
	for (size_t i = 0, next; i < n; i = next) {
		struct piece p = {
			.first = (uint32_t)f->rules[f->order[i]].nr, .rule = (uint16_t)i, .action = otherwise};

		for (next = i; next < n && f->rules[f->order[next]].nr == (int)p.first; next++)
			;
		for (; p.rule + p.n_rules < next; p.n_rules++) {
			const struct sandbox_rule *r = &f->rules[f->order[p.rule + p.n_rules]];

			if (!r->first.mask && !r->second.mask && !r->third.mask) {
				p.action = r->action;
				break;
			}
		}
		add_piece(f, p);
		add_piece(f, (struct piece){.first = p.first + 1, .action = otherwise});
	}
}

#define CONDITION_LEN 3

/* Skip @rest more instructions if @c is false. */
static void add_condition(struct filter *f, const struct sandbox_condition *c, uint8_t rest)
{
	/* The lower half is first in little endian. */
	size_t offset = 8 * (size_t)(c->arg & 7) + (c->arg >= SANDBOX_UPPER(0) ? 4 : 0);

	add_instruction(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + offset), 0, 0);
	add_instruction(f, BPF_ALU | BPF_AND | BPF_K, c->mask, 0, 0);
	add_instruction(f, BPF_JMP | BPF_JEQ | BPF_K, c->value, 0, rest);
}

static void add_rule(struct filter *f, const struct sandbox_rule *r)
{
	const struct sandbox_condition *const all[] = {&r->first, &r->second, &r->third};
	size_t rest = 1;

	for (size_t i = 0; i < 3; i++)
		rest += all[i]->mask ? CONDITION_LEN : 0;
	for (size_t i = 0; i < 3; i++) {
		if (!all[i]->mask)
			continue;
		rest -= CONDITION_LEN;
		add_condition(f, all[i], (uint8_t)rest);
	}
	add_result(f, r->action);
}

/* Add the search for a number among the pieces from @from to @to (exclusive), with the rules of each piece. */
static void add_search(struct filter *f, size_t from, size_t to)
{
	if (to - from == 1) {
		const struct piece *p = &f->pieces[from];

		for (size_t i = 0; i < p->n_rules; i++)
			add_rule(f, &f->rules[f->order[p->rule + i]]);
		add_result(f, p->action);
		return;
	}
	size_t middle = from + (to - from) / 2, at = f->n;

	add_instruction(f, BPF_JMP | BPF_JGE | BPF_K, f->pieces[middle].first, 0, 0);
	add_search(f, from, middle);
	size_t len = f->n - at - 1;
	if (len <= UINT8_MAX) {
		f->code[at].jt = (uint8_t)len;
	} else {
		/* A conditional jump reaches 255 instructions only. */
		memmove(&f->code[at + 2], &f->code[at + 1], len * sizeof(*f->code));
		f->code[at].jf = 1;
		f->code[at + 1] = (struct sock_filter){BPF_JMP | BPF_JA, 0, 0, (uint32_t)len};
		f->n++;
	}
	add_search(f, middle, to);
}

size_t sandbox_filter_make(struct sock_filter *to, uint32_t audit, const struct sandbox_rule *rules, size_t n_rules,
			   uint32_t otherwise)
{
	struct filter f = {.code = to, .rules = rules};

	sort_rules(&f, n_rules);
	divide_rules(&f, n_rules, otherwise);
	add_instruction(&f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	add_instruction(&f, BPF_JMP | BPF_JEQ | BPF_K, audit, 1, 0);
	/* Another entry to the kernel has other numbers. */
	add_result(&f, SECCOMP_RET_ERRNO | EPERM);
	add_instruction(&f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	add_search(&f, 0, f.n_pieces);
	return f.n;
}
