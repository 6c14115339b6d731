/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Corrects control variables of LLVM's OMPD library: return codes, and texts with numbers. */
#include <stdio.h>
#include <string.h>

#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/runtimes/quirks/quirks_llvm_internal.h"

#define MAX_ICVS  128
#define MAX_VALUE 4096

void quirks_llvm_learn_icvs(ompd_address_space_handle_t *aspace)
{
	ompd_icv_id_t id = ompd_icv_undefined;
	int more = 1;

	llvm.levels = llvm.nthreads = llvm.bind = llvm.run_sched = llvm.implicit_task = 0;
	for (int i = 0; more && i < MAX_ICVS; i++) {
		const char *name = NULL;
		ompd_scope_t scope;

		if (llvm.library.enumerate_icvs(aspace, id, &id, &name, &scope, &more) != ompd_rc_ok || !name)
			return;
		if (strcmp(name, "levels-var") == 0)
			llvm.levels = id;
		else if (strcmp(name, "nthreads-var") == 0)
			llvm.nthreads = id;
		else if (strcmp(name, "bind-var") == 0)
			llvm.bind = id;
		else if (strcmp(name, "run-sched-var") == 0)
			llvm.run_sched = id;
		else if (strcmp(name, "implicit-task-var") == 0)
			llvm.implicit_task = id;
		callbacks_free(name);
	}
}

/* The runtime keeps no variables for an outer region's implicit task. The library returns the innermost region's. */
static bool is_outer_task(void *handle, ompd_scope_t scope, ompd_icv_id_t id)
{
	const struct llvm_object *task = scope == ompd_scope_task ? llvm_object_of(handle) : NULL;

	return task && task->th.segment && id != llvm.implicit_task;
}

static bool has_comma(const char *text)
{
	size_t len = callbacks_strlen(text, MAX_VALUE);

	return len == SIZE_MAX || memchr(text, ',', len);
}

static ompd_rc_t get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, ompd_word_t *ret)
{
	const char *text = NULL;

	if (is_outer_task(handle, scope, id))
		return ompd_rc_unavailable;
	ompd_rc_t rc = llvm.library.get_icv_from_scope(handle, scope, id, ret);

	if (rc == ompd_rc_incomplete && id == llvm.nthreads &&
	    llvm.library.get_icv_string_from_scope(handle, scope, id, &text) == ompd_rc_ok) {
		if (!has_comma(text))
			rc = ompd_rc_ok;
		callbacks_free(text);
	}
	if (rc == ompd_rc_ok && id == llvm.levels && scope == ompd_scope_parallel) {
		const struct llvm_object *region = llvm_object_of(handle);

		if (region)
			*ret -= (ompd_word_t)region->th.segment;
	}
	return rc;
}

static ompd_rc_t copy_text(const char *text, const char **ret)
{
	size_t size = strlen(text) + 1;
	char *copy = blocks_alloc(size);

	if (!copy)
		return ompd_rc_nomem;
	memcpy(copy, text, size);
	*ret = copy;
	return ompd_rc_ok;
}

/* "3,0" -> "close,false". A text that is not a list of numbers with names stays unchanged. */
static ompd_rc_t name_binds(const char **text)
{
	static const char *const names[] = {"false", "true", "primary", "close", "spread", "intel", "default"};
	size_t len = callbacks_strlen(*text, MAX_VALUE), used = 0;
	char named[MAX_VALUE * 8];

	if (len == SIZE_MAX)
		return ompd_rc_ok;
	for (const char *p = *text; p < *text + len; p += 2) {
		size_t number = (size_t)(p[0] - '0');

		if (p[0] < '0' || number >= sizeof(names) / sizeof(names[0]) || (p[1] && p[1] != ','))
			return ompd_rc_ok;
		used += (size_t)snprintf(named + used, sizeof(named) - used, "%s%s", names[number], p[1] ? "," : "");
	}
	if (!used)
		return ompd_rc_ok;
	callbacks_free(*text);
	return copy_text(named, text);
}

static ompd_rc_t get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, const char **ret)
{
	ompd_word_t number = 0;
	char text[24];

	if (is_outer_task(handle, scope, id))
		return ompd_rc_unavailable;
	ompd_rc_t rc = llvm.library.get_icv_string_from_scope(handle, scope, id, ret);

	if (rc == ompd_rc_ok && id == llvm.bind)
		return name_binds(ret);
	if (rc == ompd_rc_ok && id == llvm.run_sched && callbacks_strlen(*ret, MAX_VALUE) != SIZE_MAX &&
	    strncmp(*ret, "auto,", 5) == 0) {
		callbacks_free(*ret);
		return copy_text("auto", ret);
	}
	if (rc != ompd_rc_unsupported || !ret || get_icv_from_scope(handle, scope, id, &number) != ompd_rc_ok)
		return rc;
	snprintf(text, sizeof(text), "%lld", (long long)number);
	return copy_text(text, ret);
}

void quirks_llvm_apply_icvs(struct ompd_routines *routines)
{
	routines->get_icv_from_scope = get_icv_from_scope;
	routines->get_icv_string_from_scope = get_icv_string_from_scope;
}
