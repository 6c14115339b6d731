# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LIBOMP_FILE: this machine's libomp, or empty. LIBOMP_AS_LIBGOMP: a folder where it has libgomp's
# name.
find_program(CLANG_FOR_PROGRAMS clang)
# Flags that make it compile for another machine.
set(CLANG_CROSS_FLAGS)
if(CMAKE_CROSSCOMPILING)
	execute_process(COMMAND ${CMAKE_C_COMPILER} -print-libgcc-file-name OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
	get_filename_component(gcc_toolchain ${libgcc}/../../../../.. ABSOLUTE)
	set(CLANG_CROSS_FLAGS --target=${CMAKE_LIBRARY_ARCHITECTURE} --sysroot=${CMAKE_SYSROOT} --gcc-toolchain=${gcc_toolchain})
endif()
if(CLANG_FOR_PROGRAMS)
	execute_process(COMMAND ${CLANG_FOR_PROGRAMS} -print-resource-dir OUTPUT_VARIABLE resources
		OUTPUT_STRIP_TRAILING_WHITESPACE)
	find_library(LIBOMP_FOR_PROGRAMS omp HINTS ${resources}/../..)
endif()
if(CLANG_FOR_PROGRAMS AND LIBOMP_FOR_PROGRAMS)
	file(REAL_PATH ${LIBOMP_FOR_PROGRAMS} LIBOMP_FILE)
	if(CMAKE_CROSSCOMPILING)
		get_filename_component(libomp_folder ${LIBOMP_FILE} DIRECTORY)
		list(APPEND CLANG_CROSS_FLAGS -L${libomp_folder})
	endif()
	set(LIBOMP_AS_LIBGOMP ${CMAKE_BINARY_DIR}/tests/programs/llvm/as_libgomp)
	file(MAKE_DIRECTORY ${LIBOMP_AS_LIBGOMP})
	file(CREATE_LINK ${LIBOMP_FILE} ${LIBOMP_AS_LIBGOMP}/libgomp.so.1 SYMBOLIC)
endif()
