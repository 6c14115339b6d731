/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the files omp_*.c share: the OpenMP API routines, with the names that gfortran calls: all in small letters with
 * an underscore behind, arguments by reference, and "_8_" for those whose integers or logicals are of eight bytes.
 */
#ifndef OMPDD_RUNTIME_ABI_OMP_ABI_H
#define OMPDD_RUNTIME_ABI_OMP_ABI_H

#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/abi.h"
#include "core/icv.h"
#include "core/task.h"
#include "core/team.h"
#include "core/thread.h"
#include "tools/point.h"

/* Fortran's name for a function without arguments: the same code. To be used below its definition. */
#define FORTRAN_ALIAS(name) extern __typeof(name) name##_ __attribute__((nothrow, alias(#name), visibility("default")))

/* Of eight bytes to the C function's int: what does not fit is as large as can be. */
static inline int fortran_int(int64_t value)
{
	return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

/* Subroutines of one integer. */
#define FORTRAN_SET_INT(name)                                                                                          \
	void name##_(const int32_t *value);                                                                            \
	void name##_8_(const int64_t *value);                                                                          \
	ABI void name##_(const int32_t *value)                                                                         \
	{                                                                                                              \
		name(*value);                                                                                          \
	}                                                                                                              \
	ABI void name##_8_(const int64_t *value)                                                                       \
	{                                                                                                              \
		name(fortran_int(*value));                                                                             \
	}

/* Subroutines of one logical. */
#define FORTRAN_SET_LOGICAL(name)                                                                                      \
	void name##_(const int32_t *value);                                                                            \
	void name##_8_(const int64_t *value);                                                                          \
	ABI void name##_(const int32_t *value)                                                                         \
	{                                                                                                              \
		name(*value != 0);                                                                                     \
	}                                                                                                              \
	ABI void name##_8_(const int64_t *value)                                                                       \
	{                                                                                                              \
		name(*value != 0);                                                                                     \
	}

/* Functions of one integer. */
#define FORTRAN_GET_INT(name)                                                                                          \
	int32_t name##_(const int32_t *value);                                                                         \
	int32_t name##_8_(const int64_t *value);                                                                       \
	ABI int32_t name##_(const int32_t *value)                                                                      \
	{                                                                                                              \
		return name(*value);                                                                                   \
	}                                                                                                              \
	ABI int32_t name##_8_(const int64_t *value)                                                                    \
	{                                                                                                              \
		return name(fortran_int(*value));                                                                      \
	}

/* Of the process, not of a thread; but if it is the first use of OpenMP, a tool is looked for. */
static inline void abi_is_used(void)
{
	if (point_may_have_tool())
		thread_look();
}

/* The ICVs of the calling task, to be read; of the initial one if the runtime has not met this thread yet. */
static inline const struct icv *icv_read(void)
{
	const struct task *task = thread_look()->task;

	return likely(task != NULL) ? task->icv : &icv_process.initial;
}

#endif
