/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the variables' entries of debug information, and evaluates their locations in a frame. */
#include "target/source/variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "base/cpu_budget.h"
#include "target/modules/modules.h"
#include "target/source/location.h"
#include "target/source/scopes.h"
#include "target/unwind/dwarf.h"

/* Units of one module; a circular chain of them would not end. */
#define MAX_UNITS (1u << 20)
/* Dimensions of an array, and names of one type. */
#define MAX_DIMENSIONS 32
#define MAX_NAMES      64

struct visiting {
	struct location_frame *frame; /* NULL: global variables */
	variables_visit *visit;
	void *arg;
	const char *function;
	size_t n;
	bool is_over;
};

static bool is_name_of_type(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* Find the type of @die without names and qualifiers. dwarf_peel_type() would not end in a circle of names. */
static bool find_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Die type = *die;
	unsigned n = 0;

	do {
		Dwarf_Attribute attr;

		if (n++ == MAX_NAMES || !dwarf_attr_integrate(&type, DW_AT_type, &attr) ||
		    !dwarf_formref_die(&attr, &type))
			return false;
	} while (is_name_of_type(dwarf_tag(&type)));
	*ret = type;
	return true;
}

static bool is_pointer_type(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

/* Evaluate a bound of an array, which is a number, an expression, or another variable. */
static bool find_bound(const struct location_frame *f, uint64_t object, Dwarf_Attribute *attr, int64_t *ret)
{
	Dwarf_Attribute location;
	Dwarf_Die variable;
	Dwarf_Sword number;
	uint64_t value;

	if (f && dwarf_formref_die(attr, &variable)) {
		bool is_in_register;

		if (!dwarf_attr(&variable, DW_AT_location, &location) ||
		    !location_find_variable(f, &location, &value, &is_in_register) ||
		    (!is_in_register && !location_read(f, value, &value)))
			return false;
		*ret = (int64_t)value;
		return true;
	}
	if (dwarf_formsdata(attr, &number) == 0) {
		*ret = number;
		return true;
	}
	if (!f || !location_find(f, attr, object, &value))
		return false;
	*ret = (int64_t)value;
	return true;
}

static bool count_elements(const struct location_frame *f, uint64_t object, Dwarf_Die *range, uint64_t *ret)
{
	Dwarf_Attribute attr;
	int64_t lower = 0, upper;
	Dwarf_Die unit;

	if (dwarf_attr_integrate(range, DW_AT_count, &attr)) {
		if (!find_bound(f, object, &attr, &upper) || upper <= 0)
			return false;
		*ret = (uint64_t)upper;
		return true;
	}
	if (dwarf_attr_integrate(range, DW_AT_lower_bound, &attr)) {
		if (!find_bound(f, object, &attr, &lower))
			return false;
	} else if (dwarf_diecu(range, &unit, NULL, NULL)) {
		Dwarf_Sword usual;

		if (dwarf_default_lower_bound(dwarf_srclang(&unit), &usual) == 0)
			lower = usual;
	}
	if (!dwarf_attr_integrate(range, DW_AT_upper_bound, &attr) || !find_bound(f, object, &attr, &upper) ||
	    upper < lower || __builtin_sub_overflow(upper, lower, &upper) || upper == INT64_MAX)
		return false;
	*ret = (uint64_t)upper + 1;
	return true;
}

/* Multiply *@size by the number of elements of the array type @type. */
static bool multiply_dimensions(const struct location_frame *f, uint64_t object, Dwarf_Die *type, uint64_t *size)
{
	Dwarf_Die range;
	unsigned n = 0;

	if (dwarf_child(type, &range) != 0)
		return false;
	do {
		uint64_t count;

		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		if (n++ == MAX_DIMENSIONS || !count_elements(f, object, &range, &count) ||
		    __builtin_mul_overflow(*size, count, size))
			return false;
	} while (dwarf_siblingof(&range, &range) == 0);
	return n > 0;
}

/* Return the size of an object of @type, whose bounds may be known only in the frame; 0: not known. */
static uint64_t find_size(const struct location_frame *f, uint64_t object, const Dwarf_Die *type)
{
	Dwarf_Die at = *type;
	uint64_t size = 1;

	for (unsigned i = 0; i < MAX_DIMENSIONS; i++) {
		int bytes = dwarf_bytesize(&at);

		if (bytes >= 0)
			return __builtin_mul_overflow(size, (uint64_t)bytes, &size) ? 0 : size;
		if (dwarf_tag(&at) != DW_TAG_array_type || !multiply_dimensions(f, object, &at, &size) ||
		    !find_type(&at, &at))
			return 0;
	}
	return 0;
}

/* Fill in the data of an array that its variable, a descriptor, refers to. */
static void fill_described(const struct location_frame *f, Dwarf_Die *type, Dwarf_Attribute *data, struct variable *v)
{
	uint64_t descriptor = v->address;

	v->is_pointer = true;
	v->size = sizeof(uint64_t);
	if (!f || !location_find(f, data, descriptor, &v->target))
		return;
	v->has_target = true;
	v->address = v->target;
	v->size = v->target ? find_size(f, descriptor, type) : 0;
}

static void fill_value(const struct location_frame *f, Dwarf_Die *type, bool is_in_register, struct variable *v)
{
	Dwarf_Attribute data;

	if (dwarf_attr(type, DW_AT_data_location, &data) && !is_in_register) {
		fill_described(f, type, &data, v);
		return;
	}
	v->is_pointer = is_pointer_type(type);
	if (is_in_register) {
		v->target = v->address;
		v->has_target = v->is_pointer;
		v->address = 0;
		return;
	}
	v->size = find_size(f, v->address, type);
	v->has_open_end = !v->size && dwarf_tag(type) == DW_TAG_array_type;
	v->has_target = v->is_pointer && f && location_read(f, v->address, &v->target);
}

static void visit_variable(struct visiting *g, Dwarf_Die *die, Dwarf_Addr bias)
{
	struct variable v = {.function = g->function};
	const struct location_frame *f = g->frame;
	bool is_in_register = false;
	Dwarf_Attribute attr;
	Dwarf_Die type;

	v.name = dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
	if (!v.name || !*v.name || !dwarf_attr(die, DW_AT_location, &attr) || !find_type(die, &type))
		return;
	if (f ? !location_find_variable(f, &attr, &v.address, &is_in_register)
	      : !location_find_global(&attr, bias, &v.address))
		return;
	fill_value(f, &type, is_in_register, &v);
	if (!f && !v.is_pointer)
		return;
	v.file = dwarf_decl_file(die);
	if (dwarf_decl_line(die, &v.line) != 0 || v.line < 0)
		v.line = 0;
	g->is_over = g->n++ == VARIABLES_MAX || !g->visit(&v, g->arg);
}

static void visit_children(struct visiting *g, Dwarf_Die *parent, Dwarf_Addr bias)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die) != 0)
		return;
	for (size_t n = 1;; n++) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			visit_variable(g, &die, bias);
		if (g->is_over || (n % 256 == 0 && cpu_budget_is_spent()) || dwarf_siblingof(&die, &die) != 0)
			return;
	}
}

