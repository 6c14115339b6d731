/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds CPython's runtime, its version and layout, its interpreters and their threads. */
#include "openmp/python/python.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/vector.h"
#include "openmp/python/python_memory.h"
#include "target/modules/modules.h"

static bool fail(struct python *py, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct python *py, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(py->why, sizeof(py->why), format, args);
	va_end(args);
	py->status = PYTHON_UNREADABLE;
	return false;
}

/* The version */

static bool find_symbol(struct python *py, const char *name, const char *file_name, uint64_t *ret)
{
	struct target_symbol symbol;
	struct error *err = target_symbol(py->t, name, file_name, &symbol);

	if (!err)
		*ret = symbol.address;
	error_destroy(err);
	return !err;
}

/* Return the minor version in "libpython3.11.so.1.0" or "python3.11"; 0: the name has none. */
static unsigned get_minor_of_name(const char *path)
{
	unsigned minor;

	return sscanf(path_file_name(path), "libpython3.%3u", &minor) == 1 ||
			       sscanf(path_file_name(path), "python3.%3u", &minor) == 1
		       ? minor
		       : 0;
}

/* Find the file that contains the interpreter: a library before the executable, which may only call it. */
static const char *find_file(struct python *py)
{
	const char *exe = path_file_name(target_exe(py->t));
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(py->t, &modules, &n);

	if (err) {
		error_destroy(err);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = path_file_name(modules[i].path);

		if (!strncmp(name, "libpython3", 10) && find_symbol(py, "_PyRuntime", name, &py->runtime))
			return name;
	}
	if (find_symbol(py, "_PyRuntime", exe, &py->runtime))
		return exe;
	for (size_t i = 0; i < n; i++) {
		const char *name = path_file_name(modules[i].path);

		if (get_minor_of_name(name)) {
			fail(py, "%.80s has no symbol _PyRuntime", name);
			return NULL;
		}
	}
	return NULL;
}

static bool find_layout(struct python *py, const char *file)
{
	unsigned char bytes[PYTHON_DESCRIPTION_SIZE];
	uint64_t address, hex = 0;
	unsigned version = get_minor_of_name(file);

	if (!python_read(py->t, false, py->runtime, bytes, sizeof(bytes)))
		return fail(py, "_PyRuntime is not readable");
	if (python_layout_describe(bytes, sizeof(bytes), &py->layout))
		return true;
	if (version)
		version = PYTHON_VERSION(version);
	/* unsigned long Py_Version, since 3.11: the bytes 3, minor, micro, level. */
	if (find_symbol(py, "Py_Version", file, &address) && python_read_word(py->t, address, &hex) && hex >> 24 == 3)
		version = (unsigned)(hex >> 16);
	const struct python_layout *layout = python_layout_of(version);
	if (layout) {
		py->layout = *layout;
		return true;
	}
	if (!version)
		return fail(py, "the version of Python in %.80s is not known", file);
	return fail(py, "ompdd does not know the layout of Python 3.%u", version & 0xff);
}

static bool find_types(struct python *py, const char *file)
{
	return (find_symbol(py, "PyCode_Type", file, &py->code_type) &&
		find_symbol(py, "PyUnicode_Type", file, &py->text_type) &&
		find_symbol(py, "PyBytes_Type", file, &py->bytes_type)) ||
	       fail(py, "%.80s lacks the symbols of Python's types", file);
}

/* Threads */

/*
 * Return the kernel's id of the thread with the state at @address; 0: it is not a thread of the process. Its pthread_t
 * stays the same after fork(), the kernel's id in memory does not.
 */
static pid_t find_tid(const struct python *py, uint64_t address)
{
	uint64_t pthread, native = 0;

	if (!python_read_word(py->t, address + py->layout.thread_id, &pthread))
		return 0;
	const struct target_thread *thread = target_thread_by_pthread(py->t, pthread);
	if (!thread && py->layout.thread_native_id &&
	    python_read_word(py->t, address + py->layout.thread_native_id, &native) && native <= INT32_MAX)
		thread = target_thread_by_tid(py->t, (pid_t)native);
	/* A thread with another pthread_t has the kernel's id of this state by chance. */
	if (thread && thread->pthread && thread->pthread != pthread)
		return 0;
	return thread ? thread->tid : 0;
}

/* Check a PyThreadState by its links: to its interpreter, and back to the previous state of the list. */
static bool is_thread_state(const struct python *py, uint64_t address, uint64_t interpreter, uint64_t previous)
{
	const struct python_layout *l = &py->layout;
	uint64_t owner, back;

	return python_read_word(py->t, address + l->thread_interpreter, &owner) && owner == interpreter &&
	       python_read_word(py->t, address + l->thread_prev, &back) && back == previous;
}

