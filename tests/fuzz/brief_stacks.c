/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For libFuzzer's targets: to remember for each block of memory who has asked for it takes as long as what is tried.
 * The program that replays what was found tells it in full.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "malloc_context_size=1";
}
