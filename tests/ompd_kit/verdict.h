/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs one line in a child process and compares the reply with what is permitted. */
#ifndef OMPD_KIT_VERDICT_H
#define OMPD_KIT_VERDICT_H

#include "line.h"
#include "reply.h"
#include "target.h"

enum verdict {
	VERDICT_OK,
	VERDICT_DIFFERS,     /* another return code, a wrong result, a crash, or no answer in time */
	VERDICT_UNSUPPORTED, /* ompd_rc_unsupported, where it is not required */
	VERDICT_ABSENT,	     /* the library does not export the routine */
	VERDICT_NOT_ASKED,   /* the program or another routine does not offer the situation */
	VERDICT_COUNT,
};

extern const char *const verdict_names[VERDICT_COUNT];

#define VERDICT_TEXT 240

struct answer {
	const struct line *line;
	enum verdict verdict;
	char text[VERDICT_TEXT]; /* what the library answered */
};

/* Run @line on the library @path. The child is killed after @limit_ms milliseconds. */
void verdict_find(const struct line *line, const char *path, const struct target *target, int limit_ms,
		  struct answer *ret);

#endif
