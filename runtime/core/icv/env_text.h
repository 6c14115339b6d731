/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of control variables as texts, in the form that OMP_DISPLAY_ENV prints. */
#ifndef OMPDD_RUNTIME_CORE_ICV_ENV_TEXT_H
#define OMPDD_RUNTIME_CORE_ICV_ENV_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/icv/env_parse.h"

#define ENV_TEXT_MAX (ENV_LIST_MAX * 16) /* bytes of @text below: enough for the longest list */

/* "TRUE" or "FALSE". */
const char *env_text_of_bool(bool on);
/* "4,3,2": @n numbers, at most ENV_LIST_MAX. */
void env_text_list(char *text, const uint32_t *list, uint32_t n);
/* "SPREAD,CLOSE": @n values of omp_proc_bind_t, at most ENV_LIST_MAX. */
void env_text_bind(char *text, const uint8_t *list, uint32_t n);
/* "MONOTONIC:DYNAMIC,4": @sched and @chunk as in struct icv. */
void env_text_schedule(char *text, uint32_t sched, uint32_t chunk);

#endif
