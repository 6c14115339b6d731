/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * newer: what gcc 13 to 16 added to the API and the ABI, one answer a line. With a gcc older than 16 what its <omp.h> does not declare is
 * declared here, if ALL is defined; else it is left out. `newer DEVICE CASE`: one use of that device number, which may end the program.
 * `newer alone`: with one thread in the tree of pointers, as the system's own libgomp crashes now and then with more (14 to 16 do).
 */
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef ALL
#define LEVEL 16
#else
#define LEVEL __GNUC__
#endif
#if __GNUC__ < 13
int omp_in_explicit_task(void);
void *omp_get_mapped_ptr(const void *, int);
int omp_target_is_accessible(const void *, size_t, int);
int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, omp_depend_t *);
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *, const size_t *,
				 const size_t *, int, int, int, omp_depend_t *);
#endif
#if __GNUC__ < 15 && LEVEL >= 15
typedef uintptr_t omp_interop_t;
int omp_get_num_interop_properties(omp_interop_t);
intptr_t omp_get_interop_int(omp_interop_t, int, int *);
void *omp_get_interop_ptr(omp_interop_t, int, int *);
const char *omp_get_interop_str(omp_interop_t, int, int *);
const char *omp_get_interop_name(omp_interop_t, int);
const char *omp_get_interop_type_desc(omp_interop_t, int);
const char *omp_get_interop_rc_desc(omp_interop_t, int);
int omp_get_device_from_uid(const char *);
const char *omp_get_uid_from_device(int);
#endif
#if __GNUC__ < 16 && LEVEL >= 16
void *omp_target_memset(void *, int, size_t, int);
void *omp_target_memset_async(void *, int, size_t, int, int, omp_depend_t *);
#endif

/* Called by gcc's and gfortran's code. */
int omp_in_explicit_task_(void);
void GOMP_taskwait_depend_nowait(void **);
#if LEVEL >= 14
void GOMP_add_alloc(void *);
bool GOMP_is_alloc(void *);
#endif
#if LEVEL >= 15
void GOMP_interop(int, int, void **, const int *, const char **, int, void **, int, void **, unsigned, void **);
int omp_get_device_from_uid_(const char *, size_t);
void omp_get_uid_from_device_(const char **, size_t *, int);
void omp_get_uid_from_device_8_(const char **, size_t *, int64_t);
void omp_get_interop_name_(const char **, size_t *, omp_interop_t, int);
void omp_get_interop_type_desc_(const char **, size_t *, omp_interop_t, int);
void omp_get_interop_rc_desc_(const char **, size_t *, omp_interop_t, int);
void omp_get_interop_str_(const char **, size_t *, omp_interop_t, int, int *);
#endif

#define SHOW(call) printf("%s: %ld\n", #call, (long)(call))
#define TEXT(call) text(#call, call)

static volatile int go;

static void __attribute__((noinline)) in_teams(void)
{
	SHOW(omp_in_explicit_task());
}

static void explicit_task(void)
{
	SHOW(omp_in_explicit_task());
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		SHOW(omp_in_explicit_task());
#pragma omp task
		SHOW(omp_in_explicit_task());
#pragma omp taskwait
#pragma omp task if (0)
		{
			SHOW(omp_in_explicit_task_());
#pragma omp parallel num_threads(1)
			SHOW(omp_in_explicit_task());
		}
#pragma omp task final(1)
#pragma omp task
		SHOW(omp_in_explicit_task());
#pragma omp taskwait
#pragma omp taskloop num_tasks(1)
		for (int i = 0; i < 1; i++)
			SHOW(omp_in_explicit_task());
#pragma omp task
#pragma omp target
		SHOW(omp_in_explicit_task());
	}
#pragma omp teams num_teams(1)
	in_teams();
}

/* All tasks wait until the last one is generated. A task that wrongly does not wait has time to show it. */
static void release(void)
{
	usleep(20000);
	go = 1;
}

static void wait_for_go(void)
{
	while (!go)
		sched_yield();
}

static void taskwait_nowait(void)
{
	int a = 0, b = 0, seen = -1;
	void *depend[] = {(void *)2, (void *)2, &a, &b};

	go = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task depend(out : a) shared(a)
		{
			wait_for_go();
			a = 5;
		}
		GOMP_taskwait_depend_nowait(depend);
		printf("went on: %d\n", !go);
#pragma omp task depend(in : b) shared(a, seen)
		seen = a;
		release();
	}
	printf("seen: %d\n", seen);
}

