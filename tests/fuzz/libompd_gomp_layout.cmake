# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(libompd_gomp_layout libompd_gomp_layout.c corpus/libompd_gomp_layout MAX_LEN 2048
	SOURCES overlay.c ${PROJECT_SOURCE_DIR}/tests/support/self_target.c
		${PROJECT_SOURCE_DIR}/tests/support/ask_libompd.c
	LIBS ompd_objects ${CMAKE_DL_LIBS})
