/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds the functions of Python to the stacks of a target's threads. */
#ifndef OMPDD_OPENMP_PYTHON_FRAMES_H
#define OMPDD_OPENMP_PYTHON_FRAMES_H

#include "base/error.h"
#include "openmp/stacks/stacks.h"

struct python;

/*
 * Reads the Python functions that the threads of @st execute, within the view in which the stacks were taken. Missing
 * data is no error: stacks.python_why and stacks_thread.python_why have the reason. Fails if memory is out.
 */
MUST_USE struct error *python_frames_take(struct stacks *st);

#endif
