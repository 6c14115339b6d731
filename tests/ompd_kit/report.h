/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the answers: a table for people, JSON for programs, or counts. */
#ifndef OMPD_KIT_REPORT_H
#define OMPD_KIT_REPORT_H

#include "verdict.h"

enum report_form {
	REPORT_TABLE,
	REPORT_NOT_OK, /* a table without the lines that are ok */
	REPORT_JSON,
	REPORT_SUMMARY,
};

/* Start a report, and finish it with the counts. */
void report_begin(enum report_form form);
void report_end(void);

/* Report one answer. @is_accepted: it is in the list of accepted lines. */
void report_add(const struct answer *answer, bool is_accepted);

/* Return the number of answers with this verdict. */
size_t report_count(enum verdict verdict);

#endif
