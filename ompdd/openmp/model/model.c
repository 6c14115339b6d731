/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The life of the hosted library: found, loaded, initialised, opened on the process, ended. */
#include "openmp/model/model.h"

#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/icv.h"
#include "openmp/model/states.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/absent.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/library.h"
#include "openmp/runtimes/runtime.h"
#include "target/arch/arch.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* Size of the part of a routine that is searched for addresses, in bytes. */
#define MODEL_CODE_SIZE 96
/* Maximum size of the text with the library's version. */
#define MODEL_MAX_TEXT 4096

/* The code of a routine whose lock shows the cause of a wait; see openmp/model/state/infer.c. */
struct routine_code {
	enum construct construct;
	uint64_t address;
	size_t size;
	unsigned char bytes[MODEL_CODE_SIZE];
};

struct model {
	unsigned index;
	struct target *target;
	const struct plugin_options *options;
	struct handles *handles;
	struct runtime runtime;
	bool has_runtime;
	struct plugin *plugin;
	struct error *why; /* the reason for a missing runtime or plugin */
	bool initialized;  /* ompd_initialize succeeded */
	ompd_address_space_handle_t *aspace;
	struct icv_table icvs;
	struct state_table states;
	struct routine_code codes[DESCRIPTOR_MAX_LOCKS];
	size_t n_codes;
	unsigned generation;
};

/* Returns a new number each time, also for a model that reuses the memory of another one. */
static unsigned get_new_generation(void)
{
	static unsigned last;

	return ++last;
}

void model_refresh(struct model *m)
{
	struct error *err = NULL;

	if (m->plugin)
		return;
	error_destroy(m->why);
	m->why = NULL;
	/* The process may have loaded libraries since. A stopped or newly attached target has not changed. */
	if (!target_is_stopped(m->target) && !target_is_warming_up(m->target))
		target_view_begin(m->target);
	if (!m->has_runtime) {
		err = runtime_find(m->target, &m->runtime);
		m->has_runtime = !err;
	}
	if (m->has_runtime && m->runtime.descriptor->proofs)
		target_expect_activities(m->target);
	model_select(m);
	if (!err) {
		guard_enter(m->options->timeout_ms);
		err = library_find(m->target, &m->runtime, m->options, &m->plugin);
		guard_leave();
	}
	if (!err)
		handles_set_plugin(m->handles, m->index, m->plugin);
	m->why = err;
}

void model_select(struct model *m)
{
	blocks_set_owner(m->index);
	callbacks_set_module(m->index, m->has_runtime ? m->runtime.start : 0);
	target_prefer_module(m->target, m->has_runtime ? m->runtime.start : 0);
}

unsigned model_index(const struct model *m)
{
	return m->index;
}

/* Takes the content of @runtime. NULL: searches for the first runtime. */
static struct error *create_model(struct target *target, const struct plugin_options *options, struct handles *handles,
				  unsigned index, struct runtime *runtime, struct model **ret)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m)
		return &error_nomem;
	m->index = index;
	m->target = target;
	m->options = options;
	m->handles = handles;
	m->generation = get_new_generation();
	if (runtime) {
		m->runtime = *runtime;
		m->has_runtime = true;
	}
	model_refresh(m);
	*ret = m;
	return NULL;
}

struct error *model_create(struct target *target, const struct plugin_options *options, struct handles *handles,
			   struct model **ret)
{
	struct error *err = guard_init();

	if (err)
		return err;
	callbacks_set_target(target);
	return create_model(target, options, handles, 0, NULL, ret);
}

struct error *model_create_for(struct target *target, const struct plugin_options *options, struct handles *handles,
			       unsigned index, struct runtime *runtime TAKES, struct model **ret)
{
	struct error *err = create_model(target, options, handles, index, runtime, ret);

	if (err)
		runtime_deinit(runtime);
	return err;
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	model_select(m);
	model_finalize(m);
	handles_set_plugin(m->handles, m->index, NULL);
	plugin_destroy(m->plugin);
	blocks_free_all();
	if (m->index == 0)
		callbacks_set_target(NULL);
	runtime_deinit(&m->runtime);
	error_destroy(m->why);
	free(m);
}

const struct runtime *model_runtime(struct model *m, const struct error **why_ret)
{
	if (!m->plugin && !m->why)
		model_refresh(m);
	if (!m->has_runtime)
		*why_ret = m->why;
	return m->has_runtime ? &m->runtime : NULL;
}

