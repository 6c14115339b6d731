/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the descendants of processes that use an OpenMP runtime. */
#include "family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "interrupt.h"
#include "offspring.h"
#include "process_choice.h"
#include "rpc/json_read.h"
#include "text.h"

/* Add the process and its descendants that are no members yet. */
static struct error *add_candidates(const struct family *f, long pid, struct processes *ret)
{
	pid_t *below;
	size_t n = offspring_list((pid_t)pid, &below);
	struct error *failure = processes_has(&f->members, pid) ? NULL : processes_add(ret, pid);

	for (size_t i = 0; i < n && !failure; i++) {
		if (!processes_has(&f->members, below[i]))
			failure = processes_add(ret, below[i]);
	}
	free(below);
	return failure;
}

static int is_listed(struct json_object *list, long pid)
{
	struct json_object *processes = json_read_member(list, "processes");

	for (size_t i = 0; i < json_read_length(processes); i++) {
		struct json_object *one = json_read_member(json_object_array_get_idx(processes, i), "pid");

		if (json_read_int(one, 0) == pid)
			return 1;
	}
	return 0;
}

struct error *family_update(struct family *f, const struct args *args, struct processes *found)
{
	struct processes candidates = {.n = 0};
	struct json_object *list = NULL;
	struct error *failure = NULL;

	found->n = 0;
	for (size_t i = 0; i < f->roots.n && !failure; i++)
		failure = add_candidates(f, f->roots.pids[i], &candidates);
	/* A member whose parent has ended is no descendant of the roots any more. */
	for (size_t i = 0; i < f->members.n && !failure; i++)
		failure = add_candidates(f, f->members.pids[i], &candidates);
	if (!failure && candidates.n)
		failure = process_choice_list(args, NULL, NULL, NULL, &list);
	for (size_t i = 0; i < candidates.n && !failure; i++) {
		if (!is_listed(list, candidates.pids[i]))
			continue;
		failure = processes_add(&f->members, candidates.pids[i]);
		if (!failure)
			failure = processes_add(found, candidates.pids[i]);
	}
	json_object_put(list);
	return failure;
}

struct error *family_refuse(const struct family *f)
{
	return failure_create(ERR_ANSWER, "no_such_process", "ompdctl ps lists OpenMP processes",
			      "neither process %ld nor a process that it started uses OpenMP", f->roots.pids[0]);
}

struct error *family_choose(const struct args *args, struct processes *processes)
{
	struct family family = {.roots = *processes};
	struct error *f = family_update(&family, args, processes);

	return f || processes->n ? f : family_refuse(&family);
}

void family_forget(struct family *f, long pid)
{
	processes_remove(&f->members, pid);
}

void family_leave_out(struct family *f, long pid, struct error *failure, int is_quiet)
{
	static const char *const ends[] = {"target_exited", "target_exiting", "target_exec", "no_such_process"};
	int has_ended = 0;
	struct buf t = {0};

	for (size_t i = 0; failure->name && i < sizeof(ends) / sizeof(*ends); i++)
		has_ended |= !strcmp(failure->name, ends[i]);
	if (has_ended) {
		family_forget(f, pid);
	} else if (!is_quiet && !interrupt_came()) {
		text_add_safe(&t, failure->message, 0);
		fprintf(stderr, "ompdctl: process %ld is left out: %s\n", pid, t.data);
	}
	buf_deinit(&t);
	error_destroy(failure);
}
