/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A stand-in for libgomp's nvptx plugin (libgomp-plugin.h of gcc 12): devices with host memory, two or STAND_IN_DEVICES.
 * The host executes the functions of their regions. libgomp finds the plugin through LD_LIBRARY_PATH. offload_driver.c
 * decides when its operations end. With ASYNC, no thread waits for a region with nowait: STAND_IN_KERNEL is the time
 * until it ends, or "sleep".
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAP_SHARED_MEM 1
#define CAP_OPENMP_400 4
#define TYPE_NVPTX     5
#if __GNUC__ >= 14
#define VERSION 3
#elif __GNUC__ >= 13
#define VERSION 2
#else
#define VERSION 1
#endif

int cuCtxSynchronize(void);
int cuMemcpyHtoD_v2(void *to, const void *from, size_t size);
int cuModuleLoadData(void);

struct addr_pair {
	uintptr_t start, end;
};

const char *GOMP_OFFLOAD_get_name(void)
{
	return "nvptx";
}

unsigned GOMP_OFFLOAD_get_caps(void)
{
	return CAP_OPENMP_400;
}

int GOMP_OFFLOAD_get_type(void)
{
	return TYPE_NVPTX;
}

int GOMP_OFFLOAD_get_num_devices(unsigned requires)
{
	const char *n = getenv("STAND_IN_DEVICES");

	(void) requires;
	return n ? atoi(n) : 2;
}

bool GOMP_OFFLOAD_init_device(int device)
{
	(void)device;
	return true;
}

bool GOMP_OFFLOAD_fini_device(int device)
{
	(void)device;
	return true;
}

/* STAND_IN_VERSION is the interface of another libgomp than the compiler's. */
unsigned GOMP_OFFLOAD_version(void)
{
	const char *version = getenv("STAND_IN_VERSION");

	return version ? (unsigned)atoi(version) : VERSION;
}

/* Since gcc 16. */
bool GOMP_OFFLOAD_memset(int device, void *memory, int value, size_t size)
{
	(void)device;
	memset(memory, value, size);
	return true;
}

/* @data: the number of entries, then address and size of each on the host (offload_register.h). They are the device's. */
int GOMP_OFFLOAD_load_image(int device, unsigned version, const void *data, struct addr_pair **ret, uint64_t **reverse)
{
	const uintptr_t *table = data;
	size_t n = table[0];

	if (cuModuleLoadData() != 0)
		return -1;

	(void)device, (void)version;
	if (GOMP_OFFLOAD_version() > 1 && reverse)
		*reverse = NULL;
	*ret = calloc(n + 1, sizeof(**ret));
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = (struct addr_pair){table[2 * i + 1], table[2 * i + 1] + table[2 * i + 2]};
	/* Since gcc 13 the last entry is the device's control variables. Here the device has none. */
	return (int)n + (GOMP_OFFLOAD_version() > 1);
}

bool GOMP_OFFLOAD_unload_image(int device, unsigned version, const void *data)
{
	(void)device, (void)version, (void)data;
	return true;
}

void *GOMP_OFFLOAD_alloc(int device, size_t size)
{
	(void)device;
	return malloc(size ? size : 1);
}

bool GOMP_OFFLOAD_free(int device, void *memory)
{
	(void)device;
	free(memory);
	return true;
}

bool GOMP_OFFLOAD_dev2host(int device, void *to, const void *from, size_t size)
{
	(void)device;
	memcpy(to, from, size);
	return true;
}

bool GOMP_OFFLOAD_host2dev(int device, void *to, const void *from, size_t size)
{
	(void)device;
	return cuMemcpyHtoD_v2(to, from, size) == 0;
}

bool GOMP_OFFLOAD_dev2dev(int device, void *to, const void *from, size_t size)
{
	(void)device;
	memcpy(to, from, size);
	return true;
}

bool GOMP_OFFLOAD_can_run(void *fn)
{
	(void)fn;
	return true;
}

void GOMP_OFFLOAD_run(int device, void *fn, void *args, void **more)
{
	(void)device, (void)more;
	((void (*)(void *))fn)(args);
	if (cuCtxSynchronize() != 0)
		abort();
}

#ifdef ASYNC
void GOMP_PLUGIN_target_task_completion(void *task);

static void *complete_later(void *task)
{
	usleep((unsigned)atoi(getenv("STAND_IN_KERNEL")));
	GOMP_PLUGIN_target_task_completion(task);
	return NULL;
}

void GOMP_OFFLOAD_async_run(int device, void *fn, void *args, void **more, void *task)
{
	const char *how = getenv("STAND_IN_KERNEL");
	pthread_t thread;

	(void)device, (void)more;
	((void (*)(void *))fn)(args);
	if (!how)
		GOMP_PLUGIN_target_task_completion(task);
	else if (atoi(how) && pthread_create(&thread, NULL, complete_later, task) == 0)
		pthread_detach(thread);
}
#endif
