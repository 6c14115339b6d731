/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the code on stacks for openmp/stacks/code_*, and classifies the called functions. */
#include "openmp/stacks/stack_code.h"

#include <string.h>

#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "target/modules/modules.h"
#include "target/target_ops.h"
#include "target/unwind/call.h"
#include "target/unwind/unwind_range.h"

#define MAX_SYMBOL 512

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (!strcmp(name, *names))
			return true;
	}
	return false;
}

size_t stack_code_read(void *t, uint64_t address, uint8_t *buf, size_t size)
{
	/* The last pages of a module may be incomplete. */
	for (; size; size = size > 64 ? size / 2 : size - 1) {
		if (target_try_read_raw(t, address, buf, size))
			return size;
	}
	return 0;
}

static size_t read_code(void *arg, uint64_t address, uint8_t *buf, size_t size)
{
	const struct stack_code *c = arg;

	return stack_code_read(c->st->t, address, buf, size);
}

/* Classify a function of the C library: it returns twice, never returns, or calls its argument. */
static void classify_library_call(const char *name, struct code_call *ret)
{
	static const char *const twice[] = {"setjmp", "_setjmp",    "sigsetjmp",   "__sigsetjmp",
					    "vfork",  "getcontext", "swapcontext", NULL};
	static const char *const never[] = {"abort",
					    "exit",
					    "_exit",
					    "_Exit",
					    "quick_exit",
					    "__assert_fail",
					    "__stack_chk_fail",
					    "pthread_exit",
					    "longjmp",
					    "_longjmp",
					    "siglongjmp",
					    "__longjmp_chk",
					    "__fortify_fail",
					    "__chk_fail",
					    NULL};
	static const char *const unknown[] = {"glob",	    "scandir", "__libc_start_main", "dlopen", "dlclose",
					      "argp_parse", NULL};
	/* Each entry has the index of the argument that is called. */
	static const struct {
		const char *name;
		int argument;
	} callbacks[] = {
		{"qsort", 3},	 {"qsort_r", 3},      {"bsearch", 4},	{"tsearch", 2},
		{"tfind", 2},	 {"tdelete", 2},      {"twalk", 1},	{"twalk_r", 1},
		{"tdestroy", 1}, {"lfind", 4},	      {"lsearch", 4},	{"ftw", 1},
		{"nftw", 1},	 {"pthread_once", 1}, {"call_once", 1}, {"dl_iterate_phdr", 0},
	};

	ret->kind = is_one_of(name, twice)     ? CODE_CALL_RETURNS_TWICE
		    : is_one_of(name, never)   ? CODE_CALL_NEVER
		    : is_one_of(name, unknown) ? CODE_CALL_UNKNOWN
					       : CODE_CALL_HARMLESS;
	for (size_t i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++) {
		if (strcmp(name, callbacks[i].name) != 0)
			continue;
		ret->kind = CODE_CALL_CALLBACK;
		ret->argument = callbacks[i].argument;
	}
}

static void classify_runtime_call(const struct stack_code *c, const char *name, struct code_call *ret)
{
	static const enum holder_kind kinds[N_CONSTRUCTS] = {
		[CONSTRUCT_CRITICAL] = HOLDER_CRITICAL,
		[CONSTRUCT_ATOMIC] = HOLDER_ATOMIC,
		[CONSTRUCT_LOCK] = HOLDER_LOCK,
	};

	ret->kind = CODE_CALL_HARMLESS;
	for (const struct descriptor_lock_call *const *list = c->runtime->descriptor->proofs->lock_calls; *list;
	     list++) {
		for (const struct descriptor_lock_call *i = *list; i->symbol; i++) {
			if (strcmp(name, i->symbol) != 0)
				continue;
			ret->kind = i->acquires ? CODE_CALL_ACQUIRES : CODE_CALL_RELEASES;
			ret->what = kinds[i->construct];
			ret->argument = i->argument;
		}
	}
}

/*
 * Return the address that the call goes to; 0: not known. *@is_new_ret: the call was never executed, because the
 * dynamic linker has not bound it.
 */
static uint64_t find_callee(struct stack_code *c, const struct decode *insn, uint64_t address, bool *is_new_ret)
{
	const struct decode_operand *to = &insn->operands[0];
	uint64_t callee = insn->target, bound;
	struct unwind_range range;

	*is_new_ret = false;
	if (!callee && to->kind == DECODE_MEMORY && to->base == DECODE_PC && to->index == DECODE_NONE && !to->of_thread)
		return call_pointer(c->st->t, address + insn->length + (uint64_t)to->number, &callee) ? callee : 0;
	if (!callee)
		return 0;
	bound = call_through_plt(c->st->t, callee);
	/* A target inside the table itself is the code that binds the symbol at the first call. */
	if (bound != callee && unwind_range_find(c->st->t, callee, &range) && bound >= range.start && bound < range.end)
		*is_new_ret = true;
	return bound;
}

static void classify_call(void *arg, uint64_t address, const struct decode *insn, struct code_call *ret)
{
	struct stack_code *c = arg;
	struct target *t = c->st->t;
	char name[MAX_SYMBOL];
	uint64_t offset;
	bool is_new;
	uint64_t callee = find_callee(c, insn, address, &is_new);
	const struct target_module *module = callee ? target_module_at(t, callee) : NULL;

	*ret = (struct code_call){.kind = is_new ? CODE_CALL_NEVER : CODE_CALL_UNKNOWN};
	if (is_new || !module)
		return;
	bool is_named = target_symbol_at(t, callee, name, sizeof(name), &offset) && offset == 0;
	bool in_runtime = callee >= c->runtime->start && callee < c->runtime->end;
	if (in_runtime && (!c->runtime->is_executable || (is_named && construct_is_runtime_name(name)))) {
		if (is_named)
			classify_runtime_call(c, name, ret);
	} else if (stack_places_is_system(module->path)) {
		if (is_named)
			classify_library_call(name, ret);
	} else if (module == target_module_at(t, address)) {
		*ret = (struct code_call){.kind = CODE_CALL_FUNCTION, .address = callee};
	}
}

bool stack_code_function(struct stack_code *c, uint64_t address, struct code_function *ret)
{
	struct unwind_range range;

	if (!unwind_range_find(c->st->t, address, &range) || range.start != address)
		return false;
	ret->start = range.start;
	ret->end = range.end;
	ret->n_entries = range.n_pads;
	memcpy(ret->entries, range.pads, range.n_pads * sizeof(range.pads[0]));
	return true;
}

static bool find_function(void *arg, uint64_t address, struct code_function *ret)
{
	return stack_code_function(arg, address, ret);
}

void stack_code_init(struct stack_code *c, struct stacks *st, const struct runtime *runtime)
{
	*c = (struct stack_code){
		.st = st,
		.runtime = runtime,
		.world = {.arg = c, .read = read_code, .call = classify_call, .function = find_function},
	};
}
