# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(openmp_locations openmp_locations.c corpus/openmp_locations MAX_LEN 8192 LIBS ompdd_openmp
	SOURCES ${FAKE_TARGET})
