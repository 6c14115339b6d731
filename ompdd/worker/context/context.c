/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtimes and the holder of a worker. */
#include "worker/context/context.h"

#include "openmp/model/runtimes.h"

struct model *worker_model(const struct worker *w)
{
	return runtimes_main(w->runtimes);
}

struct model *worker_model_of(const struct worker *w, unsigned number)
{
	return number && number <= runtimes_count(w->runtimes) ? runtimes_get(w->runtimes, number - 1)
							       : worker_model(w);
}

void worker_begin_request(struct worker *w, int64_t client)
{
	w->client = client;
	w->target_given = false;
}

struct error *worker_check_holder(const struct worker *w)
{
	if (w->holder < 0 || w->holder == w->client)
		return NULL;
	return error_create(ERR_TARGET_HELD, "another connection holds target %s stopped", w->target_id);
}
