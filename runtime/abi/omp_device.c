/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about devices (OpenMP 5.2, 18.7). The only device is the host. */
#include <string.h>

#include "abi/omp_abi.h"
#include "abi/omp_newer.h"
#include "core/target.h"

ABI void omp_set_default_device(int device)
{
	/* omp_default_device names the variable itself. */
	if (device != TARGET_DEFAULT_61)
		icv_write()->default_device = device;
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
	return 0;
}
FORTRAN_ALIAS(omp_get_num_devices);

ABI int omp_get_device_num(void)
{
	abi_is_used();
	return TARGET_HOST;
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
