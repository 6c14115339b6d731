# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Twins of the programs that report their own view: all of main() in a target region (target_main.c).
# They have the program's name, below target/ of its folder.
# twin(NAME [LANGUAGE C|CXX|Fortran] [FLAGS...]): links the objects of program(NAME).
function(twin name)
	cmake_parse_arguments(PARSE_ARGV 1 TWIN "" "LANGUAGE" "FLAGS")
	if(NOT TARGET program_${name})
		return()
	endif()
	add_executable(twin_${name} target_main.c $<TARGET_OBJECTS:program_${name}> $<TARGET_OBJECTS:program_park> $<TARGET_OBJECTS:program_oracle>)
	# With the tables for devices.
	set_target_properties(twin_${name} PROPERTIES COMPILE_OPTIONS "-fopenmp;-Wall;-Wextra" OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/target)
	target_link_options(twin_${name} PRIVATE -fopenmp -Wl,--wrap=main ${TWIN_FLAGS})
	if(TWIN_LANGUAGE)
		set_target_properties(twin_${name} PROPERTIES LINKER_LANGUAGE ${TWIN_LANGUAGE})
	endif()
	add_dependencies(programs twin_${name})
endfunction()

foreach(name flat nested serialized deep tasks icvs procbind idle pthreads unjoined waits states frames)
	twin(${name})
endforeach()
twin(flat_stripped FLAGS -s)
twin(tasks_stripped FLAGS -s)
twin(languages_cpp LANGUAGE CXX)
twin(languages_f90 LANGUAGE Fortran)

# clang compiles the code of target regions for a device that the host's processors serve. Its image finds park_*() and
# oracle_*() in the program.
if(LIBOMP_FILE AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
	find_library(LIBOMPTARGET_FOR_PROGRAMS omptarget HINTS ${resources}/../..)
endif()
if(LIBOMPTARGET_FOR_PROGRAMS)
	foreach(name flat nested serialized deep tasks icvs procbind idle pthreads unjoined frames)
		add_custom_command(OUTPUT ${llvm}/target/${name}
			COMMAND ${CMAKE_COMMAND} -E make_directory ${llvm}/target
			COMMAND ${CLANG_FOR_PROGRAMS} -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -D_GNU_SOURCE -O1 -g -w -rdynamic
				-I${CMAKE_CURRENT_SOURCE_DIR} -DPROGRAM=\"${name}.c\" -o ${llvm}/target/${name}
				${CMAKE_CURRENT_SOURCE_DIR}/target_main.c ${common}
			DEPENDS ${name}.c target_main.c ${common} oracle.h park.h VERBATIM)
		list(APPEND clang_twins ${llvm}/target/${name})
	endforeach()
	add_custom_target(clang_twins ALL DEPENDS ${clang_twins})
	add_dependencies(programs clang_twins)
endif()
