/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For libFuzzer's targets: recording the full call stack of every allocation takes as long as the tested code. The
 * program that replays the findings records it in full.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "malloc_context_size=1";
}
