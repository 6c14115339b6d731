/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads the library and finds its routines. */
#include "library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "reply.h"
#include "tool.h"

static void *library;

void library_load(const char *path)
{
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		reply_wrong("it cannot be loaded: %s", dlerror());
}

void *library_routine(const char *name)
{
	void *routine = dlsym(library, name);

	if (!routine)
		reply_absent();
	return routine;
}

void *library_routine_2016(const char *name)
{
	void *routine = dlvsym(library, name, "OMPD_2016");

	if (!routine)
		reply_absent();
	return routine;
}

void library_initialize(void)
{
	static bool is_done;
	ompd_word_t version;

	if (is_done)
		return;
	is_done = true;
	ompd_rc_t rc = RAW(get_api_version)(&version);
	if (rc == ompd_rc_ok)
		rc = RAW(initialize)(version, tool_callbacks());
	if (rc != ompd_rc_ok)
		reply_not_asked("the library cannot be initialised: %s", reply_code_name((int)rc));
}