struct plugin *model_plugin(struct model *m, const struct error **why_ret)
{
	if (!m->plugin && !m->why)
		model_refresh(m);
	if (!m->plugin)
		*why_ret = m->why;
	return m->plugin;
}

struct error *model_need_plugin(struct model *m)
{
	struct error *err;

	model_refresh(m);
	err = m->why; /* passed to the caller; the next request finds the reason again */
	m->why = NULL;
	return err;
}

static struct error *report_initialize_failure(struct model *m, int rc)
{
	struct error *err;

	if (rc != ompd_rc_incompatible && rc != ompd_rc_bad_input && rc != ompd_rc_unsupported)
		return error_create_ompd(rc, "ompd_initialize");
	err = error_create(ERR_PLUGIN_INCOMPATIBLE, "the OMPD library %s refuses its own API version %lld (%s)",
			   plugin_path(m->plugin), (long long)plugin_api_version(m->plugin), error_ompd_rc_name(rc));
	return error_detail(err, "path", "%s", plugin_path(m->plugin));
}

struct error *model_initialize(struct model *m)
{
	if (m->initialized)
		return NULL;
	int rc = plugin_call(m->plugin, initialize, plugin_api_version(m->plugin), callbacks_table());

	if (rc != ompd_rc_ok)
		return report_initialize_failure(m, rc);
	m->initialized = true;
	return NULL;
}

static struct error *report_process_failure(struct model *m, int rc)
{
	const char *reason = callbacks_message();
	struct error *err = target_missing(m->target, m->runtime.start);

	/* The core's files are missing here: report that, not the library's conclusion from it. */
	if (err)
		return err;
	switch (rc) {
	case ompd_rc_incompatible:
		err = error_create(ERR_UNKNOWN_LAYOUT, "the OpenMP runtime %s cannot be read%s%s", m->runtime.path,
				   *reason ? ": " : "", reason);
		break;
	case ompd_rc_unavailable:
		err = absent_hint(m->target,
				  error_create(ERR_OPENMP_NOT_STARTED, "the OpenMP runtime %s is not ready yet%s%s",
					       m->runtime.path, *reason ? ": " : "", reason));
		break;
	default:
		err = runtime_check_symbols(m->target, &m->runtime);
		if (err)
			return err;
		err = error_create_ompd(rc, "ompd_process_initialize");
		if (*reason)
			error_detail(err, "reason", "%s", reason);
		break;
	}
	error_detail(err, "path", "%s", m->runtime.path ? m->runtime.path : "");
	return error_detail(err, "build_id", "%s", m->runtime.build_id);
}

static void read_codes(struct model *m)
{
	const struct descriptor_proofs *proofs = m->runtime.descriptor->proofs;

	m->n_codes = 0;
	for (const struct descriptor_construct *i = proofs ? proofs->locks : NULL;
	     i && i->prefix && m->n_codes < DESCRIPTOR_MAX_LOCKS; i++) {
		struct routine_code *code = &m->codes[m->n_codes++];
		struct target_symbol symbol;
		struct error *err;

		code->construct = i->construct;
		code->size = 0;
		err = target_symbol(m->target, i->prefix, NULL, &symbol);
		if (!err) {
			size_t size = symbol.size;

			if (size == 0 || size > sizeof(code->bytes))
				size = sizeof(code->bytes);
			code->address = symbol.address;
			err = target_read(m->target, symbol.address, code->bytes, size);
			if (!err)
				code->size = size;
		}
		error_destroy(err); /* not fatal: only fewer states are inferred */
	}
}

enum construct model_lock_construct(const struct model *m, uint64_t addr)
{
	for (size_t i = 0; i < m->n_codes; i++) {
		const struct routine_code *code = &m->codes[i];

		if (arch->mentions(code->bytes, code->size, code->address, addr))
			return code->construct;
	}
	return CONSTRUCT_UNKNOWN;
}

/*
 * The version text of a library that knows its runtime has the form "… GCC 12 …". The .comment section that
 * runtime_find() used names the compiler. The runtime may be of another release, and distributions may strip the
 * section.
 */
static void read_version(struct model *m)
{
	const char *mark = m->runtime.descriptor->version_mark, *text = NULL;
	char version[sizeof(m->runtime.version)];
	size_t n = 0;

	if (!mark || plugin_call(m->plugin, get_omp_version_string, m->aspace, &text) != ompd_rc_ok)
		return;
	guard_in_plugin = 1; /* the library supplied the pointer */
	const char *digits = callbacks_strlen(text, MODEL_MAX_TEXT) == SIZE_MAX ? NULL : strstr(text, mark);

	if (digits)
		digits += strlen(mark);
	while (digits && digits[n] >= '0' && digits[n] <= '9' && n + 1 < sizeof(version)) {
		version[n] = digits[n];
		n++;
	}
	guard_in_plugin = 0;
	version[n] = '\0';
	if (n)
		memcpy(m->runtime.version, version, n + 1);
	callbacks_free(text);
}

