/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The backend for this project's runtime (runtime/). It finds the runtime's layout table, which has
 * all offsets.
 */
#include "glibc.h"
#include "icv.h"
#include "omprt/omprt.h"
#include "strbuf.h"

/* _OPENMP of OpenMP 5.2. */
#define OMP_VERSION_5_2 202111

/* The struct that each field belongs to; -1 for a struct. */
static const int struct_of[] = {
#define LAYOUT_STRUCT(type)		 -1,
#define LAYOUT_FIELD(type, name, member) LAYOUT_##type,
#include "layout/layout.def"
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD
};

static bool is_embedded(size_t entry)
{
	return entry == LAYOUT_member_implicit || entry == LAYOUT_icv_process_initial;
}

/* The table comes from the target: check that every field is inside its copy. */
static bool set_spans(struct omprt *o)
{
	for (size_t i = 0; i < LAYOUT_ENTRIES; i++) {
		const struct layout_entry *e = &o->layout.entries[i];

		if (struct_of[i] < 0 || is_embedded(i))
			continue;
		if (e->size != 1 && e->size != 2 && e->size != 4 && e->size != 8)
			return false;
		if (e->offset > OMPRT_MAX_SPAN - e->size)
			return false;
		uint32_t *span = &o->span[struct_of[i]];
		if (*span < e->offset + e->size)
			*span = e->offset + e->size;
	}
	return o->layout.entries[LAYOUT_member].size && o->layout.entries[LAYOUT_task].size;
}

static ompd_rc_t read_layout(ompd_address_space_context_t *context, ompd_addr_t address, struct layout *ret)
{
	const size_t header = offsetof(struct layout, root);

	RC_TRY(cb_read(context, address, header, ret));
	if (ret->magic != LAYOUT_MAGIC) {
		cb_print("libompd: cannot read the runtime: ompd_layout has an unknown format\n");
		return ompd_rc_incompatible;
	}
	if (ret->version != LAYOUT_VERSION || ret->n_entries != LAYOUT_ENTRIES) {
		cb_print("libompd: cannot read the runtime: it has layout version %u, this library needs version %d; "
			 "use the libompd.so that was installed with the runtime\n",
			 ret->version, LAYOUT_VERSION);
		return ompd_rc_incompatible;
	}
	RC_TRY(cb_read(context, address, sizeof(*ret), ret));
	if (!ret->thread_offset) {
		cb_print("libompd: the OpenMP runtime has not been initialised yet; try again after "
			 "ompd_dll_locations_valid()\n");
		return ompd_rc_unavailable;
	}
	return ompd_rc_ok;
}

static ompd_rc_t omprt_open(ompd_address_space_context_t *context, void *data)
{
	struct omprt *o = data;
	ompd_addr_t address;

	if (cb_symbol(context, NULL, "ompd_layout", NULL, &address) != ompd_rc_ok)
		return ompd_rc_unsupported;
	RC_TRY(read_layout(context, address, &o->layout));
	RC_TRY(glibc_behind(context, &o->behind));
	if (set_spans(o))
		return ompd_rc_ok;
	cb_print("libompd: cannot read the runtime: its layout table is damaged\n");
	return ompd_rc_incompatible;
}

static ompd_rc_t omprt_omp_version(const struct process *process, ompd_word_t *ret)
{
	(void)process;
	*ret = OMP_VERSION_5_2;
	return ompd_rc_ok;
}

static ompd_rc_t omprt_omp_version_string(const struct process *process, struct strbuf *text)
{
	(void)process;
	strbuf_printf(text, "ompdd runtime %s (libgomp ABI of GCC 12)", OMPDD_VERSION);
	return ompd_rc_ok;
}

static ompd_rc_t omprt_set_breakpoints(const struct process *process, bool on)
{
	const uint8_t value = on;
	ompd_addr_t address;

	RC_TRY(cb_symbol(process->context, NULL, "ompd_breakpoints", NULL, &address));
	/* OMP_DEBUG sets the lowest byte. The other bytes have other uses (runtime/tools/ompd.h). */
	return cb_write(process->context, address, sizeof(value), &value);
}

const struct backend backend_omprt = {
	.name = "omprt",
	.last_icv = ICV_FREE_AGENT,
	.data_size = sizeof(struct omprt),
	.open = omprt_open,
	.omp_version = omprt_omp_version,
	.omp_version_string = omprt_omp_version_string,
	.thread_find = omprt_thread_find,
	.thread_id = omprt_thread_id,
	.thread_next = omprt_thread_next,
	.thread_state = omprt_thread_state,
	.thread_region = omprt_thread_region,
	.thread_task = omprt_thread_task,
	.region_enclosing = omprt_region_enclosing,
	.region_thread = omprt_region_thread,
	.region_task = omprt_region_task,
	.task_generating = omprt_task_generating,
	.task_scheduling = omprt_task_scheduling,
	.task_function = omprt_task_function,
	.task_frame = omprt_task_frame,
	.region_queued = omprt_region_queued,
	.thread_progress = omprt_thread_progress,
	.task_predecessors = omprt_task_predecessors,
	.task_is_implicit = omprt_task_is_implicit,
	.icv = omprt_icv,
	.setting = omprt_setting,
	.set_breakpoints = omprt_set_breakpoints,
	.mutex_owner = omprt_mutex_owner,
	.awaited = omprt_awaited,
	.tool_data = omprt_tool_data,
	.region_calls = omprt_region_calls,
};
