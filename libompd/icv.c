/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and scopes of the ICVs, for api/icv.c. */
#include "icv.h"

#include <stddef.h>

static const struct icv_info infos[] = {
#define ICV(kind, icv_name, icv_scope) [ICV_##kind] = {.name = (icv_name), .scope = ompd_scope_##icv_scope},
#include "icv.def"
#undef ICV
};

const struct icv_info *icv_info(ompd_icv_id_t id)
{
	return id > ICV_UNDEFINED && id < ICV_END ? &infos[id] : NULL;
}
