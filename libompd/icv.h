/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ICVs of icv.def: names and scopes for api/icv.c, numbers for the backends. */
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

/* Return the name and scope of an ICV, or NULL if no ICV has this id. */
const struct icv_info *icv_info(ompd_icv_id_t id);

#endif
