/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One look of a profile at all OpenMP threads of a running target: what each does and where, added to a tally. What a
 * look has found out about the program (places, names) is kept for the next.
 */
#ifndef OMPDD_OPENMP_PROFILE_LOOK_H
#define OMPDD_OPENMP_PROFILE_LOOK_H

#include <stdint.h>

#include "base/error.h"
#include "openmp/model/snapshot.h"
#include "openmp/profile/tally.h"
#include "openmp/stacks/stacks.h"

struct handles;
struct model;

struct look {
	struct tally *tally;
	/* Places of the looks before, as long as the target's modules are the same. */
	struct stacks_place **places;
	size_t n_places, cap_places;
	uint64_t modules_hash;
	/* Of all looks. */
	uint64_t torn;	    /* samples that contradicted themselves, and were not counted */
	uint64_t no_stacks; /* samples of threads whose stack could not be had */
};

void look_init(struct look *l, struct tally *tally);
void look_deinit(struct look *l);

/*
 * Look, within a view. @t_us: since the profile began; @us: what each sample stands for. Errors are those of
 * walk_snapshot(); then nothing was added.
 */
MUST_USE struct error *look_take(struct look *l, struct model *m, unsigned timeout_ms, uint64_t t_us, uint64_t us);

#endif
