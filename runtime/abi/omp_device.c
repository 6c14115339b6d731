/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about devices (OpenMP 5.2, 18.7): there is none but the host. */
#include "abi/omp_abi.h"
#include "core/target.h"

ABI void omp_set_default_device(int device)
{
	icv_write()->default_device = device < 0 ? 0 : device;
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
