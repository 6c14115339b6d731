/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches for the tool (OpenMP 5.2, 19.2 and 21.3), starts and stops it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/state/icv.h"
#include "core/state/root.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/sync/thread_list.h"
#include "omp-tools.h"
#include "os/futex.h"
#include "os/message.h"
#include "os/spin.h"
#include "tools/observer.h"
#include "tools/ompd.h"
#include "tools/ompt.h"

#define START	       "ompt_start_tool"
#define OPENMP_VERSION 202111
#define INITIAL_DEVICE 0 /* omp_get_initial_device() */

typedef ompt_start_tool_result_t *(*start_fn)(unsigned int omp_version, const char *runtime_version);

/* Defined by the program or by one of its libraries. The weak reference makes the linker export it from the program. */
#pragma weak ompt_start_tool

enum { NOT_LIKELY, PENDING, SEARCHING, DONE };

static uint32_t stage; /* atomic */
static __thread bool is_searching;
static ompt_start_tool_result_t *tool;
static void (*end_pool)(struct pool *pool);
static pid_t tool_pid; /* the process in which the tool was started */

/* tool-verbose-init-var; NULL: silent. */
static const char *get_log_path(void)
{
	const char *where = icv_process.tool_verbose_init;

	return where && *where && strcasecmp(where, "disabled") != 0 ? where : NULL;
}

bool ompt_is_likely(void)
{
	if (!icv_process.tool || !(&ompt_start_tool || icv_process.tool_libraries || get_log_path()))
		return false;
	__atomic_store_n(&stage, PENDING, __ATOMIC_RELEASE);
	__atomic_fetch_or(&ompd_breakpoints, OMPD_TOOL_PENDING, __ATOMIC_RELAXED);
	return true;
}

static FILE *open_log(void)
{
	const char *where = get_log_path();
	FILE *log;

	if (!where)
		return NULL;
	if (strcasecmp(where, "stdout") == 0)
		return stdout;
	if (strcasecmp(where, "stderr") == 0)
		return stderr;
	log = fopen(where, "we");
	if (!log)
		message_error("OMP_TOOL_VERBOSE_INIT: cannot write %s: %m", where);
	return log;
}

static void close_log(FILE *log)
{
	if (!log)
		return;
	if (log == stdout || log == stderr)
		fflush(log);
	else
		fclose(log);
}

static __attribute__((format(printf, 2, 3))) void print_log(FILE *log, const char *format, ...)
{
	va_list args;

	if (!log)
		return;
	va_start(args, format);
	vfprintf(log, format, args);
	va_end(args);
}

/* Calls @start of a candidate. Returns NULL if the tool declines. */
static ompt_start_tool_result_t *try_tool(start_fn start, FILE *log)
{
	ompt_start_tool_result_t *result =
		start(OPENMP_VERSION, "ompdd runtime " OMPDD_VERSION " (libgomp ABI of GCC 12)");

	if (result && !result->initialize) {
		print_log(log, "found, but it has no initializer\n");
		return NULL;
	}
	print_log(log, result ? "found\n" : "found, but it declined\n");
	return result;
}

static ompt_start_tool_result_t *try_library(const char *path, FILE *log)
{
	ompt_start_tool_result_t *result = NULL;
	start_fn start;
	void *library;

	print_log(log, "OMP_TOOL_LIBRARIES: %s: ", path);
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!library) {
		const char *error = dlerror();

		print_log(log, "%s\n", error ? error : "cannot be opened");
		return NULL;
	}
	start = (start_fn)dlsym(library, START);
	if (start)
		result = try_tool(start, log);
	else
		print_log(log, "has no " START "()\n");
	if (!result)
		dlclose(library);
	return result;
}

/* Returns the first tool that accepts; NULL: none does. */
static ompt_start_tool_result_t *search_tool(FILE *log)
{
	start_fn start = (start_fn)dlsym(RTLD_DEFAULT, START);
	ompt_start_tool_result_t *result = NULL;
	char *list, *rest, *path;

	print_log(log, "in the program and its libraries: ");
	if (start)
		result = try_tool(start, log);
	else
		print_log(log, "no " START "()\n");
	if (result || !icv_process.tool_libraries)
		return result;
	list = rest = strdup(icv_process.tool_libraries);
	while (!result && (path = strsep(&rest, ":")) != NULL) {
		if (*path)
			result = try_library(path, log);
	}
	free(list);
	return result;
}

