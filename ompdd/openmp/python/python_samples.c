/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps the Python frames of the present sampling and of the previous one. */
#include "openmp/python/python_samples.h"

#include <stdlib.h>

#include "base/vector.h"
#include "openmp/stacks/stack_python.h"

/* Limit for the frames of a thread in a profile. */
#define MAX_FRAMES 256

static struct python_sample *find_sample(const struct python_samples *s, pid_t tid)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->threads[i].tid == tid)
			return &s->threads[i];
	}
	return NULL;
}

static void free_sample(struct python_sample *sample)
{
	python_chain_deinit(&sample->now);
	python_chain_deinit(&sample->before);
}

static void add_thread(struct python_samples *s, const struct python_thread *thread)
{
	struct python_sample *sample = find_sample(s, thread->tid);

	if (!sample) {
		if (!VECTOR_GROW(s->threads, s->n, s->cap))
			return;
		sample = &s->threads[s->n++];
		*sample = (struct python_sample){.tid = thread->tid};
	}
	/* A thread that has called two interpreters: the first one counts. */
	if (sample->is_met && sample->now.n)
		return;
	if (!sample->is_met) {
		python_chain_deinit(&sample->before);
		sample->before = sample->now;
	}
	sample->is_met = true;
	if (!python_chain_read(&s->py, thread, MAX_FRAMES, false, &sample->now))
		sample->now = (struct python_chain){0};
}

void python_samples_start(struct python_samples *s, struct target *t)
{
	uint32_t n = 0;

	python_deinit(&s->py);
	python_codes_deinit(&s->codes);
	python_find(t, &s->py);
	for (uint32_t i = 0; i < s->n; i++)
		s->threads[i].is_met = false;
	for (size_t i = 0; i < s->py.n_threads && s->py.status == PYTHON_READABLE; i++) {
		if (s->py.threads[i].tid)
			add_thread(s, &s->py.threads[i]);
	}
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->threads[i].is_met)
			s->threads[n++] = s->threads[i];
		else
			free_sample(&s->threads[i]);
	}
	s->n = n;
}

void python_samples_deinit(struct python_samples *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		free_sample(&s->threads[i]);
	free(s->threads);
	python_codes_deinit(&s->codes);
	python_deinit(&s->py);
	*s = (struct python_samples){0};
}

/* Return how many frames, from the outermost on, were executed at both samplings. */
static uint32_t count_common(const struct python_sample *sample, bool is_exact)
{
	const struct python_chain *now = &sample->now, *before = &sample->before;
	uint32_t n = 0;

	if (is_exact)
		return now->n;
	while (n < now->n && n < before->n) {
		const struct python_frame *a = &now->frames[now->n - 1 - n], *b = &before->frames[before->n - 1 - n];

		if (a->code != b->code || a->entry != b->entry)
			break;
		n++;
	}
	return n;
}

/* Return whether frame @i of the present sampling was at the same instruction before. */
static bool has_line(const struct python_sample *sample, uint32_t i, bool is_exact)
{
	const struct python_chain *before = &sample->before;

	return is_exact ||
	       before->frames[before->n - (sample->now.n - i)].instruction == sample->now.frames[i].instruction;
}

uint32_t python_samples_get(struct python_samples *s, pid_t tid, bool is_exact, struct stacks *st,
			    struct stacks_python_frame **ret)
{
	const struct python_sample *sample = find_sample(s, tid);
	uint32_t n = sample ? count_common(sample, is_exact) : 0, n_added = 0;
	struct stacks_python_frame *frames = n ? calloc(n, sizeof(*frames)) : NULL;

	for (uint32_t i = frames ? sample->now.n - n : 0; frames && i < sample->now.n; i++) {
		const struct python_frame *frame = &sample->now.frames[i];
		const struct python_code *code = python_codes_get(&s->codes, &s->py, frame->code);
		bool is_started = false, is_known = has_line(sample, i, is_exact);
		int line = code ? python_code_line(code, &s->py, frame->instruction, &is_started) : 0;

		if (!code || (!is_started && !frame->is_generator))
			continue;
		struct stacks_place *place =
			stack_python_place(st, python_code_instruction(code, is_known ? frame->instruction : 0),
					   code->function, code->file, is_known ? line : 0);
		if (place)
			frames[n_added++] = (struct stacks_python_frame){.place = place, .entry = frame->entry};
	}
	if (!n_added)
		free(frames);
	else
		*ret = frames;
	return n_added;
}

uint64_t python_samples_hash(const struct python_samples *s, pid_t tid, bool is_exact)
{
	const struct python_sample *sample = find_sample(s, tid);
	uint32_t n = sample ? count_common(sample, is_exact) : 0;
	uint64_t h = n;

	for (uint32_t i = n ? sample->now.n - n : 0; n && i < sample->now.n; i++) {
		const struct python_frame *frame = &sample->now.frames[i];
		uint64_t instruction = has_line(sample, i, is_exact) ? frame->instruction : 0;

		h = (h ^ frame->code ^ instruction << 1 ^ frame->entry << 7) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return h;
}
