/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The backend for stock libomp on Linux: LLVM's, and Intel's libiomp5, which is built from it. This
 * file determines which facts about its layout can be proven in the target. Read it first, then
 * libomp/table.c, libomp/accessors.c and libomp/thread.c.
 */
#include "code/decode.h"
#include "libomp/accessors.h"
#include "libomp/libomp.h"
#include "strbuf.h"

/* Two derivations must have at least this many fields in common. */
#define MIN_AGREED 8

/* _OPENMP of all these releases: a preview of 5.0. */
#define OMP_VERSION_TR4 201611

/* Return the name of a missing field that every statement needs, or NULL. */
static const char *find_missing(const struct libomp_layout *l)
{
#define NEED(field)                                                                                                    \
	if (!offset_known(l->field))                                                                                   \
		return #field;
	NEED(th_pthread)
	NEED(th_tid)
	NEED(th_team)
	NEED(th_current_task)
	NEED(team_master_tid)
	NEED(team_parent)
	NEED(team_nproc)
	NEED(team_threads)
	NEED(team_implicit_tasks)
	NEED(team_level)
	NEED(team_serialized)
	NEED(td_flags)
	NEED(td_parent)
	NEED(td_size)
#undef NEED
	return NULL;
}

static ompd_rc_t report_unproven(const char *what)
{
	cb_print("libompd: cannot prove the layout of libomp from %s: LLVM 9 to 23 are known on %s\n", what,
		 decode_arch->name);
	return ompd_rc_incompatible;
}

/*
 * Set the masks of td_flags that have not changed since 9: the first bit of the library's half, and
 * the next bits.
 */
static void set_flags(struct libomp *libomp, const struct libomp_table *table)
{
	libomp->flag_final = table ? (uint32_t)table->words[LIBOMP_FLAG_final] : 1u << 1;
	libomp->flag_tasktype = table ? (uint32_t)table->words[LIBOMP_FLAG_tasktype] : 1u << 16;
	libomp->flag_started = table ? (uint32_t)table->words[LIBOMP_FLAG_started] : 1u << 20;
	libomp->flag_executing = table ? (uint32_t)table->words[LIBOMP_FLAG_executing] : 1u << 21;
	libomp->flag_complete = table ? (uint32_t)table->words[LIBOMP_FLAG_complete] : 1u << 22;
	libomp->flag_freed = table ? (uint32_t)table->words[LIBOMP_FLAG_freed] : 1u << 23;
}

/*
 * The code reads several numbers together. The other numbers are known, so the remaining one is
 * team_serialized.
 */
static void set_serialized(struct libomp *libomp)
{
	struct libomp_layout *l = &libomp->layout;
	unsigned n = 0;

	for (int i = 0; i < 2; i++) {
		if (!offset_known(libomp->team_numbers[i]) || libomp->team_numbers[i] == l->team_master_tid)
			continue;
		l->team_serialized = libomp->team_numbers[i];
		n++;
	}
	if (n != 1)
		l->team_serialized = OFFSET_UNKNOWN;
}

/* Combine the layout in the code, the table if there is one, and the release's row if it agrees with both. */
static ompd_rc_t combine_layouts(ompd_address_space_context_t *context, const struct libomp_layout *seen,
				 const struct libomp_table *table, struct libomp *libomp)
{
	struct libomp_layout *l = &libomp->layout;
	unsigned agreed = 0, row_agreed;
	const char *field;
	int version = 0;

	*l = *seen;
	if (table) {
		struct libomp_layout from_table;

		libomp_layout_from_table(table, &from_table);
		field = offsets_differ(libomp_layouts(), seen, &from_table, &agreed);
		if (field || agreed < MIN_AGREED)
			return report_unproven(field ? field
						     : "the few facts that ompd_init() and its functions share");
		offsets_merge(libomp_layouts(), l, &from_table);
		set_serialized(libomp);
	}
	const struct libomp_layout *row = offsets_probe(context, libomp->file, libomp_layouts(), &version);

	field = row ? offsets_differ(libomp_layouts(), l, row, &row_agreed) : "its release";
	if (!field && row_agreed >= MIN_AGREED) {
		offsets_merge(libomp_layouts(), l, row);
		libomp->version = version;
	} else if (!table) {
		/* Without the table, the functions are only one derivation; two are required. */
		return report_unproven(field ? field : "the few facts that its functions show");
	} else {
		cb_print("libompd: libomp has an unknown build (%s): only the facts that ompd_init() and its "
			 "functions show are available\n",
			 field ? field : "too few known offsets");
	}
	set_flags(libomp, table);
	field = find_missing(l);
	if (field)
		return report_unproven(field);
	return libomp_measure(libomp) ? ompd_rc_ok : report_unproven("the size of its structures");
}

