/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The library of `unready`. The dynamic linker asks it for a function's address during relocation, after the C library and
 * before libgomp. It answers when there is a byte on stdin. Until then libgomp is mapped, but has no place in the TLS.
 */
#include <sys/syscall.h>

static int ready(void)
{
	return 1;
}

__attribute__((used)) static int (*resolve(void))(void)
{
	char byte;
	long n;

	/* Functions of other libraries cannot be called yet. */
	do {
#if defined(__x86_64__)
		__asm__ volatile("syscall" : "=a"(n) : "0"(SYS_read), "D"(0), "S"(&byte), "d"(1) : "rcx", "r11", "memory");
#else
		register long number __asm__("x8") = SYS_read, first __asm__("x0") = 0, length __asm__("x2") = 1;
		register char *to __asm__("x1") = &byte;

		__asm__ volatile("svc #0" : "+r"(first) : "r"(number), "r"(to), "r"(length) : "memory");
		n = first;
#endif
	} while (n < 0);
	return ready;
}

int unready_part(void) __attribute__((ifunc("resolve")));
int (*const unready_pointer)(void) = unready_part;
