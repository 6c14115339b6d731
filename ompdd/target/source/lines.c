/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Searches all modules' line tables for a file and a line. Rows of code that the linker discarded have addresses near
 * 0; with the load bias these would be in file headers. Only addresses in an executable segment count.
 */
#include "target/source/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_budget.h"
#include "base/vector.h"
#include "target/unwind/dwarf.h"
#include "target/source/scopes.h"

#define MAX_SEGMENTS 512
/* Units of one module; a circular chain of them would not end. */
#define MAX_UNITS (4u << 20)

/* A row of the line, and its part of the function. */
struct row {
	uint64_t address;
	uint64_t part;	 /* start of that part */
	Dwarf_Off scope; /* the entry of the function or inlined call */
};

struct search {
	const char *file;
	size_t file_len;
	int wanted;
	int best; /* the smallest line so far; 0: none */
	int last; /* the last line of the file with code */
	bool has_debug;
	bool has_file;
	size_t n_rows_read;
	struct row *rows; /* rows of the line `best` */
	size_t n_rows, cap_rows;
	Dwarf_Die function; /* the function of this unit's last row */
	bool has_function;
};

void lines_deinit(struct lines *l)
{
	free(l->addresses);
	*l = (struct lines){0};
}

static bool is_file(const struct search *s, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (len < s->file_len || strcmp(name + len - s->file_len, s->file))
		return false;
	return len == s->file_len || s->file[0] == '/' || name[len - s->file_len - 1] == '/';
}

static bool is_code(Dwfl_Module *mod, Dwarf_Addr addr)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(mod, &bias);
	GElf_Phdr phdr;
	size_t n;

	if (!elf || elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < MAX_SEGMENTS; i++) {
		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD && phdr.p_flags & PF_X &&
		    addr - bias - phdr.p_vaddr < phdr.p_filesz)
			return true;
	}
	return false;
}

/* Set the function of @row: @pc in @cu. */
static void find_scope(struct search *s, Dwarf_Die *cu, Dwarf_Addr pc, struct row *row)
{
	Dwarf_Die scopes[SCOPES_MAX];
	bool is_same = s->has_function && dwarf_haspc(&s->function, pc) == 1;
	size_t n = scopes_find(is_same ? &s->function : cu, pc, scopes);
	bool found = false;

	if (is_same && !n)
		scopes[n++] = s->function;
	for (size_t i = 0; i < n; i++) {
		int tag = dwarf_tag(&scopes[i]);
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		if (!found) {
			found = true;
			row->scope = dwarf_dieoffset(&scopes[i]);
			while ((at = dwarf_ranges(&scopes[i], at, &base, &start, &end)) > 0) {
				if (pc >= start && pc < end)
					row->part = start;
			}
		}
		if (tag != DW_TAG_subprogram)
			continue;
		/* It is usually the next row's function too. */
		s->function = scopes[i];
		s->has_function = true;
		break;
	}
}

static struct error *add_row(struct search *s, const struct row *row)
{
	if (s->n_rows == LINES_MAX_SAME)
		return error_create(ERR_LIMIT_EXCEEDED, "line %d of %s has more than %d pieces of code", s->best,
				    s->file, LINES_MAX_SAME);
	if (!VECTOR_GROW(s->rows, s->n_rows, s->cap_rows))
		return &error_nomem;
	s->rows[s->n_rows++] = *row;
	return NULL;
}

static struct error *error_spent(void)
{
	return error_create(ERR_LIMIT_EXCEEDED, "the search in the line tables took too much processor time");
}

static struct error *take_line(struct search *s, Dwfl_Module *mod, Dwarf_Die *cu, Dwarf_Addr bias, Dwarf_Line *line)
{
	bool is_statement, is_end;
	Dwarf_Addr pc;
	int number;

	if (dwarf_lineno(line, &number) || number <= 0 || dwarf_lineaddr(line, &pc) ||
	    dwarf_linebeginstatement(line, &is_statement) || !is_statement || dwarf_lineendsequence(line, &is_end) ||
	    is_end)
		return NULL;
	if (number < s->wanted || (s->best && number > s->best)) {
		if (number > s->last)
			s->last = number;
		return NULL;
	}
	if (!is_code(mod, pc + bias))
		return NULL;
	if (cpu_budget_is_spent())
		return error_spent();
	if (number != s->best) {
		s->n_rows = 0;
		s->best = number;
	}
	struct row row = {.address = pc + bias, .part = 0, .scope = 0};
	find_scope(s, cu, pc, &row);
	row.part += bias;
	return add_row(s, &row);
}

static struct error *search_unit(struct search *s, Dwfl_Module *mod, Dwarf_Die *cu, Dwarf_Addr bias)
{
	struct error *err = NULL;
	Dwarf_Lines *lines;
	Dwarf_Files *files;
	size_t n, n_files;
	bool any = false;

