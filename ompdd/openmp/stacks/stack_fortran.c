/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A statement becomes calls of libgfortran. The first one has the address of the record as its first argument, and
 * waits for the lock of the unit that the record names. The argument's register is lost by then: the caller's code
 * shows how it was computed.
 */
#include "openmp/stacks/stack_fortran.h"

#include <string.h>

#include "base/path.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/code/code_pointer.h"
#include "openmp/stacks/stack_code.h"
#include "openmp/stacks/stack_library.h"
#include "target/modules/modules.h"
#include "target/unwind/unwind_range.h"

/* Offsets in the record. */
enum { RECORD_FLAGS_AND_UNIT = 0, RECORD_FILE = 8, RECORD_LINE = 16 };

/* A wait of one of these calls for a lock of a unit is one for the unit in its record. */
static bool locks_unit(const char *callee)
{
	static const char *const calls[] = {
		"read",	     "write",  "open",	  "close", "inquire",	 "flush",
		"backspace", "rewind", "endfile", "wait",  "wait_async",
	};
	static const char prefix[] = "_gfortran_st_";

	if (!callee || strncmp(callee, prefix, strlen(prefix)) != 0)
		return false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!strcmp(callee + strlen(prefix), calls[i]))
			return true;
	}
	return false;
}

static bool is_of_library(const struct target_module *module)
{
	return module && module->path && !strncmp(path_file_name(module->path), "libgfortran.", 12);
}

/* Return the frame that called libgfortran, where that waits in the C library; else the number of frames. */
static uint32_t find_caller(const struct stacks_thread *t)
{
	uint32_t first = stack_library_skip(t, 0), i = first;

	while (i < t->n_frames && is_of_library(t->frames[i].place->source.module))
		i++;
	return first && i > first && i < t->n_frames && !t->frames[i].place->is_exact ? i : t->n_frames;
}

/* Find how the function that calls at @pc computes the first argument of that call. */
static bool find_argument(struct stacks *st, uint64_t pc, struct code_pointer *ret)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);
	struct unwind_range range;
	struct code_function function;
	struct stack_code code;

	if (!runtime || !unwind_range_find(st->t, pc - 1, &range))
		return false;
	stack_code_init(&code, st, runtime);
	struct code_releases releases = {.world = &code.world};
	bool found = stack_code_function(&code, range.start, &function) &&
		     code_argument_find(&releases, &function, pc, 0, ret);
	code_releases_deinit(&releases);
	return found && ret->n_loads == 0 && ret->reg >= 0;
}

/* Read the unit from the record. The line of another struct, or of one that was not filled in, would be none. */
static bool read_unit(struct stacks *st, const struct stack_copy *copy, uint64_t record, int32_t *ret)
{
	uint64_t first, file, line;

	if (!stack_copy_read(st->t, copy, record + RECORD_FLAGS_AND_UNIT, &first) ||
	    !stack_copy_read(st->t, copy, record + RECORD_FILE, &file) ||
	    !stack_copy_read(st->t, copy, record + RECORD_LINE, &line) || !target_module_at(st->t, file) ||
	    (int32_t)line <= 0)
		return false;
	*ret = (int32_t)(first >> 32);
	return true;
}

bool stack_fortran_find_unit(struct stacks *st, size_t i, uint64_t mutex, int32_t *ret)
{
	const struct stacks_thread *t = stacks_thread(st, i);
	uint32_t k = t && t->end != STACK_MOVED ? find_caller(t) : 0;
	struct code_pointer pointer;
	struct stack stack;
	uint64_t base;

	/* A mutex in the library's own data protects its list of units. */
	if (!k || k == t->n_frames || target_module_at(st->t, mutex))
		return false;
	struct stacks_place *caller = t->frames[k].place;
	stacks_callee(st, caller);
	if (!locks_unit(caller->callee) || !find_argument(st, caller->pc, &pointer))
		return false;
	stack_unwind(st->t, &st->copies.copies[i], st->max_frames, &stack);
	bool found = k < stack.n && stack.frames[k].pc == caller->pc &&
		     stack_frame_register(&stack.frames[k], decode_arch->dwarf[pointer.reg], &base) &&
		     read_unit(st, &st->copies.copies[i], base + (uint64_t)pointer.offsets[0], ret);
	stack_deinit(&stack);
	return found;
}
