/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LINE and HANDLE of line.h, as rows of a table. No guard: see line.h. */
#undef LINE
#undef HANDLE
#define LINE(routine, section, permitted, situation, ...) ROW(0, routine, section, permitted, situation)
#define HANDLE(kind, other, routine, section, also, ...)                                                               \
	ROW(0, routine, section, INVALID | (also), "NULL for the " #kind " handle")                                    \
	ROW(1, routine, section, STALE | (also), "a released " #kind " handle")                                        \
	ROW(2, routine, section, INVALID | (also), "memory that is not a " #kind " handle")                            \
	ROW(3, routine, section, INVALID | (also), "a handle of another kind for the " #kind " handle")
