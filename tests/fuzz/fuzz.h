/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interface of a fuzz target: its functions, and how it reports that a property does not hold. */
#ifndef OMPDD_FUZZ_FUZZ_H
#define OMPDD_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Tries one input; returns 0. Must free all that it allocates. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run, and keeps the input, unless @condition holds. */
#define FUZZ_ASSERT(condition)                                                                                         \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                 \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

#endif
