/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The environment variables, and the control variable that each one sets. */
#include "core/icv/env.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/affinity/affinity_format.h"
#include "core/affinity/places_parse.h"
#include "core/alloc/alloc.h"
#include "core/alloc/alloc_traits.h"
#include "core/icv/env_devices.h"
#include "core/icv/env_display.h"
#include "core/icv/env_parse.h"
#include "core/state/icv.h"
#include "os/cpus.h"
#include "os/memory.h"
#include "os/message.h"

/* Returns whether each device has its own value of the variable @name. */
static bool is_of_devices(const char *name)
{
	static const char *const of_devices[] = {"OMP_AFFINITY_FORMAT",
						 "OMP_ALLOCATOR",
						 "OMP_DEFAULT_DEVICE",
						 "OMP_DYNAMIC",
						 "OMP_MAX_ACTIVE_LEVELS",
						 "OMP_NUM_TEAMS",
						 "OMP_NUM_THREADS",
						 "OMP_PLACES",
						 "OMP_PROC_BIND",
						 "OMP_SCHEDULE",
						 "OMP_STACKSIZE",
						 "OMP_TEAMS_THREAD_LIMIT",
						 "OMP_THREAD_LIMIT",
						 "OMP_WAIT_POLICY",
						 NULL};

	for (const char *const *of_device = of_devices; *of_device; of_device++) {
		if (!strcmp(name, *of_device))
			return true;
	}
	return false;
}

/*
 * A variable that sets a control variable of the host: NAME, or NAME_ALL, which is for the host and all devices. A
 * valid NAME overrides NAME_ALL (5.2, 21). env_devices.h has the forms for devices alone.
 */
struct setting {
	const char *name, *text;
	char all[32];
	bool has_first;
};

/* Finds the first one, then the next one, which counts if the first is invalid. Returns false at the end. */
static bool setting_next(struct setting *s)
{
	if (s->name == s->all)
		return false;
	if (!s->has_first) {
		s->has_first = true;
		s->text = getenv(s->name);
		if (s->text)
			return true;
	}
	if (!is_of_devices(s->name))
		return false;
	snprintf(s->all, sizeof(s->all), "%s_ALL", s->name);
	bool is_valid = env_devices_all_is_valid(s->name);
	s->name = s->all;
	s->text = getenv(s->all);
	return s->text && is_valid;
}

#define FOR_EACH_SETTING(s, of) for (struct setting s = {.name = of}; setting_next(&s);)

/* Copies @text, because the program may change its environment. */
static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(memory_alloc(size), text, size);
}

static void report_invalid(const struct setting *s)
{
	message_error("Invalid value for environment variable %s: %s", s->name, s->text);
}

/* As libgomp, without the value. */
static void report_invalid_name(const char *name)
{
	message_error("Invalid value for environment variable %s", name);
}

/* Returns true if @name is set and valid. */
static bool read_bool(const char *name, bool *ret)
{
	FOR_EACH_SETTING(s, name)
	{
		if (env_parse_bool(s.text, ret))
			return true;
		report_invalid(&s);
	}
	return false;
}

static void read_flag(const char *name, uint8_t *icv)
{
	bool on;

	if (read_bool(name, &on))
		*icv = on;
}

static bool read_choice(const char *name, const char *const *words, unsigned *ret)
{
	FOR_EACH_SETTING(s, name)
	{
		if (env_parse_choice(s.text, words, ret))
			return true;
		report_invalid(&s);
	}
	return false;
}

static bool read_number(const char *name, uint64_t min, uint64_t max, uint64_t *ret)
{
	FOR_EACH_SETTING(s, name)
	{
		if (env_parse_number(s.text, min, max, ret))
			return true;
		report_invalid(&s);
	}
	return false;
}

static void read_u32(const char *name, uint32_t min, uint32_t max, uint32_t *icv)
{
	uint64_t value;

	if (read_number(name, min, max, &value))
		*icv = (uint32_t)value;
}

static void read_schedule(void)
{
	struct icv *initial = &icv_process.initial;

	FOR_EACH_SETTING(s, "OMP_SCHEDULE")
	{
		switch (env_parse_schedule(s.text, &initial->run_sched, &initial->run_sched_chunk)) {
		case ENV_SCHEDULE_OK:
			return;
		case ENV_SCHEDULE_UNKNOWN:
			report_invalid(&s);
			break;
		case ENV_SCHEDULE_BAD_CHUNK:
			message_error("Invalid value for chunk size in environment variable %s: %s", s.name, s.text);
			break;
		}
	}
}

