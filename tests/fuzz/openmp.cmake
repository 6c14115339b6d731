# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(openmp_locations openmp_locations.c corpus/openmp_locations MAX_LEN 8192 LIBS ompdd_openmp
	SOURCES ${PROJECT_SOURCE_DIR}/tests/support/fake_target.c)
