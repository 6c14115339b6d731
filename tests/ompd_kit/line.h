/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line of the kit: one situation of one routine, and the return codes that are permitted in it. */
#ifndef OMPD_KIT_LINE_H
#define OMPD_KIT_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

/* Sets of return codes */
#define RC(code)    (1u << ompd_rc_##code)
#define OK	    RC(ok)
#define BAD	    RC(bad_input)
#define STALE	    RC(stale_handle)
#define UNAVAILABLE RC(unavailable)
#define UNSUPPORTED RC(unsupported)
/* 20.3.12 says stale_handle for any handle that is not valid, 20.5 says bad_input for NULL. */
#define INVALID (STALE | BAD)
#define NOT_OK	(~OK)

struct line {
	const char *routine;
	const char *section; /* of OpenMP 5.2, or of the draft of 2016 */
	const char *situation;
	uint32_t permitted; /* set of return codes */
	void (*run)(void);  /* in a child process; it ends with a reply (reply.h) */
};

/* The lines of each chapter. */
struct lines {
	const struct line *lines;
	size_t n;
};

extern const struct lines lines_library, lines_process, lines_thread, lines_parallel, lines_task, lines_state, lines_icv,
	lines_draft;

/*
 * Tables of lines are .def files, which are included twice: for the functions, and for the rows.
 * LINE(routine, section, permitted, situation, call): the reply is the value of @call.
 * HANDLE(kind, other, routine, section, also, call): lines for each kind of handle that is not
 * valid. @call uses `handle`. @other is a valid handle of another kind. @also: a code that is
 * permitted in all these lines.
 */
#define LINE_NAME_(line, part) run_##line##_##part
#define LINE_NAME(line, part)  LINE_NAME_(line, part)

#define DEFINE_LINE(part, ...)                                                                                         \
	static void LINE_NAME(__LINE__, part)(void)                                                                    \
	{                                                                                                              \
		reply_code(__VA_ARGS__);                                                                               \
	}
#define ROW(part, routine, section, permitted, situation)                                                              \
	{"ompd_" #routine, section, situation, permitted, LINE_NAME(__LINE__, part)},
#define WITH(value, ...)                                                                                               \
	({                                                                                                             \
		void *handle = (value);                                                                                \
		__VA_ARGS__;                                                                                           \
	})

#endif