/* Return the number of the scope with the nearest function from @i on. */
static size_t find_function(Dwarf_Die *scopes, size_t n, size_t i)
{
	while (i < n && dwarf_tag(&scopes[i]) != DW_TAG_subprogram &&
	       dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
		i++;
	return i;
}

void variables_visit_frame(struct target *t, const struct stack_copy *copy, const struct stack *stack, size_t k,
			   variables_visit *visit, void *arg)
{
	struct visiting g = {.visit = visit, .arg = arg};
	const struct stack_frame *at = &stack->frames[k];
	uint64_t pc = at->pc - !at->is_exact;
	struct dwarf_thread *thread;
	Dwarf_Die scopes[SCOPES_MAX];
	Dwarf_Addr bias = 0;
	Dwfl *dwfl;
	struct error *err = dwarf_get(t, &dwfl, &thread);
	Dwfl_Module *mod = err || cpu_budget_is_spent() ? NULL : dwfl_addrmodule(dwfl, pc);

	error_destroy(err);
	Dwarf_Die *cu = mod ? scopes_unit(mod, pc, &bias) : NULL;
	size_t n = cu ? scopes_find(cu, pc - bias, scopes) : 0;
	size_t outermost = find_function(scopes, n, 0);
	while (outermost < n && dwarf_tag(&scopes[outermost]) != DW_TAG_subprogram)
		outermost++;
	if (outermost >= n)
		return;
	struct location_frame frame = {
		.t = t,
		.copy = copy,
		.at = at,
		.pc = pc - bias,
		.bias = bias,
		.cfa = k + 1 < stack->n ? stack->frames[k + 1].sp : 0,
	};
	location_find_base(&frame, &scopes[outermost]);
	g.frame = &frame;
	for (size_t i = 0; i <= outermost && !g.is_over; i++) {
		g.function = scopes_name(&scopes[find_function(scopes, n, i)]);
		visit_children(&g, &scopes[i], bias);
	}
}

/* Visit the variables of @cu, and those of modules and namespaces in it. */
static void visit_unit(struct visiting *g, Dwarf_Die *cu, Dwarf_Addr bias)
{
	Dwarf_Die die;

	visit_children(g, cu, bias);
	if (g->is_over || dwarf_child(cu, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_module || tag == DW_TAG_namespace)
			visit_children(g, &die, bias);
	} while (!g->is_over && dwarf_siblingof(&die, &die) == 0);
}

void variables_visit_global_pointers(struct target *t, variables_visit *visit, void *arg)
{
	struct visiting g = {.visit = visit, .arg = arg};
	const struct target_module *modules;
	struct dwarf_thread *thread;
	size_t n = 0;
	Dwfl *dwfl;
	struct error *err = dwarf_get(t, &dwfl, &thread);

	if (!err)
		err = target_modules(t, &modules, &n);
	for (size_t i = 0; !err && i < n && !g.is_over; i++) {
		Dwfl_Module *mod = dwfl_addrmodule(dwfl, modules[i].start);
		Dwarf_Die *cu = NULL;
		Dwarf_Addr bias;

		for (size_t k = 0; mod && k < MAX_UNITS && !g.is_over && !cpu_budget_is_spent() &&
				   (cu = dwfl_module_nextcu(mod, cu, &bias));
		     k++)
			visit_unit(&g, cu, bias);
	}
	error_destroy(err);
}
