/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ICVs as our runtime stores them; a member of backend_omprt. */
#include "icv.h"

#include "omprt/omprt.h"

#define MAX_LEVELS 4096

struct request;

/* Where an ICV is stored (the column omprt of icv.def). */
struct source {
	ompd_rc_t (*read)(const struct request *r, struct icv_raw *ret); /* NULL: unavailable */
	enum layout_entry_number field;
	enum layout_entry_number list, length; /* of a list: in the struct icv_process */
	uint32_t width;			       /* bytes of the list's elements */
	const char *initial; /* of a string: the value if the environment sets none (5.2, table 2.2) */
};

struct request {
	const struct process *process;
	const struct source *source;
	const struct subject *subject;
};

/* Return a field of @copy. Four bytes are signed. */
static int64_t get_number(const struct omprt_copy *copy, enum layout_entry_number field)
{
	uint64_t value = omprt_field(copy, field);

	return copy->o->layout.entries[field].size == 4 ? (int32_t)value : (int64_t)value;
}

static ompd_rc_t read_process(const struct request *r, struct omprt_copy *ret)
{
	return omprt_read(r->process, LAYOUT_icv_process, omprt_of(r->process)->layout.icv_process, ret);
}

static ompd_rc_t read_of_process(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy icvs;

	RC_TRY(read_process(r, &icvs));
	ret->number = get_number(&icvs, r->source->field);
	return ompd_rc_ok;
}

/* Read the task's data environment, or without a task the values of the environment variables. */
static ompd_rc_t read_environment(const struct request *r, struct omprt_copy *ret)
{
	const struct layout *l = &omprt_of(r->process)->layout;
	ompd_addr_t address = l->icv_process + l->entries[LAYOUT_icv_process_initial].offset;
	struct omprt_copy task;

	if (r->subject->task->task) {
		RC_TRY(omprt_task_of(r->process, r->subject->task, &task));
		address = omprt_field(&task, LAYOUT_task_icv);
	}
	return omprt_read(r->process, LAYOUT_icv, address, ret);
}

static ompd_rc_t read_of_task(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy icvs;

	RC_TRY(read_environment(r, &icvs));
	ret->number = get_number(&icvs, r->source->field);
	return ompd_rc_ok;
}

static ompd_rc_t read_list(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy icvs;

	RC_TRY(read_of_task(r, ret));
	RC_TRY(read_process(r, &icvs));
	ret->address = omprt_field(&icvs, r->source->list);
	ret->n = omprt_field(&icvs, r->source->length);
	ret->width = r->source->width;
	return ompd_rc_ok;
}

static ompd_rc_t read_schedule(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy icvs;

	RC_TRY(read_environment(r, &icvs));
	ret->number = get_number(&icvs, LAYOUT_icv_run_sched);
	ret->chunk = (int32_t)omprt_field(&icvs, LAYOUT_icv_run_sched_chunk);
	return ompd_rc_ok;
}

static ompd_rc_t read_final(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy task;

	RC_TRY(omprt_task_of(r->process, r->subject->task, &task));
	ret->number = omprt_field(&task, LAYOUT_task_flags) & LAYOUT_TASK_FINAL;
	return ompd_rc_ok;
}

/* Threads of this runtime execute tasks of their own team only: none is a free-agent thread. */
static ompd_rc_t read_free_agent(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy task;

	RC_TRY(omprt_task_of(r->process, r->subject->task, &task));
	ret->number = 0;
	return ompd_rc_ok;
}

/* A list with one item for each non-host device. */
static ompd_rc_t read_available_devices(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy icvs;

	RC_TRY(read_process(r, &icvs));
	if (omprt_field(&icvs, LAYOUT_icv_process_num_devices))
		return ompd_rc_unavailable;
	ret->text = "";
	return ompd_rc_ok;
}

static ompd_rc_t read_of_team(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy team;

	RC_TRY(omprt_region(r->process, r->subject->region, &team));
	ret->number = get_number(&team, r->source->field);
	return ompd_rc_ok;
}

static ompd_rc_t read_thread_num(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy thread;
	struct omprt_place place;

	RC_TRY(omprt_thread_place(r->process, r->subject->thread, &thread, &place));
	if (place.where == OMPRT_IDLE)
		return ompd_rc_unavailable;
	ret->number = (int64_t)place.thread_num;
	return ompd_rc_ok;
}

static ompd_rc_t read_text(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy icvs;

	RC_TRY(read_process(r, &icvs));
	ret->address = omprt_field(&icvs, r->source->field);
	ret->text = ret->address ? NULL : r->source->initial;
	return ompd_rc_ok;
}

/* affinity-format-var has a length field, because the string may come from Fortran. */
static ompd_rc_t read_affinity_format(const struct request *r, struct icv_raw *ret)
{
	struct omprt_copy icvs;

	RC_TRY(read_process(r, &icvs));
	ret->address = omprt_field(&icvs, LAYOUT_icv_process_affinity_format);
	ret->n = omprt_field(&icvs, LAYOUT_icv_process_affinity_format_len);
	ret->text = ret->n ? NULL : "";
	return ompd_rc_ok;
}

