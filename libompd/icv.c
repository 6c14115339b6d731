/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of ICVs: the backends read what their runtimes store, and this file gives it its form. */
#include "icv.h"

#include <string.h>

#include "strbuf.h"

#define MAX_LIST	1024
#define MAX_PLACES	65536
#define MAX_PLACE_BYTES 1024 /* 8192 CPUs */
#define MAX_STRING	4096

/* omp_sched_t: the kind, and monotonic as the top bit. */
#define SCHED_MONOTONIC 0x80000000u
#define SCHED_STATIC	1u
#define SCHED_AUTO	4u

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct icv_info infos[] = {
#define ICV(kind, icv_name, icv_scope, env, icv_type, gomp, libomp, omprt)                                             \
	[ICV_##kind] = {                                                                                               \
		.name = (icv_name),                                                                                    \
		.variable = (env),                                                                                     \
		.scope = ompd_scope_##icv_scope,                                                                       \
		.type = ICV_AS_##icv_type,                                                                             \
	},
#include "icv.def"
#undef ICV
};

const struct icv_info *icv_info(ompd_icv_id_t id)
{
	return id > ICV_UNDEFINED && id < ICV_END ? &infos[id] : NULL;
}

static void print_number(struct strbuf *text, uint64_t value)
{
	strbuf_printf(text, "%llu", (unsigned long long)value);
}

static void print_bind(struct strbuf *text, uint64_t value)
{
	/* The last two are libomp's own. */
	static const char *const names[] = {"false", "true", "primary", "close", "spread", "intel", "default"};

	if (value < COUNT(names))
		strbuf_printf(text, "%s", names[value]);
	else
		print_number(text, value);
}

/* Print the list from the first element on, for example "4,3". @level: the level that the first one is for. */
static ompd_rc_t print_list(const struct process *process, const struct icv_raw *raw, uint32_t level,
			    void (*print)(struct strbuf *text, uint64_t value), struct icv_value *ret)
{
	print(ret->text, (uint64_t)raw->number);
	ret->no_text = raw->is_open;
	if (!raw->address)
		return ompd_rc_ok;
	if (raw->n > MAX_LIST)
		return ompd_rc_error;
	for (uint64_t i = (uint64_t)level + 1; i < raw->n; i++) {
		uint64_t value = 0;

		RC_TRY(cb_read(process->context, raw->address + i * raw->width, raw->width, &value));
		strbuf_printf(ret->text, ",");
		print(ret->text, value);
		ret->incomplete = true;
	}
	return ompd_rc_ok;
}

static ompd_rc_t print_schedule(const struct icv_raw *raw, struct icv_value *ret)
{
	static const char *const names[] = {NULL, "static", "dynamic", "guided", "auto"};
	uint32_t kind = (uint32_t)raw->number & ~SCHED_MONOTONIC;
	bool monotonic = (uint32_t)raw->number & SCHED_MONOTONIC;

	if (kind < SCHED_STATIC || kind > SCHED_AUTO)
		return ompd_rc_unavailable;
	ret->number = (uint32_t)raw->number;
	/* Name the modifier if it is not the kind's default (5.2, 11.5.3). */
	if (!raw->has_default_order && monotonic != (kind == SCHED_STATIC))
		strbuf_printf(ret->text, "%s:", monotonic ? "monotonic" : "nonmonotonic");
	strbuf_printf(ret->text, "%s", names[kind]);
	if (kind != SCHED_AUTO && raw->chunk > 0) {
		strbuf_printf(ret->text, ",%d", raw->chunk);
		ret->incomplete = true;
	}
	return ompd_rc_ok;
}

static void print_allocator(struct strbuf *text, uint64_t value)
{
	static const char *const names[] = {
		"omp_null_allocator",	"omp_default_mem_alloc", "omp_large_cap_mem_alloc",
		"omp_const_mem_alloc",	"omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",
		"omp_cgroup_mem_alloc", "omp_pteam_mem_alloc",	 "omp_thread_mem_alloc",
	};

	if (value < COUNT(names))
		strbuf_printf(text, "%s", names[value]);
	else
		strbuf_printf(text, "0x%llx", (unsigned long long)value);
}

