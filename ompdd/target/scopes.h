/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The scopes around a program counter in a compilation unit. libdw's own dwarf_getscopes() and dwarf_getscopes_die()
 * call themselves once per level of what is nested in the file, which may be made to end our stack; this goes no deeper
 * than it says. And they do not find functions within others whose code does not contain theirs: gcc puts what it makes
 * of a construct's body into the function around it.
 */
#ifndef OMPDD_TARGET_SCOPES_H
#define OMPDD_TARGET_SCOPES_H

#include <elfutils/libdw.h>

/* Scopes within scopes: more than that and none are told. */
#define SCOPES_MAX 256

/*
 * The entries of @cu, or of a function, that contain @pc (without bias), the innermost first, @cu itself last:
 * functions, blocks and inlined calls as they lie in each other, and the namespaces and classes around them. Returns
 * how many; 0 when @pc is in no entry below @cu, or too deep.
 */
size_t scopes_find(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die ret[SCOPES_MAX]);

#endif
