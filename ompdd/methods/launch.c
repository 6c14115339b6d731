/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target.launch and target.kill: start a program and, on request, kill it. */
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "methods/begin.h"
#include "methods/json/json.h"
#include "methods/stop.h"
#include "methods_worker.h"
#include "target/control.h"
#include "worker/control/launch.h"
#include "worker/control/launch_env.h"
#include "worker/worker.h"

/* SIGKILL mostly needs less than one millisecond. */
#define KILL_WAIT_MS 1000

/* The schema names the events after the other stops, in the order of enum event_kind. */
_Static_assert((int)TARGET_LAUNCH_STOP_AT_OMPD_DLL_LOCATIONS_VALID - TARGET_LAUNCH_STOP_AT_PARALLEL_BEGIN ==
			       EVENT_DLL_LOCATIONS_VALID &&
		       (int)TARGET_LAUNCH_STOP_AT_DEVICE_END - TARGET_LAUNCH_STOP_AT_PARALLEL_BEGIN ==
			       EVENT_DEVICE_END &&
		       (int)EVENT_PARALLEL_BEGIN == 0,
	       "an order");

CLEANUP_DEFINE(env, char **, launch_env_destroy)

/* Build the program's environment. @asked is `env` of the parameters, or NULL. */
static struct error *make_env(struct json_object *asked, char ***ret)
{
	size_t n = 0, max = asked ? (size_t)json_object_object_length(asked) : 0;
	_cleanup_free_ struct launch_variable *variables = calloc(max + 1, sizeof(*variables));

	if (!variables)
		return &error_nomem;
	if (asked) {
		json_object_object_foreach(asked, name, value) variables[n++] =
			(struct launch_variable){name, value ? json_object_get_string(value) : NULL};
	}
	return launch_env_create(environ, variables, n, ret);
}

static struct error *check_program(const char *program)
{
	if (*program && strlen(program) < PATH_MAX)
		return NULL;
	struct error *err = error_create(ERR_INVALID_PARAMS,
					 "/params/argv/0 must be a path, or a name, of 1 to %d bytes", PATH_MAX - 1);
	return error_detail(err, "pointer", "/params/argv/0");
}

static struct error *start_program(struct worker *w, const struct target_launch_params *p, struct target **ret)
{
	_cleanup_(cleanup_env) char **env = NULL;
	_cleanup_free_ const char **argv = calloc(p->n_argv + 1, sizeof(*argv));

	if (!argv)
		return &error_nomem;
	memcpy(argv, p->argv, p->n_argv * sizeof(*argv));
	struct error *err = check_program(argv[0]);
	if (!err)
		err = make_env(p->env, &env);
	if (err)
		return err;
	const struct target_launch what = {
		.argv = argv,
		.env = (const char *const *)env,
		.cwd = p->cwd,
		.files = {p->stdin, p->stdout, p->stderr},
		.core = w->core_limit,
	};
	return target_launch(&what, (unsigned)p->max_stop_ms, ret);
}

static enum launch_stop stop_of(const struct target_launch_params *p)
{
	if (p->stop_at == TARGET_LAUNCH_STOP_AT_NEVER)
		return LAUNCH_NEVER;
	if (p->stop_at == TARGET_LAUNCH_STOP_AT_EXEC)
		return LAUNCH_AT_EXEC;
	return p->stop_at == TARGET_LAUNCH_STOP_AT_MAIN ? LAUNCH_AT_MAIN : LAUNCH_AT_EVENT;
}

static void put_warning(struct json_object *o, const struct launch_outcome *outcome)
{
	struct json_object *warnings = NULL, *warning = json_object_new_object();

	json_put(warning, "name", json_object_new_string(outcome->name));
	json_put(warning, "message", json_object_new_string(outcome->message));
	if (!json_object_object_get_ex(o, "warnings", &warnings)) {
		warnings = json_object_new_array();
		json_put(o, "warnings", warnings);
	}
	json_object_array_add(warnings, warning);
}

struct error *handle_target_launch(struct worker *w, const struct target_launch_params *p, struct json_object **ret)
{
	struct target *target = NULL;
	struct json_object *o = NULL;
	struct launch_outcome outcome;
	struct error *err = begin_refuse(w);

	if (!err)
		err = start_program(w, p, &target);
	if (err)
		return err;
	for (size_t i = 0; i < p->n_debug_dirs && !err; i++)
		err = target_add_debug_dir(target, p->debug_dirs[i]);
	if (err) {
		target_destroy(target); /* kills a program that is not kept */
		return err;
	}
	err = begin_target(w, target, &o);
	if (err)
		return err;
	json_object_put(o);
	err = launch_proceed(w, stop_of(p), (enum event_kind)(p->stop_at - TARGET_LAUNCH_STOP_AT_PARALLEL_BEGIN),
			     &outcome);
	if (!err) {
		error_destroy(worker_need_target(w));
		err = begin_info(w, false, ret);
	}
	if (err) {
		/* The client gets an error, and so no handle of the process: kill it. */
		error_destroy(target_kill(w->target));
		return err;
	}
	if (outcome.name)
		put_warning(*ret, &outcome);
	w->launch_unanswered = true;
	return NULL;
}

struct error *handle_target_kill(struct worker *w, const struct target_kill_params *p, struct json_object **ret)
{
	struct pollfd fd = {.fd = w->target ? target_exit_fd(w->target) : -1, .events = POLLIN};
	struct error *err = NULL;

	(void)p;
	if (!w->target)
		err = error_create(ERR_NO_SUCH_TARGET, "the process does not exist yet");
	else
		err = worker_check_holder(w);
	if (!err)
		err = target_kill(w->target);
	if (err)
		return err;
	poll(&fd, fd.fd >= 0, KILL_WAIT_MS);
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put(o, "state",
		 json_object_new_string(strcmp(stop_state_name(w, false), "exited") ? "running" : "exited"));
	*ret = o;
	return NULL;
}
