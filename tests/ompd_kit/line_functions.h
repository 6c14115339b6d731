/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LINE and HANDLE of line.h, as functions. No guard: see line.h. */
#undef LINE
#undef HANDLE
#define LINE(routine, section, permitted, situation, ...) DEFINE_LINE(0, __VA_ARGS__)
#define HANDLE(kind, other, routine, section, also, ...)                                                               \
	DEFINE_LINE(0, WITH(NULL, __VA_ARGS__))                                                                        \
	DEFINE_LINE(1, WITH(fixture_released_##kind(), __VA_ARGS__))                                                   \
	DEFINE_LINE(2, WITH(fixture_garbage(), __VA_ARGS__))                                                           \
	DEFINE_LINE(3, WITH(other, __VA_ARGS__))
