/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of ICVs as numbers, and as values of OMP_* variables. */
#include "icv_value.h"

#include "icv.h"
#include "strbuf.h"

void icv_set_number(struct icv_value *ret, int64_t number)
{
	ret->number = number;
	ret->has_number = true;
}

void icv_set_bool(struct icv_value *ret, bool value)
{
	icv_set_number(ret, value);
	strbuf_printf(ret->text, "%s", value ? "true" : "false");
}

void icv_set_limit(struct icv_value *ret, uint64_t value)
{
	icv_set_number(ret, value > INT32_MAX ? INT32_MAX : (int64_t)value);
}

void icv_set_allocator(struct icv_value *ret, uint64_t value)
{
	static const char *const names[] = {
		"omp_null_allocator",	"omp_default_mem_alloc", "omp_large_cap_mem_alloc",
		"omp_const_mem_alloc",	"omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",
		"omp_cgroup_mem_alloc", "omp_pteam_mem_alloc",	 "omp_thread_mem_alloc",
	};

	icv_set_number(ret, (int64_t)value);
	if (value < sizeof(names) / sizeof(names[0]))
		strbuf_printf(ret->text, "%s", names[value]);
	else
		strbuf_printf(ret->text, "0x%llx", (unsigned long long)value);
}

/* omp_sched_t: the kind, and monotonic as the top bit. */
#define SCHED_MONOTONIC 0x80000000u
#define SCHED_STATIC	1u
#define SCHED_AUTO	4u

ompd_rc_t icv_set_schedule(struct icv_value *ret, uint32_t schedule, int32_t chunk)
{
	static const char *const names[] = {NULL, "static", "dynamic", "guided", "auto"};
	uint32_t kind = schedule & ~SCHED_MONOTONIC;
	bool monotonic = schedule & SCHED_MONOTONIC;

	if (kind < SCHED_STATIC || kind > SCHED_AUTO)
		return ompd_rc_unavailable;
	icv_set_number(ret, (int64_t)schedule);
	/* Name the modifier if it is not the kind's default (5.2, 11.5.3). */
	if (monotonic && kind != SCHED_STATIC)
		strbuf_printf(ret->text, "monotonic:");
	else if (!monotonic && kind == SCHED_STATIC)
		strbuf_printf(ret->text, "nonmonotonic:");
	strbuf_printf(ret->text, "%s", names[kind]);
	if (kind != SCHED_AUTO && chunk > 0) {
		strbuf_printf(ret->text, ",%d", chunk);
		ret->incomplete = true;
	}
	return ompd_rc_ok;
}

void icv_set_places(struct icv_value *ret, uint64_t first, uint64_t n)
{
	icv_set_number(ret, n ? (int64_t)first : -1);
	ret->incomplete = n > 1;
	ret->no_text = !n;
}

void icv_print_number(struct strbuf *text, uint64_t value)
{
	strbuf_printf(text, "%llu", (unsigned long long)value);
}

void icv_print_bind(struct strbuf *text, uint64_t value)
{
	static const char *const names[] = {"false", "true", "primary", "close", "spread"};

	if (value < sizeof(names) / sizeof(names[0]))
		strbuf_printf(text, "%s", names[value]);
	else
		icv_print_number(text, value);
}

void icv_print_place(struct strbuf *text, const uint8_t *mask, size_t bits)
{
	const char *separator = "";

	strbuf_printf(text, "{");
	for (size_t cpu = 0; cpu < bits; cpu++) {
		size_t end = cpu;

		while (end < bits && mask[end / 8] & (1u << end % 8))
			end++;
		if (end == cpu)
			continue;
		strbuf_printf(text, "%s%zu", separator, cpu);
		if (end - cpu > 1)
			strbuf_printf(text, ":%zu", end - cpu);
		separator = ",";
		cpu = end;
	}
	strbuf_printf(text, "}");
}

struct control_variable {
	const char *name;
	enum icv_kind icv;
};

static const struct control_variable variables[] = {
	{"OMP_DYNAMIC", ICV_DYN},
	{"OMP_NUM_THREADS", ICV_NTHREADS},
	{"OMP_SCHEDULE", ICV_RUN_SCHED},
	{"OMP_PROC_BIND", ICV_BIND},
	{"OMP_STACKSIZE", ICV_STACKSIZE},
	{"OMP_WAIT_POLICY", ICV_WAIT_POLICY},
	{"OMP_THREAD_LIMIT", ICV_THREAD_LIMIT},
	{"OMP_MAX_ACTIVE_LEVELS", ICV_MAX_ACTIVE_LEVELS},
	{"OMP_NUM_TEAMS", ICV_NTEAMS},
	{"OMP_TEAMS_THREAD_LIMIT", ICV_TEAMS_THREAD_LIMIT},
	{"OMP_CANCELLATION", ICV_CANCEL},
	{"OMP_DEFAULT_DEVICE", ICV_DEFAULT_DEVICE},
	{"OMP_MAX_TASK_PRIORITY", ICV_MAX_TASK_PRIORITY},
	{"OMP_DISPLAY_AFFINITY", ICV_DISPLAY_AFFINITY},
	{"OMP_AFFINITY_FORMAT", ICV_AFFINITY_FORMAT},
	{"OMP_TARGET_OFFLOAD", ICV_TARGET_OFFLOAD},
	{"OMP_ALLOCATOR", ICV_DEF_ALLOCATOR},
	{"OMP_TOOL", ICV_TOOL},
	{"OMP_TOOL_LIBRARIES", ICV_TOOL_LIBRARIES},
	{"OMP_TOOL_VERBOSE_INIT", ICV_TOOL_VERBOSE_INIT},
	{"OMP_DEBUG", ICV_DEBUG},
};

ompd_rc_t icv_control_vars(const struct process *process, const struct backend *backend, const struct task_ref *initial,
			   struct strbuf *text)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		struct strbuf line = {0};
		struct icv_value value = {.text = &line};
		ompd_rc_t rc = backend->icv(process, variables[i].icv, NULL, NULL, initial, &value);

		if (rc == ompd_rc_ok && line.rc == ompd_rc_ok && !value.no_text) {
			strbuf_printf(text, "%s=", variables[i].name);
			if (line.data)
				strbuf_append(text, line.data, line.length);
			else
				strbuf_printf(text, "%lld", (long long)value.number);
			strbuf_append(text, "", 1);
		}
		strbuf_deinit(&line);
		if (rc == ompd_rc_nomem)
			return rc;
	}
	return text->rc;
}
