/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ICVs as stock libomp stores them; a member of backend_libomp. */
#include "icv.h"

#include <string.h>

#include "libomp/libomp.h"

/* enum sched_type and its modifiers. */
#define SCHED_STATIC_CHUNKED   33
#define SCHED_STATIC	       34
#define SCHED_DYNAMIC	       35
#define SCHED_GUIDED	       36
#define SCHED_AUTO	       38
#define SCHED_STATIC_GREEDY    40
#define SCHED_STATIC_BALANCED  41
#define SCHED_GUIDED_ITERATIVE 42
#define SCHED_GUIDED_ANALYTIC  43
#define SCHED_MONOTONIC	       (1u << 29)
#define SCHED_NONMONOTONIC     (1u << 30)

/* Values of omp_sched_t. */
#define OMP_STATIC    1u
#define OMP_DYNAMIC   2u
#define OMP_GUIDED    3u
#define OMP_AUTO      4u
#define OMP_MONOTONIC 0x80000000u

/* enum library_type. */
#define LIBRARY_SERIAL	   1
#define LIBRARY_TURNAROUND 2
#define LIBRARY_THROUGHPUT 3

/* Limit on the entries in a stack of ICVs. */
#define MAX_SAVED 4096

struct request;

/* Where an ICV is stored (the column libomp of icv.def). */
struct source {
	ompd_rc_t (*read)(const struct request *r, struct icv_raw *ret); /* NULL: unavailable */
	size_t variable;						 /* in struct libomp: the process-wide value */
	size_t field;	/* in struct libomp_layout: its offset in a task */
	uint32_t width; /* bytes in a task */
};

struct request {
	const struct process *process;
	const struct libomp *libomp;
	const struct source *source;
	const struct subject *subject;
};

/*
 * Return the address of @task's ICVs. Regions that share a serialized team share its task. When an
 * inner region changes an ICV, libomp pushes the outer region's values on a stack. Each entry has
 * the number of the region whose end restores it.
 */
static ompd_rc_t find_icvs(const struct process *process, const struct task_ref *ref, ompd_addr_t *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	struct libomp_team team;
	ompd_addr_t icvs = ref->task + l->td_icvs, saved;

	RC_TRY(libomp_region_team(process, &ref->region, &team));
	int32_t number = (int32_t)ref->region.level - libomp_team_first_level(&team) + 1;

	if (team.serialized > 1 && number < team.serialized) {
		if (!offset_known(l->team_control_stack) || !offset_known(l->icv_next) ||
		    !offset_known(l->icv_serial_level))
			return ompd_rc_unavailable;
		RC_TRY(PROCESS_READ(process, team.address + l->team_control_stack, &saved));
		for (unsigned n = 0; saved; n++) {
			int32_t level;

			if (n == MAX_SAVED)
				return ompd_rc_error;
			RC_TRY(PROCESS_READ(process, saved + l->icv_serial_level, &level));
			if (level <= number)
				break;
			icvs = saved;
			RC_TRY(PROCESS_READ(process, saved + l->icv_next, &saved));
		}
	}
	*ret = icvs;
	return ompd_rc_ok;
}

/* Read a number of the task's ICVs; @field is its offset in the task. */
static ompd_rc_t read_environment(const struct request *r, uint32_t field, size_t width, int32_t *ret)
{
	const struct libomp_layout *l = &r->libomp->layout;
	ompd_addr_t icvs;

	if (!offset_known(field) || !offset_known(l->td_icvs))
		return ompd_rc_unavailable;
	RC_TRY(find_icvs(r->process, r->subject->task, &icvs));
	*ret = 0;
	return cb_read(r->process->context, icvs + field - l->td_icvs, width, ret); /* little-endian */
}

static ompd_rc_t read_field(const struct request *r, struct icv_raw *ret)
{
	uint32_t field;
	int32_t value;

	memcpy(&field, (const uint8_t *)&r->libomp->layout + r->source->field, sizeof(field));
	RC_TRY(read_environment(r, field, r->source->width, &value));
	ret->number = value;
	return ompd_rc_ok;
}

/* Read a number of four or eight bytes. Four bytes are signed. */
static ompd_rc_t read_number(const struct process *process, const struct variable *variable, int64_t *ret)
{
	int64_t value = 0;

	if (!variable->address || (variable->width != 4 && variable->width != 8))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, variable->address, variable->width, &value)); /* little-endian */
	*ret = variable->width == 4 ? (int32_t)value : value;
	return ompd_rc_ok;
}

static ompd_rc_t read_variable(const struct request *r, struct icv_raw *ret)
{
	return read_number(r->process, (const void *)((const uint8_t *)r->libomp + r->source->variable), &ret->number);
}

static ompd_rc_t read_affinity_format(const struct request *r, struct icv_raw *ret)
{
	int64_t address;

	RC_TRY(read_number(r->process, &r->libomp->affinity_format, &address));
	ret->address = (ompd_addr_t)address;
	return ompd_rc_ok;
}

/* enum kmp_target_offload_kind to the numbers of icv.c. */
static ompd_rc_t read_target_offload(const struct request *r, struct icv_raw *ret)
{
	static const int64_t kinds[] = {2, 0, 1}; /* disabled, default, mandatory */
	int64_t kind;

	RC_TRY(read_number(r->process, &r->libomp->target_offload, &kind));
	if (kind < 0 || kind > 2)
		return ompd_rc_unavailable;
	ret->number = kinds[kind];
	return ompd_rc_ok;
}

