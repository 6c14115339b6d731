/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The forms of environment variables. Each function parses all of @text. It returns false, and stores nothing, if the
 * form is wrong. Places have files of their own.
 */
#ifndef OMPDD_RUNTIME_CORE_ICV_ENV_PARSE_H
#define OMPDD_RUNTIME_CORE_ICV_ENV_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENV_LIST_MAX 256 /* entries of OMP_NUM_THREADS and OMP_PROC_BIND; more than the possible active levels */

/* "true" or "false". */
bool env_parse_bool(const char *text, bool *ret);
/* One of @words (the last is NULL). Returns its index. */
bool env_parse_choice(const char *text, const char *const *words, unsigned *ret);
/* A number from @min to @max. */
bool env_parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *ret);
/* OMP_NUM_THREADS: *@n positive numbers. @ret has room for ENV_LIST_MAX. */
bool env_parse_nthreads(const char *text, uint32_t *ret, uint32_t *n);
/* OMP_PROC_BIND: "true", "false", or a list of "primary" ("master"), "close", "spread", as omp_proc_bind_t. */
bool env_parse_bind(const char *text, uint8_t *ret, uint32_t *n);
/* OMP_STACKSIZE: a number with B, K, M or G (default K). In bytes. */
bool env_parse_size(const char *text, uint64_t *ret);
/* GOMP_SPINCOUNT: a number with k, M, G or T (powers of ten) or no unit, or "infinite". */
bool env_parse_spin(const char *text, uint64_t *ret);

enum env_schedule { ENV_SCHEDULE_OK, ENV_SCHEDULE_UNKNOWN, ENV_SCHEDULE_BAD_CHUNK };
/* OMP_SCHEDULE: [modifier:]kind[,chunk]; @sched and @chunk as in struct icv. */
enum env_schedule env_parse_schedule(const char *text, uint32_t *sched, uint32_t *chunk);

#endif
