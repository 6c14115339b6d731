# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(target_core_notes target_core_notes.c corpus/target_core_notes LIBS ompdd_target)
fuzz_target(target_core_segments target_core_segments.c corpus/target_core_segments LIBS ompdd_target)
fuzz_target(target_core_links target_core_links.c corpus/target_core_links MAX_LEN 65536 LIBS ompdd_target)
