/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks the frames of a thread: frame objects up to 3.10, frames in the interpreter's own stack from 3.11 on. */
#include "openmp/python/python_chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "openmp/python/python.h"
#include "openmp/python/python_memory.h"

/* Pointers to code objects have tags in their lowest bits from 3.14 on. */
#define TAG_BITS UINT64_C(7)
/* Values of `owner`: a generator's frame; from this value on, frames without a function. */
#define OWNER_GENERATOR 1
#define OWNER_SHIM	3

/* The walk through the frames of one thread. */
struct walk {
	const struct python *py;
	bool is_fresh;
	uint32_t max;
	uint64_t c_frame, c_previous, c_top; /* the record on the C stack, the next one, its innermost frame */
	uint64_t c_root;		     /* the outermost record, in the thread's state */
	struct python_seen seen;
	struct python_chain chain;
};

static bool read_word(const struct walk *w, uint64_t address, uint64_t *ret)
{
	return python_read(w->py->t, w->is_fresh, address, ret, sizeof(*ret));
}

/* Read the record at @address, on the C stack. */
static bool read_c_frame(struct walk *w, uint64_t address)
{
	const struct python_layout *l = &w->py->layout;

	w->c_frame = address;
	w->c_top = 0;
	if (!read_word(w, address + l->c_frame_previous, &w->c_previous))
		return false;
	return l->frames_kind == PYTHON_FRAMES_OBJECTS || read_word(w, address + l->c_frame_frame, &w->c_top);
}

/* Read the start of a frame's members into @bytes. Return false if it was met before: the chain has a cycle. */
static bool read_frame(struct walk *w, uint64_t address, unsigned char *bytes)
{
	return python_seen_add(&w->seen, address) &&
	       python_read(w->py->t, w->is_fresh, address, bytes, w->py->layout.frame_size);
}

static uint64_t word_at(const unsigned char *bytes, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static bool push(struct walk *w, const struct python_frame *frame)
{
	if (!VECTOR_GROW(w->chain.frames, w->chain.n, w->chain.cap))
		return false;
	w->chain.frames[w->chain.n++] = *frame;
	return true;
}

/* 3.9 and 3.10: each frame object is executed by an evaluation of its own, which has a record in 3.10. */
static bool walk_objects(struct walk *w, uint64_t address)
{
	const struct python_layout *l = &w->py->layout;
	unsigned char bytes[PYTHON_MAX_FRAME_SIZE];

	while (address && w->chain.n < w->max) {
		struct python_frame frame = {.entry = l->thread_c_frame ? w->c_frame : 0};
		int32_t index;

		if (!read_frame(w, address, bytes) || (l->thread_c_frame && w->c_frame == w->c_root))
			return false;
		memcpy(&index, bytes + l->frame_instruction, sizeof(index));
		frame.code = word_at(bytes, l->frame_code);
		frame.instruction = (uint64_t)(int64_t)index;
		if (!push(w, &frame) || (l->thread_c_frame && !read_c_frame(w, w->c_previous)))
			return false;
		address = word_at(bytes, l->frame_previous);
	}
	return address || !l->thread_c_frame || w->c_frame == w->c_root;
}

static struct python_frame make_frame(const struct walk *w, const unsigned char *bytes)
{
	const struct python_layout *l = &w->py->layout;

	return (struct python_frame){
		.code = word_at(bytes, l->frame_code) & ~TAG_BITS,
		.instruction = word_at(bytes, l->frame_instruction),
		.is_generator = bytes[l->frame_owner] == OWNER_GENERATOR,
	};
}

/* 3.11: the frame that C has called is marked. The record of its call on the C stack names the innermost frame. */
static bool walk_entries(struct walk *w)
{
	const struct python_layout *l = &w->py->layout;
	unsigned char bytes[PYTHON_MAX_FRAME_SIZE];
	uint64_t address = w->c_top;

	while (address && w->chain.n < w->max) {
		if (w->c_frame == w->c_root || !read_frame(w, address, bytes))
			return false;
		struct python_frame frame = make_frame(w, bytes);
		frame.entry = w->c_frame;
		if (!push(w, &frame))
			return false;
		address = word_at(bytes, l->frame_previous);
		if (bytes[l->frame_is_entry] && (!read_c_frame(w, w->c_previous) || w->c_top != address))
			return false;
	}
	return address || w->c_frame == w->c_root;
}

/* From 3.12 on: a frame on the C stack ends the frames of a call from C. */
static bool walk_shims(struct walk *w, uint64_t address)
{
	const struct python_layout *l = &w->py->layout;
	unsigned char bytes[PYTHON_MAX_FRAME_SIZE];
	uint32_t first = 0;

	while (address && (w->chain.n < w->max || first < w->chain.n) && w->seen.n < 2 * PYTHON_MAX_FRAMES) {
		if (!read_frame(w, address, bytes))
			return false;
		struct python_frame frame = make_frame(w, bytes);
		if (bytes[l->frame_owner] < OWNER_SHIM) {
			if (w->chain.n < w->max && !push(w, &frame))
				return false;
		} else {
			while (first < w->chain.n)
				w->chain.frames[first++].entry = address;
		}
		address = word_at(bytes, l->frame_previous);
	}
	return first == w->chain.n;
}

static bool walk_thread(struct walk *w, uint64_t thread)
{
	const struct python_layout *l = &w->py->layout;
	uint64_t frame = 0, c_frame;

	w->c_root = thread + l->thread_root;
	if (l->thread_c_frame &&
	    (!read_word(w, thread + l->thread_c_frame, &c_frame) || !c_frame || !read_c_frame(w, c_frame)))
		return false;
	if (l->frames_kind == PYTHON_FRAMES_BY_ENTRY)
		return walk_entries(w);
	if (l->thread_frame && !read_word(w, thread + l->thread_frame, &frame))
		return false;
	return l->frames_kind == PYTHON_FRAMES_OBJECTS ? walk_objects(w, frame)
						       : walk_shims(w, l->thread_frame ? frame : w->c_top);
}

bool python_chain_read(const struct python *py, const struct python_thread *thread, uint32_t max, bool is_fresh,
		       struct python_chain *ret)
{
	struct walk w = {.py = py, .is_fresh = is_fresh, .max = max < PYTHON_MAX_FRAMES ? max : PYTHON_MAX_FRAMES};
	bool ok = walk_thread(&w, thread->address);

	python_seen_deinit(&w.seen);
	if (!ok)
		python_chain_deinit(&w.chain);
	*ret = w.chain;
	return ok;
}

bool python_chain_is_same(const struct python_chain *a, const struct python_chain *b)
{
	bool is_same = a->n == b->n;

	for (uint32_t i = 0; is_same && i < a->n; i++)
		is_same = a->frames[i].code == b->frames[i].code &&
			  a->frames[i].instruction == b->frames[i].instruction &&
			  a->frames[i].entry == b->frames[i].entry;
	return is_same;
}

void python_chain_deinit(struct python_chain *chain)
{
	free(chain->frames);
	*chain = (struct python_chain){0};
}
