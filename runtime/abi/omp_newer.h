/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * API routines that the <omp.h> of gcc 13 to 17 declares and gcc 12's does not. Without its enums, they are plain
 * integers.
 */
#ifndef OMPDD_RUNTIME_ABI_OMP_NEWER_H
#define OMPDD_RUNTIME_ABI_OMP_NEWER_H

#include <omp.h>
#include <stddef.h>
#include <stdint.h>

/* The types with which this <omp.h> declares the routines; they have the same size. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 15
typedef omp_interop_t interop_object;
typedef omp_interop_property_t interop_property;
typedef omp_interop_rc_t interop_rc;
#else
typedef uintptr_t interop_object;
typedef int interop_property;
typedef int interop_rc;
#endif

/* omp_parallel.c: gcc 13 */
int omp_in_explicit_task(void);

/* omp_target.c, omp_target_async.c: gcc 13; memset: gcc 16 */
void *omp_get_mapped_ptr(const void *memory, int device);
int omp_target_is_accessible(const void *memory, size_t size, int device);
int omp_target_memcpy_async(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset,
			    int to_device, int from_device, int n_depend, omp_depend_t *depend);
int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int n_dims, const size_t *volume,
				 const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dims,
				 const size_t *from_dims, int to_device, int from_device, int n_depend,
				 omp_depend_t *depend);
void *omp_target_memset(void *memory, int value, size_t size, int device);
void *omp_target_memset_async(void *memory, int value, size_t size, int device, int n_depend, omp_depend_t *depend);

/* omp_device.c: gcc 15 */
int omp_get_device_from_uid(const char *uid);
const char *omp_get_uid_from_device(int device);
int32_t omp_get_device_from_uid_(const char *uid, size_t len);
void omp_get_uid_from_device_(const char **uid_ret, size_t *len_ret, int32_t device);
void omp_get_uid_from_device_8_(const char **uid_ret, size_t *len_ret, int64_t device);

/* omp_device.c: gcc 17 */
int omp_get_device_num_teams(int device);
int omp_get_device_teams_thread_limit(int device);
void omp_set_device_num_teams(int n, int device);
void omp_set_device_teams_thread_limit(int n, int device);
void omp_get_device_distances(int n, const int *devices, int *distances);
void omp_get_device_distances_(const int32_t *n, const int32_t *devices, int32_t *distances);
void omp_get_device_distances_8_(const int64_t *n, const int64_t *devices, int64_t *distances);

/* omp_interop.c: gcc 15 */
int omp_get_num_interop_properties(interop_object object);
intptr_t omp_get_interop_int(interop_object object, interop_property property, interop_rc *rc_ret);
void *omp_get_interop_ptr(interop_object object, interop_property property, interop_rc *rc_ret);
const char *omp_get_interop_str(interop_object object, interop_property property, interop_rc *rc_ret);
const char *omp_get_interop_name(interop_object object, interop_property property);
const char *omp_get_interop_type_desc(interop_object object, interop_property property);
const char *omp_get_interop_rc_desc(interop_object object, interop_rc rc);
void omp_get_interop_str_(const char **text_ret, size_t *len_ret, interop_object object, interop_property property,
			  interop_rc *rc_ret);
void omp_get_interop_name_(const char **text_ret, size_t *len_ret, interop_object object, interop_property property);
void omp_get_interop_type_desc_(const char **text_ret, size_t *len_ret, interop_object object,
				interop_property property);
void omp_get_interop_rc_desc_(const char **text_ret, size_t *len_ret, interop_object object, interop_rc rc);

#endif
