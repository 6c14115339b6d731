/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of texts: an array, and a hash over it. */
#include "openmp/profile/texts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void texts_deinit(struct texts *t)
{
	for (uint32_t i = 1; i < t->n; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->index);
	*t = (struct texts){0};
}

static uint64_t hash_text(const char *text)
{
	uint64_t h = 14695981039346656037u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h ^ h >> 32;
}

/* Return the slot of @text in the index, or the free slot for it. */
static uint32_t *find_slot(const struct texts *t, const char *text)
{
	uint32_t i = (uint32_t)hash_text(text) & (t->cap_index - 1);

	while (t->index[i] && strcmp(t->texts[t->index[i]], text) != 0)
		i = (i + 1) & (t->cap_index - 1);
	return &t->index[i];
}

/* Make room for one more entry in both. */
static bool reserve_entry(struct texts *t)
{
	if (t->n < t->cap)
		return true;
	uint32_t cap = t->cap ? t->cap * 2 : 64;
	char **texts = realloc(t->texts, cap * sizeof(*texts));
	if (!texts)
		return false;
	t->texts = texts;
	uint32_t *index = calloc(cap * 2, sizeof(*index));
	if (!index)
		return false;
	free(t->index);
	t->index = index;
	t->cap_index = cap * 2;
	t->cap = cap;
	if (!t->n)
		t->n = 1;
	for (uint32_t i = 1; i < t->n; i++)
		*find_slot(t, t->texts[i]) = i;
	return true;
}

uint32_t texts_add(struct texts *t, const char *text)
{
	uint32_t *place = text && *text && t->cap_index ? find_slot(t, text) : NULL;

	if (!text || !*text)
		return TEXTS_NONE;
	if (place && *place)
		return *place;
	size_t size = strlen(text) + 1;
	char *copy = t->n < TEXTS_MAX && t->bytes + size <= TEXTS_MAX_BYTES && reserve_entry(t) ? strdup(text) : NULL;
	if (!copy) {
		t->refused++;
		return TEXTS_NONE;
	}
	t->bytes += size;
	t->texts[t->n] = copy;
	*find_slot(t, copy) = t->n;
	return t->n++;
}

const char *texts_get(const struct texts *t, uint32_t number)
{
	return number && number < t->n ? t->texts[number] : "";
}
