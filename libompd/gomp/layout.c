/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout table of libgomp's releases. */
#include "gomp/layout.h"

#include "callbacks.h"

struct row {
	int version;
	const char *probe;
	struct gomp_layout layout;
};

/* Unset fields are GOMP_NONE; the row's own initialisers follow and override. */
#define X(field) .field = GOMP_NONE,
#define GOMP_LAYOUT(row_version, row_probe, ...)                                                                       \
	{.version = (row_version), .probe = (row_probe), .layout = {GOMP_FIELDS(X) __VA_ARGS__}},

#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
static const struct row rows[] = {
#include "gomp/layout.def"
};
#pragma GCC diagnostic pop
#undef X

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

const struct gomp_layout *gomp_layout_probe(ompd_address_space_context_t *context, const char *file, int *version)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		ompd_addr_t address;

		if (cb_symbol(context, NULL, rows[i].probe, file, &address) != ompd_rc_ok)
			continue;
		*version = rows[i].version;
		return &rows[i].layout;
	}
	return NULL;
}

const struct gomp_layout *gomp_layout_of(int version)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].version == version)
			return &rows[i].layout;
	return NULL;
}

void gomp_layout_clear(struct gomp_layout *layout)
{
#define X(field) layout->field = GOMP_NONE;
	GOMP_FIELDS(X)
#undef X
}

const char *gomp_layout_differs(const struct gomp_layout *a, const struct gomp_layout *b, unsigned *agreed)
{
	const char *first = NULL;

	*agreed = 0;
#define X(field)                                                                                                       \
	if (a->field != GOMP_NONE && b->field != GOMP_NONE) {                                                          \
		if (a->field == b->field)                                                                              \
			(*agreed)++;                                                                                   \
		else if (!first)                                                                                       \
			first = #field;                                                                                \
	}
	GOMP_FIELDS(X)
#undef X
	return first;
}

void gomp_layout_merge(struct gomp_layout *layout, const struct gomp_layout *other)
{
#define X(field)                                                                                                       \
	if (layout->field == GOMP_NONE)                                                                                \
		layout->field = other->field;
	GOMP_FIELDS(X)
#undef X
}
