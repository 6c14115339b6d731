# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CPack runs this before it builds packages: Debian's place for the configuration is /etc.
set(installed ${CPACK_TEMPORARY_DIRECTORY}/ompdd/usr/share/ompdd/ompdd.conf)
if(NOT EXISTS ${installed})
	message(FATAL_ERROR "no ${installed}")
endif()
file(MAKE_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/ompdd/etc/ompdd)
file(RENAME ${installed} ${CPACK_TEMPORARY_DIRECTORY}/ompdd/etc/ompdd/ompdd.conf)
