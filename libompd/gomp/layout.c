/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout table of libgomp's releases. */
#include "gomp/layout.h"

/* Fields without a value are unknown; the row's own initialisers override. */
#define X(field) .field = OFFSET_UNKNOWN,
#define GOMP_LAYOUT(row_version, row_probe, ...)                                                                       \
	{.version = (row_version),                                                                                     \
	 .probe = (row_probe),                                                                                         \
	 .offsets = (const uint32_t *)&(const struct gomp_layout){GOMP_FIELDS(X) __VA_ARGS__}},

#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
static const struct offsets_row rows[] = {
#include "gomp/layout.def"
};
#pragma GCC diagnostic pop
#undef X

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

#define X(field) #field,
static const char *const names[] = {GOMP_FIELDS(X)};
#undef X

#define FIELD_COUNT (sizeof(names) / sizeof(names[0]))
_Static_assert(sizeof(struct gomp_layout) == FIELD_COUNT * sizeof(uint32_t), "a layout is an array of offsets");

static const struct gomp_layout *layout_in(const struct offsets_row *row)
{
	return row ? (const struct gomp_layout *)row->offsets : NULL;
}

const struct gomp_layout *gomp_layout_probe(ompd_address_space_context_t *context, const char *file, int *version)
{
	const struct offsets_row *row = offsets_probe(context, file, rows, ROW_COUNT);

	if (row)
		*version = row->version;
	return layout_in(row);
}

const struct gomp_layout *gomp_layout_of(int version)
{
	return layout_in(offsets_of(version, rows, ROW_COUNT));
}

void gomp_layout_clear(struct gomp_layout *layout)
{
	offsets_clear((uint32_t *)layout, FIELD_COUNT);
}

const char *gomp_layout_differs(const struct gomp_layout *a, const struct gomp_layout *b, unsigned *agreed)
{
	return offsets_differ((const uint32_t *)a, (const uint32_t *)b, names, FIELD_COUNT, agreed);
}

void gomp_layout_merge(struct gomp_layout *layout, const struct gomp_layout *other)
{
	offsets_merge((uint32_t *)layout, (const uint32_t *)other, FIELD_COUNT);
}
