/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For fuzzers whose threads are parked in a runtime: at the end LeakSanitizer would look into these, and fault there,
 * or take them for leaks. Visible, because gcc's sanitizer is a shared library, which asks for this in the dynamic
 * symbols.
 */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}
