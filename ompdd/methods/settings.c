/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* icv.settings: the settings of the environment, of the runtime's memory and of the kernel. */
#include "methods/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "methods/ompd/ompd_call.h"
#include "methods/state_capture.h"
#include "methods_worker.h"
#include "openmp/runtimes/variables.h"
#include "rpc/json_read.h"
#include "rpc/json_write.h"
#include "target/process/environment.h"
#include "target/process/progress.h"
#include "target/target.h"

#define MAX_NAME      64
#define MAX_VARIABLES 1024 /* of runtimes in an environment */

static const char environment_source[] = "environment";
static const char memory_source[] = "memory";
static const char kernel_source[] = "kernel";

/* Add a setting. Takes @value. Returns it, borrowed. */
static struct json_object *add_setting(struct json_object *settings, const char *name, struct json_object *value,
				       const char *source)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "name", json_text(name));
	json_put(o, "value", value);
	json_put(o, "source", json_object_new_string(source));
	json_object_array_add(settings, o);
	return o;
}

/* Add "NAME=VALUE". Text without a name is left out. */
static void add_entry(struct json_object *settings, const char *entry, const char *source)
{
	const char *value = strchr(entry, '=');
	char name[MAX_NAME];

	if (!value || value == entry || value - entry >= MAX_NAME)
		return;
	memcpy(name, entry, (size_t)(value - entry));
	name[value - entry] = '\0';
	add_setting(settings, name, json_text(value + 1), source);
}

/* Note why a source is missing. Takes @err. */
static void add_unavailable(struct json_object *unavailable, const char *source, struct error *err)
{
	json_put(unavailable, source, json_reason(err));
	error_destroy(err);
}

/* The environment */

/* Return whether @settings has the name of @entry, "NAME=VALUE". getenv() finds the first one. */
static bool has_name(struct json_object *settings, const char *entry)
{
	size_t len = strcspn(entry, "=");

	for (size_t i = 0; i < json_read_length(settings); i++) {
		const char *name = json_read_text(json_object_array_get_idx(settings, i), "name");

		if (!strncmp(name, entry, len) && !name[len])
			return true;
	}
	return false;
}

static void add_environment(struct worker *w, struct json_object *settings, struct json_object *unavailable)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	struct error *err = target_environment(w->target, &text, &len);

	if (err) {
		add_unavailable(unavailable, environment_source, err);
		return;
	}
	for (const char *entry = text; entry && entry < text + len; entry += strlen(entry) + 1) {
		if (!variable_is_of_runtime(entry) || has_name(settings, entry))
			continue;
		if (json_read_length(settings) == MAX_VARIABLES) {
			add_unavailable(unavailable, environment_source,
					error_create(ERR_LIMIT_EXCEEDED,
						     "the environment has more than %d variables of OpenMP runtimes",
						     MAX_VARIABLES));
			return;
		}
		add_entry(settings, entry, environment_source);
	}
}

/* Memory */

static int call_display_control_vars(struct plugin *p, struct ompd_call *call)
{
	struct json_object **array = call->data;
	const char *const *vars = NULL;
	int rc = plugin_call(p, get_display_control_vars, call->args[0].object, &vars);

	if (rc != ompd_rc_ok)
		return rc;
	json_object_put(*array);
	*array = ompd_call_texts_json(call, vars);
	plugin_call(p, rel_display_control_vars, &vars);
	return rc;
}

/* Add the view's members to @o, too. */
static struct error *add_memory(struct worker *w, struct json_object *o, struct json_object *settings,
				struct json_object *unavailable)
{
	struct json_object *texts = NULL;
	struct ompd_call call = {
		.routine = "ompd_get_display_control_vars",
		.needs = NEEDS_VIEW,
		.args = {{NULL, HANDLE_ASPACE, "/params/target", NULL}},
		.fn = call_display_control_vars,
		.data = &texts,
	};
	struct error *err = ompd_call_run(w, &call);

	if (err && state_error_is_of_runtime(err)) {
		add_unavailable(unavailable, memory_source, err);
		err = NULL;
	} else if (!err) {
		json_put_view(o, &call.view);
		for (size_t i = 0; i < json_object_array_length(texts); i++)
			add_entry(settings, json_object_get_string(json_object_array_get_idx(texts, i)), memory_source);
	}
	json_object_put(texts);
	return err;
}

/* The kernel */

/* The threads that may use the same CPUs. */
struct cpu_set {
	struct target_cpus cpus;
	struct json_object *threads; /* borrowed */
};

