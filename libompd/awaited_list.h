/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A list of those whom somebody waits for, as backends make it (struct awaited_list in backend.h). */
#ifndef OMPDD_LIBOMPD_AWAITED_LIST_H
#define OMPDD_LIBOMPD_AWAITED_LIST_H

#include "backend.h"

/* One more; where there is no room for it the list is not complete. Fails for lack of memory only. */
ompd_rc_t awaited_list_add(struct awaited_list *list, const struct awaited *item);

#endif
