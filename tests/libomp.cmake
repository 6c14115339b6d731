# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where LLVM's runtime of this machine is: LIBOMP_FILE, or nothing; LIBOMP_AS_LIBGOMP: a folder in which it has
# libgomp's name.
find_program(CLANG_FOR_PROGRAMS clang)
if(CLANG_FOR_PROGRAMS)
	execute_process(COMMAND ${CLANG_FOR_PROGRAMS} -print-resource-dir OUTPUT_VARIABLE resources
		OUTPUT_STRIP_TRAILING_WHITESPACE)
	find_library(LIBOMP_FOR_PROGRAMS omp HINTS ${resources}/../..)
endif()
if(CLANG_FOR_PROGRAMS AND LIBOMP_FOR_PROGRAMS)
	file(REAL_PATH ${LIBOMP_FOR_PROGRAMS} LIBOMP_FILE)
	set(LIBOMP_AS_LIBGOMP ${CMAKE_BINARY_DIR}/tests/programs/llvm/as_libgomp)
	file(MAKE_DIRECTORY ${LIBOMP_AS_LIBGOMP})
	file(CREATE_LINK ${LIBOMP_FILE} ${LIBOMP_AS_LIBGOMP}/libgomp.so.1 SYMBOLIC)
endif()
