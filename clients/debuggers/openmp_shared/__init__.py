# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenMP's view in a debugger: the common part of gdb's and lldb's commands.

openmp_gdb.py and openmp_lldb.py beside this folder implement the debugger's side (commands.Host).
"""
