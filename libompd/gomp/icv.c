/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ICVs as stock libgomp stores them; a member of backend_gomp. */
#include "icv.h"

#include <string.h>

#include "gomp/gomp.h"

struct request;

/* Where an ICV is stored (the column gomp of icv.def). */
struct source {
	ompd_rc_t (*read)(const struct request *r, struct icv_raw *ret); /* NULL: unavailable */
	size_t variable;						 /* in struct gomp: the process-wide value */
	size_t field;	/* in struct gomp_layout: its offset in a task */
	uint32_t width; /* bytes in a task */
};

struct request {
	const struct process *process;
	const struct gomp *g;
	const struct source *source;
	const struct subject *subject;
};

static const struct variable *get_variable(const struct request *r)
{
	return (const void *)((const uint8_t *)r->g + r->source->variable);
}

/* Read a number of @width bytes. Four bytes are signed. */
static ompd_rc_t read_word(const struct process *process, ompd_addr_t address, uint32_t width, int64_t *ret)
{
	int64_t value = 0;

	if (!address || (width != 1 && width != 4 && width != 8))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, address, width, &value)); /* little-endian */
	*ret = width == 4 ? (int32_t)value : value;
	return ompd_rc_ok;
}

static ompd_rc_t read_number(const struct process *process, const struct variable *variable, int64_t *ret)
{
	return read_word(process, variable->address, variable->width, ret);
}

static ompd_rc_t read_variable(const struct request *r, struct icv_raw *ret)
{
	return read_number(r->process, get_variable(r), &ret->number);
}

/* Read a word of the task's data environment. An initial task without a record has the global value. */
static ompd_rc_t read_environment(const struct request *r, uint32_t field, uint32_t width,
				  const struct variable *global, int64_t *ret)
{
	ompd_addr_t task = r->subject->task->task;

	if (!task)
		return read_number(r->process, global, ret);
	return offset_known(field) ? read_word(r->process, task + field, width, ret) : ompd_rc_unavailable;
}

static ompd_rc_t read_task(const struct request *r, struct icv_raw *ret)
{
	uint32_t field;

	memcpy(&field, (const uint8_t *)&r->g->layout + r->source->field, sizeof(field));
	return read_environment(r, field, r->source->width, get_variable(r), &ret->number);
}

/* Set the array of a list, if it can be determined. */
static ompd_rc_t read_list(const struct process *process, const struct variable *list, const struct variable *length,
			   struct icv_raw *ret)
{
	int64_t n;

	ret->is_open = !list->address || !length->address;
	if (ret->is_open)
		return ompd_rc_ok;
	RC_TRY(PROCESS_READ(process, list->address, &ret->address));
	RC_TRY(read_number(process, length, &n));
	ret->n = (uint64_t)n;
	ret->width = list->width;
	return ompd_rc_ok;
}

static ompd_rc_t read_nthreads(const struct request *r, struct icv_raw *ret)
{
	RC_TRY(read_environment(r, r->g->layout.task_nthreads, r->g->nthreads_width, &r->g->nthreads, &ret->number));
	return read_list(r->process, &r->g->nthreads_list, &r->g->nthreads_list_len, ret);
}

static ompd_rc_t read_bind(const struct request *r, struct icv_raw *ret)
{
	RC_TRY(read_environment(r, r->g->layout.task_bind, 1, &r->g->bind, &ret->number));
	return read_list(r->process, &r->g->bind_list, &r->g->bind_list_len, ret);
}

static ompd_rc_t read_schedule(const struct request *r, struct icv_raw *ret)
{
	int64_t chunk;

	RC_TRY(read_environment(r, r->g->layout.task_run_sched, 4, &r->g->run_sched, &ret->number));
	RC_TRY(read_environment(r, r->g->layout.task_run_chunk, 4, &r->g->run_chunk, &chunk));
	ret->chunk = (int32_t)chunk;
	return ompd_rc_ok;
}

