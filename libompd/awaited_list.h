/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A growing list of awaited threads and tasks (struct awaited_list in backend.h). The backends fill it. */
#ifndef OMPDD_LIBOMPD_AWAITED_LIST_H
#define OMPDD_LIBOMPD_AWAITED_LIST_H

#include "backend.h"

/* Append a copy of @item. A full list (@max items) drops it and becomes incomplete. Fails only with nomem. */
ompd_rc_t awaited_list_add(struct awaited_list *list, const struct awaited *item);

#endif