/* Reads once what never changes, after the address space was opened. */
static struct error *read_constants(struct model *m)
{
	struct error *err;

	err = icv_enumerate(m->plugin, m->aspace, &m->icvs);
	if (err)
		return err;
	err = states_enumerate(m->plugin, m->aspace, &m->states);
	if (err)
		return err;
	read_version(m);
	read_codes(m);
	return NULL;
}

/*
 * Notifies the library of the target's processor. Our library decodes instructions; other libraries do not need this.
 */
static struct error *use_processor(struct model *m)
{
	int rc = ompd_rc_ok;

	if (plugin_routines(m->plugin)->use_processor)
		rc = plugin_call(m->plugin, use_processor, arch->elf_machine);
	return rc == ompd_rc_ok ? NULL : error_create_ompd(rc, "ompd_use_processor");
}

struct error *model_open(struct model *m)
{
	struct error *err;

	if (m->aspace)
		return NULL;
	err = model_initialize(m);
	if (err)
		return err;
	err = use_processor(m);
	if (err)
		return err;
	callbacks_clear_message();
	ompd_address_space_handle_t *aspace = NULL;
	int rc = plugin_call(m->plugin, process_initialize, callbacks_context(m->index), &aspace);

	err = callbacks_take_error();
	if (err)
		return err;
	if (rc != ompd_rc_ok)
		return report_process_failure(m, rc);
	if (!aspace)
		return ompd_misbehaved("ompd_process_initialize", "returned ok without a handle");
	m->aspace = aspace;
	err = read_constants(m);
	if (err) {
		plugin_call(m->plugin, rel_address_space_handle, aspace);
		m->aspace = NULL;
	}
	return err;
}

/*
 * Reads each thread's memory once, because a view prefetches what the previous view used. The library has read few
 * threads in this view. The next view asks for all, perhaps while they are stopped.
 */
static void touch_threads(struct target *t)
{
	const struct target_thread *threads;
	uint64_t word;
	size_t n = 0;

	error_destroy(target_threads(t, &threads, &n));
	for (size_t i = 0; i < n; i++) {
		if (threads[i].pthread)
			error_destroy(target_read(t, threads[i].pthread, &word, sizeof(word)));
	}
}

void model_warm_up(struct model *m)
{
	struct error *err;

	if (!m->plugin)
		return;
	guard_enter(m->options->timeout_ms);
	err = model_open(m);
	guard_leave();
	error_destroy(callbacks_take_error());
	if (err)
		log_err(LOG_INFO, err, "warm-up");
	else if (target_mode(m->target) != TARGET_CORE)
		touch_threads(m->target);
	error_destroy(err);
}

int model_finalize(struct model *m)
{
	int rc = ompd_rc_ok;

	if (!m->plugin)
		return rc;
	handles_end_runtime(m->handles, m->index);
	guard_enter(m->options->timeout_ms);
	if (m->aspace)
		plugin_call(m->plugin, rel_address_space_handle, m->aspace);
	m->aspace = NULL;
	if (m->initialized)
		rc = plugin_call(m->plugin, finalize);
	m->initialized = false;
	m->generation = get_new_generation();
	guard_leave();
	if (blocks_count() > 0)
		log_debug("plugin: it did not free %zu blocks", blocks_count());
	blocks_free_all();
	return rc;
}

int model_initialize_again(struct model *m, int64_t api_version)
{
	model_finalize(m);
	guard_enter(m->options->timeout_ms);
	int rc = plugin_call(m->plugin, initialize, api_version, callbacks_table());

	guard_leave();
	m->initialized = rc == ompd_rc_ok;
	return rc;
}

unsigned model_generation(const struct model *m)
{
	return m->generation;
}

struct _ompd_aspace_handle *model_aspace(struct model *m)
{
	return m->aspace;
}

struct icv_table *model_icvs(struct model *m)
{
	return &m->icvs;
}

const struct state_table *model_states(const struct model *m)
{
	return &m->states;
}

struct target *model_target(struct model *m)
{
	return m->target;
}

struct handles *model_handles(struct model *m)
{
	return m->handles;
}