/* Print the CPUs of one place as intervals, for example "{0:4,8}". @mask has @bits bits. */
static void print_place(struct strbuf *text, const uint8_t *mask, size_t bits)
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

/* Print the places of the partition, for example "{0},{1}". */
static ompd_rc_t print_places(const struct process *process, const struct icv_raw *raw, struct icv_value *ret)
{
	uint64_t first = raw->n ? (uint64_t)raw->number : 0; /* a thread that is not bound yet has all places */
	uint64_t n = raw->n ? raw->n : raw->n_all;
	uint8_t mask[MAX_PLACE_BYTES];

	if (!raw->n_all) {
		ret->number = -1;
		ret->no_text = true;
		return ompd_rc_ok;
	}
	if (!raw->width || raw->width > sizeof(mask) || raw->n_all > MAX_PLACES || first > raw->n_all ||
	    n > raw->n_all - first)
		return ompd_rc_error;
	for (uint64_t i = first; i < first + n; i++) {
		ompd_addr_t at = raw->address + i * (raw->has_mask_address ? sizeof(at) : raw->width);

		if (raw->has_mask_address)
			RC_TRY(PROCESS_READ(process, at, &at));
		RC_TRY(cb_read(process->context, at, raw->width, mask));
		if (i > first)
			strbuf_printf(ret->text, ",");
		print_place(ret->text, mask, raw->width * 8);
	}
	ret->number = (int64_t)first;
	ret->incomplete = n > 1;
	return ompd_rc_ok;
}

static ompd_rc_t print_string(const struct process *process, const struct icv_raw *raw, struct icv_value *ret)
{
	char string[MAX_STRING];

	ret->has_number = false;
	if (raw->text) {
		strbuf_append(ret->text, raw->text, strlen(raw->text));
		return ompd_rc_ok;
	}
	if (raw->n > sizeof(string))
		return ompd_rc_error;
	RC_TRY(raw->n ? cb_read(process->context, raw->address, raw->n, string)
		      : cb_read_string(process->context, raw->address, sizeof(string), string));
	strbuf_append(ret->text, string, raw->n ? raw->n : strlen(string));
	return ompd_rc_ok;
}

/* Print a value by its name in @names. */
static ompd_rc_t print_name(const struct icv_raw *raw, const char *const *names, size_t n, struct icv_value *ret)
{
	if ((uint64_t)raw->number >= n)
		return ompd_rc_unavailable;
	strbuf_printf(ret->text, "%s", names[raw->number]);
	return ompd_rc_ok;
}

static ompd_rc_t print_value(const struct process *process, enum icv_type type, const struct icv_raw *raw,
			     uint32_t level, struct icv_value *ret)
{
	static const char *const offload[] = {"default", "mandatory", "disabled"};
	static const char *const states[] = {"disabled", "enabled"};
	static const char *const generators[] = {"program", "parallel", "teams", "target"};

	ret->number = raw->number;
	ret->has_number = true;
	switch (type) {
	case ICV_AS_NUMBER:
		return ompd_rc_ok;
	case ICV_AS_LIMIT:
		if (raw->number < 0 || raw->number > INT32_MAX)
			ret->number = INT32_MAX;
		return ompd_rc_ok;
	case ICV_AS_BOOL:
	case ICV_AS_IMPLICIT:
	case ICV_AS_EXPLICIT:
		ret->number = raw->number != 0;
		strbuf_printf(ret->text, "%s", ret->number ? "true" : "false");
		return ompd_rc_ok;
	case ICV_AS_SWITCH:
		return print_name(raw, states, COUNT(states), ret);
	case ICV_AS_OFFLOAD:
		return print_name(raw, offload, COUNT(offload), ret);
	case ICV_AS_GENERATOR:
		return print_name(raw, generators, COUNT(generators), ret);
	case ICV_AS_NAME:
		strbuf_printf(ret->text, "%s", raw->text);
		return ompd_rc_ok;
	case ICV_AS_NUMBERS:
		return print_list(process, raw, level, print_number, ret);
	case ICV_AS_BINDS:
		return print_list(process, raw, level, print_bind, ret);
	case ICV_AS_SCHEDULE:
		return print_schedule(raw, ret);
	case ICV_AS_ALLOCATOR:
		print_allocator(ret->text, (uint64_t)raw->number);
		return ompd_rc_ok;
	case ICV_AS_PLACES:
		return print_places(process, raw, ret);
	case ICV_AS_STRING:
		return print_string(process, raw, ret);
	}
	return ompd_rc_error;
}