	if (cpu_budget_is_spent())
		return error_spent();
	if (dwarf_getsrcfiles(cu, &files, &n_files))
		return NULL;
	s->has_debug = true;
	s->has_function = false;
	for (size_t i = 0; i < n_files && !any; i++)
		any = is_file(s, dwarf_filesrc(files, i, NULL, NULL));
	if (!any || dwarf_getsrclines(cu, &lines, &n))
		return NULL;
	s->has_file = true;
	const char *last_name = NULL;
	bool last_is = false;
	for (size_t i = 0; i < n && !err; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *name = line ? dwarf_linesrc(line, NULL, NULL) : NULL;

		if (++s->n_rows_read > LINES_MAX_ROWS)
			return error_create(ERR_LIMIT_EXCEEDED, "the line tables have more than %u rows",
					    LINES_MAX_ROWS);
		if (name && name != last_name) {
			last_name = name;
			last_is = is_file(s, name);
		}
		if (name && last_is)
			err = take_line(s, mod, cu, bias, line);
	}
	return err;
}

struct search_call {
	struct search *s;
	struct error *err;
};

static int search_module(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr start, void *arg)
{
	struct search_call *call = arg;
	Dwarf_Addr bias;
	Dwarf_Die *cu = NULL;

	(void)userdata;
	(void)name;
	(void)start;
	for (size_t i = 0; i < MAX_UNITS && !call->err && (cu = dwfl_module_nextcu(mod, cu, &bias)); i++)
		call->err = search_unit(call->s, mod, cu, bias);
	return call->err ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->scope != b->scope)
		return a->scope < b->scope ? -1 : 1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static int compare_addresses(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* Choose the first address of each part of each function. */
static struct error *choose_line(struct search *s, struct lines *ret)
{
	uint64_t *addresses = calloc(s->n_rows, sizeof(*addresses));
	size_t n = 0, n_once = 0;

	if (!addresses)
		return &error_nomem;
	qsort(s->rows, s->n_rows, sizeof(*s->rows), compare_rows);
	for (size_t i = 0; i < s->n_rows; i++) {
		if (i == 0 || s->rows[i].scope != s->rows[i - 1].scope || s->rows[i].part != s->rows[i - 1].part)
			addresses[n++] = s->rows[i].address;
	}
	qsort(addresses, n, sizeof(*addresses), compare_addresses);
	for (size_t i = 0; i < n; i++) {
		if (!n_once || addresses[i] != addresses[n_once - 1])
			addresses[n_once++] = addresses[i];
	}
	if (n_once > LINES_MAX_PLACES) {
		free(addresses);
		return error_create(ERR_LIMIT_EXCEEDED, "line %d of %s has code in %zu places, more than %d", s->best,
				    s->file, n_once, LINES_MAX_PLACES);
	}
	*ret = (struct lines){.line = s->best, .addresses = addresses, .n = n_once};
	return NULL;
}

static struct error *not_found(const struct search *s)
{
	struct error *err;

	if (!s->has_debug)
		err = error_hint(error_create(ERR_SYMBOL_NOT_FOUND,
					      "no module of the process has debug information about lines"),
				 "compile with -g, or name the folder of separate debug files in debug_dirs; or set "
				 "the breakpoint at a function");
	else if (!s->has_file)
		err = error_detail(
			error_hint(error_create(ERR_SYMBOL_NOT_FOUND,
						"no module with debug information was compiled from %s", s->file),
				   "compile the file with -g, and give its name or the end of the path that the "
				   "compiler got"),
			"path", "%s", s->file);
	else if (s->last)
		err = error_hint(
			error_create(ERR_SYMBOL_NOT_FOUND, "%s has no code from line %d on", s->file, s->wanted),
			"its last line with code is %d", s->last);
	else
		err = error_hint(error_create(ERR_SYMBOL_NOT_FOUND, "%s has no code", s->file),
				 "nothing of it was compiled into the program");
	return error_detail(err, "file", "%s", s->file);
}

struct error *lines_find(struct target *t, const char *file, int line, struct lines *ret)
{
	struct dwarf_thread *thread;
	Dwfl *dwfl;

	while (!strncmp(file, "./", 2))
		file += 2;
	struct search s = {.file = file, .file_len = strlen(file), .wanted = line};
	struct search_call call = {.s = &s};
	if (!s.file_len)
		return not_found(&s);
	struct error *err = dwarf_get(t, &dwfl, &thread);
	if (err)
		return err;
	dwfl_getmodules(dwfl, search_module, &call, 0);
	err = call.err;
	if (!err)
		err = s.n_rows ? choose_line(&s, ret) : not_found(&s);
	free(s.rows);
	return err;
}
