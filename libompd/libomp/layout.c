/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts of libomp's releases, and the layout in a target's table. */
#include "libomp/layout.h"

#include "code/decode.h"

/* Fields without a value are unknown; the row's own initialisers override. */
#define X(field) .field = OFFSET_UNKNOWN,
#define LIBOMP_LAYOUT(row_version, row_probe, ...)                                                                     \
	{.version = (row_version),                                                                                     \
	 .probe = (row_probe),                                                                                         \
	 .offsets = (const uint32_t *)&(const struct libomp_layout){LIBOMP_FIELDS(X) __VA_ARGS__}},

#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
#define LIBOMP_ARGV    0
#define LIBOMP_PADDING 0
static const struct offsets_row rows[] = {
#include "libomp/layout.def"
};
#undef LIBOMP_ARGV
#undef LIBOMP_PADDING
#define LIBOMP_ARGV    128
#define LIBOMP_PADDING 1024
static const struct offsets_row padded_rows[] = {
#include "libomp/layout.def"
};
#pragma GCC diagnostic pop
#undef X

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

#define X(field) #field,
static const char *const names[] = {LIBOMP_FIELDS(X)};
#undef X

#define FIELD_COUNT (sizeof(names) / sizeof(names[0]))
_Static_assert(sizeof(struct libomp_layout) == FIELD_COUNT * sizeof(uint32_t), "a layout is an array of offsets");

const struct offsets_table *libomp_layouts(void)
{
	static const struct offsets_table layouts = {rows, ROW_COUNT, names, FIELD_COUNT};
	static const struct offsets_table padded = {padded_rows, ROW_COUNT, names, FIELD_COUNT};

	return decode_arch->pads_libomp ? &padded : &layouts;
}

void libomp_layout_from_table(const struct libomp_table *table, struct libomp_layout *ret)
{
	const uint64_t *w = table->words; /* each has at most 20 bits */
	uint64_t desc = w[LIBOMP_AT_info_info] + w[LIBOMP_AT_desc_ds], icvs = w[LIBOMP_AT_task_icvs];

	offsets_clear(libomp_layouts(), ret);
#define SET(field, value) ret->field = (uint32_t)(value)
	SET(th_pthread, desc + w[LIBOMP_AT_ds_thread]);
	SET(th_tid, desc + w[LIBOMP_AT_ds_tid]);
	SET(th_team, w[LIBOMP_AT_info_team]);
	SET(th_current_task, w[LIBOMP_AT_info_current_task]);
	SET(th_ompt, w[LIBOMP_AT_info_ompt]);
	SET(th_size, w[LIBOMP_SIZEOF_info]);
	SET(root_in_parallel, w[LIBOMP_AT_root_in_parallel]);
	SET(team_master_tid, w[LIBOMP_AT_team_master_tid]);
	SET(team_parent, w[LIBOMP_AT_team_parent]);
	SET(team_nproc, w[LIBOMP_AT_team_nproc]);
	SET(team_fn, w[LIBOMP_AT_team_fn]);
	SET(team_threads, w[LIBOMP_AT_team_threads]);
	SET(team_implicit_tasks, w[LIBOMP_AT_team_implicit_tasks]);
	SET(team_level, w[LIBOMP_AT_team_level]);
	SET(team_active_level, w[LIBOMP_AT_team_active_level]);
	SET(td_flags, w[LIBOMP_AT_task_flags]);
	SET(td_team, w[LIBOMP_AT_task_team]);
	SET(td_parent, w[LIBOMP_AT_task_parent]);
	SET(td_icvs, icvs);
	SET(td_icv_dynamic, icvs + w[LIBOMP_AT_icv_dynamic]);
	SET(td_icv_nproc, icvs + w[LIBOMP_AT_icv_nproc]);
	SET(td_icv_thread_limit, icvs + w[LIBOMP_AT_icv_thread_limit]);
	SET(td_icv_max_active_levels, icvs + w[LIBOMP_AT_icv_max_active_levels]);
	SET(td_icv_sched, icvs + w[LIBOMP_AT_icv_sched] + w[LIBOMP_AT_sched_type]);
	SET(td_icv_proc_bind, icvs + w[LIBOMP_AT_icv_proc_bind]);
	SET(td_icv_default_device, icvs + w[LIBOMP_AT_icv_default_device]);
	SET(td_size, w[LIBOMP_SIZEOF_task]);
	SET(task_routine, w[LIBOMP_AT_body_routine]);
	SET(sched_chunk, w[LIBOMP_AT_sched_chunk]);
#undef SET
}
