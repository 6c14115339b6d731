/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of names and of prefixes of names. */
#include "openmp/stacks/stack_names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/path.h"
#include "openmp/runtimes/constructs.h"

static bool has_any_prefix(const char *name, const char *const *prefixes)
{
	for (; *prefixes; prefixes++) {
		if (!strncmp(name, *prefixes, strlen(*prefixes)))
			return true;
	}
	return false;
}

bool stack_name_is_sanitizer(const char *symbol)
{
	static const char *const prefixes[] = {
		"__interceptor_", "___interceptor_", "__sanitizer", "__asan",	"__tsan",
		"__ubsan",	  "__lsan",	     "__msan",	    "__hwasan", "__dfsan",
		"asan_thread_",	  "hwasan_thread_",  NULL};
	/* These names follow "_ZN" or "_ZNK" and the length of the name. */
	static const char *const spaces[] = {"__asan",	    "__tsan",	      "__ubsan", "__lsan",
					     "__msan",	    "__hwasan",	      "__scudo", "__dfsan",
					     "__sanitizer", "__interception", NULL};

	if (!symbol)
		return false;
	if (strncmp(symbol, "_ZN", 3) != 0)
		return has_any_prefix(symbol, prefixes);
	const char *space = symbol + 3 + strspn(symbol + 3, "KVrO");
	size_t n_digits = strspn(space, "0123456789");
	return n_digits && has_any_prefix(space + n_digits, spaces);
}

bool stack_name_is_sanitizer_start(const char *symbol)
{
	return stack_name_is_sanitizer(symbol) && (strstr(symbol, "_start") || strstr(symbol, "ThreadStart"));
}

/* Return whether @symbol is a function of namespace std or __gnu_cxx. */
static bool is_of_cxx_library(const char *symbol)
{
	static const char *const prefixes[] = {
		"_ZSt",	  "_ZNSt", "_ZNKSt", "_ZNSa", "_ZNKSa",	       "_ZNSb",		 "_ZNKSb",	    "_ZNSs",
		"_ZNKSs", "_ZNSi", "_ZNSo",  "_ZNSd", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1", NULL};

	return has_any_prefix(symbol, prefixes);
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (!strcmp(name, *names))
			return true;
	}
	return false;
}

/*
 * Return whether @symbol is a function of the C library in which threads stay or that calls others. Most of its other
 * names are reserved.
 */
static bool is_of_c_library(const char *symbol)
{
	static const char *const prefixes[] = {"pthread_", "sem_", "mq_", "epoll_", NULL};
	static const char *const names[] = {
		"accept",  "accept4",	  "bsearch",	  "calloc",  "clock_nanosleep",
		"close",   "connect",	  "fcntl",	  "fflush",  "fgets",
		"flock",   "fopen",	  "fprintf",	  "fread",   "free",
		"fsync",   "fwrite",	  "getline",	  "ioctl",   "lockf",
		"malloc",  "memcpy",	  "memset",	  "msgrcv",  "msgsnd",
		"munmap",  "nanosleep",	  "open",	  "pause",   "poll",
		"ppoll",   "pread",	  "printf",	  "pselect", "puts",
		"pwrite",  "qsort",	  "qsort_r",	  "read",    "readv",
		"realloc", "recv",	  "recvfrom",	  "recvmsg", "sched_yield",
		"select",  "semop",	  "semtimedop",	  "send",    "sendmsg",
		"sendto",  "sigsuspend",  "sigtimedwait", "sigwait", "sleep",
		"syscall", "tsearch",	  "twalk",	  "usleep",  "wait",
		"wait3",   "wait4",	  "waitid",	  "waitpid", "write",
		"writev",  "sigwaitinfo", NULL,
	};

	return has_any_prefix(symbol, prefixes) || is_one_of(symbol, names);
}

bool stack_name_is_reserved(const char *symbol, bool is_static)
{
	if (!symbol)
		return false;
	if (stack_name_is_sanitizer(symbol) || is_of_cxx_library(symbol))
		return true;
	/* C++ mangles names to _Z…, gfortran to __MODULE_MOD_PROCEDURE. */
	if (symbol[0] == '_' && (symbol[1] == '_' || isupper((unsigned char)symbol[1])))
		return strncmp(symbol, "_Z", 2) != 0 && !strstr(symbol, "_MOD_");
	return is_static && is_of_c_library(symbol);
}

const char *stack_name_public(const char *symbol)
{
	static const char *const prefixes[] = {"__interceptor_trampoline_", "__interceptor_", "__libc_", "__GI_"};

	/* Names of runtimes and mangled names of C++ start with an underscore, too. */
	if (!strncmp(symbol, "_Z", 2) || construct_is_runtime_name(symbol))
		return symbol;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const char *found = strstr(symbol, prefixes[i]);

		if (found && found + strlen(prefixes[i]) > symbol && symbol + strspn(symbol, "_") >= found)
			symbol = found + strlen(prefixes[i]);
	}
	const char *plain = symbol + strspn(symbol, "_");
	return *plain ? plain : symbol;
}

bool stack_name_is_support_module(const char *path)
{
	static const char *const prefixes[] = {
		"libtsan.",   "libasan.",   "libubsan.", "liblsan.",	 "libhwasan.",	  "libclang_rt",  "libstdc++.",
		"libc++.",    "libc++abi.", "libgcc_s.", "libgfortran.", "libflang",	  "libquadmath.", "libatomic.",
		"libunwind.", "python",	    "libpython", "perl",	 "libperl.",	  "ruby",	  "libruby",
		"libR.",      "libjulia",   "libjvm.",	 "liblua",	 "liboctinterp.", "libffi.",	  NULL};
	/* Python's own modules in C. */
	return has_any_prefix(path_file_name(path), prefixes) || strstr(path, "/lib-dynload/");
}
