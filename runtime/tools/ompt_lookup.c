/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The entry points that a tool gets by name (OpenMP 5.2, 19.6). It may call them at any time, also in signal handlers.
 */
#include <malloc.h>
#include <sched.h>
#include <string.h>

#include "core/state/icv.h"
#include "core/state/task.h"
#include "core/state/thread.h"
#include "omp-tools.h"
#include "tools/ompt.h"
#include "tools/ompt_data.h"

/* Results of ompt_get_parallel_info() and ompt_get_task_info(). */
enum { NOT_THERE = 0, COMPLETE = 2 };

static const struct {
	int state;
	const char *name;
} states[] = {
#define STATE(name)                                                                                                    \
	{                                                                                                              \
		ompt_state_##name, "ompt_state_" #name                                                                 \
	}
	STATE(work_serial),
	STATE(work_parallel),
	STATE(work_reduction),
	STATE(wait_barrier),
	STATE(wait_barrier_implicit_parallel),
	STATE(wait_barrier_implicit_workshare),
	STATE(wait_barrier_implicit),
	STATE(wait_barrier_explicit),
	STATE(wait_barrier_implementation),
	STATE(wait_barrier_teams),
	STATE(wait_taskwait),
	STATE(wait_taskgroup),
	STATE(wait_mutex),
	STATE(wait_lock),
	STATE(wait_critical),
	STATE(wait_atomic),
	STATE(wait_ordered),
	STATE(wait_target),
	STATE(wait_target_map),
	STATE(wait_target_update),
	STATE(idle),
	STATE(overhead),
#undef STATE
};

enum { STATES = sizeof(states) / sizeof(states[0]) };

static int enumerate_states(int current, int *next, const char **name)
{
	int i = 0;

	if (current != ompt_state_undefined) {
		while (i < STATES && states[i].state != current)
			i++;
		i++;
	}
	if (i >= STATES)
		return 0;
	*next = states[i].state;
	*name = states[i].name;
	return 1;
}

/* There is one implementation. */
static int enumerate_mutex_impls(int current, int *next, const char **name)
{
	if (current != ompt_mutex_impl_none)
		return 0;
	*next = OMPT_MUTEX_FUTEX;
	*name = "ompdd_mutex_impl_futex";
	return 1;
}

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
	ompt_callback_t found = ompt_get(event);

	if (!found)
		return 0;
	*callback = found;
	return 1;
}

static ompt_data_t *get_thread_data(void)
{
	struct thread *t = thread_peek();

	return t->serial && ompt_has_started() ? ompt_data(&t->tool_data) : NULL;
}

static int get_state(ompt_wait_id_t *wait_id)
{
	struct thread *t = thread_peek();
	uint32_t state = t->state;

	if (!t->serial)
		state = ompt_state_undefined;
	/* A pool thread does not notice when the region ends whose end it has reached. */
	else if (t->seat && t->team && state == ompt_state_wait_barrier_implicit_parallel &&
		 (!t->team->in_use || __atomic_load_n(&t->team->epoch, __ATOMIC_RELAXED) != t->epoch))
		state = ompt_state_idle;
	if (wait_id)
		*wait_id = state >= ompt_state_wait_barrier && state < ompt_state_idle ? t->wait_id : 0;
	return (int)state;
}

/* The team that a thread is in around its target region, or around its team of a league. */
static struct team *get_outer_team(struct team *team)
{
	return team->enclosing ? team->enclosing : team->around;
}

static int get_parallel_info(int ancestor_level, ompt_data_t **data, int *size)
{
	struct team *team = thread_peek()->team;

	if (ancestor_level < 0 || !ompt_has_started())
		return NOT_THERE;
	while (team && ancestor_level--)
		team = get_outer_team(team);
	if (!team)
		return NOT_THERE;
	if (data)
		*data = ompt_data_of_region(team);
	if (size)
		*size = team->tool_league ? (int)team->num_teams : (int)team->n_threads;
	return COMPLETE;
}

/* Returns the task that @task interrupted, or the encountering task of its region. */
static struct task *get_ancestor(struct task *task)
{
	return task->scheduling ? task->scheduling : task->kind == TASK_IMPLICIT ? task->parent : NULL;
}

