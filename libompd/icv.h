/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of ICVs from icv.def, for api/icv.c (names, scopes) and the backends (values). */
#ifndef OMPDD_LIBOMPD_ICV_H
#define OMPDD_LIBOMPD_ICV_H

#include "omp-tools.h"

enum icv_kind {
	ICV_UNDEFINED = 0,
#define ICV(kind, name, scope) ICV_##kind,
#include "icv.def"
#undef ICV
	ICV_END
};

struct icv_info {
	const char *name;
	ompd_scope_t scope;
};

/* NULL for an id that no ICV has. */
const struct icv_info *icv_info(ompd_icv_id_t id);

#endif
