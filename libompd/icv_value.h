/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Format values of ICVs as numbers, and in the syntax of the environment variables; for the backends. */
#ifndef OMPDD_LIBOMPD_ICV_VALUE_H
#define OMPDD_LIBOMPD_ICV_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"

/* Limit on the number of elements in a list of an ICV. */
#define ICV_MAX_LIST 1024

void icv_set_number(struct icv_value *ret, int64_t number);
void icv_set_bool(struct icv_value *ret, bool value);
/* Set a limit. "No limit" is UINT_MAX inside a runtime, and INT_MAX in omp_get_thread_limit(). */
void icv_set_limit(struct icv_value *ret, uint64_t value);
/* Set an omp_allocator_handle_t. */
void icv_set_allocator(struct icv_value *ret, uint64_t value);
/*
 * Set run-sched-var. @schedule is an omp_sched_t; its top bit means monotonic. @chunk is 0 or less
 * for "no chunk size". Returns unavailable for an unknown kind.
 */
ompd_rc_t icv_set_schedule(struct icv_value *ret, uint32_t schedule, int32_t chunk);

/*
 * Set the integer of place-partition-var to the number @first of the first of @n places. Without
 * places it is -1: the thread is not bound.
 */
void icv_set_places(struct icv_value *ret, uint64_t first, uint64_t n);

/* Print one element of a list. */
void icv_print_number(struct strbuf *text, uint64_t value);
void icv_print_bind(struct strbuf *text, uint64_t value);
/* Print the CPUs of one place as intervals, for example "{0:4,8}". @mask has @bits bits. */
void icv_print_place(struct strbuf *text, const uint8_t *mask, size_t bits);

/*
 * Append the control variables whose ICV @backend knows for the task @initial. Each is "NAME=VALUE"
 * and ends with '\0'. The order is that of omp_display_env().
 */
ompd_rc_t icv_control_vars(const struct process *process, const struct backend *backend, const struct task_ref *initial,
			   struct strbuf *text);

#endif