#if __GNUC__ >= 13
#define ALL_MEMORY omp_all_memory
#else /* what it is handed over as */
#define ALL_MEMORY *nothing
#endif

/* One task that comes after all before it, and before all behind it. */
static void all_memory(void)
{
	int a = 0, b = 0, seen = -1, late = -1, *nothing = NULL;

	(void)nothing;
	for (int by_taskwait = 0; by_taskwait < 2; by_taskwait++) {
		a = b = 0;
		go = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
		{
#pragma omp task depend(in : a) shared(a)
			{
				wait_for_go();
				a = 5;
			}
			if (by_taskwait) {
#pragma omp task shared(go)
				release();
#pragma omp taskwait depend(inout : ALL_MEMORY)
				seen = a;
			} else {
#pragma omp task depend(inout : ALL_MEMORY) shared(a, b, seen)
				{
					seen = a;
					usleep(20000);
					b = 7;
				}
#pragma omp task depend(in : b) shared(b, late)
				late = b;
				release();
			}
		}
		printf("all memory: %d %d\n", seen, late);
		seen = -1;
	}
}

static void async(void)
{
	char from[9] = "12345678", to[9] = "abcdefgh", rect[9] = "abcdefgh", set[9] = "abcdefgh";
	size_t volume[2] = {2, 2}, at[2] = {0, 1}, size[2] = {2, 4};
	omp_depend_t objects[2];

	go = 0;
#pragma omp depobj(objects[0]) depend(inout : from)
#pragma omp depobj(objects[1]) depend(in : to)
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task depend(out : from) shared(from)
		{
			wait_for_go();
			from[2] = 'X';
		}
		SHOW(omp_target_memcpy_async(to, from, 4, 1, 2, 0, omp_get_initial_device(), 2, objects));
		SHOW(omp_target_memcpy_rect_async(rect, from, 1, 2, volume, at, at, size, size, 0, 0, 1, objects));
#ifdef ALL
		/* They are the caller's again; libgomp reads them later. */
		memset(volume, 9, sizeof(volume));
		memset(at, 9, sizeof(at));
		memset(size, 9, sizeof(size));
#endif
#if LEVEL >= 16
		printf("memset: %d\n", omp_target_memset_async(set, 'z' + 256, 3, 0, 1, objects) == set);
#endif
		printf("%s\n", to);
		release();
	}
	printf("%s %s %s\n", to, rect, set);
	go = 0;
	/* Without dependences: done by the next taskwait. */
	SHOW(omp_target_memcpy_async(to, "YY", 2, 0, 0, 0, 0, 0, NULL));
#pragma omp taskwait
	printf("%s\n", to);
#pragma omp depobj(objects[0]) destroy
#pragma omp depobj(objects[1]) destroy
}

#if LEVEL >= 14
static void allocated(int n_threads)
{
	static char memory[100];
	int n = 0;

	SHOW(GOMP_is_alloc(memory));
	GOMP_add_alloc(memory);
	SHOW(GOMP_is_alloc(memory));
	SHOW(GOMP_is_alloc(memory));
#pragma omp parallel num_threads(n_threads) reduction(+ : n)
	for (int round = 0; round < 100; round++)
		for (int i = omp_get_thread_num(); i < 100; i += omp_get_num_threads()) {
			GOMP_add_alloc(memory + i);
			n += GOMP_is_alloc(memory + i) + 2 * GOMP_is_alloc(memory + i);
		}
	SHOW(n);
}
#endif

#if LEVEL >= 15
static void text(const char *what, const char *answer)
{
	printf("%s: %s\n", what, answer ? answer : "none");
}

static void uids(void)
{
	const char *answer;
	size_t length;

	TEXT(omp_get_uid_from_device(omp_get_initial_device()));
	TEXT(omp_get_uid_from_device(-1));
	TEXT(omp_get_uid_from_device(1));
	TEXT(omp_get_uid_from_device(-4));
	SHOW(omp_get_device_from_uid(omp_get_uid_from_device(0)));
	SHOW(omp_get_device_from_uid(""));
	SHOW(omp_get_device_from_uid("nobody's"));
	SHOW(omp_get_device_from_uid_("OMP_INITIAL_DEVICE and more", 18));
	SHOW(omp_get_device_from_uid_("OMP_INITIAL_DEVICE", 17));
	SHOW(omp_get_device_from_uid_("", 0));
	omp_get_uid_from_device_(&answer, &length, 0);
	printf("%zu %.*s\n", length, (int)length, answer);
	omp_get_uid_from_device_8_(&answer, &length, 5);
	printf("%zu %d\n", length, answer != NULL);
}

