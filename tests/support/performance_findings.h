/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A fixture of tests of methods/diagnose/performance_*: the findings of one of these files on `p`. */
#ifndef OMPDD_SUPPORT_PERFORMANCE_FINDINGS_H
#define OMPDD_SUPPORT_PERFORMANCE_FINDINGS_H

#include <string.h>

#include "check_main.h"
#include "methods/diagnose/performance.h"

static struct performance p;

/* Let @search look for findings. Return the one of @kind; NULL: it was not found. */
static inline const struct performance_finding *find_by(void (*search)(struct performance *p), const char *kind)
{
	p.n_findings = 0;
	memset(p.findings, 0, sizeof(p.findings));
	search(&p);
	for (size_t i = 0; i < p.n_findings; i++) {
		if (!strcmp(p.findings[i].kind, kind))
			return &p.findings[i];
	}
	return NULL;
}

/* Assert that @found, of @kind, is the only finding and has all texts. Return it. */
static inline const struct performance_finding *assert_only(const struct performance_finding *found, const char *kind)
{
	ck_assert_msg(found, "%s was not found", kind);
	ck_assert_uint_eq(p.n_findings, 1);
	ck_assert(found->title.len && found->advice.len && found->n_claims);
	return found;
}

#endif
