/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of places from the environment: OMP_PLACES (OpenMP 5.2, 21.1.6) and GOMP_CPU_AFFINITY. */
#ifndef OMPDD_RUNTIME_CORE_AFFINITY_PLACES_PARSE_H
#define OMPDD_RUNTIME_CORE_AFFINITY_PLACES_PARSE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpus;
struct place_list;

#define PLACES_MAX 65536

/* The result of parsing. Errors other than of the form have been reported. */
enum places_result {
	PLACES_OK,
	PLACES_INVALID, /* report "Invalid value" */
	PLACES_UNKNOWN, /* the machine's topology is unknown; this has been reported */
};

/*
 * OMP_PLACES. Removes CPUs that are not in @cpus, and places without any. @check_only: no thread will be bound, so
 * only the form is checked and @ret is empty.
 */
enum places_result places_parse(const char *text, const struct cpus *cpus, bool check_only, struct place_list *ret);
/* GOMP_CPU_AFFINITY: one place for each CPU, usable or not. */
enum places_result places_parse_cpu_affinity(const char *text, const struct cpus *cpus, struct place_list *ret);
/* One place per hardware thread of @cpus. */
void places_of_threads(const struct cpus *cpus, struct place_list *ret);
void place_list_deinit(struct place_list *list);

#endif
