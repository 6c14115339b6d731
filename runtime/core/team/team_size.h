/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The number of threads of a parallel region. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_TEAM_SIZE_H
#define OMPDD_RUNTIME_CORE_TEAM_TEAM_SIZE_H

#include <stdint.h>

struct thread;

/*
 * Returns the number of threads for a parallel construct of the current task (OpenMP 5.2, 10.1.1). @asked: the
 * num_threads clause, 0: none; 1 with if(0). @count: more threads are useless (sections), which matters if dyn-var is
 * true; 0: no limit. Returns one if a debugger has requested that (tools/ompd.h).
 */
uint32_t team_choose_size(struct thread *t, uint32_t asked, uint32_t count);
/* Returns threads to the thread limit, from which team_choose_size() has reserved them. */
void team_size_release(struct thread *t, uint32_t n_threads);

#endif
