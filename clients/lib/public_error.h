/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Errors as the users of <ompdd/client.h> see them. */
#ifndef OMPDD_LIB_PUBLIC_ERROR_H
#define OMPDD_LIB_PUBLIC_ERROR_H

#include "base/error.h"

struct ompdd_error;

/* Return @err, which may be NULL, for the caller of the library. A struct ompdd_error is a struct error. */
static inline struct ompdd_error *public_error(struct error *err)
{
	return (struct ompdd_error *)err;
}

#endif
