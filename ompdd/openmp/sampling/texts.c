/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of texts: an array, and a hash over it. */
#include "openmp/sampling/texts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

void texts_deinit(struct texts *t)
{
	for (uint32_t i = 1; i < t->n; i++)
		free(t->texts[i]);
	free(t->texts);
	hash_deinit(&t->index);
	*t = (struct texts){0};
}

uint32_t texts_add(struct texts *t, const char *text)
{
	if (!text || !*text)
		return TEXTS_NONE;
	uint32_t hash = hash_text(text);
	hash_for_each(i, &t->index, hash)
	{
		if (!strcmp(t->texts[i], text))
			return i;
	}
	if (!t->n)
		t->n = 1;
	size_t size = strlen(text) + 1;
	bool has_room = t->n < TEXTS_MAX && t->bytes + size <= TEXTS_MAX_BYTES;
	char *copy = has_room && VECTOR_GROW(t->texts, t->n, t->cap) ? strdup(text) : NULL;
	if (!copy || !hash_add(&t->index, hash, t->n)) {
		free(copy);
		t->refused++;
		return TEXTS_NONE;
	}
	t->bytes += size;
	t->texts[t->n] = copy;
	return t->n++;
}

const char *texts_get(const struct texts *t, uint32_t number)
{
	return number && number < t->n ? t->texts[number] : "";
}
