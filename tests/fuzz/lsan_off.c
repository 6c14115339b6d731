/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For fuzzers whose threads are parked in a runtime. At the end, LeakSanitizer would read these threads, and either
 * fault or report leaks. The function is visible, because gcc's sanitizer is a shared library, which looks for it in
 * the dynamic symbols.
 */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}
