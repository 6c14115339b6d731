/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The object ompd_layout (layout/layout.h). */
#ifndef OMPDD_RUNTIME_ABI_OMPD_LAYOUT_H
#define OMPDD_RUNTIME_ABI_OMPD_LAYOUT_H

/* Fills in the fields that are known only at run time. */
void layout_init(void);

#endif
