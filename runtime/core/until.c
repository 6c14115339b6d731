/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Weak: what core/task and core/workshare do not define yet. This file goes when they do. */
#include "core/task.h"
#include "core/team.h"

#define WEAK __attribute__((weak))

WEAK void workshares_init(struct workshares *shares, uint32_t capacity)
{
	shares->capacity = capacity;
}

WEAK void workshares_deinit(struct workshares *shares)
{
	(void)shares;
}

WEAK void workshares_begin(struct thread *primary, const struct workshare_setup *setup)
{
	(void)primary;
	(void)setup;
}

WEAK void workshares_end_slow(struct team *team)
{
	(void)team;
}

WEAK void workshare_join(struct thread *t)
{
	(void)t;
}