/* libomp itself displays its library's kind as the policy: turnaround is active, throughput is passive. */
static ompd_rc_t read_wait_policy(const struct request *r, struct icv_raw *ret)
{
	int64_t library;

	RC_TRY(read_number(r->process, &r->libomp->library, &library));
	if (library != LIBRARY_TURNAROUND && library != LIBRARY_THROUGHPUT)
		return ompd_rc_unavailable;
	ret->number = library == LIBRARY_TURNAROUND;
	ret->text = ret->number ? "active" : "passive";
	return ompd_rc_ok;
}

/* Since 18, a task may have its own limit. */
static ompd_rc_t read_thread_limit(const struct request *r, struct icv_raw *ret)
{
	const struct libomp_layout *l = &r->libomp->layout;
	int32_t limit = 0;

	if (offset_known(l->icv_task_thread_limit) && offset_known(l->td_icvs))
		RC_TRY(read_environment(r, l->td_icvs + l->icv_task_thread_limit, sizeof(limit), &limit));
	if (!limit)
		RC_TRY(read_environment(r, l->td_icv_thread_limit, sizeof(limit), &limit));
	ret->number = limit;
	return ompd_rc_ok;
}

static ompd_rc_t read_schedule(const struct request *r, struct icv_raw *ret)
{
	const struct libomp_layout *l = &r->libomp->layout;
	int32_t type;
	uint32_t kind;

	if (!offset_known(l->sched_chunk) || !offset_known(l->td_icv_sched))
		return ompd_rc_unavailable;
	RC_TRY(read_environment(r, l->td_icv_sched, sizeof(type), &type));
	RC_TRY(read_environment(r, l->td_icv_sched + l->sched_chunk, sizeof(ret->chunk), &ret->chunk));
	switch ((uint32_t)type & ~(SCHED_MONOTONIC | SCHED_NONMONOTONIC)) {
	case SCHED_STATIC:
	case SCHED_STATIC_GREEDY:
	case SCHED_STATIC_BALANCED:
		kind = OMP_STATIC;
		ret->chunk = 0;
		break;
	case SCHED_STATIC_CHUNKED:
		kind = OMP_STATIC;
		break;
	case SCHED_DYNAMIC:
		kind = OMP_DYNAMIC;
		break;
	case SCHED_GUIDED:
	case SCHED_GUIDED_ITERATIVE:
	case SCHED_GUIDED_ANALYTIC:
		kind = OMP_GUIDED;
		break;
	case SCHED_AUTO:
		kind = OMP_AUTO;
		break;
	default: /* libomp's own kinds, without a number in OpenMP */
		return ompd_rc_unavailable;
	}
	ret->number = kind | ((uint32_t)type & SCHED_MONOTONIC ? OMP_MONOTONIC : 0);
	ret->has_default_order = !((uint32_t)type & (SCHED_MONOTONIC | SCHED_NONMONOTONIC));
	return ompd_rc_ok;
}

static ompd_rc_t read_final(const struct request *r, struct icv_raw *ret)
{
	struct libomp_task task;

	RC_TRY(libomp_task_read(r->process, r->subject->task->task, &task));
	ret->number = task.flags & r->libomp->flag_final;
	return ompd_rc_ok;
}

static ompd_rc_t read_levels(const struct request *r, struct icv_raw *ret)
{
	struct libomp_team team;

	RC_TRY(libomp_region_team(r->process, r->subject->region, &team));
	ret->number = r->subject->region->level;
	return ompd_rc_ok;
}

static ompd_rc_t read_active_levels(const struct request *r, struct icv_raw *ret)
{
	struct libomp_team team;

	RC_TRY(libomp_region_team(r->process, r->subject->region, &team));
	ret->number = team.active_level;
	return ompd_rc_ok;
}

static ompd_rc_t read_team_size(const struct request *r, struct icv_raw *ret)
{
	struct libomp_team team;

	RC_TRY(libomp_region_team(r->process, r->subject->region, &team));
	ret->number = team.nproc;
	return ompd_rc_ok;
}

static ompd_rc_t read_thread_num(const struct request *r, struct icv_raw *ret)
{
	struct libomp_thread thread;
	struct libomp_team team;

	RC_TRY(libomp_thread_member(r->process, r->subject->thread->thread, &thread, &team));
	ret->number = thread.tid;
	return ompd_rc_ok;
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
		.read = read_variable, .variable = offsetof(struct libomp, name)                                       \
	}
#define FIELD(offset, bytes)                                                                                           \
	{                                                                                                              \
		.read = read_field, .field = offsetof(struct libomp_layout, offset), .width = (bytes)                  \
	}
#define ICV(kind, name, scope, variable, type, gomp, libomp, omprt) [ICV_##kind] = libomp,
#include "icv.def"
#undef ICV
};

ompd_rc_t libomp_icv(const struct process *process, enum icv_kind icv, const struct subject *subject,
		     struct icv_raw *ret)
{
	const struct request r = {process, libomp_of(process), &sources[icv], subject};

	/* The values of the environment are not stored. */
	if (!r.source->read || (subject->task && !subject->task->task))
		return ompd_rc_unavailable;
	return r.source->read(&r, ret);
}

ompd_rc_t libomp_setting(const struct process *process, unsigned number, struct setting *ret)
{
	static const char *const libraries[] = {
		[LIBRARY_SERIAL] = "serial",
		[LIBRARY_TURNAROUND] = "turnaround",
		[LIBRARY_THROUGHPUT] = "throughput",
	};
	int64_t library;

	if (number)
		return ompd_rc_bad_input;
	RC_TRY(read_number(process, &libomp_of(process)->library, &library));
	if (library < LIBRARY_SERIAL || library > LIBRARY_THROUGHPUT)
		return ompd_rc_unavailable;
	*ret = (struct setting){
		.variable = "KMP_LIBRARY",
		.type = ICV_AS_NAME,
		.raw = {.number = library, .text = libraries[library]},
	};
	return ompd_rc_ok;
}
