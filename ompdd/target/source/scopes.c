/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks the tree of debugging entries to those that contain an address, with an explicit stack instead of recursion. */
#include "target/source/scopes.h"

#include <dwarf.h>

#include "base/cpu_budget.h"

/* The number of entries between two reads of the clock. */
#define ASK_EVERY 256
/* Units of one module; a circular chain of them would not end. */
#define MAX_UNITS (1u << 20)

enum kind {
	KIND_OTHER, /* no entry in it has code */
	KIND_CODE,  /* it has addresses, which include those of all entries in it */
	KIND_SPACE, /* it has no addresses, but entries in it may have some */
};

static enum kind kind_of(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_with_stmt:
	case DW_TAG_catch_block:
	case DW_TAG_try_block:
	case DW_TAG_entry_point:
		return KIND_CODE;
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
		return KIND_SPACE;
	default:
		return KIND_OTHER;
	}
}

/* Return whether a function outside of the code range of @die may be in it: true for functions and their blocks. */
static bool may_hold_functions(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

/* Like scopes_find(); with @everywhere it also searches where that takes long. */
static size_t find_scopes(Dwarf_Die *cu, Dwarf_Addr pc, bool everywhere, Dwarf_Die *ret)
{
	Dwarf_Die path[SCOPES_MAX];
	size_t depth = 0, match = 0; /* path[match] contains pc: search only inside of it */
	bool enter = true;

	path[0] = *cu;
	for (size_t n = 0;; n++) {
		if (n % ASK_EVERY == ASK_EVERY - 1 && cpu_budget_is_spent())
			return 0;
		if (enter && depth + 1 == SCOPES_MAX)
			return 0;
		if (enter && dwarf_child(&path[depth], &path[depth + 1]) == 0) {
			depth++;
		} else {
			while (depth > match && dwarf_siblingof(&path[depth], &path[depth]) != 0)
				depth--;
			if (depth == match)
				break;
		}
		enum kind kind = kind_of(&path[depth]);
		enter = kind == KIND_SPACE || (everywhere && !match && may_hold_functions(&path[depth]));
		/* An error means that it has no addresses: a declaration. */
		if (kind == KIND_CODE && dwarf_haspc(&path[depth], pc) == 1) {
			match = depth;
			enter = true;
		}
	}
	for (size_t i = 0; match && i <= match; i++)
		ret[i] = path[match - i];
	return match ? match + 1 : 0;
}

size_t scopes_find(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die ret[SCOPES_MAX])
{
	size_t n = find_scopes(cu, pc, false, ret);

	return n || dwarf_tag(cu) == DW_TAG_subprogram ? n : find_scopes(cu, pc, true, ret);
}

const char *scopes_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		return dwarf_formstring(&attr);
	return dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
}

Dwarf_Die *scopes_unit(Dwfl_Module *mod, Dwarf_Addr pc, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(mod, pc, bias);
	Dwarf *dwarf = cu ? NULL : dwfl_module_getdwarf(mod, bias);
	Dwarf_Aranges *ranges;
	size_t n;

	/* clang writes no table of address ranges, the only source that libdwfl uses: check each unit. */
	if (cu || !dwarf || (dwarf_getaranges(dwarf, &ranges, &n) == 0 && n > 0))
		return cu;
	for (size_t i = 0; i < MAX_UNITS && !cpu_budget_is_spent() && (cu = dwfl_module_nextcu(mod, cu, bias)); i++) {
		if (dwarf_haspc(cu, pc - *bias) == 1)
			return cu;
	}
	return NULL;
}
