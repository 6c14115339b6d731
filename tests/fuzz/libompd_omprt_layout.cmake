# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The fuzzer examines our runtime in its own process. gcc compiles the runtime, even if clang
# compiles the rest.
if(TARGET omprt)
	set(library $<TARGET_FILE:omprt>)
	set(made_by omprt)
else()
	find_program(OMPDD_FUZZ_GCC NAMES gcc)
	if(NOT OMPDD_FUZZ_GCC)
		left_out(fuzz.libompd_omprt_layout "no gcc for our own runtime: apt install gcc")
		return()
	endif()
	set(runtime ${PROJECT_SOURCE_DIR}/runtime)
	set(library ${CMAKE_CURRENT_BINARY_DIR}/omprt/libgomp.so.1)
	file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/omprt)
	file(GLOB sources CONFIGURE_DEPENDS ${runtime}/abi/*.c ${runtime}/core/*/*.c ${runtime}/os/*.c ${runtime}/tools/*.c)
	file(GLOB headers CONFIGURE_DEPENDS ${runtime}/*/*.h ${runtime}/core/*/*.h)
	add_custom_command(OUTPUT ${library}
		COMMAND ${OMPDD_FUZZ_GCC} -shared -fPIC -O2 -g -std=gnu11 -D_GNU_SOURCE "-DOMPDD_VERSION=\"${PROJECT_VERSION}\"" -fvisibility=hidden -fno-semantic-interposition
			-ftls-model=initial-exec -fno-math-errno -I${runtime} -I${runtime}/include -o ${library} ${sources} -pthread
			-Wl,-soname,libgomp.so.1 -Wl,--version-script=${runtime}/gomp.map -Wl,-z,nodelete -Wl,-z,now
		DEPENDS ${sources} ${headers} ${runtime}/gomp.map VERBATIM)
	add_custom_target(omprt_for_fuzz DEPENDS ${library})
	set(made_by omprt_for_fuzz)
endif()
fuzz_target(libompd_omprt_layout libompd_omprt_layout.c corpus/libompd_omprt_layout MAX_LEN 2048
	SOURCES overlay.c lsan_off.c ${PROJECT_SOURCE_DIR}/tests/support/self_target.c
		${PROJECT_SOURCE_DIR}/tests/support/ask_libompd.c
	LIBS ompd_objects ${CMAKE_DL_LIBS})
foreach(target fuzz_replay_libompd_omprt_layout fuzz_libompd_omprt_layout)
	if(TARGET ${target})
		target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
		target_compile_definitions(${target} PRIVATE OMPRT="${library}")
		add_dependencies(${target} ${made_by})
	endif()
endforeach()