static ompd_rc_t read_max_active(const struct request *r, struct icv_raw *ret)
{
	/* Up to 10, all tasks share one value. */
	if (!offset_known(r->g->layout.task_max_active))
		return read_number(r->process, &r->g->max_active, &ret->number);
	return read_environment(r, r->g->layout.task_max_active, 1, &r->g->max_active, &ret->number);
}

static ompd_rc_t read_device(const struct request *r, struct icv_raw *ret)
{
	RC_TRY(read_environment(r, r->g->layout.task_device, 4, &r->g->device, &ret->number));
	/* Since 13, this number means: not computed before the first device query. */
	return ret->number == INT32_MIN ? ompd_rc_unavailable : ompd_rc_ok;
}

static ompd_rc_t read_allocator(const struct request *r, struct icv_raw *ret)
{
	ompd_addr_t state;

	if (!offset_known(r->g->layout.ts_def_allocator))
		return ompd_rc_unavailable;
	RC_TRY(gomp_task_state(r->process, r->subject->task, &state));
	RC_TRY(PROCESS_READ(r->process, state + r->g->layout.ts_def_allocator, &ret->number));
	return ret->number ? ompd_rc_ok : read_number(r->process, &r->g->def_allocator, &ret->number);
}

static ompd_rc_t read_places(const struct request *r, struct icv_raw *ret)
{
	int64_t list, n, n_all, width;
	ompd_addr_t state;

	if (!offset_known(r->g->layout.ts_place_off) || !offset_known(r->g->layout.ts_place_len))
		return ompd_rc_unavailable;
	RC_TRY(read_number(r->process, &r->g->places_list, &list));
	if (!list) /* without places there is no partition */
		return ompd_rc_ok;
	RC_TRY(gomp_task_state(r->process, r->subject->task, &state));
	RC_TRY(read_word(r->process, state + r->g->layout.ts_place_off, 4, &ret->number));
	RC_TRY(read_word(r->process, state + r->g->layout.ts_place_len, 4, &n));
	RC_TRY(read_number(r->process, &r->g->places_len, &n_all));
	RC_TRY(read_number(r->process, &r->g->cpuset_size, &width));
	ret->n = (uint64_t)n;
	ret->n_all = (uint64_t)n_all;
	ret->width = (uint64_t)width;
	ret->address = (ompd_addr_t)list;
	ret->has_mask_address = true;
	return ompd_rc_ok;
}

static ompd_rc_t read_final(const struct request *r, struct icv_raw *ret)
{
	const struct gomp_layout *l = &r->g->layout;
	ompd_addr_t address = r->subject->task->task;
	struct gomp_task task;

	if (!address)
		return ompd_rc_ok;
	if (!offset_known(l->task_final))
		return ompd_rc_unavailable;
	if (offset_known(l->task_kind))
		RC_TRY(gomp_task_read(r->process, address, &task));
	return read_word(r->process, address + l->task_final, 1, &ret->number);
}

static ompd_rc_t read_levels(const struct request *r, struct icv_raw *ret)
{
	ret->number = r->subject->region->level;
	return ompd_rc_ok;
}

static ompd_rc_t read_active_levels(const struct request *r, struct icv_raw *ret)
{
	struct gomp_team team;

	if (!r->subject->region->level) /* the initial implicit region */
		return ompd_rc_ok;
	RC_TRY(gomp_region_team(r->process, r->subject->region, &team));
	if (!team.has_prev_ts)
		return ompd_rc_unavailable;
	ret->number = (int64_t)team.prev_ts.active_level + (team.nthreads > 1);
	return ompd_rc_ok;
}

static ompd_rc_t read_team_size(const struct request *r, struct icv_raw *ret)
{
	struct gomp_team team = {.nthreads = 1};

	if (r->subject->region->level)
		RC_TRY(gomp_region_team(r->process, r->subject->region, &team));
	ret->number = team.nthreads;
	return ompd_rc_ok;
}