static void interop(void)
{
	omp_interop_t object = 0, other = 0x1234;
	void *init[] = {&other}, *depend[] = {(void *)1, (void *)1, (void *)&go};
	int types[] = {3};
	const char *answer;
	size_t length;

	SHOW(omp_get_num_interop_properties(object));
	for (int property = -11; property < 2; property++) {
		int rcs[4];
		long number = omp_get_interop_int(object, property, (void *)&rcs[0]);
		void *pointer = omp_get_interop_ptr(object, property, (void *)&rcs[1]);
		const char *string = omp_get_interop_str(object, property, (void *)&rcs[2]);
		const char *name = omp_get_interop_name(object, property);

		printf("property %d: %ld %d %d ", property, number, pointer != NULL, string || omp_get_interop_str(object, property, NULL));
		omp_get_interop_str_(&answer, &length, object, property, &rcs[3]);
		printf("%d, %d %d %d %d, ", (int)length + (answer != NULL), rcs[0], rcs[1], rcs[2], rcs[3]);
		omp_get_interop_name_(&answer, &length, object, property);
		printf("%s %.*s, ", name ? name : "none", (int)length, answer);
		omp_get_interop_type_desc_(&answer, &length, object, property);
		printf("%d %d, ", omp_get_interop_type_desc(object, property) != NULL, (int)length + (answer != NULL));
		omp_get_interop_rc_desc_(&answer, &length, object, property);
		printf("%d %d %d\n", omp_get_interop_rc_desc(object, property) != NULL, length != 0, answer != NULL);
	}
	/* After a task that it depends on. */
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		go = 0;
#pragma omp task depend(out : go)
		{
			usleep(20000);
			go = 1;
		}
		GOMP_interop(0, 1, init, types, NULL, 0, NULL, 0, NULL, 0, depend);
		printf("after %d: %ld\n", go, (long)other);
	}
	GOMP_interop(-2, 0, NULL, NULL, NULL, 0, NULL, 1, init, 1, NULL);
	SHOW(other);
#if __GNUC__ >= 15
#pragma omp interop init(prefer_type("cuda"), target, targetsync : object) init(targetsync : other)
	SHOW(object);
#pragma omp interop use(object) destroy(other)
#endif
}
#endif

static void use(int device, int i)
{
	char a[9] = "abcdefgh", b[9] = "12345678";
	size_t volume[2] = {2, 2}, at[2] = {0, 0}, size[2] = {2, 4};

	switch (i) {
	case 0:
		printf("%d\n", omp_get_mapped_ptr(a, device) == a);
		break;
	case 1:
		printf("%d\n", omp_target_is_accessible(a, 8, device));
		break;
	case 2:
		printf("%d\n", omp_target_memcpy_async(a, b, 4, 1, 2, device, 0, 0, NULL));
		break;
	case 3:
		printf("%d\n", omp_target_memcpy_async(a, b, 4, 1, 2, 0, device, -1, NULL));
		break;
	case 4:
		printf("%d\n", omp_target_memcpy_rect_async(a, b, 1, 2, volume, at, at, size, size, device, 0, 0, NULL));
		break;
	case 5:
		printf("%d\n", omp_target_memcpy_rect_async(NULL, NULL, 1, 2, volume, at, at, size, size, device, 0, 0, NULL));
		break;
#if LEVEL >= 16
	case 6:
		printf("%d\n", omp_target_memset(a, 'x' + 256, 3, device) == a);
		break;
	case 7:
		printf("%d\n", omp_target_memset_async(a, 'x', 3, device, 0, NULL) == a);
		break;
	case 8: /* gcc 14 says 1 */
		printf("%d %d\n", omp_target_is_accessible(a, 0, device), omp_target_is_accessible(NULL, 8, device));
		printf("%d\n", omp_get_mapped_ptr(NULL, device) != NULL);
		break;
#endif
	}
#pragma omp taskwait
	printf("%s\n", a);
}

int main(int argc, char **argv)
{
	setbuf(stdout, NULL);
	if (argc > 2) {
		use(atoi(argv[1]), atoi(argv[2]));
		return 0;
	}
	explicit_task();
	taskwait_nowait();
	all_memory();
	async();
#if LEVEL >= 14
	allocated(argc > 1 ? 1 : 4);
#endif
#if LEVEL >= 15
	uids();
	interop();
#endif
	return 0;
}
