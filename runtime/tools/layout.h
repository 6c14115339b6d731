/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The object ompd_layout (layout/layout.h). */
#ifndef OMPDD_RUNTIME_TOOLS_LAYOUT_H
#define OMPDD_RUNTIME_TOOLS_LAYOUT_H

/* Fill in what is known at run time only. */
void layout_init(void);

#endif
