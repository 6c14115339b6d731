/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of places from the environment: OMP_PLACES (OpenMP 5.2, 21.1.6) and GOMP_CPU_AFFINITY. */
#ifndef OMPDD_RUNTIME_CORE_PLACES_PARSE_H
#define OMPDD_RUNTIME_CORE_PLACES_PARSE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/cpus.h"

#define PLACES_MAX 65536

struct place_list {
	char *sets; /* @n sets of CPUs of @set_size bytes each; owned */
	size_t set_size;
	uint32_t n, room;
};

static inline cpu_set_t *place_list_get(const struct place_list *list, uint32_t i)
{
	return (cpu_set_t *)(void *)(list->sets + i * list->set_size);
}

/* How a value turned out to be; what is wrong beyond its form was said already. */
enum places_result {
	PLACES_OK,
	PLACES_INVALID, /* say "Invalid value" */
	PLACES_UNKNOWN, /* the machine does not say how it is built: enough is said */
};

/*
 * OMP_PLACES; CPUs that are not in @cpus are left out, and so are places that have no others. @check_only: nobody will
 * be bound, so only the form matters and @ret is empty.
 */
enum places_result places_parse(const char *text, const struct cpus *cpus, bool check_only, struct place_list *ret);
/* GOMP_CPU_AFFINITY: one place for each CPU, whether we may use it or not. */
enum places_result places_parse_cpu_affinity(const char *text, const struct cpus *cpus, struct place_list *ret);
/* One place per hardware thread of @cpus. */
void places_of_threads(const struct cpus *cpus, struct place_list *ret);
void place_list_deinit(struct place_list *list);

#endif
