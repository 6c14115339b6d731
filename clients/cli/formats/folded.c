/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Folded stacks, one per line, "outer;inner MICROSECONDS": the input of flame graph programs. */
#include "recorded.h"

#include <stdlib.h>

/* Append a frame's name without the separators of frames. */
static void add_name(struct buf *out, const char *name)
{
	size_t begin = out->len;

	text_add(out, name);
	for (size_t i = begin; i < out->len; i++) {
		if (out->data[i] == ';')
			out->data[i] = ':';
	}
}

struct error *folded_write(const struct recorded *r, struct buf *out)
{
	size_t *stack = text_calloc(RECORDED_MAX_DEPTH, sizeof(*stack));

	text_add(out, "");
	for (size_t i = 0; i < r->n_nodes; i++) {
		size_t n = r->nodes[i].self_us ? recorded_stack(r, i, stack) : 0;

		for (size_t k = n; k > 0; k--) {
			add_name(out, r->frames[stack[k - 1]].name);
			text_add(out, k > 1 ? ";" : " ");
		}
		if (n)
			text_printf(out, "%lld\n", (long long)r->nodes[i].self_us);
	}
	free(stack);
	return NULL;
}
