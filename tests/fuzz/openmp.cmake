# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(openmp_locations openmp_locations.c corpus/openmp_locations MAX_LEN 8192 LIBS ompdd_openmp
	SOURCES ${FAKE_TARGET})
fuzz_target(openmp_python openmp_python.c corpus/openmp_python MAX_LEN 32768 LIBS ompdd_openmp
	SOURCES ${FAKE_TARGET} ${PROJECT_SOURCE_DIR}/tests/support/fake_python.c)
fuzz_target(openmp_devices openmp_devices.c corpus/openmp_devices MAX_LEN 8192 LIBS ompdd_openmp
	SOURCES ${FAKE_TARGET})
