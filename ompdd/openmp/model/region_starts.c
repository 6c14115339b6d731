/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asks the library for its counts and sorts them. */
#include "openmp/model/region_starts.h"

#include <stdlib.h>

#include "openmp/model/model.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

#define MAX_ROWS (1 << 18)

static const char routine[] = "ompd_get_region_calls";

static int compare_rows(const void *a, const void *b)
{
	const struct region_starts_row *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->level < y->level ? -1 : x->level > y->level;
}

/* Checks that the library returned @n rows in a block from our allocator. */
static struct error *check_rows(int rc, const ompd_region_calls_t *rows, ompd_word_t n)
{
	size_t size;

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved(routine, "returned an unknown code");
	if (rc != ompd_rc_ok)
		return NULL;
	if (n < 0 || n > MAX_ROWS)
		return ompd_misbehaved(routine, "returned an impossible number of regions");
	if (n > 0 && (!blocks_size(rows, &size) || size < (size_t)n * sizeof(*rows)))
		return ompd_misbehaved(routine, "returned memory that it did not allocate");
	return NULL;
}

static struct error *copy_rows(const ompd_region_calls_t *rows, size_t n, struct region_starts *ret)
{
	ret->rows = malloc((n ? n : 1) * sizeof(*ret->rows));
	if (!ret->rows)
		return &error_nomem;
	for (size_t i = 0; i < n; i++)
		ret->rows[i] = (struct region_starts_row){rows[i].function, rows[i].level, rows[i].calls};
	qsort(ret->rows, n, sizeof(*ret->rows), compare_rows);
	ret->n = n;
	ret->is_known = true;
	return NULL;
}

static struct error *read_rows(struct model *m, struct plugin *p, struct region_starts *ret)
{
	ompd_region_calls_t *rows = NULL;
	ompd_word_t n = 0;
	struct error *err = model_open(m);

	if (error_catch(&err, ERR_OPENMP_NOT_STARTED)) {
		ret->is_known = true;
		return NULL;
	}
	if (err)
		return err;
	int rc = plugin_call(p, get_region_calls, model_aspace(m), &rows, &n);

	err = check_rows(rc, rows, n);
	if (!err && rc == ompd_rc_ok)
		err = copy_rows(rows, (size_t)n, ret);
	if (!err)
		blocks_free(rows);
	return err;
}

struct error *region_starts_read(struct model *m, unsigned timeout_ms, struct region_starts *ret)
{
	const struct error *why;
	struct plugin *p = model_plugin(m, &why);
	struct region_starts starts = {0};
	struct error *err;

	if (!p || !plugin_routines(p)->get_region_calls) {
		*ret = starts;
		return NULL;
	}
	guard_enter(timeout_ms);
	err = read_rows(m, p, &starts);
	guard_leave();
	err = callbacks_why(err);
	if (err) {
		region_starts_deinit(&starts);
		return err;
	}
	*ret = starts;
	return NULL;
}

void region_starts_deinit(struct region_starts *b)
{
	free(b->rows);
	*b = (struct region_starts){0};
}

uint64_t region_starts_count(const struct region_starts *b, uint64_t function, int64_t level)
{
	const struct region_starts_row key = {.function = function, .level = level};
	const struct region_starts_row *row = b->n ? bsearch(&key, b->rows, b->n, sizeof(key), compare_rows) : NULL;

	return row ? row->calls : 0;
}
