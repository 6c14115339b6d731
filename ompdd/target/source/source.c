/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds names and lines of program counters in the target's symbols and libdwfl's debug information. */
#include "target/source/source.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_budget.h"
#include "base/memory_limit.h"
#include "target/unwind/dwarf.h"
#include "target/modules/modules.h"
#include "target/source/scopes.h"

/* Limit in bytes for a packed table in the file: its size is unknown before it is unpacked. */
#define MAX_PACKED_TABLE (128u << 20)

void source_deinit(struct source *s)
{
	for (int i = 0; i < s->n_places; i++) {
		free(s->places[i].function);
		free(s->places[i].file);
	}
	*s = (struct source){0};
}

static char *copy_text(const char *text)
{
	return text && *text ? strndup(text, SOURCE_MAX_TEXT) : NULL;
}

/* Find the call of the inlined function @die: the place in the function around it. */
static void find_call(Dwarf_Die *cu, Dwarf_Die *die, struct source_place *place)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word word;
	size_t n_files;

	if (dwarf_attr(die, DW_AT_call_line, &attr) && dwarf_formudata(&attr, &word) == 0 && word <= INT32_MAX)
		place->line = (int)word;
	if (dwarf_attr(die, DW_AT_call_file, &attr) && dwarf_formudata(&attr, &word) == 0 &&
	    dwarf_getsrcfiles(cu, &files, &n_files) == 0 && word < n_files)
		place->file = copy_text(dwarf_filesrc(files, word, NULL, NULL));
}

/* Find the places before the last one, which is the function in the symbol table. */
static void find_inlined(Dwarf_Die *cu, Dwarf_Addr pc, struct source *s)
{
	Dwarf_Die scopes[SCOPES_MAX];
	size_t n = scopes_find(cu, pc, scopes);

	for (size_t i = 0; i < n && s->n_places < SOURCE_MAX_INLINED; i++) {
		struct source_place *place = &s->places[s->n_places - 1];

		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
			if (!place->function)
				place->function = copy_text(scopes_name(&scopes[i]));
			break;
		}
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		free(place->function);
		place->function = copy_text(scopes_name(&scopes[i]));
		place->is_inlined = true;
		find_call(cu, &scopes[i], &s->places[s->n_places++]);
	}
}

static void find_line(Dwarf_Die *cu, Dwarf_Addr pc, struct source_place *place)
{
	Dwarf_Line *line = dwarf_getsrc_die(cu, pc);

	if (!line)
		return;
	place->file = copy_text(dwarf_linesrc(line, NULL, NULL));
	if (dwarf_lineno(line, &place->line) != 0 || place->line < 0)
		place->line = 0;
}

/* Find the function of the last place, which contains the code. */
static void find_function(struct target *t, Dwfl_Module *mod, uint64_t pc, struct source *s)
{
	struct source_place *place = &s->places[s->n_places - 1];
	char name[SOURCE_MAX_TEXT];
	uint64_t offset;

	if (target_symbol_at(t, pc, name, sizeof(name), &offset)) {
		free(place->function);
		place->function = copy_text(name);
		s->function_start = pc - offset;
		return;
	}
	/* Some distributions pack a small table into the file (.gnu_debugdata); only libdwfl reads it. */
	GElf_Off off;
	GElf_Sym sym;
	memory_limit_narrow(MAX_PACKED_TABLE);
	const char *found = mod ? dwfl_module_addrinfo(mod, pc, &off, &sym, NULL, NULL, NULL) : NULL;
	memory_limit_widen();

	if (!found || (sym.st_size != 0 && off >= sym.st_size))
		return;
	free(place->function);
	place->function = copy_text(found);
	s->function_start = pc - off;
}

void source_find(struct target *t, uint64_t pc, bool is_exact, struct source *ret)
{
	struct dwarf_thread *thread;
	Dwfl_Module *mod = NULL;
	Dwfl *dwfl;

	*ret = (struct source){.n_places = 1};
	if (!is_exact && pc)
		pc--;
	ret->module = target_module_at(t, pc);
	struct error *err = dwarf_get(t, &dwfl, &thread);
	if (!err && !cpu_budget_is_spent())
		mod = dwfl_addrmodule(dwfl, pc);
	error_destroy(err);
	Dwarf_Addr bias;
	Dwarf_Die *cu = mod ? scopes_unit(mod, pc, &bias) : NULL;
	if (cu) {
		find_line(cu, pc - bias, &ret->places[0]);
		find_inlined(cu, pc - bias, ret);
	}
	if (ret->module)
		find_function(t, mod, pc, ret);
}