static ompd_rc_t read_thread_num(const struct request *r, struct icv_raw *ret)
{
	struct gomp_thread thread;

	RC_TRY(gomp_thread_read_member(r->process, r->subject->thread->thread, &thread));
	ret->number = thread.ts.level ? thread.ts.team_id : 0;
	return ompd_rc_ok;
}

static ompd_rc_t read_affinity_format(const struct request *r, struct icv_raw *ret)
{
	int64_t address;

	RC_TRY(read_number(r->process, &r->g->affinity_format, &address));
	ret->address = (ompd_addr_t)address;
	return ompd_rc_ok;
}

static ompd_rc_t read_wait_policy(const struct request *r, struct icv_raw *ret)
{
	RC_TRY(read_number(r->process, &r->g->wait_policy, &ret->number));
	/* -1 (not set) behaves as passive after some spinning: neither name is correct. */
	if (ret->number < 0)
		return ompd_rc_unavailable;
	ret->text = ret->number ? "active" : "passive";
	return ompd_rc_ok;
}

static ompd_rc_t read_stacksize(const struct request *r, struct icv_raw *ret)
{
	RC_TRY(read_number(r->process, &r->g->stacksize, &ret->number));
	return ret->number ? ompd_rc_ok : ompd_rc_unavailable; /* 0: not set, the C library decides */
}

static const struct source sources[] = {
#define NONE                                                                                                           \
	{                                                                                                              \
		0                                                                                                      \
	}
#define CALL(function)                                                                                                 \
	{                                                                                                              \
		.read = (function)                                                                                     \
	}
#define VARIABLE(name)                                                                                                 \
	{                                                                                                              \
		.read = read_variable, .variable = offsetof(struct gomp, name)                                         \
	}
#define TASK(offset, bytes, name)                                                                                      \
	{                                                                                                              \
		.read = read_task, .variable = offsetof(struct gomp, name),                                            \
		.field = offsetof(struct gomp_layout, offset), .width = (bytes)                                        \
	}
#define ICV(kind, name, scope, variable, type, gomp, libomp, omprt) [ICV_##kind] = gomp,
#include "icv.def"
#undef ICV
};

ompd_rc_t gomp_icv(const struct process *process, enum icv_kind icv, const struct subject *subject, struct icv_raw *ret)
{
	const struct request r = {process, gomp_of(process), &sources[icv], subject};

	if (subject->region)
		RC_TRY(gomp_region_check(process, subject->region));
	if (subject->task)
		RC_TRY(gomp_region_check(process, &subject->task->region));
	return r.source->read ? r.source->read(&r, ret) : ompd_rc_unavailable;
}

/* The places of the process. Each task's place-partition-var is a part of them. */
static ompd_rc_t read_all_places(const struct process *process, struct icv_raw *ret)
{
	const struct gomp *g = gomp_of(process);
	int64_t list, n, width;

	RC_TRY(read_number(process, &g->places_list, &list));
	if (!list)
		return ompd_rc_unavailable;
	RC_TRY(read_number(process, &g->places_len, &n));
	RC_TRY(read_number(process, &g->cpuset_size, &width));
	ret->n_all = (uint64_t)n;
	ret->width = (uint64_t)width;
	ret->address = (ompd_addr_t)list;
	ret->has_mask_address = true;
	return ompd_rc_ok;
}

ompd_rc_t gomp_setting(const struct process *process, unsigned number, struct setting *ret)
{
	switch (number) {
	case 0:
		*ret = (struct setting){.variable = "OMP_PLACES", .type = ICV_AS_PLACES};
		return read_all_places(process, &ret->raw);
	case 1:
		*ret = (struct setting){.variable = "GOMP_SPINCOUNT", .type = ICV_AS_NUMBER};
		return read_number(process, &gomp_of(process)->spin_count, &ret->raw.number);
	default:
		return ompd_rc_bad_input;
	}
}
