/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Find variables that no accessor returns, in the code of omp_display_env(). */
#include <string.h>

#include "callbacks.h"
#include "gomp/reader.h"

#define FORMAT_SIZE 64

#define MAX_PRIORITY	 " OMP_MAX_TASK_PRIORITY = '"
#define WAIT_POLICY	 " OMP_WAIT_POLICY = '"
#define DISPLAY_AFFINITY " OMP_DISPLAY_AFFINITY = '"
#define TARGET_OFFLOAD	 " OMP_TARGET_OFFLOAD = '"
#define SPIN_COUNT	 " GOMP_SPINCOUNT = '"

/*
 * gcc 12's function is shorter than the first size, those of 13 to 16 than the second. Decoding
 * takes most of the time.
 */
static const size_t sizes[] = {2560, 4096, 8192};
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* Return whether the text at @value contains @name. */
static bool is_format(struct reader *r, const struct code_value *value, const char *name)
{
	char text[FORMAT_SIZE + 1] = "";

	if (value->root != CODE_FIXED || value->loads || value->offset[0] < 65536 ||
	    cb_read(r->context, (ompd_addr_t)value->offset[0], FORMAT_SIZE, text) != ompd_rc_ok)
		return false;
	return strstr(text, name) != NULL;
}

/* Find the first call that prints @name; *arg is the argument after the format. */
static bool find_print(struct reader *r, const char *name, size_t *ret, struct code_value *arg)
{
	for (size_t i = 0; i < r->walk->count; i++) {
		const struct code_event *event = &r->walk->events[i];

		for (size_t j = 0; event->kind == CODE_CALL && j + 1 < CODE_ARGS; j++) {
			if (!is_format(r, &event->arg[j], name))
				continue;
			*ret = i;
			*arg = event->arg[j + 1];
			return true;
		}
	}
	return false;
}

/* Find the only global of @width that is loaded between call @at and the previous (next) call. */
static bool find_near(const struct code_walk *walk, size_t at, int direction, uint8_t width, struct variable *ret)
{
	const struct pattern p = {CODE_LOAD, CODE_FIXED, 1, width, 0, 0};
	const struct code_value *found = NULL;

	for (size_t i = at + (size_t)direction; i < walk->count; i += (size_t)direction) {
		const struct code_event *event = &walk->events[i];

		if (event->kind == CODE_CALL)
			break;
		if (event->kind != CODE_LOAD || !pattern_fits(&event->value, &p))
			continue;
		if (found && !code_value_equals(found, &event->value))
			return false;
		found = &event->value;
	}
	if (found)
		variable_set(ret, found);
	return found != NULL;
}

/* Since 13, OMP_STACKSIZE is reached through a pointer, but it still sets a variable. */
static bool find_stacksize(struct reader *r, size_t *ret, struct code_value *arg)
{
	return (find_print(r, " OMP_STACKSIZE = '", ret, arg) && arg->root == CODE_FIXED) ||
	       find_print(r, " GOMP_STACKSIZE = '", ret, arg);
}

/* Return whether the walk includes each print, and the code up to the next call. */
static bool has_all_prints(struct reader *r)
{
	static const char *const formats[] = {MAX_PRIORITY, WAIT_POLICY, DISPLAY_AFFINITY, TARGET_OFFLOAD, SPIN_COUNT};
	struct code_value arg;
	size_t at, last;

	if (!find_stacksize(r, &last, &arg))
		return false;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!find_print(r, formats[i], &at, &arg))
			return false;
		if (at > last)
			last = at;
	}
	for (at = last + 1; at < r->walk->count; at++) {
		if (r->walk->events[at].kind == CODE_CALL)
			return true;
	}
	return false;
}

static bool walk_display(struct reader *r)
{
	ompd_addr_t address;

	if (cb_symbol(r->context, NULL, "omp_display_env", r->gomp->file, &address) != ompd_rc_ok)
		return false;
	for (size_t i = 0; i < N_SIZES; i++) {
		if (!pattern_walk(r->walk, r->context, NULL, address, sizes[i], CODE_LINEAR))
			return false;
		if (has_all_prints(r))
			break;
	}
	return true;
}

/*
 * omp_display_env() (since 12) prints variables that no accessor returns. Its formats name the
 * variables. A variable that an accessor also shows proves that the code is read correctly.
 */
void reader_read_display(struct reader *r)
{
	struct gomp *g = r->gomp;
	struct code_value arg;
	size_t at;

	if (!walk_display(r))
		return;
	if (!find_print(r, MAX_PRIORITY, &at, &arg) || arg.root != CODE_FIXED || arg.loads != 1 ||
	    (ompd_addr_t)arg.offset[0] != g->max_task_priority.address)
		return;
	if (find_stacksize(r, &at, &arg) && arg.root == CODE_FIXED && arg.loads == 1 && arg.width == 8 &&
	    !arg.offset[1])
		variable_set(&g->stacksize, &arg);
	if (find_print(r, SPIN_COUNT, &at, &arg) && arg.root == CODE_FIXED && arg.loads == 1 && arg.width == 8 &&
	    !arg.offset[1])
		variable_set(&g->spin_count, &arg);
	if (find_print(r, WAIT_POLICY, &at, &arg))
		find_near(r->walk, at, -1, 4, &g->wait_policy);
	if (find_print(r, DISPLAY_AFFINITY, &at, &arg))
		find_near(r->walk, at, -1, 1, &g->display_affinity);
	if (find_print(r, TARGET_OFFLOAD, &at, &arg))
		find_near(r->walk, at, 1, 4, &g->target_offload);
}
