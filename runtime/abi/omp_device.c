/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about devices, and the release of their resources (OpenMP 5.2, 18.6 and 18.7). The only device is the host.
 */
#include "abi/omp_abi.h"

#include <string.h>

#include "abi/omp_newer.h"
#include "core/icv/icv_copy.h"
#include "core/state/team.h"
#include "core/team/pool.h"
#include "core/team/target.h"
#include "os/message.h"

ABI void omp_set_default_device(int device)
{
	/* omp_default_device names the variable itself. */
	if (device != TARGET_DEFAULT_61)
		icv_write(thread_self())->default_device = device;
}
FORTRAN_SET_INT(omp_set_default_device)

ABI int omp_get_default_device(void)
{
	return icv_read()->default_device;
}
FORTRAN_ALIAS(omp_get_default_device);

ABI int omp_get_num_devices(void)
{
	abi_is_used();
	return (int)icv_process.num_devices;
}
FORTRAN_ALIAS(omp_get_num_devices);

ABI int omp_get_device_num(void)
{
	abi_is_used();
	return (int)icv_process.device_num;
}
FORTRAN_ALIAS(omp_get_device_num);

ABI int omp_get_initial_device(void)
{
	abi_is_used();
	return TARGET_HOST;
}
FORTRAN_ALIAS(omp_get_initial_device);

ABI int omp_is_initial_device(void)
{
	abi_is_used();
	return 1;
}
FORTRAN_ALIAS(omp_is_initial_device);

#define UID "OMP_INITIAL_DEVICE"

ABI int omp_get_device_from_uid(const char *uid)
{
	abi_is_used();
	return !uid || strcmp(uid, UID) ? TARGET_INVALID : TARGET_INITIAL;
}

ABI const char *omp_get_uid_from_device(int device)
{
	abi_is_used();
	return target_device_is_there(device) ? UID : NULL;
}

/* @uid has @len characters. A zero ends it earlier. */
ABI int32_t omp_get_device_from_uid_(const char *uid, size_t len)
{
	abi_is_used();
	return !uid || strnlen(uid, len) != strlen(UID) || memcmp(uid, UID, strlen(UID)) ? TARGET_INVALID
											 : TARGET_INITIAL;
}

ABI void omp_get_uid_from_device_(const char **uid_ret, size_t *len_ret, int32_t device)
{
	*uid_ret = omp_get_uid_from_device(device);
	*len_ret = *uid_ret ? strlen(*uid_ret) : 0;
}

ABI void omp_get_uid_from_device_8_(const char **uid_ret, size_t *len_ret, int64_t device)
{
	omp_get_uid_from_device_(uid_ret, len_ret, fortran_int(device));
}

/*
 * Control variables of a device, and its distance (OpenMP 6.0, 24.11 to 24.14; TR14). An unknown device has no value,
 * and setting one ends the program.
 */
ABI int omp_get_device_num_teams(int device)
{
	return target_device_is_there(device) ? omp_get_max_teams() : 0;
}
FORTRAN_GET_INT(omp_get_device_num_teams)

ABI int omp_get_device_teams_thread_limit(int device)
{
	return target_device_is_there(device) ? omp_get_teams_thread_limit() : 0;
}
FORTRAN_GET_INT(omp_get_device_teams_thread_limit)

static void refuse_unknown(const char *routine, int device)
{
	if (!target_device_is_there(device))
		message_fatal("%s: device %d does not exist: the only device is the host", routine, device);
}

ABI void omp_set_device_num_teams(int n, int device)
{
	refuse_unknown(__func__, device);
	omp_set_num_teams(n);
}
FORTRAN_SET_TWO_INTS(omp_set_device_num_teams)

ABI void omp_set_device_teams_thread_limit(int n, int device)
{
	refuse_unknown(__func__, device);
	omp_set_teams_thread_limit(n);
}
FORTRAN_SET_TWO_INTS(omp_set_device_teams_thread_limit)

static int get_distance(int device)
{
	return target_device_is_there(device) ? 0 : -1;
}

ABI void omp_get_device_distances(int n, const int *devices, int *distances)
{
	abi_is_used();
	for (int i = 0; i < n; i++)
		distances[i] = get_distance(devices[i]);
}

ABI void omp_get_device_distances_(const int32_t *n, const int32_t *devices, int32_t *distances)
{
	omp_get_device_distances(*n, devices, distances);
}

ABI void omp_get_device_distances_8_(const int64_t *n, const int64_t *devices, int64_t *distances)
{
	abi_is_used();
	for (int64_t i = 0; i < *n; i++)
		distances[i] = get_distance(fortran_int(devices[i]));
}

/*
 * Ends the threads that wait for the caller's next region. Both kinds are alike: threadprivate variables belong to the
 * compiler and stay.
 */
static int pause_host(void)
{
	struct thread *t = thread_get_introduced();

	if (!t->team)
		return 0;
	/* Inside a region, the other threads may be working. */
	if (t->team->level > 0 || t->task->kind != TASK_INITIAL)
		return -1;
	pool_destroy(t->pool);
	t->pool = NULL;
	return 0;
}

ABI int omp_pause_resource(omp_pause_resource_t kind, int device)
{
	(void)kind;
	return target_device_is_there(device) ? pause_host() : -1;
}

ABI int omp_pause_resource_all(omp_pause_resource_t kind)
{
	(void)kind;
	return pause_host();
}

int32_t omp_pause_resource_(const int32_t *kind, const int32_t *device);
int32_t omp_pause_resource_all_(const int32_t *kind);

ABI int32_t omp_pause_resource_(const int32_t *kind, const int32_t *device)
{
	return omp_pause_resource((omp_pause_resource_t)*kind, *device);
}

ABI int32_t omp_pause_resource_all_(const int32_t *kind)
{
	return omp_pause_resource_all((omp_pause_resource_t)*kind);
}
