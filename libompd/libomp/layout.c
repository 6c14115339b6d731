/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts of libomp's releases, and of the table that a target has. */
#include "libomp/layout.h"

#include "callbacks.h"

struct row {
	int version;
	const char *probe;
	struct libomp_layout layout;
};

/* Unset fields are LIBOMP_NONE; the row's own initialisers follow and override. */
#define X(field) .field = LIBOMP_NONE,
#define LIBOMP_LAYOUT(row_version, row_probe, ...)                                                                     \
	{.version = (row_version), .probe = (row_probe), .layout = {LIBOMP_FIELDS(X) __VA_ARGS__}},

#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
static const struct row rows[] = {
#include "libomp/layout.def"
};
#pragma GCC diagnostic pop
#undef X

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

const struct libomp_layout *libomp_layout_probe(ompd_address_space_context_t *context, const char *file, int *version)
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

const struct libomp_layout *libomp_layout_of(int version)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].version == version)
			return &rows[i].layout;
	return NULL;
}

void libomp_layout_clear(struct libomp_layout *layout)
{
#define X(field) layout->field = LIBOMP_NONE;
	LIBOMP_FIELDS(X)
#undef X
}

void libomp_layout_from_table(const struct libomp_table *table, struct libomp_layout *ret)
{
	const uint64_t *w = table->words; /* each at most 20 bits */
	uint64_t desc = w[LIBOMP_AT_info_info] + w[LIBOMP_AT_desc_ds], icvs = w[LIBOMP_AT_task_icvs];

	libomp_layout_clear(ret);
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

const char *libomp_layout_differs(const struct libomp_layout *a, const struct libomp_layout *b, unsigned *agreed)
{
	const char *first = NULL;

	*agreed = 0;
#define X(field)                                                                                                       \
	if (a->field != LIBOMP_NONE && b->field != LIBOMP_NONE) {                                                      \
		if (a->field == b->field)                                                                              \
			(*agreed)++;                                                                                   \
		else if (!first)                                                                                       \
			first = #field;                                                                                \
	}
	LIBOMP_FIELDS(X)
#undef X
	return first;
}

void libomp_layout_merge(struct libomp_layout *layout, const struct libomp_layout *other)
{
#define X(field)                                                                                                       \
	if (layout->field == LIBOMP_NONE)                                                                              \
		layout->field = other->field;
	LIBOMP_FIELDS(X)
#undef X
}
