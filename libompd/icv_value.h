/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How values of ICVs read, in numbers and in the words of the environment variables; for the backends. */
#ifndef OMPDD_LIBOMPD_ICV_VALUE_H
#define OMPDD_LIBOMPD_ICV_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"

/* Most elements that a list of an ICV is believed to have. */
#define ICV_MAX_LIST 1024

void icv_set_number(struct icv_value *ret, int64_t number);
void icv_set_bool(struct icv_value *ret, bool value);
/* No limit is UINT_MAX inside of a runtime and INT_MAX in omp_get_thread_limit(). */
void icv_set_limit(struct icv_value *ret, uint64_t value);
/* omp_allocator_handle_t. */
void icv_set_allocator(struct icv_value *ret, uint64_t value);
/*
 * run-sched-var: omp_sched_t as its number, with its top bit for monotonic; @chunk 0 or less: none. unavailable: no
 * such kind.
 */
ompd_rc_t icv_set_schedule(struct icv_value *ret, uint32_t schedule, int32_t chunk);

/* The integer of place-partition-var: @first of @n places; without places, that the thread is not bound. */
void icv_set_places(struct icv_value *ret, uint64_t first, uint64_t n);

/* Elements of a list. */
void icv_print_number(struct strbuf *text, uint64_t value);
void icv_print_bind(struct strbuf *text, uint64_t value);
/* "{0:4,8}": the CPUs of one place as intervals. */
void icv_print_place(struct strbuf *text, const uint8_t *mask, size_t bits);

/*
 * "NAME=VALUE" lines, each ended by '\0', of the control variables whose ICV @backend knows for @initial, a task; in
 * the order of omp_display_env().
 */
ompd_rc_t icv_control_vars(const struct process *process, const struct backend *backend, const struct task_ref *initial,
			   struct strbuf *text);

#endif
