/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * dlopen PART.so [late]: a program without OpenMP that loads a shared object, which loads libgomp.
 * With "late", it prints its first line before that, and loads on SIGUSR1: a runtime that appears after the attach.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "park.h"

int main(int argc, char **argv)
{
	sigset_t set;
	int sig;

	if (argc < 2)
		return 2;
	if (argc > 2 && strcmp(argv[2], "late") == 0) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		park_begin(0);
		sigwait(&set, &sig);
	}
	park_begin(5);
	void *part = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!part) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	void (*run)(void) = (void (*)(void))dlsym(part, "dlopen_part_run");
	run();
}