/* Return the CPUs as intervals: "0-3,8". */
static struct json_object *cpus_json(const struct target_cpus *cpus)
{
	struct json_object *o = NULL;
	struct buf text = {0};
	struct error *err = NULL;

	for (unsigned cpu = 0; cpu < TARGET_MAX_CPUS && !err; cpu++) {
		unsigned end = cpu;

		while (end < TARGET_MAX_CPUS && cpus->bits[end / 64] >> end % 64 & 1)
			end++;
		if (end == cpu)
			continue;
		err = buf_printf(&text, "%s%u", text.len ? "," : "", cpu);
		if (!err && end - cpu > 1)
			err = buf_printf(&text, "-%u", end - 1);
		cpu = end;
	}
	if (!err)
		o = json_object_new_string_len(buf_head(&text), (int)text.len);
	error_destroy(err);
	buf_deinit(&text);
	return o;
}

/* Add the CPUs that threads may use, one setting for each set of CPUs. Returns whether they are known. */
static bool add_cpus(struct worker *w, struct json_object *settings)
{
	const struct target_thread *threads;
	size_t n, n_sets = 0;

	struct error *err = target_threads(w->target, &threads, &n);
	if (err) {
		error_destroy(err);
		return false;
	}
	_cleanup_free_ struct cpu_set *sets = calloc(n ? n : 1, sizeof(*sets));

	for (size_t i = 0; sets && i < n; i++) {
		struct target_cpus cpus;
		size_t at = 0;

		if (!target_thread_cpus(w->target, threads[i].tid, &cpus))
			continue;
		while (at < n_sets && memcmp(&sets[at].cpus, &cpus, sizeof(cpus)) != 0)
			at++;
		if (at == n_sets) {
			struct json_object *o =
				add_setting(settings, "sched_getaffinity", cpus_json(&cpus), kernel_source);

			sets[n_sets].cpus = cpus;
			sets[n_sets++].threads = json_object_new_array();
			json_put(o, "threads", sets[at].threads);
		}
		json_object_array_add(sets[at].threads, json_object_new_int(threads[i].tid));
	}
	return n_sets > 0;
}

static struct json_object *decimal_json(uint64_t value)
{
	char text[24];

	return json_object_new_string_len(text, snprintf(text, sizeof(text), "%llu", (unsigned long long)value));
}

static void add_kernel(struct worker *w, struct json_object *settings, struct json_object *unavailable)
{
	uint64_t limit;
	bool has_limit = target_stack_limit(w->target, &limit);

	if (has_limit)
		add_setting(settings, "RLIMIT_STACK",
			    limit == TARGET_UNLIMITED ? json_object_new_string("unlimited") : decimal_json(limit),
			    kernel_source);
	if (!add_cpus(w, settings) && !has_limit)
		add_unavailable(
			unavailable, kernel_source,
			error_create(ERR_MODE_UNSUPPORTED,
				     target_mode(w->target) == TARGET_CORE
					     ? "a core has neither limits nor CPU masks"
					     : "the kernel reports neither limits nor CPU masks of this process"));
}

/* Names together, each first as it was set. */
static int compare_settings(const void *pa, const void *pb)
{
	struct json_object *a = *(struct json_object *const *)pa, *b = *(struct json_object *const *)pb;
	int order = strcmp(json_read_text(a, "name"), json_read_text(b, "name"));

	return order ? order : strcmp(json_read_text(a, "source"), json_read_text(b, "source"));
}

struct error *settings_add(struct worker *w, struct json_object *o)
{
	struct json_object *settings = json_object_new_array(), *unavailable = json_object_new_object();
	struct error *err = worker_need_target(w);

	/* The environment comes first: names are compared within it. */
	if (!err) {
		add_environment(w, settings, unavailable);
		err = add_memory(w, o, settings, unavailable);
	}
	if (!err)
		add_kernel(w, settings, unavailable);
	json_object_array_sort(settings, compare_settings);
	json_put(o, "settings", settings);
	if (json_object_object_length(unavailable))
		json_put(o, "unavailable", unavailable);
	else
		json_object_put(unavailable);
	return err;
}

struct error *handle_icv_settings(struct worker *w, const struct icv_settings_params *p, struct json_object **ret)
{
	struct json_object *o = NULL;
	struct error *err = worker_need_target(w);

	(void)p;
	if (err)
		return err;
	o = json_result(w);
	if (!o)
		return &error_nomem;
	err = settings_add(w, o);
	if (err)
		json_object_put(o);
	else
		*ret = o;
	return err;
}
