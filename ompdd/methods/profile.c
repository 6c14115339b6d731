/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* profile.*: start, read and stop the profile of the target. */
#include "methods/json/json.h"
#include "methods/json/profile_json.h"
#include "methods_worker.h"
#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "view/state_name.h"
#include "view/times.h"
#include "worker/sampler/sampler.h"
#include "worker/worker.h"

static struct error *build_status(struct worker *w, struct json_object **ret)
{
	struct json_object *o = json_result(w);

	if (!o)
		return &error_nomem;
	json_put(o, "profile", profile_status_json(w->sampler));
	*ret = o;
	return NULL;
}

/* Check that there is a profile. A profile outlives its target. */
static struct error *need_profile(const struct worker *w)
{
	if (!w->target)
		return error_hint(error_create(ERR_NO_SUCH_TARGET, "no process is attached yet"),
				  "call target.attach first");
	return w->sampler ? NULL
			  : error_create(ERR_NO_PROFILE, "target %s has no profile: none was started", w->target_id);
}

struct error *handle_profile_start(struct worker *w, const struct profile_start_params *p, struct json_object **ret)
{
	struct sampler_options options = {
		.rate_hz = (unsigned)p->rate_hz,
		.max_overhead_permille = (unsigned)p->max_overhead_permille,
		.duration_s = (unsigned)p->duration_s,
		.keeps_stacks = p->stacks,
		.keeps_timeline = p->timeline,
		.keep = p->keep,
	};
	struct error *err = worker_need_target(w);

	if (err)
		return err;
	model_refresh(worker_model(w));
	err = runtimes_need_plugin(w->runtimes);
	if (!err)
		err = sampler_start(w, &options);
	return err ? err : build_status(w, ret);
}

struct error *handle_profile_stop(struct worker *w, const struct profile_stop_params *p, struct json_object **ret)
{
	struct error *err = need_profile(w);

	(void)p;
	if (err)
		return err;
	sampler_finish(w, SAMPLER_STOPPED);
	return build_status(w, ret);
}

struct error *handle_profile_get(struct worker *w, const struct profile_get_params *p, struct json_object **ret)
{
	struct error *err = need_profile(w);

	if (!err)
		err = build_status(w, ret);
	if (err)
		return err;
	const struct sampler *s = w->sampler;
	sampler_count_calls(w);
	json_put(*ret, "states", state_name_profile_json());
	profile_json_put_tables(*ret, &s->tally);
	if (p->tables)
		times_add(*ret);
	if (p->stacks)
		profile_json_put_stacks(*ret, &s->tally);
	if (p->timeline)
		profile_json_put_timeline(*ret, &s->tally, (uint64_t)p->timeline_since_us,
					  (uint64_t)(s->last_us - s->begun_us));
	return NULL;
}
