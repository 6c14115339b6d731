# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fuzz_target(session_requests session_requests.c corpus/session_requests MAX_LEN 2048 LIBS ompdd_session)