/* Returns true if the setting counts. */
static bool read_allocator_from(const struct setting *s)
{
	const char *at = s->text;
	struct allocator traits;
	uintptr_t handle = 0;

	switch (alloc_trait_parse(&at, &handle, &traits)) {
	case ALLOC_TEXT_PREDEFINED:
		break;
	case ALLOC_TEXT_TRAITS:
		handle = alloc_create(&traits);
		icv_process.allocator = copy_text(s->text);
		break;
	case ALLOC_TEXT_IMPOSSIBLE:
		message_error("Allocator of environment variable %s cannot be created, using "
			      "omp_default_mem_alloc instead",
			      s->name);
		break;
	case ALLOC_TEXT_NO_VALUE:
		message_error("Missing value at the end of environment variable %s=%s", s->name, s->text);
		return false;
	case ALLOC_TEXT_INVALID:
		message_error("Invalid value for environment variable %s when parsing: %s", s->name, at);
		return false;
	}
	icv_process.initial.def_allocator = handle ? handle : ICV_DEFAULT_ALLOCATOR;
	return true;
}

static void read_allocator(void)
{
	FOR_EACH_SETTING(s, "OMP_ALLOCATOR")
	{
		if (read_allocator_from(&s))
			return;
	}
}

static void read_thread_limit(void)
{
	uint64_t limit;

	if (read_number("OMP_THREAD_LIMIT", 1, INT64_MAX, &limit))
		icv_process.initial.thread_limit = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

static void set_nthreads(const uint32_t *list, uint32_t n)
{
	icv_process.initial.nthreads = list[0];
	if (n < 2)
		return;
	icv_process.nthreads_list = memory_alloc(n * sizeof(*list));
	memcpy(icv_process.nthreads_list, list, n * sizeof(*list));
	icv_process.n_nthreads_list = n;
}

static void read_nthreads(void)
{
	uint32_t list[ENV_LIST_MAX], n;

	icv_process.initial.nthreads = icv_process.num_procs;
	FOR_EACH_SETTING(s, "OMP_NUM_THREADS")
	{
		if (env_parse_nthreads(s.text, list, &n)) {
			set_nthreads(list, n);
			return;
		}
		report_invalid(&s);
	}
}

static void set_bind(const uint8_t *list, uint32_t n)
{
	icv_process.initial.bind = list[0];
	if (n < 2)
		return;
	icv_process.bind_list = memory_alloc(n);
	memcpy(icv_process.bind_list, list, n);
	icv_process.n_bind_list = n;
}

/* Returns false if the variable is not set or invalid. */
static bool read_bind(void)
{
	uint8_t list[ENV_LIST_MAX];
	uint32_t n;

	FOR_EACH_SETTING(s, "OMP_PROC_BIND")
	{
		if (env_parse_bind(s.text, list, &n)) {
			set_bind(list, n);
			return true;
		}
		report_invalid(&s);
	}
	return false;
}

/* The newer variable overrides the older one. A list for several levels implies as many. */
static void read_levels(void)
{
	uint64_t levels;
	bool nested;

	if (read_number("OMP_MAX_ACTIVE_LEVELS", 0, INT64_MAX, &levels))
		icv_process.initial.max_active_levels =
			levels < ICV_ACTIVE_LEVELS ? (uint8_t)levels : ICV_ACTIVE_LEVELS;
	else if (read_bool("OMP_NESTED", &nested))
		icv_process.initial.max_active_levels = nested ? ICV_ACTIVE_LEVELS : 1;
	else if (icv_process.n_nthreads_list > 1 || icv_process.n_bind_list > 1)
		icv_process.initial.max_active_levels = ICV_ACTIVE_LEVELS;
}

/* @bind_is_set: by OMP_PROC_BIND, which may forbid binding. Places without it imply binding. */
static void read_places(bool bind_is_set)
{
	const struct cpus *cpus = cpus_initial();
	bool never = bind_is_set && icv_process.initial.bind == BIND_FALSE;
	const char *affinity = getenv("GOMP_CPU_AFFINITY");
	struct place_list list = {0};

	FOR_EACH_SETTING(s, "OMP_PLACES")
	{
		if (places_parse(s.text, cpus, never, &places) != PLACES_INVALID)
			break;
		report_invalid_name(s.name);
	}
	/* Read and checked also when OMP_PLACES is valid, which overrides it. */
	if (affinity && places_parse_cpu_affinity(affinity, cpus, &list) == PLACES_INVALID)
		report_invalid_name("GOMP_CPU_AFFINITY");
	if (places.n || never)
		place_list_deinit(&list);
	else
		places = list;

	if (never)
		return;
	if (!bind_is_set && places.n)
		icv_process.initial.bind = BIND_TRUE;
	if (icv_process.initial.bind != BIND_FALSE && !places.n && cpus->set)
		places_of_threads(cpus, &places);
}

static void read_waiting(void)
{
	static const char *const policies[] = {"passive", "active", NULL};
	const char *text;
	unsigned i;

	if (read_choice("OMP_WAIT_POLICY", policies, &i))
		icv_process.wait_policy = i ? WAIT_ACTIVE : WAIT_PASSIVE;
	icv_process.spin_count = icv_process.wait_policy == WAIT_ACTIVE	   ? ICV_SPIN_ACTIVE
				 : icv_process.wait_policy == WAIT_PASSIVE ? ICV_SPIN_PASSIVE
									   : ICV_SPIN_DEFAULT;
	text = getenv("GOMP_SPINCOUNT");
	if (!text)
		return;
	if (env_parse_spin(text, &icv_process.spin_count))
		icv_process.throttled_spin = 1;
	else
		report_invalid_name("GOMP_SPINCOUNT");
}

/* Returns true if @s is valid. */
static bool read_stacksize_from(const struct setting *s)
{
	uint64_t size;

	if (!env_parse_size(s->text, &size)) {
		report_invalid(s);
		return false;
	}
	if (size < 16384)
		message_error("Stack size less than minimum of 16k");
	else
		icv_process.stacksize = size;
	return true;
}

/* GOMP_STACKSIZE is gcc's older name of OMP_STACKSIZE: it overrides OMP_STACKSIZE_ALL, too. */
static void read_stacksize(void)
{
	struct setting older = {.name = "GOMP_STACKSIZE"};

	FOR_EACH_SETTING(s, "OMP_STACKSIZE")
	{
		if (s.name == s.all && setting_next(&older) && read_stacksize_from(&older))
			return;
		if (read_stacksize_from(&s))
			return;
	}
	if (setting_next(&older))
		read_stacksize_from(&older);
}

static char *read_string(const char *name)
{
	const char *text = getenv(name);

	return text ? copy_text(text) : NULL;
}

static void read_tools(void)
{
	static const char *const switches[] = {"disabled", "enabled", NULL};
	static const char *const debug[] = {"disabled", "enabled", "off", "on", NULL};
	unsigned i;

	if (read_choice("OMP_DEBUG", debug, &i))
		icv_process.debug = i & 1;
	if (read_choice("OMP_TOOL", switches, &i))
		icv_process.tool = (uint8_t)i;
	icv_process.tool_libraries = read_string("OMP_TOOL_LIBRARIES");
	icv_process.tool_verbose_init = read_string("OMP_TOOL_VERBOSE_INIT");
}

static void read_display(void)
{
	static const char *const words[] = {"false", "true", "verbose", NULL};
	const char *text = getenv("OMP_DISPLAY_ENV");
	unsigned i = 0;

	if (text && !env_parse_choice(text, words, &i))
		report_invalid_name("OMP_DISPLAY_ENV");
	if (i)
		env_display(i == 2);
}

/* With mandatory offloading, the default device is omp_invalid_device unless the user sets one (5.2, 2.4). */
static void read_devices(void)
{
	static const char *const offload[] = {"default", "mandatory", "disabled", NULL};
	uint64_t device = TARGET_HOST;
	bool has_device = read_number("OMP_DEFAULT_DEVICE", 0, INT_MAX, &device);
	unsigned i;

	if (read_choice("OMP_TARGET_OFFLOAD", offload, &i))
		icv_process.target_offload = i;
	icv_process.initial.default_device = (int32_t)device;
	if (!has_device && icv_process.target_offload == OFFLOAD_MANDATORY)
		icv_process.initial.default_device = TARGET_INVALID;
}

void env_read(void)
{
	struct icv *initial = &icv_process.initial;
	uint32_t ignored;
	struct setting format = {.name = "OMP_AFFINITY_FORMAT"};

	icv_process.num_procs = (uint32_t)cpus_initial()->count;
	env_devices_read();
	read_schedule();
	read_flag("OMP_DYNAMIC", &initial->dynamic);
	read_flag("OMP_CANCELLATION", &icv_process.cancellation);
	read_flag("OMP_DISPLAY_AFFINITY", &icv_process.display_affinity);
	read_devices();
	read_u32("OMP_MAX_TASK_PRIORITY", 0, INT_MAX, &icv_process.max_task_priority);
	read_allocator();
	read_thread_limit();
	/* GOMP_DEBUG is checked, but prints nothing. */
	read_u32("GOMP_DEBUG", 0, INT_MAX, &ignored);
	read_nthreads();
	read_u32("OMP_NUM_TEAMS", 1, INT_MAX, &icv_process.nteams);
	read_u32("OMP_TEAMS_THREAD_LIMIT", 1, INT_MAX, &icv_process.teams_thread_limit);
	bool bind_is_set = read_bind();
	read_levels();
	read_places(bind_is_set);
	read_waiting();
	read_stacksize();
	affinity_set_format(setting_next(&format) ? format.text : AFFINITY_FORMAT_DEFAULT, SIZE_MAX);
	read_tools();
	read_display();
}