ompd_rc_t icv_read_value(const struct process *process, enum icv_kind icv, const struct subject *subject,
			 struct icv_value *ret)
{
	enum icv_type type = infos[icv].type;
	struct icv_raw raw = {0};
	bool is_implicit;

	if (type == ICV_AS_IMPLICIT || type == ICV_AS_EXPLICIT) {
		RC_TRY(process->backend->task_is_implicit(process, subject->task, &is_implicit));
		raw.number = is_implicit == (type == ICV_AS_IMPLICIT);
	} else {
		RC_TRY(process->backend->icv(process, icv, subject, &raw));
	}
	return print_value(process, type, &raw, subject->task ? subject->task->region.level : 0, ret);
}

/* Append "NAME=VALUE". Without a value, nothing is appended. */
static void print_line(const char *variable, const struct icv_value *value, struct strbuf *text)
{
	const struct strbuf *line = value->text;

	if (line->rc != ompd_rc_ok || value->no_text)
		return;
	strbuf_printf(text, "%s=", variable);
	if (line->data)
		strbuf_append(text, line->data, line->length);
	else
		strbuf_printf(text, "%lld", (long long)value->number);
	strbuf_append(text, "", 1);
}

static ompd_rc_t print_variable(const struct process *process, enum icv_kind icv, struct strbuf *text)
{
	const struct task_ref initial = {0};
	struct strbuf line = {0};
	struct icv_value value = {.text = &line};
	/* An ICV of the address space has the same value for all tasks. */
	const struct subject subject = {.task = infos[icv].scope == ompd_scope_address_space ? NULL : &initial};
	ompd_rc_t rc = icv_read_value(process, icv, &subject, &value);

	if (rc == ompd_rc_ok)
		print_line(infos[icv].variable, &value, text);
	strbuf_deinit(&line);
	return rc;
}

/* Append setting @number. Returns bad_input after the last setting. */
static ompd_rc_t print_setting(const struct process *process, unsigned number, struct strbuf *text)
{
	struct setting setting = {0};
	struct strbuf line = {0};
	struct icv_value value = {.text = &line};

	RC_TRY(process->backend->setting(process, number, &setting));
	ompd_rc_t rc = print_value(process, setting.type, &setting.raw, 0, &value);

	if (rc == ompd_rc_ok)
		print_line(setting.variable, &value, text);
	strbuf_deinit(&line);
	return rc == ompd_rc_bad_input ? ompd_rc_error : rc;
}

ompd_rc_t icv_print_variables(const struct process *process, struct strbuf *text)
{
	for (int icv = ICV_UNDEFINED + 1; icv < ICV_END; icv++) {
		if (infos[icv].variable && print_variable(process, (enum icv_kind)icv, text) == ompd_rc_nomem)
			return ompd_rc_nomem;
	}
	ompd_rc_t rc = process->backend->setting ? ompd_rc_ok : ompd_rc_bad_input;

	for (unsigned i = 0; rc != ompd_rc_bad_input; i++) {
		rc = print_setting(process, i, text);
		if (rc == ompd_rc_nomem)
			return rc;
	}
	return text->rc;
}
