/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A walk down the tree of debugging entries to those that contain an address, with a list of its own in the place of
 * recursion. */
#include "target/scopes.h"

#include <dwarf.h>

#include "base/cpu_budget.h"

/* Entries between two looks at the clock. */
#define ASK_EVERY 256

enum kind {
	KIND_OTHER, /* nothing in it has code */
	KIND_CODE,  /* it has addresses, and what is in it lies within them */
	KIND_SPACE, /* it has none, but what is in it may have some */
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

/* Whether a function may lie within @die though its code does not: within other functions, and blocks of them. */
static bool may_hold_functions(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

/* As scopes_find(); only @everywhere also where it takes long. */
static size_t find(Dwarf_Die *cu, Dwarf_Addr pc, bool everywhere, Dwarf_Die *ret)
{
	Dwarf_Die path[SCOPES_MAX];
	size_t depth = 0, match = 0; /* path[match] contains pc: the search goes on in it, and nowhere else */
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
	size_t n = find(cu, pc, false, ret);

	return n || dwarf_tag(cu) == DW_TAG_subprogram ? n : find(cu, pc, true, ret);
}
