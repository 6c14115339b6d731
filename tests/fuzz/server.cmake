# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(server_net_tcp server_net_tcp.c corpus/server_net_tcp LIBS ompdd_server)
