/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the scopes around a program counter in a compilation unit. Replaces libdw's dwarf_getscopes() and
 * dwarf_getscopes_die() for two reasons:
 * - They recurse once per nesting level of the file, which can be crafted to overflow our stack. This code limits the
 *   depth.
 * - They do not find a function nested in another that does not contain its code. gcc nests the outlined body of a
 *   construct in the function around it.
 */
#ifndef OMPDD_TARGET_SCOPES_H
#define OMPDD_TARGET_SCOPES_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* The largest nesting depth; deeper scopes are not reported. */
#define SCOPES_MAX 256

/*
 * Store the entries of @cu, or of a function, that contain @pc (without bias), the innermost first, @cu itself last:
 * functions, blocks and inlined calls, and the namespaces and classes around them. Return how many; 0 if @pc is in no
 * entry below @cu, or nested too deeply.
 */
size_t scopes_find(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die ret[SCOPES_MAX]);

/* Return the compilation unit of @mod that covers @pc, or NULL. *@bias: @pc minus its address in the file. */
Dwarf_Die *scopes_unit(Dwfl_Module *mod, Dwarf_Addr pc, Dwarf_Addr *bias);

/* Return the linker's name of @die, as symbols have it, or else the source's. NULL: it has none. */
const char *scopes_name(Dwarf_Die *die);

#endif
