/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compare the present places of threads in the program's code with earlier ones. */
#include "methods/diagnose/diagnose_moved.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

bool diagnose_is_unclear(const struct diagnosis *d)
{
	return d->is_there && d->interval_us && d->waits.verdict == VERDICT_UNKNOWN && !d->waits.n_findings && d->n_ran;
}

struct error *diagnose_whereabouts(const struct diagnosis *d, struct whereabouts *ret)
{
	size_t n = d->snapshot.n_threads;

	ret->threads = calloc(n ? n : 1, sizeof(*ret->threads));
	if (!ret->threads)
		return &error_nomem;
	for (size_t i = 0; i < n; i++) {
		struct sentence place = {.len = 0};

		if (!d->threads[i].place || !diagnose_place(d, (uint32_t)i, &place))
			continue;
		ret->threads[ret->n++] = (struct whereabout){
			.tid = d->snapshot.threads[i].tid,
			.place = d->threads[i].place,
			.text = strdup(place.text),
		};
		if (!ret->threads[ret->n - 1].text)
			return &error_nomem;
	}
	return NULL;
}

struct error *diagnose_find_moved(struct diagnosis *d, const struct whereabouts *before)
{
	size_t n = d->snapshot.n_threads, n_moved = 0, k = 0;
	_cleanup_free_ uint32_t *moved = malloc((n ? n : 1) * sizeof(*moved));

	d->came_from = calloc(n ? n : 1, sizeof(*d->came_from));
	if (!moved || !d->came_from)
		return &error_nomem;
	for (size_t i = 0; i < n && before->n; i++) {
		size_t start = k;

		/* Both lists are in the order of the process's threads. Some of these may have started or exited. */
		while (before->threads[k].tid != d->snapshot.threads[i].tid) {
			k = (k + 1) % before->n;
			if (k == start)
				break;
		}
		const struct whereabout *was = &before->threads[k];
		if (was->tid != d->snapshot.threads[i].tid || !d->threads[i].place || d->threads[i].place == was->place)
			continue;
		d->came_from[i] = strdup(was->text);
		if (!d->came_from[i])
			return &error_nomem;
		moved[n_moved++] = (uint32_t)i;
	}
	return n_moved ? waits_note_moved(&d->waits, moved, (uint32_t)n_moved) : NULL;
}

void whereabouts_deinit(struct whereabouts *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->threads[i].text);
	free(w->threads);
	*w = (struct whereabouts){0};
}
