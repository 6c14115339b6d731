/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the position of an address in a core or a mapped file from the program headers alone. */
#include "target/core/core_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

struct error *core_memory_add(struct core_memory *m, const GElf_Phdr *phdr)
{
	struct core_segment s = {.start = phdr->p_vaddr, .offset = phdr->p_offset, .flags = phdr->p_flags};
	uint64_t end;

	if (phdr->p_type != PT_LOAD || (!phdr->p_memsz && !phdr->p_filesz))
		return NULL;
	/* Some writers leave p_memsz smaller than p_filesz. */
	uint64_t size = phdr->p_memsz > phdr->p_filesz ? phdr->p_memsz : phdr->p_filesz;
	s.dumped = phdr->p_filesz;
	if (__builtin_add_overflow(s.start, size, &s.end) || __builtin_add_overflow(s.offset, s.dumped, &end) ||
	    end > INT64_MAX) {
		m->n_damaged++;
		return NULL;
	}
	if (m->n == CORE_MAX_SEGMENTS)
		return error_detail(
			error_create(ERR_LIMIT_EXCEEDED, "the core has more than %u segments", CORE_MAX_SEGMENTS),
			"limit", "segments");
	if (!VECTOR_GROW(m->segments, m->n, m->cap))
		return &error_nomem;
	m->segments[m->n++] = s;
	return NULL;
}

static int compare_segments(const void *pa, const void *pb)
{
	const struct core_segment *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

void core_memory_finish(struct core_memory *m, uint64_t file_size)
{
	uint64_t last = 0;
	size_t k = 0;

	if (m->n)
		qsort(m->segments, m->n, sizeof(*m->segments), compare_segments);
	for (size_t i = 0; i < m->n; i++) {
		struct core_segment s = m->segments[i];

		if (s.start < last) {
			/* Segments overlap: the first one gets the common addresses. */
			uint64_t less = last - s.start;

			m->n_damaged++;
			if (s.end <= last)
				continue;
			s.start = last;
			s.offset += less;
			s.dumped -= less < s.dumped ? less : s.dumped;
		}
		uint64_t left = s.offset < file_size ? file_size - s.offset : 0;
		s.there = s.dumped < left ? s.dumped : left;
		m->cut += s.dumped - s.there;
		last = s.end;
		m->segments[k++] = s;
	}
	m->n = k;
}

void core_memory_deinit(struct core_memory *m)
{
	free(m->segments);
	memset(m, 0, sizeof(*m));
}

/* Return the index of the first segment that ends after @addr, or m->n. */
static size_t find_segment(const struct core_memory *m, uint64_t addr)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->segments[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct core_segment *core_memory_segment(const struct core_memory *m, uint64_t addr)
{
	size_t i = find_segment(m, addr);

	return i < m->n && m->segments[i].start <= addr ? &m->segments[i] : NULL;
}

static void cut_length(size_t *len, uint64_t max)
{
	if (*len > max)
		*len = (size_t)max;
}

enum core_place core_memory_locate(const struct core_memory *m, uint64_t addr, size_t *len, uint64_t *offset_ret)
{
	size_t i = find_segment(m, addr);

	if (i == m->n)
		return CORE_NOWHERE;
	const struct core_segment *s = &m->segments[i];
	if (addr < s->start) {
		cut_length(len, s->start - addr);
		return CORE_NOWHERE;
	}
	uint64_t at = addr - s->start;
	if (at >= s->dumped) {
		cut_length(len, s->end - addr);
		return CORE_LEFT_OUT;
	}
	if (at >= s->there) {
		cut_length(len, s->dumped - at);
		return CORE_CUT_OFF;
	}
	cut_length(len, s->there - at);
	*offset_ret = s->offset + at;
	return CORE_IN_FILE;
}