static ompd_rc_t read_wait_policy(const struct request *r, struct icv_raw *ret)
{
	/*
	 * If it is not set, the runtime spins for a while and then sleeps. The specification has no
	 * name for that.
	 */
	static const char *const names[] = {"default", "active", "passive"};
	struct omprt_copy icvs;

	RC_TRY(read_process(r, &icvs));
	ret->number = get_number(&icvs, LAYOUT_icv_process_wait_policy);
	if (ret->number < 0 || ret->number > 2)
		return ompd_rc_unavailable;
	ret->text = names[ret->number];
	return ompd_rc_ok;
}

/* Set the partition of @n places from @first on. */
static ompd_rc_t set_places(const struct process *process, uint64_t first, uint64_t n, struct icv_raw *ret)
{
	struct omprt_copy root, list;

	RC_TRY(omprt_read(process, LAYOUT_root, omprt_of(process)->layout.root, &root));
	RC_TRY(omprt_read(process, LAYOUT_place_list, omprt_field(&root, LAYOUT_root_places), &list));
	ret->number = (int64_t)first;
	ret->n = n;
	ret->n_all = omprt_field(&list, LAYOUT_place_list_n);
	ret->address = omprt_field(&list, LAYOUT_place_list_sets);
	ret->width = omprt_field(&list, LAYOUT_place_list_set_size);
	return ompd_rc_ok;
}

static ompd_rc_t read_places(const struct request *r, struct icv_raw *ret)
{
	const struct task_ref *task = r->subject->task;
	const struct process *process = r->process;
	struct omprt_copy copy, thread, team;
	struct thread_ref executing;
	struct region_ref region;
	struct omprt_place place;

	RC_TRY(omprt_task_of(process, task, &copy));
	/*
	 * An explicit task has the place partition of the thread that executes it: a task that has
	 * not started has no partition.
	 */
	if (omprt_field(&copy, LAYOUT_task_kind) == LAYOUT_TASK_EXPLICIT &&
	    !(omprt_field(&copy, LAYOUT_task_flags) & LAYOUT_TASK_STARTED))
		return ompd_rc_unavailable;
	RC_TRY(omprt_region_thread(process, &task->region, (uint32_t)omprt_field(&copy, LAYOUT_task_thread_num),
				   &executing));
	RC_TRY(omprt_thread_place(process, &executing, &thread, &place));
	/* A thread that was called but does not run yet has no place partition. */
	if (place.where != OMPRT_INSIDE)
		return ompd_rc_unavailable;
	ompd_addr_t address = place.team;

	if (address == task->region.team)
		return set_places(process, omprt_field(&thread, LAYOUT_thread_place_first),
				  omprt_field(&thread, LAYOUT_thread_place_len), ret);
	/*
	 * The thread is the primary thread of an inner region. The inner region's team stores the
	 * thread's partition outside it.
	 */
	for (unsigned level = 0; level < MAX_LEVELS; level++) {
		RC_TRY(omprt_team(process, address, &team, &region));
		address = omprt_field(&team, LAYOUT_team_enclosing);
		if (address == task->region.team)
			return set_places(process, omprt_field(&team, LAYOUT_team_outer_place_first),
					  omprt_field(&team, LAYOUT_team_outer_place_len), ret);
	}
	return ompd_rc_error;
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
#define TASK(name)                                                                                                     \
	{                                                                                                              \
		.read = read_of_task, .field = LAYOUT_icv_##name                                                       \
	}
#define PROCESS(name)                                                                                                  \
	{                                                                                                              \
		.read = read_of_process, .field = LAYOUT_icv_process_##name                                            \
	}
#define TEAM(name)                                                                                                     \
	{                                                                                                              \
		.read = read_of_team, .field = LAYOUT_team_##name                                                      \
	}
#define TEXT(name, otherwise)                                                                                          \
	{                                                                                                              \
		.read = read_text, .field = LAYOUT_icv_process_##name, .initial = (otherwise)                          \
	}
#define LIST(name, bytes)                                                                                              \
	{                                                                                                              \
		.read = read_list, .field = LAYOUT_icv_##name, .list = LAYOUT_icv_process_##name##_list,               \
		.length = LAYOUT_icv_process_n_##name##_list, .width = (bytes)                                         \
	}
#define ICV(kind, name, scope, variable, type, gomp, libomp, omprt) [ICV_##kind] = omprt,
#include "icv.def"
#undef ICV
};

ompd_rc_t omprt_icv(const struct process *process, enum icv_kind icv, const struct subject *subject,
		    struct icv_raw *ret)
{
	const struct request r = {process, &sources[icv], subject};

	return r.source->read ? r.source->read(&r, ret) : ompd_rc_unavailable;
}

ompd_rc_t omprt_setting(const struct process *process, unsigned number, struct setting *ret)
{
	if (number)
		return ompd_rc_bad_input;
	*ret = (struct setting){.variable = "OMP_PLACES", .type = ICV_AS_PLACES};
	return set_places(process, 0, 0, &ret->raw);
}
