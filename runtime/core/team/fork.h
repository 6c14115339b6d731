/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fork(): the child has one thread, which can start regions. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_FORK_H
#define OMPDD_RUNTIME_CORE_TEAM_FORK_H

/* Called once, by the library's constructor. */
void fork_init(void);

#endif
