# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Our runtime is looked at in the fuzzer's own process.
if(TARGET omprt)
	fuzz_target(libompd_omprt_layout libompd_omprt_layout.c corpus/libompd_omprt_layout MAX_LEN 2048
		SOURCES overlay.c lsan_off.c ${PROJECT_SOURCE_DIR}/tests/support/self_target.c
			${PROJECT_SOURCE_DIR}/tests/support/ask_libompd.c
		LIBS ompd_objects ${CMAKE_DL_LIBS})
	foreach(target fuzz_replay_libompd_omprt_layout fuzz_libompd_omprt_layout)
		if(TARGET ${target})
			target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
			target_compile_definitions(${target} PRIVATE OMPRT="$<TARGET_FILE:omprt>")
			add_dependencies(${target} omprt)
		endif()
	endforeach()
endif()
