/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * first N: the N-th way to use OpenMP for the first time, of a program with a tool in itself. Prints its name, and whether the tool has
 * been started when it is over and knows the thread; without N: how many there are.
 */
#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called by gcc's code, declared in no header. */
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
bool GOMP_loop_dynamic_start(long from, long end, long incr, long chunk, long *first, long *last);
void GOMP_loop_end(void);
unsigned GOMP_sections_start(unsigned count);
void GOMP_sections_end(void);
bool GOMP_cancellation_point(int which);
void GOMP_warning(const char *message, size_t length);
void GOMP_taskwait_depend_nowait(void **depend);
void GOMP_interop(int device, int n_init, void **init, const int *types, const char **preferred, int n_use, void **use,
		  int n_destroy, void **destroy, unsigned flags, void **depend);
/* Nor does gcc 12's declare these. */
int omp_in_explicit_task(void);
void *omp_get_mapped_ptr(const void *memory, int device);
int omp_target_is_accessible(const void *memory, size_t size, int device);
int omp_target_memcpy_async(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset, int to_device,
			    int from_device, int n, omp_depend_t *depend);
void *omp_target_memset(void *memory, int value, size_t size, int device);
int omp_get_device_from_uid(const char *uid);
const char *omp_get_uid_from_device(int device);

static int n_started, n_threads, n_tasks, n_acquired, n_released;
static ompt_get_thread_data_t get_thread_data;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long from, to;
static char text[100];
static void *depend[] = {(void *)1, (void *)1, text};
static int ids[1024];

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	(void)type;
	data->value = (uint64_t)++n_threads;
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *parallel, ompt_data_t *task, unsigned size, unsigned index,
			     int flags)
{
	(void)parallel, (void)task, (void)size, (void)index;
	if (at == ompt_scope_begin && flags & ompt_task_initial)
		n_tasks++;
}

static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
	(void)kind;
	if (id && code)
		n_acquired++;
}

static void on_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
	(void)kind;
	if (id && code)
		n_released++;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
	set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
	set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
	set(ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired);
	set(ompt_callback_mutex_released, (ompt_callback_t)on_released);
	/* It must not use OpenMP; but some do. */
	if (getenv("TOOL_USES_OPENMP") && omp_get_max_threads() > 0)
		omp_set_num_threads(omp_get_num_procs() + omp_get_thread_num() + 1);
	n_started++;
	return 1;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	static ompt_start_tool_result_t result = {initialize, NULL, {0}};

	(void)version, (void)runtime;
	return &result;
}

static void critical(void)
{
#pragma omp critical
	from++;
}

static void named_critical(void)
{
#pragma omp critical(name)
	from++;
}

static void parallel(void)
{
#pragma omp parallel num_threads(2)
#pragma omp atomic
	from++;
}

static void static_loop(void)
{
#pragma omp for schedule(static)
	for (int i = 0; i < 4; i++)
		from++;
}

static void ordered(void)
{
#pragma omp for ordered
	for (int i = 0; i < 4; i++)
#pragma omp ordered
		from++;
}

static void task(void)
{
#pragma omp task
	from++;
}

static void taskloop(void)
{
#pragma omp taskloop
	for (int i = 0; i < 4; i++)
		from++;
}

static void taskgroup(void)
{
#pragma omp taskgroup
	;
}

static void single(void)
{
#pragma omp single
	from++;
}

/* Compilers that know of no device do not call them. */
static int (*volatile call_get_num_devices)(void) = omp_get_num_devices;
static int (*volatile call_get_initial_device)(void) = omp_get_initial_device;
static int (*volatile call_is_initial_device)(void) = omp_is_initial_device;

static void target(void)
{
#pragma omp target
	;
}

static void teams(void)
{
#pragma omp teams num_teams(1)
	;
}

