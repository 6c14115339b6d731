/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A ring of samples; each has the threads of its moment and their states as numbers of one table. */
#include "worker/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct history *history_create(void)
{
	return calloc(1, sizeof(struct history));
}

static void drop_oldest(struct history *h)
{
	struct history_sample *s = &h->samples[h->first];

	h->bytes -= s->n * sizeof(*s->threads);
	free(s->threads);
	*s = (struct history_sample){0};
	h->first = (h->first + 1) % HISTORY_SAMPLES;
	h->n--;
}

void history_clear(struct history *h)
{
	while (h && h->n)
		drop_oldest(h);
	if (h)
		h->n_states = h->n_names = 0;
}

void history_destroy(struct history *h)
{
	history_clear(h);
	free(h);
}

const struct history_sample *history_get(const struct history *h, size_t i)
{
	return &h->samples[(h->first + i) % HISTORY_SAMPLES];
}

bool history_is_due(const struct history *h, int64_t now_ms)
{
	return !h->n || history_get(h, h->n - 1)->at_ms / HISTORY_EVERY_MS != now_ms / HISTORY_EVERY_MS;
}

static void copy_text(char ret[HISTORY_MAX_TEXT], const char *text)
{
	/* A name that is too long is not cut within a character. */
	snprintf(ret, HISTORY_MAX_TEXT, "%s", strlen(text) < HISTORY_MAX_TEXT ? text : "?");
}

uint16_t history_find_state(struct history *h, const char *key, const char *text, char letter)
{
	struct history_state one = {.letter = letter};
	size_t i = 0;

	copy_text(one.key, key);
	copy_text(one.text, text);
	while (i < h->n_states && strcmp(h->states[i].text, one.text) != 0)
		i++;
	if (i == h->n_states && i < HISTORY_MAX_STATES)
		h->states[h->n_states++] = one;
	return (uint16_t)(i < HISTORY_MAX_STATES ? i : HISTORY_MAX_STATES - 1);
}

uint16_t history_find_name(struct history *h, const char *name)
{
	size_t i = 0;

	if (!h->n_names)
		h->names[h->n_names++][0] = 0;
	if (strlen(name) >= HISTORY_MAX_NAME)
		return 0;
	while (i < h->n_names && strcmp(h->names[i], name) != 0)
		i++;
	if (i == HISTORY_MAX_NAMES)
		return 0;
	if (i == h->n_names)
		snprintf(h->names[h->n_names++], HISTORY_MAX_NAME, "%s", name);
	return (uint16_t)i;
}

void history_add(struct history *h, int64_t now_ms, struct history_thread *threads, size_t n)
{
	size_t bytes = n * sizeof(*threads);

	if (bytes > HISTORY_MAX_BYTES) {
		free(threads);
		return;
	}
	while (h->n == HISTORY_SAMPLES || (h->n && h->bytes + bytes > HISTORY_MAX_BYTES))
		drop_oldest(h);
	h->samples[(h->first + h->n++) % HISTORY_SAMPLES] =
		(struct history_sample){.at_ms = now_ms, .threads = threads, .n = n};
	h->bytes += bytes;
}
