# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenMP's view in a debugger: what gdb's and lldb's commands have in common.

openmp_gdb.py and openmp_lldb.py beside this folder tell it how to speak to their debugger (commands.Host).
"""