static bool add_threads(struct python *py, uint64_t interpreter, uint32_t gil)
{
	struct python_seen seen = {0};
	uint64_t state, previous = 0;
	bool ok = python_read_word(py->t, interpreter + py->layout.interpreter_threads, &state);

	if (!ok)
		fail(py, "an interpreter of Python is not readable");
	while (ok && state) {
		if (py->n_threads == PYTHON_MAX_THREADS)
			ok = fail(py, "Python has more than %d threads", PYTHON_MAX_THREADS);
		else if (!python_seen_add(&seen, state) || !is_thread_state(py, state, interpreter, previous))
			ok = fail(py,
				  "the list of Python's threads does not have the layout of Python 3.%u, or changed",
				  py->layout.version & 0xff);
		else if (!VECTOR_GROW(py->threads, py->n_threads, py->cap_threads))
			ok = fail(py, "memory is exhausted");
		if (!ok)
			break;
		py->threads[py->n_threads++] =
			(struct python_thread){.address = state, .tid = find_tid(py, state), .gil = gil};
		previous = state;
		ok = python_read_word(py->t, state + py->layout.thread_next, &state) ||
		     fail(py, "a thread of Python is not readable");
	}
	python_seen_deinit(&seen);
	return ok;
}

/* The GIL */

/* Return the number of the interpreter's GIL in @py->gils; UINT32_MAX: it is not readable. */
static uint32_t add_gil(struct python *py, uint64_t interpreter)
{
	const struct python_layout *l = &py->layout;
	struct python_gil gil = {.interpreter = interpreter};
	int32_t locked;

	if (l->runtime_gil)
		gil.address = py->runtime + l->runtime_gil;
	else if (!python_read_word(py->t, interpreter + l->interpreter_gil, &gil.address))
		return UINT32_MAX;
	for (uint32_t i = 0; i < py->n_gils; i++) {
		if (py->gils[i].address == gil.address)
			return i;
	}
	/* Before the GIL is created, `locked` is -1. A GIL that is not in use is 0. */
	if (!python_read_int(py->t, gil.address + l->gil_locked, &locked) ||
	    !python_read_word(py->t, gil.address + l->gil_holder, &gil.holder) || locked < -1 || locked > 1 ||
	    !VECTOR_GROW(py->gils, py->n_gils, py->cap_gils))
		return UINT32_MAX;
	gil.is_held = locked == 1 && gil.holder;
	py->gils[py->n_gils] = gil;
	return (uint32_t)py->n_gils++;
}

static bool find_interpreters(struct python *py)
{
	struct python_seen seen = {0};
	uint64_t interpreter;
	bool ok = true;

	if (!python_read_word(py->t, py->runtime + py->layout.runtime_interpreters, &interpreter))
		ok = fail(py, "_PyRuntime is not readable");
	else if (interpreter)
		py->status = PYTHON_READABLE;
	while (ok && interpreter) {
		if (seen.n == PYTHON_MAX_INTERPRETERS)
			ok = fail(py, "Python has more than %d interpreters", PYTHON_MAX_INTERPRETERS);
		else if (!python_seen_add(&seen, interpreter))
			ok = fail(py, "the list of Python's interpreters has a cycle");
		uint32_t gil = ok ? add_gil(py, interpreter) : UINT32_MAX;
		if (ok && gil == UINT32_MAX)
			ok = fail(py, "the GIL does not have the layout of Python 3.%u", py->layout.version & 0xff);
		ok = ok && add_threads(py, interpreter, gil) &&
		     (python_read_word(py->t, interpreter + py->layout.interpreter_next, &interpreter) ||
		      fail(py, "an interpreter of Python is not readable"));
	}
	python_seen_deinit(&seen);
	return ok;
}

static void find_holders(struct python *py)
{
	for (size_t i = 0; i < py->n_gils; i++) {
		for (size_t k = 0; k < py->n_threads && py->gils[i].is_held; k++) {
			if (py->threads[k].address == py->gils[i].holder)
				py->gils[i].tid = py->threads[k].tid;
		}
	}
}

void python_find(struct target *t, struct python *ret)
{
	*ret = (struct python){.t = t};
	const char *file = find_file(ret);

	if (file && find_layout(ret, file) && find_types(ret, file) && find_interpreters(ret))
		find_holders(ret);
}

void python_deinit(struct python *py)
{
	free(py->threads);
	free(py->gils);
	*py = (struct python){0};
}

const struct python_thread *python_thread_of(const struct python *py, pid_t tid, const struct python_thread *after)
{
	for (size_t i = after ? (size_t)(after - py->threads) + 1 : 0; i < py->n_threads; i++) {
		if (py->threads[i].tid == tid)
			return &py->threads[i];
	}
	return NULL;
}
