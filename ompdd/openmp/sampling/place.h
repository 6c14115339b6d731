/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts addresses of the target to texts of a tally. For openmp/sampling/sampler/runtime_sampler. */
#ifndef OMPDD_OPENMP_PROFILE_PLACE_H
#define OMPDD_OPENMP_PROFILE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "openmp/sampling/tally.h"

struct source_place;
struct stacks;
struct stacks_frame;
struct stacks_place;
struct target;

/* Returns the function that starts at @address. */
struct tally_place place_of_function(struct tally *t, struct target *target, uint64_t address);
/* Returns function and line of @source. */
struct tally_place place_of_source(struct tally *t, const struct source_place *source);
/* Returns the variable that covers @address, and the offset in it in *@offset_ret; TEXTS_NONE. */
uint32_t place_variable(struct tally *t, struct target *target, uint64_t address, uint64_t *offset_ret);
/*
 * Puts the frame numbers of @frame in tally.tree into @ret: outermost first, then the functions inlined in it. Returns
 * their number, at most SOURCE_MAX_INLINED.
 */
size_t place_frames(struct tally *t, struct stacks *st, const struct stacks_frame *frame, uint32_t *ret);
/* Returns the boundary where a region or task of @function starts; TREE_PARALLEL or TREE_TASK. */
uint32_t place_boundary(struct tally *t, enum tree_frame_kind kind, const struct tally_place *function);
/* Returns the frame for the runtime's folded frames behind the call at @entry. */
uint32_t place_construct(struct tally *t, struct stacks *st, struct stacks_place *entry);

#endif
