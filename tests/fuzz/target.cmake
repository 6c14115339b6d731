# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(target_maps target_maps.c corpus/target_maps LIBS ompdd_target)
fuzz_target(target_elf_symbols target_elf_symbols.c corpus/target_elf_symbols MAX_LEN 16384 LIBS
	ompdd_target)