static int get_task_info(int ancestor_level, int *flags, ompt_data_t **data, ompt_frame_t **frame,
			 ompt_data_t **parallel, int *thread_num)
{
	struct task *task = thread_peek()->task;

	if (ancestor_level < 0 || !ompt_has_started())
		return NOT_THERE;
	while (task && ancestor_level--)
		task = get_ancestor(task);
	if (!task)
		return NOT_THERE;
	if (flags)
		*flags = ompt_flags_of(task);
	if (data)
		*data = ompt_data(&task->tool_data);
	if (frame)
		*frame = ompt_frame_of(task);
	if (parallel)
		*parallel = ompt_data_of_region(task->team);
	if (thread_num)
		*thread_num = (int)task->thread_num;
	return COMPLETE;
}

/* The data of a deferred task is one block. The data of other tasks is on the stack of the encountering task. */
static int get_task_memory(void **address, size_t *size, int block)
{
	struct task *task = thread_peek()->task;
	char *slot = (char *)task;

	*address = NULL;
	*size = 0;
	if (block || !task || task->kind != TASK_EXPLICIT || !task->data)
		return 0;
	if (task->own_data) {
		*address = task->own_data;
		*size = malloc_usable_size(task->own_data);
	} else if ((char *)task->data >= slot && (char *)task->data < slot + TASK_SLOT_SIZE) {
		*address = task->data;
		*size = (size_t)(slot + TASK_SLOT_SIZE - (char *)task->data);
	}
	return 0; /* there is no further block */
}

static int get_num_procs(void)
{
	return (int)icv_process.num_procs;
}

static int get_num_places(void)
{
	return (int)places.n;
}

static int get_place_proc_ids(int place, int size, int *ids)
{
	const cpu_set_t *set;
	int n = 0;

	if (place < 0 || (uint32_t)place >= places.n)
		return 0;
	set = place_list_get(&places, (uint32_t)place);
	for (size_t cpu = 0; cpu < places.set_size * 8; cpu++) {
		if (!CPU_ISSET_S(cpu, places.set_size, set))
			continue;
		if (n < size)
			ids[n] = (int)cpu;
		n++;
	}
	return n;
}

static int get_place_num(void)
{
	return places.n ? thread_peek()->place - 1 : -1;
}

static int get_partition_place_nums(int size, int *numbers)
{
	const struct thread *t = thread_peek();
	int n = places.n ? (int)t->place_len : 0;

	for (int i = 0; i < n && i < size; i++)
		numbers[i] = (int)t->place_first + i;
	return n;
}

static int get_proc_id(void)
{
	/* Only for threads that the runtime knows. */
	return (ompt_has_started() && thread_peek()->serial) || ompt_is_starting() ? sched_getcpu() : -1;
}

/* No target construct executes on a device. */
static int get_target_info(uint64_t *device, ompt_id_t *target, ompt_id_t *host_op)
{
	(void)device, (void)target, (void)host_op;
	return 0;
}

/* The host. */
static int get_num_devices(void)
{
	return 1;
}

uint64_t ompt_unique_id(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static const struct {
	const char *name;
	ompt_interface_fn_t function;
} entries[] = {
#define ENTRY(name, function)                                                                                          \
	{                                                                                                              \
		"ompt_" #name, (ompt_interface_fn_t)(function)                                                         \
	}
	ENTRY(set_callback, ompt_set),
	ENTRY(get_callback, get_callback),
	ENTRY(enumerate_states, enumerate_states),
	ENTRY(enumerate_mutex_impls, enumerate_mutex_impls),
	ENTRY(get_thread_data, get_thread_data),
	ENTRY(get_parallel_info, get_parallel_info),
	ENTRY(get_task_info, get_task_info),
	ENTRY(get_task_memory, get_task_memory),
	ENTRY(get_state, get_state),
	ENTRY(get_num_procs, get_num_procs),
	ENTRY(get_num_places, get_num_places),
	ENTRY(get_place_proc_ids, get_place_proc_ids),
	ENTRY(get_place_num, get_place_num),
	ENTRY(get_partition_place_nums, get_partition_place_nums),
	ENTRY(get_proc_id, get_proc_id),
	ENTRY(get_target_info, get_target_info),
	ENTRY(get_num_devices, get_num_devices),
	ENTRY(get_unique_id, ompt_unique_id),
	ENTRY(finalize_tool, ompt_stop),
	ENTRY(function_lookup, ompt_lookup),
#undef ENTRY
};

ompt_interface_fn_t ompt_lookup(const char *name)
{
	for (size_t i = 0; name && i < sizeof(entries) / sizeof(entries[0]); i++)
		if (strcmp(entries[i].name, name) == 0)
			return entries[i].function;
	return NULL;
}
