/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* run-sched-var (OpenMP 5.2, 18.2.11 and 18.2.12). */
#include "abi/omp_abi.h"

ABI void omp_set_schedule(omp_sched_t kind, int chunk)
{
	struct icv *icv;

	switch (SCHEDULE_KIND((uint32_t)kind)) {
	case SCHEDULE_STATIC:
		icv = icv_write();
		icv->run_sched_chunk = chunk < 1 ? 0 : (uint32_t)chunk;
		break;
	case SCHEDULE_DYNAMIC:
	case SCHEDULE_GUIDED:
		icv = icv_write();
		icv->run_sched_chunk = chunk < 1 ? 1 : (uint32_t)chunk;
		break;
	case SCHEDULE_AUTO:
		icv = icv_write();
		break;
	default:
		return;
	}
	icv->run_sched = (uint32_t)kind;
}

ABI void omp_get_schedule(omp_sched_t *kind, int *chunk)
{
	const struct icv *icv = icv_read();

	*kind = (omp_sched_t)icv->run_sched;
	*chunk = (int)icv->run_sched_chunk;
}

void omp_set_schedule_(const int32_t *kind, const int32_t *chunk);
void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk);
void omp_get_schedule_(int32_t *kind, int32_t *chunk);
void omp_get_schedule_8_(int32_t *kind, int64_t *chunk);

ABI void omp_set_schedule_(const int32_t *kind, const int32_t *chunk)
{
	omp_set_schedule((omp_sched_t)*kind, *chunk);
}

ABI void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk)
{
	omp_set_schedule((omp_sched_t)*kind, fortran_int(*chunk));
}

ABI void omp_get_schedule_(int32_t *kind, int32_t *chunk)
{
	omp_sched_t c_kind;

	omp_get_schedule(&c_kind, chunk);
	*kind = (int32_t)c_kind;
}

ABI void omp_get_schedule_8_(int32_t *kind, int64_t *chunk)
{
	omp_sched_t c_kind;
	int c_chunk;

	omp_get_schedule(&c_kind, &c_chunk);
	*kind = (int32_t)c_kind;
	*chunk = c_chunk;
}