static ompd_rc_t open_layout(ompd_address_space_context_t *context, struct code_walk *walk, struct libomp *libomp)
{
	const char *why = "its code";
	struct libomp_table table;
	struct libomp_layout seen;

	if (libomp_accessors_read(context, libomp, walk, &seen, &why) != ompd_rc_ok)
		return report_unproven(why);
	ompd_rc_t rc = libomp_table_read(context, &libomp->image, walk, &table, &why);

	if (rc == ompd_rc_incompatible)
		return report_unproven(why);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	RC_TRY(combine_layouts(context, &seen, rc == ompd_rc_ok ? &table : NULL, libomp));
	libomp_ordered_read(context, libomp, walk);
	glibc_read(context, walk, &libomp->glibc);
	return ompd_rc_ok;
}

/*
 * Find the file with libomp's symbols. NULL (any file) if libomp is linked statically, has another
 * name, or the tool does not know files. Other runtimes also have omp_get_level(). It must be in
 * the same file as a function that only libomp has.
 */
static ompd_rc_t find_file(ompd_address_space_context_t *context, struct libomp *libomp)
{
	static const char *const files[] = {"libomp.so.5", "libomp.so", "libiomp5.so", "libgomp.so.1", NULL};
	ompd_addr_t fork, level;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (cb_symbol(context, NULL, "__kmpc_fork_call", files[i], &fork) != ompd_rc_ok ||
		    cb_symbol(context, NULL, "omp_get_level", files[i], &level) != ompd_rc_ok ||
		    image_read(context, fork, &libomp->image) != ompd_rc_ok || !image_has_code(&libomp->image, level))
			continue;
		libomp->file = files[i];
		return ompd_rc_ok;
	}
	return ompd_rc_unsupported;
}

static ompd_rc_t libomp_open(ompd_address_space_context_t *context, void *data)
{
	struct libomp *libomp = data;
	ompd_addr_t record;
	void *walk;

	RC_TRY(find_file(context, libomp));
	libomp->has_task_graphs =
		cb_symbol(context, NULL, "__kmpc_start_record_task", libomp->file, &record) == ompd_rc_ok;
	RC_TRY(cb_alloc_raw(sizeof(struct code_walk), &walk));
	ompd_rc_t rc = open_layout(context, walk, libomp);

	cb_free(walk);
	return rc;
}

static ompd_rc_t libomp_omp_version(const struct process *process, ompd_word_t *ret)
{
	(void)process;
	*ret = OMP_VERSION_TR4;
	return ompd_rc_ok;
}

static ompd_rc_t libomp_omp_version_string(const struct process *process, struct strbuf *text)
{
	int version = libomp_of(process)->version;

	if (version >= 13)
		strbuf_printf(text, "libomp of LLVM %d", version);
	else if (version)
		strbuf_printf(text, "libomp of LLVM before 13"); /* its release is not known */
	else
		strbuf_printf(text, "libomp of an unknown LLVM");
	return ompd_rc_ok;
}

static ompd_rc_t libomp_tool_data(const struct process *process, const struct subject *subject, uint64_t *ret)
{
	(void)process, (void)subject, (void)ret;
	return ompd_rc_unavailable;
}

const struct backend backend_libomp = {
	.name = "libomp",
	.last_icv = ICV_PLACE_PARTITION,
	.data_size = sizeof(struct libomp),
	.open = libomp_open,
	.omp_version = libomp_omp_version,
	.omp_version_string = libomp_omp_version_string,
	.thread_find = libomp_thread_find,
	.thread_id = libomp_thread_id,
	.thread_next = libomp_thread_next,
	.thread_state = libomp_thread_state,
	.thread_region = libomp_thread_region,
	.thread_task = libomp_thread_task,
	.region_enclosing = libomp_region_enclosing,
	.region_thread = libomp_region_thread,
	.region_task = libomp_region_task,
	.task_generating = libomp_task_generating,
	.task_scheduling = libomp_task_scheduling,
	.task_function = libomp_task_function,
	.task_frame = libomp_task_frame,
	.region_queued = libomp_region_queued,
	.thread_progress = libomp_thread_progress,
	.task_predecessors = libomp_task_predecessors,
	.task_is_implicit = libomp_task_is_implicit,
	.icv = libomp_icv,
	.setting = libomp_setting,
	.mutex_owner = libomp_mutex_owner,
	.awaited = libomp_awaited,
	.awaited_as = libomp_awaited_as,
	.location = libomp_location,
	.tool_data = libomp_tool_data,
};
