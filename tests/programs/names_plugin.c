/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * names_plugin PATH...: a parked team whose program lists matching OMPD libraries, as a runtime with OMPD does. With
 * "--endless" the list never ends, with "--wild" its first entry points nowhere, with "--long" it is a path of 1 MiB.
 */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

__attribute__((visibility("default"))) const char **ompd_dll_locations;
__attribute__((visibility("default"), noinline)) void ompd_dll_locations_valid(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--endless") == 0) {
		ompd_dll_locations = malloc(sizeof(char *) << 20);
		for (int i = 0; i < 1 << 20; i++)
			ompd_dll_locations[i] = "/nowhere/libompd.so";
	} else if (argc > 1 && strcmp(argv[1], "--wild") == 0) {
		static const char *wild[] = {(const char *)16, NULL};
		ompd_dll_locations = wild;
	} else if (argc > 1 && strcmp(argv[1], "--long") == 0) {
		static const char *list[2];
		char *path = malloc((1 << 20) + 1);
		memset(path, 'x', 1 << 20);
		path[1 << 20] = '\0';
		list[0] = path;
		ompd_dll_locations = list;
	} else {
		ompd_dll_locations = (const char **)argv + 1;
	}
	ompd_dll_locations_valid();
	park_begin(2);
#pragma omp parallel num_threads(2)
	oracle_park();
}
