/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The backend for stock libgomp, GCC 9 to 16 on Linux. This file determines which facts about its
 * layout can be proven in the target. Read it first, then gomp/accessors.c and gomp/thread.c.
 */
#include "code/decode.h"
#include "gomp/accessors.h"
#include "gomp/gomp.h"
#include "icv.h"
#include "strbuf.h"

/* The accessors must agree with the table's row in at least this many fields. */
#define MIN_ANCHORS 8

/* _OPENMP has the same value from GCC 9 to 15. */
#define OMP_VERSION_4_5 201511
#define OMP_VERSION_5_2 202111

/* Set the size of each structure's copy, so that one read fetches all known fields. */
static bool set_spans(struct gomp *g)
{
	const struct gomp_layout *l = &g->layout;
	uint32_t ts = 8;

	offsets_span(&ts, l->ts_team_id, 4);
	offsets_span(&ts, l->ts_level, 4);
	offsets_span(&ts, l->ts_active_level, 4);

	offsets_span(&g->thread_span, l->th_ts, ts);
	offsets_span(&g->thread_span, l->th_task, 8);
	offsets_span(&g->thread_span, l->th_pool, 8);
	offsets_span(&g->thread_span, l->th_size, 0);

	offsets_span(&g->team_span, l->team_nthreads, 4);
	offsets_span(&g->team_span, l->team_prev_ts, ts);
	offsets_span(&g->team_span, l->team_ordered_release, 8);

	offsets_span(&g->task_span, l->task_parent, 8);
	offsets_span(&g->task_span, l->task_taskgroup, 8);
	offsets_span(&g->task_span, l->task_taskwait, 8);
	offsets_span(&g->task_span, l->task_fn, 8);
	offsets_span(&g->task_span, l->task_kind, 4);
	offsets_span(&g->task_span, l->task_final, 1);
	return g->thread_span <= GOMP_MAX_SPAN && g->team_span <= GOMP_MAX_SPAN && g->task_span <= GOMP_MAX_SPAN;
}

/* Prove the layout. @is_llvms: the runtime may be LLVM's, unless the code of its functions is libgomp's. */
static ompd_rc_t open_layout(ompd_address_space_context_t *context, bool is_llvms, struct gomp *g)
{
	struct gomp_layout seen;
	const char *why = NULL, *field;
	unsigned agreed;
	int version = 0;

	ompd_rc_t rc = gomp_accessors_read(context, g, &seen, &why);

	if (rc != ompd_rc_ok && is_llvms)
		return ompd_rc_unsupported;
	if (rc == ompd_rc_unavailable) {
		cb_print("libompd: cannot read libgomp yet: the dynamic linker has not relocated "
			 "it\n");
		return rc;
	}
	if (rc != ompd_rc_ok) {
		cb_print("libompd: cannot prove the layout of libgomp from %s: libgomp 9 to 16 are "
			 "known on %s\n",
			 why ? why : "its code", decode_arch->name);
		return rc;
	}
	const struct gomp_layout *table = offsets_probe(context, g->file, &gomp_layouts, &version);

	g->layout = seen;
	if (!table) {
		cb_print("libompd: libgomp has an unknown version: only the facts that its "
			 "functions show are available\n");
	} else if ((field = offsets_differ(&gomp_layouts, &seen, table, &agreed)) || agreed < MIN_ANCHORS) {
		cb_print("libompd: libgomp looks like that of GCC %d, but differs in %s: only the "
			 "facts that its functions show are available\n",
			 version, field ? field : "too many fields");
	} else {
		offsets_merge(&gomp_layouts, &g->layout, table);
		/*
		 * All rows of the table have this width. The function that shows it may not be
		 * linked into the program.
		 */
		if (!g->nthreads_width)
			g->nthreads_width = GOMP_NTHREADS_WIDTH;
		g->version = version;
	}
	if (!set_spans(g)) {
		cb_print("libompd: cannot read libgomp: its structures are larger than in any known version\n");
		return ompd_rc_incompatible;
	}
	return ompd_rc_ok;
}

/*
 * Find the file with libgomp's symbols. NULL (any file) if libgomp is linked statically, has
 * another name, or the tool does not know files. LLVM's runtime has the same names and may be
 * loaded too.
 */
static ompd_rc_t find_file(ompd_address_space_context_t *context, const char **ret)
{
	static const char *const files[] = {"libgomp.so.1", NULL};
	ompd_addr_t address;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (cb_symbol(context, NULL, "GOMP_parallel", files[i], &address) != ompd_rc_ok ||
		    cb_symbol(context, NULL, "omp_get_thread_num", files[i], &address) != ompd_rc_ok)
			continue;
		*ret = files[i];
		return ompd_rc_ok;
	}
	return ompd_rc_unsupported;
}

static ompd_rc_t gomp_open(ompd_address_space_context_t *context, void *data)
{
	struct gomp *g = data;
	ompd_addr_t address;

	/* The library may be loaded long before its first use. */
	RC_TRY(find_file(context, &g->file));
	/* LLVM's runtime has libgomp's functions too, and may have its name. */
	return open_layout(context, cb_symbol(context, NULL, "__kmpc_fork_call", g->file, &address) == ompd_rc_ok, g);
}

static ompd_rc_t gomp_omp_version(const struct process *process, ompd_word_t *ret)
{
	int version = gomp_of(process)->version;

	if (!version)
		return ompd_rc_unavailable;
	*ret = version >= 16 ? OMP_VERSION_5_2 : OMP_VERSION_4_5;
	return ompd_rc_ok;
}

static ompd_rc_t gomp_omp_version_string(const struct process *process, struct strbuf *text)
{
	int version = gomp_of(process)->version;

	if (version)
		strbuf_printf(text, "GNU libgomp (GCC %d)", version);
	else
		strbuf_printf(text, "GNU libgomp (unknown version)");
	return ompd_rc_ok;
}

const struct backend backend_gomp = {
	.name = "gomp",
	.last_icv = ICV_PLACE_PARTITION,
	.data_size = sizeof(struct gomp),
	.open = gomp_open,
	.omp_version = gomp_omp_version,
	.omp_version_string = gomp_omp_version_string,
	.thread_find = gomp_thread_find,
	.target_frame = gomp_target_frame,
	.thread_use = gomp_thread_use,
	.thread_id = gomp_thread_id,
	.thread_state = gomp_thread_state,
	.thread_state_asleep = gomp_thread_state_asleep,
	.thread_region = gomp_thread_region,
	.thread_task = gomp_thread_task,
	.region_enclosing = gomp_region_enclosing,
	.region_thread = gomp_region_thread,
	.region_task = gomp_region_task,
	.task_generating = gomp_task_generating,
	.task_scheduling = gomp_task_scheduling,
	.task_function = gomp_task_function,
	.task_frame = gomp_task_frame,
	.task_predecessors = gomp_task_predecessors,
	.task_is_target = gomp_task_is_target,
	.region_arrived = gomp_region_arrived,
	.thread_progress = gomp_thread_progress,
	.task_is_implicit = gomp_task_is_implicit,
	.icv = gomp_icv,
	.setting = gomp_setting,
	.mutex_owner = gomp_mutex_owner,
	.awaited = gomp_awaited,
	.awaited_as = gomp_awaited_as,
	.awaited_at = gomp_awaited_at,
};