/* The tool ends at exit(): all of it still exists then, if it existed when it was initialized. */
static void stop_tool(void)
{
	ompt_stop();
}

static void start_tool(void)
{
	FILE *log = open_log();
	ompt_start_tool_result_t *found;

	print_log(log, "libgomp: looking for an OMPT tool (OpenMP %d)\n", OPENMP_VERSION);
	found = search_tool(log);
	/* Clears the error that the search may have left for the program's own dlerror(). */
	dlerror();
	if (found && !found->initialize(ompt_lookup, INITIAL_DEVICE, &found->tool_data)) {
		print_log(log, "its initializer failed: the tool is not used\n");
		ompt_forget();
		found = NULL;
	}
	print_log(log, found ? "the tool is active\n" : "no tool is active\n");
	close_log(log);
	if (!found)
		return;
	tool = found;
	tool_pid = getpid();
	atexit(stop_tool);
	__atomic_store_n(&runtime_root.tool_data, &found->tool_data.value, __ATOMIC_RELEASE);
	__atomic_fetch_or(&ompd_breakpoints, OMPD_TOOL, __ATOMIC_RELEASE);
}

void ompt_start(void (*destroy_pool)(struct pool *pool))
{
	uint32_t seen = PENDING;

	if (likely(__atomic_load_n(&stage, __ATOMIC_ACQUIRE) == NOT_LIKELY) || is_searching)
		return;
	if (__atomic_compare_exchange_n(&stage, &seen, SEARCHING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		is_searching = true; /* a tool that uses OpenMP itself gets no events for that */
		end_pool = destroy_pool;
		start_tool();
		is_searching = false;
		__atomic_fetch_and(&ompd_breakpoints, ~OMPD_TOOL_PENDING, __ATOMIC_RELEASE);
		__atomic_store_n(&stage, DONE, __ATOMIC_RELEASE);
		futex_wake(&stage, INT_MAX);
	}
	while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) == SEARCHING)
		futex_wait(&stage, SEARCHING);
}

bool ompt_has_started(void)
{
	return __atomic_load_n(&tool, __ATOMIC_RELAXED);
}

bool ompt_is_starting(void)
{
	return is_searching;
}

/* Returns whether @t is the only root thread. */
static bool is_only_root(const struct thread *t)
{
	bool others = false;

	thread_list_lock();
	for (const struct thread *other = runtime_root.threads; other; other = other->next)
		others |= other != t && !other->is_pool;
	thread_list_unlock();
	return !others;
}

/* Ends pool threads that are no longer needed, and waits until their end was reported. */
static void end_workers(struct thread *t)
{
	/* The child of a fork() has only this thread. */
	if (getpid() != tool_pid || !is_only_root(t))
		return;
	end_pool(t->pool);
	t->pool = NULL;
	/* This includes the workers of root threads that have ended. */
	ompt_await_workers();
}

/* Reports the end of the calling thread's part of the program. */
static void end_thread(struct thread *t)
{
	end_workers(t);
	ompt_initial_end(t);
	ompt_thread_end(t);
}

void ompt_stop(void)
{
	struct thread *t = thread_peek();
	ompt_start_tool_result_t *stopping;

	if (!point_has_tool())
		return;
	if (!t->team)
		end_workers(t);
	else if (t->team->level == 0 && !t->team->around && !t->is_pool)
		end_thread(t);
	if (!(__atomic_fetch_and(&ompd_breakpoints, ~OMPD_TOOL, __ATOMIC_ACQ_REL) & OMPD_TOOL))
		return; /* another thread has stopped it */
	stopping = tool;
	__atomic_store_n(&runtime_root.tool_data, NULL, __ATOMIC_RELEASE);
	ompt_forget();
	if (stopping->finalize)
		stopping->finalize(&stopping->tool_data);
}
