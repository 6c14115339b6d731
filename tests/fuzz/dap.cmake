# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(dap_session dap/session.c corpus/dap_session LIBS ompdd_dap_core)
