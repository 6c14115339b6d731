/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reply of a child process that ran one line of the kit: the library's return code, or a
 * sentence. Each reply ends the child.
 */
#ifndef OMPD_KIT_REPLY_H
#define OMPD_KIT_REPLY_H

#include <stdbool.h>

#include "omp-tools.h"

enum reply_kind {
	REPLY_CODE,	 /* the routine's return code */
	REPLY_WRONG,	 /* the routine returned ok with a wrong result: see the note */
	REPLY_NOT_ASKED, /* the program or the library does not offer this situation: see the note */
	REPLY_ABSENT,	 /* the library does not export the routine */
};

#define REPLY_NOTE 200

struct reply {
	enum reply_kind kind;
	ompd_rc_t code;
	char note[REPLY_NOTE];
};

/* Set the file to which this child writes its reply. */
void reply_open(int file);

/*
 * Write the reply and end the child. A return code that was reached by wrong use of a callback
 * (tool_fault()) is reported as wrong.
 */
_Noreturn void reply_code(ompd_rc_t code);
_Noreturn void reply_absent(void);
_Noreturn void reply_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void reply_not_asked(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* End the child with @code unless it is ok. */
void reply_unless_ok(ompd_rc_t code);

/* Return the name of a return code, without its prefix. */
const char *reply_code_name(int code);

#endif
