/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The twin of a test program: its main() runs in a target region. The host executes the region in place of a device, or for
 * a plugin whose devices share the memory of the process. gcc's twins link the program's objects, with --wrap=main. A
 * compiler for devices needs the program's source, PROGRAM.
 */
#ifdef PROGRAM
#define register_functions() ((void)0)
#pragma omp declare target
#define main twin_of_main
#include PROGRAM
#undef main
#pragma omp end declare target
#else
#include "offload_register.h"
#define twin_of_main __real_main
#define main	     __wrap_main
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);
#endif

int main(int argc, char **argv)
{
	unsigned long arguments = (unsigned long)argv;

	register_functions();
#pragma omp target firstprivate(argc, arguments)
	{
		((int (*)(int, char **))twin_of_main)(argc, (char **)arguments);
		__asm__ volatile("" ::: "memory"); /* not a tail call: the region's function stays on the stack */
	}
	return 0;
}
