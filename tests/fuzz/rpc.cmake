# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(rpc_framing rpc_framing.c corpus/rpc_framing LIBS ompdd_rpc)
fuzz_target(rpc_message rpc_message.c corpus/rpc_message LIBS ompdd_rpc)
fuzz_target(rpc_params rpc_params.c corpus/rpc_params LIBS ompdd_rpc)
