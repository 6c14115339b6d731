/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses of the target as the texts of a tally. For openmp/profile/look. */
#ifndef OMPDD_OPENMP_PROFILE_PLACE_H
#define OMPDD_OPENMP_PROFILE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "openmp/profile/tally.h"

struct source_place;
struct stacks;
struct stacks_frame;
struct stacks_place;
struct target;

/* The function that begins at @address. */
struct tally_place place_of_function(struct tally *t, struct target *target, uint64_t address);
/* Function and line that @source names. */
struct tally_place place_of_source(struct tally *t, const struct source_place *source);
/* The variable that covers @address, which is at *@offset_ret in it; TEXTS_NONE. */
uint32_t place_variable(struct tally *t, struct target *target, uint64_t address, uint64_t *offset_ret);
/* Numbers of frames of tally.tree. Of @frame: outermost first, what was inlined after it, at most SOURCE_MAX_INLINED;
 * how many. */
size_t place_frames(struct tally *t, struct stacks *st, const struct stacks_frame *frame, uint32_t *ret);
/* Where a region or task of @function begins; TREE_PARALLEL or TREE_TASK. */
uint32_t place_boundary(struct tally *t, enum tree_frame_kind kind, const struct tally_place *function);
/* Folded frames of the runtime behind the call at @entry. */
uint32_t place_construct(struct tally *t, struct stacks *st, struct stacks_place *entry);

#endif
