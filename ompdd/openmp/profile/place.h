/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses of the target as the texts of a tally. For openmp/profile/look. */
#ifndef OMPDD_OPENMP_PROFILE_PLACE_H
#define OMPDD_OPENMP_PROFILE_PLACE_H

#include <stdint.h>

#include "openmp/profile/tally.h"

struct source_place;
struct stack_list;
struct stacks;
struct target;

/* The function that begins at @address. */
struct tally_place place_of_function(struct tally *t, struct target *target, uint64_t address);
/* Function and line that @source names. */
struct tally_place place_of_source(struct tally *t, const struct source_place *source);
/* The variable at @address; TEXTS_NONE. */
uint32_t place_variable(struct tally *t, struct target *target, uint64_t address);
/* The node of the innermost frame of @list, a logical one; STACK_TREE_ROOT when that is empty. */
uint32_t place_node(struct tally *t, struct stacks *st, const struct stack_list *list);

#endif
