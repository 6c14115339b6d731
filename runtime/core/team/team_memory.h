/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of teams. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_TEAM_MEMORY_H
#define OMPDD_RUNTIME_CORE_TEAM_TEAM_MEMORY_H

#include <stdint.h>

/* Creates a team with room for @capacity members; destroys one that contains no thread. */
struct team *team_create(uint32_t capacity);
void team_destroy(struct team *team);

#endif
