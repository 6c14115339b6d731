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

#define X(field) #field,
static const char *const names[] = {GOMP_FIELDS(X)};
#undef X

#define FIELD_COUNT (sizeof(names) / sizeof(names[0]))
_Static_assert(sizeof(struct gomp_layout) == FIELD_COUNT * sizeof(uint32_t), "a layout is an array of offsets");

const struct offsets_table gomp_layouts = {rows, sizeof(rows) / sizeof(rows[0]), names, FIELD_COUNT};
