/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The folder of lldb's own Python module. Debian's liblldb looks for it in a folder that does not exist. */
#ifndef OMPDD_DAP_LLDB_PYTHON_H
#define OMPDD_DAP_LLDB_PYTHON_H

/*
 * Return the environment in which the adapter of LLVM at @program finds its Python module; NULL: its installation has
 * no such module. The caller frees the array; its strings are borrowed from environ, except *@owned_ret, which the
 * caller frees, too.
 */
char **lldb_python_environment(const char *program, char **owned_ret);

/* Return lldb's command that gives the debugged program our own PYTHONPATH, or none. The caller frees it. */
char *lldb_python_restore_command(void);

#endif
