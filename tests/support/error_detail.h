/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Details of a struct error besides its message. */
#ifndef OMPDD_SUPPORT_ERROR_DETAIL_H
#define OMPDD_SUPPORT_ERROR_DETAIL_H

#include <string.h>

#include "base/error.h"

/* Return the value of @key in the `data` of @err; "(none)": there is no such key. */
static inline const char *error_detail_of(const struct error *err, const char *key)
{
	for (int i = 0; i < err->n_details; i++) {
		if (!strcmp(err->details[i].key, key))
			return err->details[i].value;
	}
	return "(none)";
}

#endif
