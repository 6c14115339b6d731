/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leagues on the host (OpenMP 5.2, 10.2). The encountering thread executes the teams one after the other. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_LEAGUE_H
#define OMPDD_RUNTIME_CORE_TEAM_LEAGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/task.h"

struct thread;

/* The number of teams without a num_teams clause. */
uint32_t league_default_size(void);

/* Before and after all @n teams of a league. */
void league_begin(struct thread *t, uint32_t n, struct site site);
void league_end(struct thread *t, struct site site);
/* Team @number of @n, with an initial task of its own. @thread_limit 0: unchanged. */
void league_begin_team(struct thread *t, void (*fn)(void *), void *data, uint32_t number, uint32_t n,
		       uint32_t thread_limit, struct site site);
void league_end_team(struct thread *t);

/* Inside a target region, whose initial task is that of each team in turn. */
void league_resize(struct thread *t, uint32_t number, uint32_t n, uint32_t thread_limit);
/* Moves to the first or the next team. Returns false after the last one. */
bool league_next(struct thread *t, uint32_t n, uint32_t thread_limit, bool first, struct site site);

#endif
