/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hints of ompdctl and ompdd-dap. */
#ifndef OMPDD_CLI_CLI_ADVICE_H
#define OMPDD_CLI_CLI_ADVICE_H

#include "advice.h"

extern const struct advice cli_advice;

#endif
