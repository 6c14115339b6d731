/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selects the words that identify a stack. If the stack pointer locates each frame, return addresses are enough. Else
 * frame pointers count, too. The runtime's pointer to the function that it called also counts, as that function may
 * have left by a jump.
 */
#include "openmp/sampling/call_chain_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "target/arch/arch.h"

void call_chain_words_deinit(struct call_chain_words *w)
{
	free(w->words);
	*w = (struct call_chain_words){0};
}

bool call_chain_words_are(struct target *t, const struct call_chain_words *w, const struct target_registers *registers,
			  const struct stack_copy *copy)
{
	for (unsigned i = 0; i < arch->n_kept; i++) {
		unsigned reg = arch->kept[i];

		if (w->registers >> reg & 1 && registers->value[reg] != copy->registers.value[reg])
			return false;
	}
	for (size_t i = 0; i < w->n; i++) {
		uint64_t value;

		if (!stack_copy_read(t, copy, w->words[i].address, &value) || value != w->words[i].value)
			return false;
	}
	return true;
}

/* The words of a stack are noted here. */
struct noting {
	struct target *t;
	const struct stacks_thread *thread;
	const struct stack_copy *copy;
	const struct stack_words *all;
	struct call_chain_words *ret;
	size_t cap;
};

static bool add_word(struct noting *n, struct stack_word word)
{
	struct call_chain_words *w = n->ret;

	if (!VECTOR_GROW(w->words, w->n, n->cap))
		return false;
	w->words[w->n++] = word;
	return true;
}

/* Add all words with this value: one of them is the right one. Return false if no word has it. */
static bool add_value(struct noting *n, uint64_t value)
{
	size_t before = n->ret->n;

	for (size_t i = 0; i < n->all->n; i++) {
		if (n->all->words[i].value == value && !add_word(n, n->all->words[i]))
			return false;
	}
	return n->ret->n > before;
}

static bool add_all_words(struct noting *n)
{
	n->ret->n = 0;
	n->ret->registers |= (uint64_t)1 << arch->fp_register;
	for (size_t i = 0; i < n->all->n; i++) {
		if (!add_word(n, n->all->words[i]))
			return false;
	}
	return !n->all->truncated;
}

/* The frame of an inlined function shares the stack pointer of the function around it. */
static bool is_inlined(const struct stacks_frame *f)
{
	return f[1].sp == f[0].sp;
}

/* Return the next frame further out that is not of Python. */
static const struct stacks_frame *find_caller(const struct noting *n, const struct stacks_frame *f)
{
	const struct stacks_frame *end = n->thread->frames + n->thread->n_frames;

	while (++f < end && f->place->module_kind == PLACE_PYTHON)
		;
	return f < end ? f : NULL;
}

static bool add_return(struct noting *n, const struct stacks_frame *outer)
{
	struct stack_word word = {.address = outer->sp - arch->return_slot};

	/* The return address may be anywhere. */
	if (!arch->return_slot || !outer->sp)
		return add_value(n, outer->place->pc);
	return stack_copy_read(n->t, n->copy, word.address, &word.value) && word.value == outer->place->pc &&
	       add_word(n, word);
}

/* Add the words that locate @f, which is not the outermost frame, and its caller's frame. */
static bool add_frame(struct noting *n, const struct stacks_frame *f)
{
	uint64_t offset = 0, value;
	const struct stacks_frame *caller = find_caller(n, f);

	if (!caller)
		return false;
	switch (stack_base(n->t, f->place->pc, f->place->is_exact, &offset)) {
	case STACK_BY_POINTER:
		break;
	case STACK_BY_FRAME_POINTER:
		/* A value that no function has saved is in the register. */
		value = caller->sp - offset;
		n->ret->registers |= (uint64_t)1 << arch->fp_register;
		if (!add_value(n, value) && n->copy->registers.value[arch->fp_register] != value)
			return false;
		break;
	case STACK_BY_MORE:
		return false;
	}
	return add_return(n, caller);
}

/* Add the words in @f, a frame of the runtime, with the function that it called. */
static bool add_called(struct noting *n, const struct stacks_frame *f, bool is_last)
{
	const struct call_site *call = &f->place->call;
	struct stack_word word = {.address = f->sp};
	size_t before = n->ret->n;

	if (!f->place->has_call || (call->kind != CALL_REGISTER && call->kind != CALL_SLOT))
		return true;
	if (!f->called)
		return false;
	if (call->kind == CALL_REGISTER) {
		bool is_live = n->copy->registers.value[call->reg] == f->called;

		n->ret->registers |= is_live ? (uint64_t)1 << call->reg : 0;
		return add_value(n, f->called) || is_live;
	}
	if (is_last || (call->reg != arch->fp_register && call->reg != TARGET_REGISTER_SP))
		return false;
	for (; f->sp && word.address < f[1].sp; word.address += sizeof(word.value)) {
		if (stack_copy_read(n->t, n->copy, word.address, &word.value) && word.value == f->called &&
		    !add_word(n, word))
			return false;
	}
	return n->ret->n > before;
}

bool call_chain_words_note(struct target *t, const struct stacks_thread *thread, const struct stack_copy *copy,
			   const struct stack_words *all, struct call_chain_words *ret)
{
	struct noting n = {t, thread, copy, all, ret, 0};
	bool is_by_value = !arch->return_slot;

	for (uint32_t i = 0; i < thread->n_frames; i++) {
		const struct stacks_frame *f = &thread->frames[i];
		bool is_last = i + 1 == thread->n_frames;

		if (f->place->module_kind == PLACE_PYTHON)
			continue;
		if (!add_called(&n, f, is_last) || (!is_last && !is_inlined(f) && !add_frame(&n, f)))
			return add_all_words(&n);
		is_by_value |= ret->registers != 0 || f->called;
	}
	return !is_by_value || !all->truncated;
}
