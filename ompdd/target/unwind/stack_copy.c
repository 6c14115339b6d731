/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies the used parts of stacks, and reads words from the copies. */
#include "target/unwind/stack_copy.h"

#include <stdlib.h>
#include <string.h>

#include "target/modules/modules.h"
#include "target/target_ops.h"

/* Observe mode: the number of attempts to copy a thread that moves meanwhile. */
#define ATTEMPTS 3

#define PAGE_DOWN(addr) ((addr) & ~(uint64_t)(CACHE_PAGE - 1))

void stack_copies_deinit(struct stack_copies *c)
{
	free(c->copies);
	free(c->bytes);
	*c = (struct stack_copies){0};
}

struct pages {
	uint64_t *addrs;
	unsigned char **pages;
	bool *ok;
	size_t n;
};

static void pages_deinit(struct pages *p)
{
	free(p->addrs);
	free(p->pages);
	free(p->ok);
}

static struct error *take_from_copy(struct target *t, struct pages *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!target_cached_page(t, p->addrs[i], p->pages[i], &p->ok[i]))
			return target_not_copied(t);
	}
	return NULL;
}

/* Read the stacks of all @copies together. Each copy is cut to its readable length. */
static struct error *read_stacks(struct target *t, struct stack_copy *copies, size_t n, size_t total)
{
	_cleanup_(pages_deinit) struct pages p = {
		.addrs = malloc((total / CACHE_PAGE + 1) * sizeof(*p.addrs)),
		.pages = malloc((total / CACHE_PAGE + 1) * sizeof(*p.pages)),
		.ok = calloc(total / CACHE_PAGE + 1, sizeof(*p.ok)),
	};

	if (!p.addrs || !p.pages || !p.ok)
		return &error_nomem;
	for (size_t i = 0; i < n; i++) {
		for (size_t at = 0; at < copies[i].len; at += CACHE_PAGE) {
			p.addrs[p.n] = copies[i].start + at;
			p.pages[p.n++] = copies[i].bytes + at;
		}
	}
	struct error *err = t->ops->readable ? t->ops->readable(t) : NULL;
	if (!err && t->has_copy)
		err = take_from_copy(t, &p);
	else if (!err && p.n)
		err = t->ops->read_pages(t, p.addrs, p.pages, p.n, p.ok);
	if (err)
		return err;
	const bool *ok = p.ok;
	for (size_t i = 0; i < n; i++) {
		size_t wanted = copies[i].len, len = 0;

		while (len < wanted && ok[len / CACHE_PAGE])
			len += CACHE_PAGE;
		copies[i].len = len;
		ok += wanted / CACHE_PAGE;
	}
	return NULL;
}

/* Return whether the thread still has the registers that were read before its stack was copied. */
static bool has_stayed(struct target *t, const struct stack_copy *copy)
{
	struct target_registers now;

	return target_registers(t, copy->tid, &now) && now.known == copy->registers.known &&
	       !memcmp(now.value, copy->registers.value, sizeof(now.value));
}

/* Observe mode: nothing stops the threads, so check whether they have moved. */
static struct error *copy_again(struct target *t, struct stack_copies *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct stack_copy *copy = &c->copies[i];
		size_t max = copy->len;

		for (int attempt = 1; copy->len && !has_stayed(t, copy); attempt++) {
			if (attempt == ATTEMPTS || !target_registers(t, copy->tid, &copy->registers)) {
				copy->moved = true;
				break;
			}
			copy->start = PAGE_DOWN(copy->registers.value[TARGET_REGISTER_SP] - arch->red_zone);
			copy->len = max;
			struct error *err = read_stacks(t, copy, 1, max);
			if (err)
				return err;
		}
	}
	return NULL;
}

struct error *stack_copies_take(struct target *t, const pid_t *tids, size_t n, size_t max_bytes,
				struct stack_copies *ret)
{
	_cleanup_(stack_copies_deinit) struct stack_copies c = {
		.copies = calloc(n ? n : 1, sizeof(*c.copies)),
		.n = n,
	};
	const struct target_module *modules;
	size_t n_modules, total = 0;

	if (!c.copies)
		return &error_nomem;
	struct error *err = target_modules(t, &modules, &n_modules);
	if (err)
		return err;
	if (n && max_bytes > STACK_COPY_TOTAL / n)
		max_bytes = STACK_COPY_TOTAL / n;
	max_bytes = PAGE_DOWN(max_bytes < CACHE_PAGE ? CACHE_PAGE : max_bytes);
	target_note_stacks(t, tids, n, max_bytes);
	for (size_t i = 0; i < n; i++) {
		struct stack_copy *copy = &c.copies[i];

		copy->tid = tids[i];
		copy->len = target_stack_part(t, tids[i], max_bytes, &copy->registers, &copy->start);
		total += copy->len;
	}
	c.bytes = malloc(total ? total : 1);
	if (!c.bytes)
		return &error_nomem;
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		c.copies[i].bytes = c.bytes + at;
		at += c.copies[i].len;
	}
	err = read_stacks(t, c.copies, n, total);
	if (!err && t->mode == TARGET_OBSERVE)
		err = copy_again(t, &c);
	if (err)
		return err;
	*ret = c;
	c = (struct stack_copies){0};
	return NULL;
}

struct error *stack_copies_take_asleep(struct target *t, pid_t tid, const struct target_activity *activity,
				       size_t max_bytes, struct stack_copies *ret)
{
	uint64_t start = PAGE_DOWN(activity->sp - arch->red_zone), end;
	size_t len = __builtin_add_overflow(start, PAGE_DOWN(max_bytes), &end) ? 0 : PAGE_DOWN(max_bytes);
	struct stack_copies c = {
		.copies = calloc(1, sizeof(*c.copies)),
		.n = 1,
		.bytes = malloc(len ? len : 1),
	};
	struct error *err = c.copies && c.bytes ? NULL : &error_nomem;

	if (!err) {
		struct target_registers *r = &c.copies->registers;

		*c.copies = (struct stack_copy){.tid = tid, .start = start, .len = len, .bytes = c.bytes, .racy = true};
		r->value[TARGET_REGISTER_PC] = activity->pc;
		r->value[TARGET_REGISTER_SP] = activity->sp;
		r->known = (uint64_t)1 << TARGET_REGISTER_SP | (uint64_t)1 << TARGET_REGISTER_PC;
		err = read_stacks(t, c.copies, 1, len);
	}
	if (err) {
		stack_copies_deinit(&c);
		return err;
	}
	*ret = c;
	return NULL;
}

/* Return whether memory is unchanged since the copies were taken. */
static bool is_frozen(struct target *t)
{
	return target_is_stopped(t) || t->mode != TARGET_STOP;
}

bool stack_copy_read(struct target *t, const struct stack_copy *copy, uint64_t addr, uint64_t *ret)
{
	if (copy->len >= sizeof(*ret) && addr >= copy->start && addr - copy->start <= copy->len - sizeof(*ret)) {
		memcpy(ret, copy->bytes + (addr - copy->start), sizeof(*ret));
		return true;
	}
	if (!copy->racy && !is_frozen(t))
		return false;
	struct error *err = t->ops->read(t, addr, ret, sizeof(*ret));
	error_destroy(err);
	return !err;
}