#define WAYS(X)                                                                                                   \
	X(omp_init_lock(&lock)) X(omp_destroy_lock(&lock)) X(omp_set_lock(&lock), omp_unset_lock(&lock))         \
	X(omp_test_lock(&lock)) X(omp_init_nest_lock(&nest_lock)) X(omp_destroy_nest_lock(&nest_lock))           \
	X(omp_set_nest_lock(&nest_lock)) X(omp_test_nest_lock(&nest_lock)) X(critical()) X(named_critical())     \
	X(GOMP_atomic_start(), GOMP_atomic_end()) X(parallel()) X(static_loop()) X(ordered()) X(task())          \
	X(taskloop()) X(taskgroup()) X(single()) X(GOMP_cancellation_point(8)) X(target()) X(teams())                        \
	X(GOMP_loop_dynamic_start(0, 4, 1, 1, &from, &to), GOMP_loop_end())                                      \
	X(GOMP_sections_start(2), GOMP_sections_end()) X(GOMP_warning(text, 0)) X(omp_get_num_threads())         \
	X(omp_get_thread_num()) X(omp_get_max_threads()) X(omp_get_num_procs()) X(omp_in_parallel())             \
	X(omp_set_num_threads(2)) X(omp_set_dynamic(0)) X(omp_get_dynamic()) X(omp_set_nested(0))                \
	X(omp_set_nested(1)) X(omp_get_nested()) X(omp_get_cancellation()) X(omp_set_schedule(omp_sched_static, 1)) \
	X(omp_get_schedule((omp_sched_t *)ids, ids + 1)) X(omp_get_thread_limit())                               \
	X(omp_set_max_active_levels(1)) X(omp_get_max_active_levels()) X(omp_get_supported_active_levels())      \
	X(omp_get_level()) X(omp_get_active_level()) X(omp_get_ancestor_thread_num(0)) X(omp_get_team_size(0))   \
	X(omp_in_final()) X(omp_get_proc_bind()) X(omp_get_num_places()) X(omp_get_place_num_procs(0))           \
	X(omp_get_place_proc_ids(0, ids)) X(omp_get_place_num()) X(omp_get_partition_num_places())               \
	X(omp_get_partition_place_nums(ids)) X(omp_set_affinity_format("%n")) X(omp_get_affinity_format(text, 9)) \
	X(omp_capture_affinity(text, 9, "%n")) X(omp_get_wtime()) X(omp_get_wtick())                             \
	X(omp_get_default_device()) X(omp_set_default_device(0)) X(call_get_num_devices()) X(omp_get_device_num()) \
	X(call_get_initial_device()) X(call_is_initial_device()) X(omp_get_num_teams()) X(omp_get_team_num())      \
	X(omp_set_num_teams(1)) X(omp_get_max_teams()) X(omp_set_teams_thread_limit(9))                          \
	X(omp_get_teams_thread_limit()) X(omp_get_max_task_priority()) X(omp_pause_resource_all(omp_pause_soft)) \
	X(omp_target_alloc(8, 0)) X(omp_target_free(NULL, 0)) X(omp_target_is_present(text, 0))                  \
	X(omp_get_default_allocator()) X(omp_set_default_allocator(omp_default_mem_alloc))                       \
	X(omp_alloc(8, omp_default_mem_alloc)) X(omp_free(NULL, omp_default_mem_alloc))                          \
	X(GOMP_taskwait_depend_nowait(depend)) X(GOMP_interop(0, 0, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL)) \
	X(omp_in_explicit_task()) X(omp_get_mapped_ptr(text, 0)) X(omp_target_is_accessible(text, 8, 0))         \
	X(omp_target_memcpy_async(text, ids, 8, 0, 0, 0, 0, 0, NULL)) X(omp_target_memset(text, 0, 8, 0))        \
	X(omp_get_device_from_uid("")) X(omp_get_uid_from_device(0))

#define COUNT(...) +1
#define NAME(...)  #__VA_ARGS__,
#define CASE(...)                                                                                                \
	case __COUNTER__:                                                                                        \
		(void)(__VA_ARGS__);                                                                             \
		break;

static void use(int i)
{
	switch (i) {
		WAYS(CASE)
	}
}

/* A thread of the program that the runtime does not know, after the start of the tool. */
static void *other_thread(void *arg)
{
	static const char *const names[] = {WAYS(NAME)};
	int i = *(int *)arg;

	use(i);
	printf("%s: %d %d\n", names[i], n_started, (int)get_thread_data()->value);
	return NULL;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {WAYS(NAME)};
	int i = argc > 1 ? atoi(argv[1]) : -1;
	pthread_t thread;

	if (i < 0) {
		printf("%d\n", WAYS(COUNT));
		return 0;
	}
	memset(&lock, 0, sizeof(lock));
	memset(&nest_lock, 0, sizeof(nest_lock));
	use(i);
	printf("%s: %d %d\n", names[i], n_started, n_started ? (int)get_thread_data()->value : 0);
	if (!n_started)
		return 1;
	if (strstr(names[i], "unset_lock") || strstr(names[i], "critical()") || strstr(names[i], "atomic"))
		printf("mutex %d %d\n", n_acquired, n_released);
	if (strstr(names[i], "lock"))
		memset(&lock, 0, sizeof(lock)), memset(&nest_lock, 0, sizeof(nest_lock));
	/* It has a place among the threads only when it uses OpenMP. */
	n_threads = 100;
	pthread_create(&thread, NULL, other_thread, &i);
	pthread_join(thread, NULL);
	printf("initial %d\n", n_tasks);
	return 0;
}
