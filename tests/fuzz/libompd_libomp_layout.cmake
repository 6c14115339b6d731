# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The fuzzer examines LLVM's runtime in its own process.
include(${PROJECT_SOURCE_DIR}/tests/libomp.cmake)
if(LIBOMP_FILE)
	fuzz_target(libompd_libomp_layout libompd_libomp_layout.c corpus/libompd_libomp_layout MAX_LEN 2048
		SOURCES overlay.c lsan_off.c ${PROJECT_SOURCE_DIR}/tests/support/self_target.c
			${PROJECT_SOURCE_DIR}/tests/support/ask_libompd.c
		LIBS ompd_objects ${CMAKE_DL_LIBS})
	foreach(target fuzz_replay_libompd_libomp_layout fuzz_libompd_libomp_layout)
		if(TARGET ${target})
			target_compile_definitions(${target} PRIVATE LIBOMP="${LIBOMP_FILE}")
		endif()
	endforeach()
endif()
