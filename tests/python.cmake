# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Python3_EXECUTABLE: the first Python on PATH that has the packages of the tests, for the whole
# build. A Python beside the distribution's often lacks them. Include this before
# find_package(Python3); -DPython3_EXECUTABLE=... decides otherwise.
if(NOT Python3_EXECUTABLE)
	string(REPLACE ":" ";" folders "$ENV{PATH}")
	foreach(folder IN LISTS folders)
		if(NOT EXISTS ${folder}/python3)
			continue()
		endif()
		execute_process(COMMAND ${folder}/python3 -c "import jsonschema, pytest" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
		if(result EQUAL 0)
			set(Python3_EXECUTABLE ${folder}/python3 CACHE FILEPATH "Generates code and runs tests")
			break()
		endif()
	endforeach()
	if(NOT Python3_EXECUTABLE)
		message(STATUS "No python3 on PATH has pytest and jsonschema: tests in Python will fail "
			"(apt install python3-pytest python3-jsonschema)")
	endif()
endif()
