/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Executes the start of a function on made-up register values to find out which registers it saves, and where. */
#include "target/unwind/prologue.h"

#include "target/arch/arch.h"
#include "target/unwind/call.h"
#include "target/unwind/dwarf.h"
#include "target/target_ops.h"
#include "target/unwind/unwind_range.h"

#define MAX_CODE 64 /* bytes of code that are examined */

/* Made-up register values: no flag bits are set in them, whichever register holds flags, and no two are equal. */
#define NONSENSE 0x5a00000000000000u
#define CFA	 0x0010000000000000u

/* Return whether a function may save register @reg for its caller. */
static bool is_saved(unsigned reg)
{
	if (reg == arch->return_register)
		return true;
	for (unsigned i = 0; i < arch->n_kept; i++) {
		if (arch->kept[i] == reg)
			return true;
	}
	return false;
}

static bool has_save(const struct prologue *p, unsigned reg)
{
	for (size_t i = 0; i < p->n_saves; i++) {
		if (p->saves[i].reg == reg)
			return true;
	}
	return false;
}

/* Record which of the caller's registers, with the values @before, are stored. */
static void add_stores(struct prologue *p, const uint64_t *before, const struct arch_store *store)
{
	for (unsigned i = 0; i < store->n; i++) {
		for (unsigned reg = 0; reg < arch->n_registers; reg++) {
			if (store->value[i] == before[reg] && is_saved(reg) && !has_save(p, reg))
				p->saves[p->n_saves++] = (struct prologue_save){
					reg,
					CFA - (store->address + i * sizeof(uint64_t)),
				};
		}
	}
}

bool prologue_read(const unsigned char *code, size_t len, struct prologue *ret)
{
	uint64_t before[ARCH_N_REGISTERS], after[ARCH_N_REGISTERS];
	struct prologue p = {0};
	struct arch_registers regs;
	struct arch_store store;

	if (arch->return_slot)
		return false;
	for (unsigned i = 0; i < ARCH_WORDS; i++)
		regs.word[i] = NONSENSE + i;
	arch_set_pc(&regs, 0);
	regs.word[arch->sp_word] = CFA;
	arch->by_dwarf(&regs, before);
	for (uint64_t at = 0; at < len && arch->emulate(code + at, len - at, &regs, &store); at = arch_pc(&regs))
		add_stores(&p, before, &store);
	arch->by_dwarf(&regs, after);
	if (after[arch->fp_register] == before[arch->fp_register] || !has_save(&p, arch->fp_register) ||
	    !has_save(&p, arch->return_register))
		return false;
	p.pointer_below = CFA - after[arch->fp_register];
	*ret = p;
	return true;
}

/* Execute the function at @frame up to its program counter. */
static bool read_function(struct target *t, const struct stack_frame *frame, uint64_t *start_ret, struct prologue *ret)
{
	unsigned char code[MAX_CODE];
	struct unwind_range range;

	if (!unwind_range_find(t, frame->pc - !frame->is_exact, &range))
		return false;
	uint64_t len = frame->pc - range.start < sizeof(code) ? frame->pc - range.start : sizeof(code);
	*start_ret = range.start;
	return target_try_read_raw(t, range.start, code, len) && prologue_read(code, len, ret);
}

static void set_register(struct target_registers *r, unsigned reg, uint64_t value)
{
	r->value[reg] = value;
	r->known |= (uint64_t)1 << reg;
}

bool prologue_caller(struct target *t, const struct stack_frame *frame, struct target_registers *ret)
{
	struct target_registers r = {.known = 0};
	uint64_t start, pointer, cfa, to;
	struct prologue p;

	if (!read_function(t, frame, &start, &p) || !stack_frame_register(frame, arch->fp_register, &pointer) ||
	    __builtin_add_overflow(pointer, p.pointer_below, &cfa) || !frame->sp || cfa <= frame->sp)
		return false;
	for (unsigned i = 0; i < arch->n_kept; i++) {
		if (frame->kept_known >> i & 1)
			set_register(&r, arch->kept[i], frame->kept[i]);
	}
	for (size_t i = 0; i < p.n_saves; i++) {
		uint64_t value;

		if (!dwarf_read(t, cfa - p.saves[i].below, &value))
			return false;
		set_register(&r, p.saves[i].reg, value);
	}
	uint64_t return_address = r.value[arch->return_register];
	if (!call_target(t, return_address, &to) || to != start)
		return false;
	/* The register has been overwritten in the caller. */
	r.known &= ~((uint64_t)1 << arch->return_register);
	r.value[arch->return_register] = 0;
	set_register(&r, arch->sp_register, cfa);
	set_register(&r, arch->pc_register, return_address - 1);
	*ret = r;
	return true;
}
