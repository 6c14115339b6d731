/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for the routines that concern a process or device as a whole. */
#include <string.h>

#include "fixture.h"
#include "library.h"
#include "line.h"
#include "reply.h"
#include "tool.h"

#define MAX_VARIABLES 4096

static uint64_t device;
static ompd_thread_id_t *kinds;
static ompd_size_t *sizes;

static ompd_rc_t process_failing(enum tool_failure failure)
{
	library_initialize();
	tool_fail(failure);
	return RAW(process_initialize)(tool_context(), &out.space);
}

static ompd_rc_t id_kinds(void)
{
	reply_unless_ok(OMPD(get_device_thread_id_kinds)(fixture_space(), &kinds, &sizes, &out.number));
	if (out.number < 1)
		reply_wrong("the number of kinds is %d", out.number);
	if (!tool_owns(kinds) || !tool_owns(sizes))
		reply_wrong("the tool does not own the arrays");
	return ompd_rc_ok;
}

static ompd_rc_t id_kinds_map(void)
{
	int different;

	id_kinds();
	for (int i = 0, n = out.number; i < n; i++) {
		uint64_t id = 0;

		if (sizes[i] > sizeof(id))
			continue; /* the id of another kind of device */
		reply_unless_ok(OMPD(get_thread_id)(fixture_thread(), kinds[i], sizes[i], &id));
		reply_unless_ok(OMPD(get_thread_handle)(fixture_space(), kinds[i], sizes[i], &id, &out.thread));
		reply_unless_ok(OMPD(thread_handle_compare)(fixture_thread(), out.thread, &different));
		if (different)
			reply_wrong("an id of kind %llu leads to another thread", (unsigned long long)kinds[i]);
	}
	return ompd_rc_ok;
}

/* The address space of the host device has the threads, and the variables of its scope, that the process has. */
static ompd_rc_t host_device(void)
{
	ompd_address_space_handle_t *space = NULL;
	const struct target_thread *native = fixture_native(0);
	ompd_word_t of_device, of_process;
	uint64_t id = native->tid;
	int different;
	ompd_rc_t rc =
		OMPD(device_initialize)(fixture_space(), tool_context(), OMPD_DEVICE_KIND_HOST, sizeof(device), &device, &space);

	if (rc != ompd_rc_ok)
		return rc;
	if (!space || space == fixture_space())
		reply_wrong("there is no handle of its own");
	reply_unless_ok(OMPD(get_thread_handle)(space, OMPD_THREAD_ID_LWP, sizeof(uint32_t), &id, &out.thread));
	reply_unless_ok(OMPD(thread_handle_compare)(fixture_thread_of(0), out.thread, &different));
	if (different)
		reply_wrong("the device has another thread than the process");
	reply_unless_ok(OMPD(get_omp_version)(space, &of_device));
	reply_unless_ok(OMPD(get_omp_version)(fixture_space(), &of_process));
	if (of_device != of_process)
		reply_wrong("the device has another version of OpenMP than the process");
	reply_unless_ok(OMPD(rel_address_space_handle)(space));
	reply_unless_ok(OMPD(get_omp_version)(fixture_space(), &of_process));
	return OMPD(get_omp_version)(space, &of_device) == ompd_rc_ok ? ompd_rc_error : ompd_rc_ok;
}

static ompd_rc_t omp_version(void)
{
	ompd_word_t version;

	reply_unless_ok(OMPD(get_omp_version)(fixture_space(), &version));
	if (version < 199710 || version > 209912 || version % 100 < 1 || version % 100 > 12)
		reply_wrong("%lld is not a value of _OPENMP", (long long)version);
	return ompd_rc_ok;
}

static ompd_rc_t owned_text(ompd_rc_t rc)
{
	reply_unless_ok(rc);
	if (!tool_owns_text(out.text))
		reply_wrong("not a string in memory that the tool owns");
	return rc;
}

static ompd_rc_t control_vars(void)
{
	size_t n = 0;

	reply_unless_ok(OMPD(get_display_control_vars)(fixture_space(), &out.vector));
	if (!out.vector)
		reply_wrong("the vector is NULL");
	for (; out.vector[n] && n < MAX_VARIABLES; n++) {
		const char *equals = strchr(out.vector[n], '=');

		if (!equals || equals == out.vector[n])
			reply_wrong("\"%.60s\" is not NAME=VALUE", out.vector[n]);
	}
	if (!n || n == MAX_VARIABLES)
		reply_wrong("the vector is empty, or it has no end");
	return ompd_rc_ok;
}

static ompd_rc_t release_control_vars(void)
{
	if (OMPD(get_display_control_vars)(fixture_space(), &out.vector) != ompd_rc_ok)
		reply_not_asked("ompd_get_display_control_vars fails");
	return OMPD(rel_display_control_vars)(&out.vector);
}

#include "line_functions.h"
#include "process.def"

static const struct line rows[] = {
#include "line_rows.h"
#include "process.def"
};

const struct lines lines_process = {rows, sizeof(rows) / sizeof(rows[0])};
