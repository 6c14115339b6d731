/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shared by the files omp_*.c, which have the OpenMP API routines and the names that gfortran calls. Those are in
 * lower case with an underscore at the end, and take arguments by reference. "_8_" is for integers and logicals of
 * eight bytes.
 */
#ifndef OMPDD_RUNTIME_ABI_OMP_ABI_H
#define OMPDD_RUNTIME_ABI_OMP_ABI_H

#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/abi.h"
#include "core/state/icv.h"
#include "core/state/task.h"
#include "core/team/registration.h"
#include "os/spin.h"
#include "tools/observer.h"

/* Fortran's name for a function without arguments: the same code. Use it below the function's definition. */
#define FORTRAN_ALIAS(name) extern __typeof(name) name##_ __attribute__((nothrow, alias(#name), visibility("default")))

/* Converts eight bytes to the C function's int, and saturates. */
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

/* Subroutines of two integers. */
#define FORTRAN_SET_TWO_INTS(name)                                                                                     \
	void name##_(const int32_t *first, const int32_t *second);                                                     \
	void name##_8_(const int64_t *first, const int64_t *second);                                                   \
	ABI void name##_(const int32_t *first, const int32_t *second)                                                  \
	{                                                                                                              \
		name(*first, *second);                                                                                 \
	}                                                                                                              \
	ABI void name##_8_(const int64_t *first, const int64_t *second)                                                \
	{                                                                                                              \
		name(fortran_int(*first), fortran_int(*second));                                                       \
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

/* For routines about the process. If this is the first use of OpenMP, a tool is searched for. */
static inline void abi_is_used(void)
{
	if (point_may_have_tool())
		thread_get_introduced();
}

/* Returns whether a tool exists. If this is the first use of OpenMP, the tool is searched for. */
static inline bool abi_has_tool(void)
{
	abi_is_used();
	return point_has_tool();
}

/*
 * Returns the ICVs of the calling task for reading. In a thread that is unknown to the runtime: those of the initial
 * task.
 */
static inline const struct icv *icv_read(void)
{
	const struct task *task = thread_get_introduced()->task;

	return likely(task != NULL) ? task->icv : &icv_process.initial;
}

#endif
